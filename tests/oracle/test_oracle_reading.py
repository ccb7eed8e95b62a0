"""Reading a run: what is refused and where, what is passed over, what merely ends early."""

import json
from pathlib import Path
from typing import Any

import pytest
from oracle_builder import Story

from oracle.judge import judge
from oracle.records import Deliver, Send, Start, Stop
from oracle.trace import Run, TraceError, read_records, read_run

Records = list[dict[str, Any]]


def a_story() -> Story:
    story = Story("a", "b")
    story.all_deliver(story.sends("a"), story.sends("b", "safe", count=2))
    return story


def records_of(story: Story) -> dict[str, Records]:
    stop = {"e": "stop", "t": story.now + 1, "reason": "done", "measures": {}}
    return {f"{node}.1": [*records, stop] for node, records in story.traces.items()}


def ndjson(records: Records) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def read_bytes(story: Story, changed: dict[str, bytes], faults: bytes = b"") -> Run:
    traces = {name: ndjson(records) for name, records in records_of(story).items()}
    return read_records(story.info(), traces | changed, faults)


def refused(story: Story, changed: dict[str, bytes]) -> str:
    with pytest.raises(TraceError) as caught:
        read_bytes(story, changed)
    return str(caught.value)


def lines_of_a(story: Story) -> list[bytes]:
    return ndjson(records_of(story)["a.1"]).splitlines(keepends=True)


def test_bytes_and_dicts_make_the_same_run() -> None:
    story = a_story()
    from_bytes = read_bytes(story, {})
    assert from_bytes == read_records(story.info(), records_of(story), [])
    assert [type(r) for r in from_bytes.incarnations[0].records[-3:]] == [Deliver, Deliver, Stop]
    assert from_bytes.incarnations[0].complete


def test_a_run_directory_is_read(tmp_path: Path) -> None:
    story = a_story()
    story.kills("b")
    (tmp_path / "run.json").write_text(json.dumps(story.info() | {"measures": {"more": 1}}))
    (tmp_path / "traces").mkdir()
    for name, records in records_of(story).items():
        if name == "b.1":
            records.pop()
        (tmp_path / "traces" / f"{name}.ndjson").write_bytes(ndjson(records))
    (tmp_path / "faults.ndjson").write_bytes(ndjson(story.faults))
    run = read_run(tmp_path)
    assert [each.label for each in run.incarnations] == ["a.1", "b.1"]
    assert run.incarnations[1].crashed
    assert run.incarnations[1].killed_at == story.now


def test_a_run_without_faults_has_no_file_of_them(tmp_path: Path) -> None:
    story = Story("a")
    (tmp_path / "run.json").write_text(json.dumps(story.info()))
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.1.ndjson").write_bytes(ndjson(records_of(story)["a.1"]))
    assert read_run(tmp_path).faults == ()


def test_a_directory_without_run_json(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"^run.json: cannot be read: No such file or directory$"):
        read_run(tmp_path)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe"])
def test_a_run_json_that_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(TraceError, match=r"^run.json: expected a JSON object"):
        read_run(tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"schema": 2}, "run.json: expected schema 1, found 2"),
        ({"complete": "yes"}, r"run.json: Expected `bool`, got `str` - at `\$.complete`"),
        ({"nodes": {"a": 0, "b": 0}}, "run.json: expected a processor number of its own"),
        ({"nodes": {"a": 0}}, "traces/b.1.ndjson: node 'b' is not listed in run.json"),
        ({"nodes": {"a": 0, "b": 1, "c": 2}}, "expected a trace of every node, none of c"),
    ],
)
def test_a_run_json_that_does_not_fit(changed: dict[str, Any], message: str) -> None:
    story = a_story()
    with pytest.raises(TraceError, match=message):
        read_records(story.info() | changed, records_of(story), [])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("b", "traces/b.ndjson: expected the name NODE.INCARNATION"),
        ("b.x", "traces/b.x.ndjson: expected the name NODE.INCARNATION"),
        ("b.01", "traces/b.1.ndjson: the same as b.01"),
    ],
)
def test_a_file_name_that_is_none(name: str, message: str) -> None:
    assert refused(a_story(), {name: b""}) == message


