"""What every file in `traces/` must keep to before it is judged."""

from collections.abc import Callable
from typing import Any

import pytest
from oracle_builder import Story

from oracle.trace import TraceError, read_records


def change(**fields: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.update(fields)


# The file of node a: start, view, send of 1, send of 2 and 3, deliver of all, stop.
@pytest.mark.parametrize(
    ("line", "alter", "message"),
    [
        (1, change(run="r2"), "1: expected run 'r1', found 'r2'"),
        (1, change(node="b"), "1: expected node a [0, 1], found b [0, 1]"),
        (1, change(processor=4), "1: expected node a [0, 1], found a [4, 1]"),
        (1, change(incarnation=3), "1: expected node a [0, 1], found a [0, 3]"),
        (1, change(e="reject"), "1: expected a `start` record, found `reject`"),
        (3, change(t=5_000_000), "4: expected t ≥ 5000000, found 2000000"),
        (4, change(first=3), "4: expected first = 2, found 3"),
        (4, change(first=1), "4: expected first = 2, found 1"),
        (4, change(sizes=[1]), "4: expected a digest and a size for each of ≥ 1 messages"),
        (5, change(digests=[], sizes=[]), "5: expected a digest and a size for each"),
        (5, change(digests=[1, 2, 3, 4]), "5: expected a digest and a size for each"),
        (5, change(e="stop", reason="early"), "6: expected nothing after `stop`"),
        (
            5,
            change(
                e="start", schema=1, clock="virtual", run="r1", node="a", processor=0,
                incarnation=1, engine="lansis", agreed="toto",
            ),
            "5: expected one `start` only",
        ),
    ],
)  # fmt: skip
def test_a_file_that_breaks_the_rules(
    line: int, alter: Callable[[dict[str, Any]], None], message: str
) -> None:
    story = Story("a")
    story.sends("a")
    story.sends("a", count=2)
    story.delivers("a", story.sends("a"))
    del story.traces["a"][4]
    alter(story.traces["a"][line - 1])
    with pytest.raises(TraceError) as caught:
        story.run()
    assert str(caught.value).startswith(f"traces/a.1.ndjson:{message}")


def test_half_a_line_after_the_end() -> None:
    story = Story("a")
    trace = (
        b'{"e":"start","t":0,"schema":1,"clock":"virtual","run":"r1","node":"a","processor":0,'
        b'"incarnation":1,"engine":"lansis","agreed":"toto"}\n'
        b'{"e":"stop","t":1,"reason":"done","measures":{}}\n{"e":"sen'
    )
    with pytest.raises(TraceError, match=r"^traces/a.1.ndjson:3: expected nothing after `stop`$"):
        read_records(story.info(), {"a.1": trace}, [])
