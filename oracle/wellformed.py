"""What docs/trace.md says of every file in `traces/`, checked before anything is judged."""

from typing import Any

import msgspec

from oracle.lines import Decoded, Source, TraceError
from oracle.records import SCHEMA, Deliver, Identity, Record, RunInfo, Send, Start, Stop


def check_schema(file: str, source: Source) -> None:
    """Before anything else: another schema may differ in all the rest."""
    first: Any = source[0] if source and not isinstance(source, bytes) else None
    if isinstance(source, bytes):
        try:
            first = msgspec.json.decode(source[: source.find(b"\n") + 1] or source)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return
    if isinstance(first, dict) and first.get("e") == "start" and first.get("schema") != SCHEMA:
        raise TraceError(file, 1, f"expected schema {SCHEMA}, found {first.get('schema')!r}")


def check_start(
    file: str, trace: Decoded[Record], info: RunInfo, node: str, identity: Identity
) -> None:
    start = trace.records[0] if trace.records else None
    if not isinstance(start, Start):
        found = "nothing" if start is None else f"`{type(start).__name__.lower()}`"
        raise TraceError(file, 1, f"expected a `start` record, found {found}")
    if start.run != info.run:
        raise TraceError(file, 1, f"expected run {info.run!r}, found {start.run!r}")
    if (start.node, start.processor, start.incarnation) != (node, *identity):
        raise TraceError(
            file,
            1,
            f"expected node {node} [{identity[0]}, {identity[1]}], "
            f"found {start.node} [{start.processor}, {start.incarnation}]",
        )


def check_course(file: str, trace: Decoded[Record]) -> None:
    """Time does not run back, sends are numbered 1, 2, 3, …, and nothing follows the end."""
    time, number = 0, 1
    for place, record in enumerate(trace.records):
        if record.t < time:
            raise TraceError(file, trace.lines[place], f"expected t ≥ {time}, found {record.t}")
        time = record.t
        if isinstance(record, (Deliver, Send)):
            if not 0 < len(record.digests) == len(record.sizes):
                what = "expected a digest and a size for each of ≥ 1 messages"
                raise TraceError(file, trace.lines[place], what)
            if isinstance(record, Send):
                if record.first != number:
                    what = f"expected first = {number}, found {record.first}"
                    raise TraceError(file, trace.lines[place], what)
                number += len(record.digests)
        elif isinstance(record, Start) and place:
            raise TraceError(file, trace.lines[place], "expected one `start` only")
        elif isinstance(record, Stop) and (place + 1 < len(trace.records) or trace.cut):
            raise TraceError(file, trace.lines[place] + 1, "expected nothing after `stop`")