def test_another_schema_is_refused_whatever_else_it_has() -> None:
    other = b'{"e": "start", "t": "noon", "schema": 2}\n{"e": "send", "like": "nothing here"}\n'
    assert refused(a_story(), {"a.1": other}) == "traces/a.1.ndjson:1: expected schema 1, found 2"


def test_another_schema_is_refused_in_memory_too() -> None:
    story = a_story()
    records = records_of(story)
    records["b.1"][0]["schema"] = None
    with pytest.raises(TraceError, match=r"^traces/b.1.ndjson:1: expected schema 1, found None$"):
        read_records(story.info(), records, [])


def test_unknown_records_and_fields_are_passed_over() -> None:
    story = a_story()
    plain = read_bytes(story, {})
    for records in story.traces.values():
        records.insert(2, {"e": "weather", "t": "unheard of"})
        records[-1]["colour"] = "blue"
    assert read_bytes(story, {}) == plain
    assert read_records(story.info(), records_of(story), []) == plain


def test_an_error_after_an_unknown_record_names_its_own_line() -> None:
    story = a_story()
    lines = lines_of_a(story)
    changed = b"".join([*lines[:2], b'{"e": "weather"}\n', b'{"e": "send", "t": 1}\n', *lines[2:]])
    assert refused(story, {"a.1": changed}) == (
        "traces/a.1.ndjson:4: not a `send` record: Object missing required field `first`"
    )


@pytest.mark.parametrize("at", [0, 1, 3])
def test_empty_lines_count(at: int) -> None:
    story = a_story()
    lines = lines_of_a(story)
    lines[4:4] = [b'{"e": "reject", "t": 0}\n']  # time runs back here, in line 5
    lines.insert(at, b"\n")
    assert refused(story, {"a.1": b"".join(lines)}).startswith(
        "traces/a.1.ndjson:6: expected t ≥ 3000000, found 0"
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"[1]\n", "expected an object with a string `e`"),
        (b'{"t": 1}\n', "expected an object with a string `e`"),
        (b"{]\n", "expected one JSON object per line: JSON is malformed"),
        (b"\xff\n", "expected one JSON object per line"),
        (b'{"e": "reject", "t": 9}{"e": "reject", "t": 9}\n', "expected one JSON object per line"),
        (b'{"e": "reject", "t": -1}\n', "not a `reject` record: Expected `int` >= 0 - at `$.t`"),
        (b'{"e": "view", "t": 9, "view": "1", "kind": "regular", "members": []}\n', "not a `view`"),
        (b'{"e": "start", "t": 0, "schema": 1}\n', "not a `start` record: Object missing"),
    ],
)
def test_a_line_that_is_no_record(line: bytes, message: str) -> None:
    story = a_story()
    lines = lines_of_a(story)
    lines.insert(2, line)
    assert refused(story, {"a.1": b"".join(lines)}).startswith(f"traces/a.1.ndjson:3: {message}")


def test_a_record_in_memory_that_is_none() -> None:
    story = a_story()
    records = records_of(story)
    records["a.1"][2] = {"e": "send", "t": 1}
    with pytest.raises(TraceError) as caught:
        read_records(story.info(), records, [])
    assert (caught.value.file, caught.value.line) == ("traces/a.1.ndjson", 3)
    assert caught.value.expected.startswith("not a `send` record")


def test_a_file_cut_in_the_middle_of_a_line_keeps_what_comes_before() -> None:
    story = a_story()
    lines = lines_of_a(story)
    run = read_bytes(story, {"a.1": b"".join(lines)[:-5]})
    assert run.incarnations[0].cut
    assert run.incarnations[0].truncated
    assert len(run.incarnations[0].records) == len(lines) - 1
    assert {verdict.status for verdict in judge(run)} == {"unknown"}


