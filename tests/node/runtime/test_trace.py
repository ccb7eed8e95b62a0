"""The trace as docs/trace.md describes it: every record, every field, one line each."""

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from node.contract import Deliver, Transition
from node.frames import Service
from node.identity import Processor
from node.runtime.trace import Trace
from node.views import View, ViewKind, regular_view

DOCS = Path(__file__).parents[3] / "docs" / "trace.md"
B = Processor(20, 3)
VIEW = regular_view([Processor(10, 1), B])
TRANSITIONAL = View(id=255, members=(B,), expected=(9,), kind=ViewKind.TRANSITIONAL)
WORDS = (b"hello", b"")
DIGESTS = [zlib.crc32(b"hello"), 0]

Write = Callable[[Trace], None]

RECORDS: list[tuple[Write, dict[str, Any]]] = [
    (
        lambda trace: trace.start(
            5,
            clock="virtual",
            run="r1",
            node="b",
            processor=B,
            engine="lansis",
            agreed="toto",
            receipts=True,
        ),
        {
            "e": "start",
            "schema": 1,
            "clock": "virtual",
            "run": "r1",
            "node": "b",
            "processor": 20,
            "incarnation": 3,
            "engine": "lansis",
            "agreed": "toto",
            "receipts": True,
        },
    ),
    (
        lambda trace: trace.view(5, VIEW),
        {
            "e": "view",
            "view": f"{VIEW.id:016x}",
            "kind": "regular",
            "members": [[10, 1], [20, 3]],
        },
    ),
    (
        lambda trace: trace.view(5, TRANSITIONAL),
        {"e": "view", "view": "00000000000000ff", "kind": "transitional", "members": [[20, 3]]},
    ),
    (
        lambda trace: trace.send(5, 7, Service.SAFE, WORDS),
        {"e": "send", "first": 7, "service": "safe", "digests": DIGESTS, "sizes": [5, 0]},
    ),
    (
        lambda trace: trace.refuse(5, "full", 12),
        {"e": "refuse", "reason": "full", "count": 12},
    ),
    (
        lambda trace: trace.receive(5, B, 44, (7, 9)),
        {"e": "receive", "from": [20, 3], "counter": 44, "first": 7, "last": 9},
    ),
    (
        lambda trace: trace.deliver(5, Deliver(B, 7, Service.BASIC, WORDS, 255, 2)),
        {
            "e": "deliver",
            "from": [20, 3],
            "first": 7,
            "service": "basic",
            "view": "00000000000000ff",
            "index": 2,
            "digests": DIGESTS,
            "sizes": [5, 0],
        },
    ),
    (
        lambda trace: trace.reject(5, "garbage"),
        {"e": "reject", "reason": "garbage", "count": 1},
    ),
    (
        lambda trace: trace.transition(5, Transition("flow", "open", "blocked", "full")),
        {
            "e": "transition",
            "machine": "flow",
            "before": "open",
            "after": "blocked",
            "reason": "full",
        },
    ),
    (
        lambda trace: trace.stop(5, "end of run", {"repairs": 3}),
        {"e": "stop", "reason": "end of run", "measures": {"repairs": 3}},
    ),
]

records = pytest.mark.parametrize(
    ("write", "expected"), RECORDS, ids=[expected["e"] for _, expected in RECORDS]
)


def lines_of(*writes: Write) -> list[bytes]:
    lines: list[bytes] = []
    trace = Trace(lines.append)
    for write in writes:
        write(trace)
    return lines


def documented() -> dict[str, set[str]]:
    """The fields of each record, from the table in the documentation."""
    fields = {}
    for row in DOCS.read_text().splitlines():
        found = re.match(r"\| `(\w+)` \| (.*?) \| ", row)
        if found and found[1] != "e":  # the heading
            kind, described = found.groups()
            plain = re.sub(r"\([^)]*\)", "", described)
            fields[kind] = set(re.findall(r"(?:^|, )`(\w+)`", plain))
    assert "`receipts: true`" in DOCS.read_text()
    fields["start"].add("receipts")  # described with the records it announces
    return fields


def test_the_table_of_the_documentation_is_understood_here() -> None:
    assert documented()["deliver"] == {
        "from",
        "first",
        "service",
        "view",
        "index",
        "digests",
        "sizes",
    }
    assert documented()["refuse"] == {"reason", "count"}


@records
def test_a_record_is_written_as_expected(write: Write, expected: dict[str, Any]) -> None:
    (line,) = lines_of(write)

    assert json.loads(line) == {"t": 5, **expected}


@records
def test_a_record_has_exactly_the_fields_of_the_documentation(
    write: Write, expected: dict[str, Any]
) -> None:
    (line,) = lines_of(write)
    record = json.loads(line)

    assert set(record) == {"e", "t"} | documented()[record["e"]]


def test_every_record_of_the_documentation_is_written() -> None:
    assert {expected["e"] for _, expected in RECORDS} == set(documented())


def test_a_record_is_one_line_and_one_write() -> None:
    lines = lines_of(*(write for write, _ in RECORDS))

    assert len(lines) == len(RECORDS)
    assert all(line.endswith(b"\n") and line.count(b"\n") == 1 for line in lines)


def test_text_from_elsewhere_cannot_break_a_line() -> None:
    (line,) = lines_of(lambda trace: trace.reject(5, 'two\nlines, "quotes" and ünïcode'))

    assert line.count(b"\n") == 1
    assert json.loads(line)["reason"] == 'two\nlines, "quotes" and ünïcode'
