"""Reads what a run left behind (docs/trace.md) into one plain value, `Run`.

A trace that breaks the schema is refused with a `TraceError`: it is no evidence of anything. A
trace that merely ends early is kept, and remembered as such.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from oracle.lines import Decoded, Reader, Source, TraceError
from oracle.records import KNOWN, SCHEMA, Fault, Identity, Record, RunInfo, Start, Stop
from oracle.wellformed import check_course, check_schema, check_start

__all__ = ["Incarnation", "Run", "TraceError", "read_records", "read_run"]

_RECORDS: Reader[Record] = Reader(Record, KNOWN)
_FAULTS: Reader[Fault] = Reader(Fault, frozenset(("fault",)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Incarnation:
    """One node incarnation and its records in file order."""

    node: str
    identity: Identity
    records: tuple[Record, ...]
    cut: bool
    """The file ends in the middle of a line."""
    killed_at: int | None

    @property
    def label(self) -> str:
        return f"{self.node}.{self.identity[1]}"

    @property
    def start(self) -> Start | None:
        """Absent only if the node was killed before it could write it."""
        first = self.records[0] if self.records else None
        return first if isinstance(first, Start) else None

    @property
    def complete(self) -> bool:
        return bool(self.records) and isinstance(self.records[-1], Stop)

    @property
    def crashed(self) -> bool:
        return self.killed_at is not None and not self.complete

    @property
    def truncated(self) -> bool:
        """It neither stopped nor was killed: part of its trace is lost."""
        return self.killed_at is None and not self.complete

    @property
    def end(self) -> int:
        """The time of the last record."""
        return self.records[-1].t if self.records else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """All that a judge looks at. Incarnations are in order of identity, faults in order of time."""

    info: RunInfo
    incarnations: tuple[Incarnation, ...]
    faults: tuple[Fault, ...]
    faults_cut: bool


def read_run(directory: Path) -> Run:
    """Read a run directory."""
    info = _bytes(directory / "run.json")
    try:
        run_info = msgspec.json.decode(info)
    except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
        raise TraceError("run.json", None, f"expected a JSON object: {problem}") from None
    traces = {
        path.name.removesuffix(".ndjson"): _bytes(path)
        for path in sorted((directory / "traces").glob("*.ndjson"))
    }
    faults = directory / "faults.ndjson"
    return read_records(run_info, traces, _bytes(faults) if faults.exists() else b"")


def read_records(run_info: dict[str, Any], traces: Mapping[str, Source], faults: Source) -> Run:
    """Make a run from memory: `traces` by `NODE.INCARNATION`, as dicts or as NDJSON bytes."""
    info = _info(run_info)
    decoded_faults = _FAULTS.read("faults.ndjson", faults)
    names: dict[Identity, str] = {}
    for name in sorted(traces):
        identity = _identity(name, info)
        if identity in names:
            raise TraceError(f"traces/{name}.ndjson", None, f"the same as {names[identity]}")
        names[identity] = name
    without = [node for node, p in info.nodes.items() if all(p != q for q, _ in names)]
    if without:
        raise TraceError("run.json", None, f"expected a trace of every node, none of {without[0]}")

    decoded: dict[Identity, Decoded[Record]] = {}
    for identity, name in sorted(names.items()):
        file = f"traces/{name}.ndjson"
        check_schema(file, traces[name])
        decoded[identity] = _RECORDS.read(file, traces[name])
    kills = _kills(decoded_faults, info, decoded)
    incarnations = []
    for identity, trace in decoded.items():
        node = names[identity].rpartition(".")[0]
        file = f"traces/{names[identity]}.ndjson"
        if trace.records or identity not in kills:
            check_start(file, trace, info, node, identity)
            check_course(file, trace)
        incarnations.append(
            Incarnation(
                node=node,
                identity=identity,
                records=tuple(trace.records),
                cut=trace.cut,
                killed_at=kills.get(identity),
            )
        )
    clocks = {start.clock: i.label for i in incarnations if (start := i.start)}
    if len(clocks) > 1:
        raise TraceError("traces", None, f"expected one clock for all nodes, found {clocks}")
    return Run(
        info=info,
        incarnations=tuple(incarnations),
        faults=tuple(sorted(decoded_faults.records, key=lambda fault: fault.t)),
        faults_cut=decoded_faults.cut,
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise TraceError(path.name, None, f"cannot be read: {problem.strerror}") from None


def _info(run_info: Any) -> RunInfo:
    schema = run_info.get("schema") if isinstance(run_info, dict) else None
    if schema != SCHEMA:
        raise TraceError("run.json", None, f"expected schema {SCHEMA}, found {schema!r}")
    try:
        info = msgspec.convert(run_info, RunInfo)
    except msgspec.MsgspecError as problem:
        raise TraceError("run.json", None, str(problem)) from None
    if len(set(info.nodes.values())) < len(info.nodes):
        raise TraceError("run.json", None, "expected a processor number of its own for every node")
    return info


def _identity(name: str, info: RunInfo) -> Identity:
    node, _, incarnation = name.rpartition(".")
    if not incarnation.isdecimal():
        raise TraceError(f"traces/{name}.ndjson", None, "expected the name NODE.INCARNATION")
    if node not in info.nodes:
        raise TraceError(f"traces/{name}.ndjson", None, f"node {node!r} is not listed in run.json")
    return info.nodes[node], int(incarnation)


def _kills(
    faults: Decoded[Fault], info: RunInfo, decoded: dict[Identity, Decoded[Record]]
) -> dict[Identity, int]:
    """Which incarnation each kill hit: the one named, else the last one started by then."""
    kills: dict[Identity, int] = {}
    for fault, line in zip(faults.records, faults.lines, strict=True):
        if fault.kind != "kill":
            continue
        if fault.node not in info.nodes:
            raise TraceError("faults.ndjson", line, f"expected a known node, found {fault.node!r}")
        running = [
            identity
            for identity, trace in decoded.items()
            if identity[0] == info.nodes[fault.node]
            and fault.incarnation in (None, identity[1])
            and (not trace.records or trace.records[0].t <= fault.t)
        ]
        if running:
            kills.setdefault(running[-1], fault.t)
    return kills