def test_a_last_line_that_lacks_only_its_newline_is_whole() -> None:
    story = a_story()
    run = read_bytes(story, {"a.1": b"".join(lines_of_a(story))[:-1]})
    assert not run.incarnations[0].cut
    assert run.incarnations[0].complete


def test_the_file_of_a_killed_node_may_be_cut() -> None:
    story = a_story()
    story.kills("a")
    run = read_bytes(story, {"a.1": b"".join(lines_of_a(story))[:-5]}, ndjson(story.faults))
    assert run.incarnations[0].crashed
    assert run.incarnations[0].cut


def test_the_file_of_a_node_killed_at_once_may_be_empty() -> None:
    story = a_story()
    story.kills("a")
    run = read_bytes(story, {"a.1": b'{"e": "st'}, ndjson(story.faults))
    assert run.incarnations[0].records == ()
    assert run.incarnations[0].start is None
    assert run.incarnations[0].end == 0


def test_an_empty_file_of_a_node_that_was_not_killed() -> None:
    assert refused(a_story(), {"a.1": b""}) == (
        "traces/a.1.ndjson:1: expected a `start` record, found nothing"
    )


def test_nodes_on_two_clocks_cannot_be_compared() -> None:
    story = a_story()
    story.traces["b"][0]["clock"] = "monotonic"
    assert refused(story, {}).startswith("traces: expected one clock for all nodes")


def test_a_kill_hits_the_incarnation_that_was_running() -> None:
    story = a_story()
    again = dict(story.traces["a"][0], incarnation=2, t=story.now + 10)
    faults = [{"e": "fault", "t": story.now + 5, "kind": "kill", "node": "a"}]
    records = records_of(story)
    records["a.1"].pop()
    run = read_records(story.info(), records | {"a.2": [again]}, faults)
    assert [each.killed_at for each in run.incarnations] == [story.now + 5, None, None]


def test_a_kill_at_the_very_start_counts() -> None:
    story = Story("a", "b")
    kill = {"e": "fault", "t": 0, "kind": "kill", "node": "a"}
    records = records_of(story) | {"a.1": story.traces["a"]}
    assert read_records(story.info(), records, [kill]).incarnations[0].crashed


def test_a_kill_may_name_its_incarnation() -> None:
    story = a_story()
    again = dict(story.traces["a"][0], incarnation=2, t=1)
    kill = {"e": "fault", "t": story.now, "kind": "kill", "node": "a", "incarnation": 1}
    run = read_records(story.info(), records_of(story) | {"a.2": [again]}, [kill])
    assert [each.killed_at for each in run.incarnations] == [story.now, None, None]
    assert not run.incarnations[0].crashed, "it stopped before"


def test_a_kill_of_an_unknown_node_names_its_line() -> None:
    story = a_story()
    faults = b'{"e": "fault", "t": 0, "kind": "slow"}\n{"e": "fault", "t": 1, "kind": "kill"}\n'
    with pytest.raises(TraceError, match=r"^faults.ndjson:2: expected a known node, found None$"):
        read_bytes(story, {}, faults)


def test_faults_are_in_order_of_time_and_may_be_cut() -> None:
    faults = b'{"e": "fault", "t": 9, "kind": "x"}\n{"e": "fault", "t": 4, "kind": "y"}\n{"e": "fa'
    run = read_bytes(a_story(), {}, faults)
    assert [fault.kind for fault in run.faults] == ["y", "x"]
    assert run.faults_cut
    assert "a kill may be missing" in judge(run)[0].summary


def test_records_are_typed() -> None:
    records = read_bytes(a_story(), {}).incarnations[0].records
    start, send, deliver = records[0], records[2], records[4]
    assert isinstance(start, Start)
    assert (start.node, start.processor, start.incarnation) == ("a", 0, 1)
    assert isinstance(send, Send)
    assert send.digests == (97001,)
    assert isinstance(deliver, Deliver)
    assert (deliver.sender, deliver.first, deliver.last) == ((1, 1), 1, 2)
