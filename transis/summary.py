"""What a run comes to in numbers, from its traces and measures."""

from dataclasses import dataclass

import msgspec

from netem.sim.world import Finished

SECOND_NS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Synchrony:
    """The index of synchrony of one service's deliveries (CS91-13, figure 3)."""

    deliveries: int
    lowest: int
    median: int
    highest: int


class _Delivery(msgspec.Struct, tag_field="e", tag="deliver"):
    service: str
    index: int
    sizes: list[int]


def synchrony(finished: Finished) -> dict[str, Synchrony]:
    """Per service, over all nodes; the median is over messages, not frames."""
    counts: dict[str, dict[int, int]] = {}
    decode = msgspec.json.Decoder(_Delivery).decode
    for trace in finished.traces.values():
        for line in trace.splitlines():
            if line.startswith(b'{"e":"deliver"'):
                delivery = decode(line)
                of_service = counts.setdefault(delivery.service, {})
                messages = of_service.get(delivery.index, 0) + len(delivery.sizes)
                of_service[delivery.index] = messages
    return {service: _summarised(counts[service]) for service in sorted(counts)}


def _summarised(counts: dict[int, int]) -> Synchrony:
    total = sum(counts.values())
    seen = 0
    median = 0
    for index in sorted(counts):
        seen += counts[index]
        if 2 * seen >= total:
            median = index
            break
    return Synchrony(total, min(counts), median, max(counts))


def frames_by_kind(finished: Finished) -> dict[str, int]:
    kinds = ("payload_frames", "acknowledgement_frames", "heartbeats", "nacks", "repairs")
    return {
        kind.removesuffix("_frames"): sum(of_node[kind] for of_node in finished.measures.values())
        for kind in kinds
    }


def frames_per_message(finished: Finished) -> float | None:
    """Messages on the wire, of every kind, per message that was delivered everywhere."""
    nodes = len(finished.nodes)
    return finished.datagrams * nodes / finished.delivered if finished.delivered else None


def fullest_buffers(finished: Finished) -> dict[str, tuple[int, int]]:
    """The highest peak of any node, with its bound."""
    fullest: dict[str, tuple[int, int]] = {}
    for of_node in finished.measures.values():
        for name, bound in of_node.items():
            if name.startswith("bound_"):
                what = name.removeprefix("bound_")
                peak = of_node[f"peak_{what}"]
                fullest[what] = max(fullest.get(what, (0, bound)), (peak, bound))
    return fullest


def in_words(finished: Finished) -> dict[str, str]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in frames_by_kind(finished).items())
    rate = frames_per_message(finished)
    buffers = ", ".join(
        f"{what.replace('_', ' ')} {peak}/{bound}"
        for what, (peak, bound) in fullest_buffers(finished).items()
    )
    rows = {
        "messages": f"{finished.accepted} accepted, {finished.delivered} deliveries",
        "virtual time": f"{_last(finished)}end at {finished.duration_ns / SECOND_NS:.3f} s",
        "on the wire": f"{finished.datagrams} frames ({kinds}), {finished.wire_bytes} bytes",
        "per message": "nothing was delivered" if rate is None else f"{rate:.3f} frames",
        "fullest": buffers,
    }
    for service, seen in synchrony(finished).items():
        rows[f"index, {service}"] = (
            f"{seen.lowest} to {seen.highest}, median {seen.median}, of {len(finished.nodes)} nodes"
        )
    return rows


def _last(finished: Finished) -> str:
    if not finished.delivered:
        return ""
    return f"last delivery at {finished.settled_ns / SECOND_NS:.3f} s, "


def as_data(finished: Finished) -> dict[str, object]:
    return {
        "accepted": finished.accepted,
        "delivered": finished.delivered,
        "datagrams": finished.datagrams,
        "wire_bytes": finished.wire_bytes,
        "frames": frames_by_kind(finished),
        "frames_per_message": frames_per_message(finished),
        "last_delivery_ns": finished.settled_ns,
        "end_ns": finished.duration_ns,
        "complete": finished.complete,
        "breakdown": finished.breakdown,
        "index_of_synchrony": {
            service: msgspec.to_builtins(seen) for service, seen in synchrony(finished).items()
        },
        "buffers": {
            what: {"peak": peak, "bound": bound}
            for what, (peak, bound) in fullest_buffers(finished).items()
        },
    }
