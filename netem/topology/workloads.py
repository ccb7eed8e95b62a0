"""Resolving the workload: an entry for several nodes becomes a flow for each of them."""

from netem.quantities import parse_duration, parse_size
from netem.topology.errors import Report, Wrong, quoted
from netem.topology.fields import Fields, as_list, as_map, bounded, choice, scalar, whole_number
from netem.topology.lans import ALL
from netem.topology.nodes import KnownNodes
from netem.topology.raw import RawList, RawScalar, RawValue
from netem.workload import MAX_MESSAGE_BYTES, MAX_MESSAGES, SERVICES, Flow

DEFAULT_SIZE_BYTES = 64
DEFAULT_INTERVAL_NS = 1_000_000

_KEYS = ("from", "service", "size", "count", "every", "batch", "start")
_ENTRY_EXPECTED = "a mapping, such as {from: all, service: agreed, count: 100}"
_SIZE = bounded(parse_size, 1, MAX_MESSAGE_BYTES, "a size from 1 byte to 16MiB")
_COUNT = whole_number(1, MAX_MESSAGES)
_DURATION = scalar(parse_duration, "a duration, such as 1ms")


def resolve_workload(report: Report, raw: RawValue, nodes: KnownNodes) -> tuple[Flow, ...]:
    entries = as_list(report, raw, "workload", f"a list; each entry {_ENTRY_EXPECTED}")
    if entries is None:
        return ()
    flows: list[Flow] = []
    for item in entries.items:
        entry = as_map(report, item, "an entry of workload", _ENTRY_EXPECTED)
        if entry is not None:
            flows += _resolve_entry(Fields(report, entry, "workload", _KEYS), nodes)
    return tuple(flows)


def _resolve_entry(fields: Fields, nodes: KnownNodes) -> list[Flow]:
    senders = _read_senders(fields, nodes)
    service = fields.required("service", choice(SERVICES), f"one of {', '.join(SERVICES)}")
    size = fields.optional("size", _SIZE, DEFAULT_SIZE_BYTES)
    count = fields.required("count", _COUNT, "NUMBER of messages")
    interval_ns = fields.optional("every", _DURATION, DEFAULT_INTERVAL_NS)
    batch = fields.optional("batch", _COUNT, 1)
    start_ns = fields.optional("start", _DURATION, 0)
    if service is None or count is None:
        return []
    return [
        Flow(
            node=node,
            service=service,
            size=size,
            count=count,
            start_ns=start_ns,
            interval_ns=interval_ns,
            batch=batch,
        )
        for node in senders
    ]


def _read_senders(fields: Fields, nodes: KnownNodes) -> list[str]:
    """`all`, one node, or a list of nodes."""
    raw = fields.raw("from")
    if raw is None or (isinstance(raw, RawScalar) and raw.text == ALL):
        return list(nodes.names)
    if isinstance(raw, RawScalar):
        sender = fields.optional("from", nodes.read, None)
        return [] if sender is None else [sender]
    if not isinstance(raw, RawList) or not raw.items:
        what = "an empty list" if isinstance(raw, RawList) else raw.kind
        message = f"from: this is {what}"
        fields.report.add(fields.line_of("from"), message, "all, a node, or a list of nodes")
        return []
    senders: list[str] = []
    for item in raw.items:
        try:
            sender = nodes.read(item)
            if sender in senders:
                raise Wrong(f"{quoted(sender)} is listed twice", "each node once")
            senders.append(sender)
        except Wrong as error:
            fields.report.add(item.line, f"from: {error.problem}", error.expected)
    return senders
