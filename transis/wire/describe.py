"""A frame in words, for a line of a listing, and as plain values, for JSON."""

from typing import Any

from node.frames import Batch, Content, Data, Frame, Heartbeat


def kind_of(frame: Frame) -> str:
    return type(frame).__name__.lower()


def is_repair(frame: Frame) -> bool:
    """Whether somebody else than its origin put the frame on the wire."""
    return isinstance(frame, Data) and frame.transmitter.number != frame.origin


def in_words(frame: Frame) -> str:
    """What is in the frame beyond its header."""
    if isinstance(frame, Data):
        words = [f"{frame.origin}:{frame.counter} held {frame.held}"]
        if is_repair(frame):
            words.append("repair")
        words.append(f"acks {_counters(frame.acks)}")
        if frame.content:
            content = ", ".join(map(_item_in_words, frame.content))
            words.append(f"from message {frame.first}: {content}")
        else:
            words.append("no content")
        return "  ".join(words)
    if isinstance(frame, Heartbeat):
        return f"holds {_counters(frame.holds)}"
    ranges = [
        f"{who}:{first}" if first == last else f"{who}:{first}-{last}"
        for who, first, last in frame.wanted
    ]
    return f"wants {' '.join(ranges) or 'nothing'}"


def as_values(frame: Frame) -> dict[str, Any]:
    """The frame as JSON can say it. Views are hexadecimal, as in the trace."""
    values: dict[str, Any] = {
        "kind": kind_of(frame),
        "transmitter": list(frame.transmitter),
        "view": f"{frame.view:016x}",
    }
    if isinstance(frame, Data):
        values |= {
            "origin": frame.origin,
            "counter": frame.counter,
            "held": frame.held,
            "repair": is_repair(frame),
            "acks": [list(ack) for ack in frame.acks],
            "first": frame.first,
            "content": [_item_as_values(item) for item in frame.content],
        }
    elif isinstance(frame, Heartbeat):
        values["holds"] = [list(entry) for entry in frame.holds]
    else:
        values["wanted"] = [list(entry) for entry in frame.wanted]
    return values


def _counters(entries: tuple[tuple[int, int], ...]) -> str:
    return " ".join(f"{who}:{counter}" for who, counter in entries) or "none"


def _item_in_words(item: Content) -> str:
    if isinstance(item, Batch):
        size = sum(map(len, item.payloads))
        return f"{len(item.payloads)} {item.service.label} ({size} B)"
    end = item.offset + len(item.data)
    return f"{item.service.label} fragment ({item.offset}-{end} of {item.total} B)"


def _item_as_values(item: Content) -> dict[str, Any]:
    if isinstance(item, Batch):
        return {"service": item.service.label, "sizes": [len(payload) for payload in item.payloads]}
    return {
        "service": item.service.label,
        "total": item.total,
        "offset": item.offset,
        "size": len(item.data),
    }
