"""Resolving the LANs: their nodes, their protocol settings, what their wires do to frames."""

from dataclasses import dataclass

from netem.faults.impairment import PERFECT, Impairment
from netem.quantities import parse_size
from netem.topology.errors import Report, Wrong, quoted
from netem.topology.fields import (
    Fields,
    as_map,
    bounded,
    choice,
    described,
    name,
    on_or_off,
    whole_number,
)
from netem.topology.impairments import IMPAIRMENT_KEYS, apply_changes, read_changes
from netem.topology.nodes import KnownNodes
from netem.topology.raw import RawList, RawMap, RawScalar, RawValue
from netem.topology.resolved import (
    AGREED,
    DEFAULT_AGREED,
    DEFAULT_DATAGRAM_BYTES,
    DEFAULT_WINDOW_FRAMES,
    MAX_DATAGRAM_BYTES,
    MAX_NODES,
    MAX_WINDOW_FRAMES,
    MIN_DATAGRAM_BYTES,
    Lan,
    PairImpairment,
)
from node.codec import smallest_datagram

ALL = "all"  # in a workload: every node

_KEYS = ("nodes", "agreed", "datagram", "window", "packing", "impairments", "pairs")
_LAN_EXPECTED = "a mapping with nodes, agreed, impairments, ..."
_NODES_EXPECTED = f"a list of 1 to {MAX_NODES} names, or their number"
_DATAGRAM = bounded(
    parse_size,
    MIN_DATAGRAM_BYTES,
    MAX_DATAGRAM_BYTES,
    f"a size from {MIN_DATAGRAM_BYTES} to {MAX_DATAGRAM_BYTES} bytes",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class LanSoFar:
    """A LAN with whatever could be read of it; None where the report says why not."""

    nodes: KnownNodes
    impairment: Impairment | None = PERFECT
    pairs: tuple[PairImpairment, ...] = ()
    lan: Lan | None = None


def resolve_lans(report: Report, raw: RawValue) -> list[LanSoFar]:
    lans = as_map(report, raw, "lans", "a mapping of LAN names to LANs")
    if lans is None:
        return []
    if not lans.entries:
        report.add(lans.line, "there is no LAN in lans", "one LAN")
    if len(lans.entries) > 1:
        second = lans.entries[1][0]
        count = len(lans.entries)
        message = f"there are {count} LANs, and the gateways between LANs do not exist yet"
        report.add(second.line, message, "one LAN")
    homes: dict[str, tuple[str, int]] = {}
    return [_resolve_lan(report, key, value, homes) for key, value in lans.entries]


def _resolve_lan(
    report: Report, key: RawScalar, raw: RawValue, homes: dict[str, tuple[str, int]]
) -> LanSoFar:
    """`homes` says of each node seen so far in which LAN and line."""
    try:
        lan_name = name(key)
    except Wrong as error:
        report.add(key.line, f"the name of a LAN: {error.problem}", error.expected)
        lan_name = "unnamed"  # never seen: the report is not empty
    where = f"LAN {quoted(key.text)}"
    if isinstance(raw, RawScalar):
        report.add(key.line, f"{where} is {described(raw)}", _LAN_EXPECTED)
        return LanSoFar(nodes=KnownNodes(names=(), complete=False), impairment=None)
    lan = as_map(report, raw, where, _LAN_EXPECTED)
    if lan is None:
        return LanSoFar(nodes=KnownNodes(names=(), complete=False), impairment=None)

    fields = Fields(report, lan, where, _KEYS)
    nodes = _read_nodes(fields, key.text, homes)
    agreed = fields.optional("agreed", choice(AGREED), DEFAULT_AGREED)
    datagram_bytes = fields.optional("datagram", _DATAGRAM, DEFAULT_DATAGRAM_BYTES)
    smallest = smallest_datagram(max(1, len(nodes.names)))
    if datagram_bytes < smallest:
        line = fields.line_of("datagram" if "datagram" in fields else "nodes")
        message = f"datagrams of {datagram_bytes} bytes for {len(nodes.names)} nodes"
        report.add(line, message, f"at least {smallest} bytes: a frame acknowledges every node")
    window = whole_number(1, MAX_WINDOW_FRAMES)
    window_frames = fields.optional("window", window, DEFAULT_WINDOW_FRAMES)
    packing = fields.optional("packing", on_or_off, True)
    impairment = _read_impairments(fields)
    pairs = _read_pairs(fields, nodes, impairment)
    so_far = LanSoFar(nodes=nodes, impairment=impairment, pairs=pairs)
    if report.count:
        return so_far
    assert impairment is not None
    return LanSoFar(
        nodes=nodes,
        impairment=impairment,
        pairs=pairs,
        lan=Lan(
            name=lan_name,
            nodes=nodes.names,
            agreed=agreed,
            datagram_bytes=datagram_bytes,
            window_frames=window_frames,
            packing=packing,
            impairment=impairment,
            pairs=pairs,
        ),
    )


def _read_nodes(fields: Fields, lan_name: str, homes: dict[str, tuple[str, int]]) -> KnownNodes:
    report = fields.report
    unreadable = KnownNodes(names=(), complete=False)
    raw = fields.raw("nodes")
    if raw is None:
        report.add(fields.line, f"{fields.where} has no 'nodes'", "nodes: [a, b, c], or a number")
        return unreadable
    line = fields.line_of("nodes")
    if isinstance(raw, RawScalar) and raw.kind == "a number":
        count = fields.optional("nodes", whole_number(1, MAX_NODES), None)
        if count is None:
            return unreadable
        raw = RawList(line=line, items=tuple(_numbered(line, i + 1) for i in range(count)))
    if not isinstance(raw, RawList):
        report.add(line, f"nodes: this is {described(raw)}", _NODES_EXPECTED)
        return unreadable
    if not raw.items:
        report.add(line, f"{fields.where} is empty", _NODES_EXPECTED)
        return unreadable
    if len(raw.items) > MAX_NODES:
        report.add(line, f"{fields.where} has {len(raw.items)} nodes", f"at most {MAX_NODES}")

    names: list[str] = []
    excused: set[str] = set()
    for item in raw.items:
        try:
            names.append(_new_node(item, lan_name, homes))
        except Wrong as error:
            report.add(item.line, f"nodes: {error.problem}", error.expected)
            if isinstance(item, RawScalar):
                excused.add(item.text)
    return KnownNodes(names=tuple(names), excused=frozenset(excused))


def _numbered(line: int, number: int) -> RawScalar:
    return RawScalar(line=line, text=f"n{number}", kind="text")


def _new_node(item: RawValue, lan_name: str, homes: dict[str, tuple[str, int]]) -> str:
    node = name(item)
    if node == ALL:
        raise Wrong(
            f"no node can be called {ALL}", "another name: in a workload it means all nodes"
        )
    if node in homes:
        home, line = homes[node]
        if home == lan_name:
            raise Wrong(f"{quoted(node)} is listed twice", "each node once")
        place = f"{quoted(home)} (line {line})"
        raise Wrong(f"{quoted(node)} is in LAN {place} already", "each node in one LAN")
    homes[node] = (lan_name, item.line)
    return node


def _read_impairments(fields: Fields) -> Impairment | None:
    raw = fields.raw("impairments")
    if raw is None:
        return PERFECT
    if not isinstance(raw, RawMap):
        message = f"impairments: this is {described(raw)}"
        fields.report.add(fields.line_of("impairments"), message, "a mapping, such as {loss: 2%}")
        return None
    where = f"the impairments of {fields.where}"
    given = Fields(fields.report, raw, where, IMPAIRMENT_KEYS)
    changes = read_changes(given)
    return None if changes is None else apply_changes(given, PERFECT, changes)


def _read_pairs(
    fields: Fields, nodes: KnownNodes, base: Impairment | None
) -> tuple[PairImpairment, ...]:
    report = fields.report
    raw = fields.raw("pairs")
    if raw is None:
        return ()
    example = "a list, such as [{from: a, to: b, loss: 30%}]"
    if not isinstance(raw, RawList):
        report.add(fields.line_of("pairs"), f"pairs: this is {described(raw)}", example)
        return ()
    pairs: dict[tuple[str, str], PairImpairment] = {}
    seen: dict[tuple[str, str], int] = {}
    for item in raw.items:
        entry = as_map(report, item, "a pair", "a mapping, such as {from: a, to: b, loss: 30%}")
        if entry is None:
            continue
        pair = Fields(report, entry, "a pair", ("from", "to", *IMPAIRMENT_KEYS))
        source = pair.required("from", nodes.read, "NODE")
        target = pair.required("to", nodes.read, "NODE")
        changes = read_changes(pair)
        if changes == {}:
            if len(entry.entries) == len([key for key in ("from", "to") if key in pair]):
                report.add(pair.line, "the pair changes nothing", f"some of {_listed()}")
            continue
        impairment = None
        if changes is not None and base is not None:
            impairment = apply_changes(pair, base, changes)
        if source is None or target is None:
            continue
        if source == target:
            report.add(pair.line, f"a pair from {quoted(source)} to itself", "two nodes")
        elif (source, target) in seen:
            first = seen[source, target]
            message = f"the pair from {quoted(source)} to {quoted(target)} is given again"
            report.add(pair.line, f"{message}, after line {first}", "each directed pair once")
        elif impairment is not None:
            made = PairImpairment(source=source, target=target, impairment=impairment)
            pairs[source, target] = made
        seen.setdefault((source, target), pair.line)
    return tuple(pairs.values())


def _listed() -> str:
    return ", ".join(IMPAIRMENT_KEYS)
