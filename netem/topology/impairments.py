"""Reading impairments: those of a LAN, and those that change some of its fields."""

from dataclasses import replace
from typing import Any

from netem.faults.impairment import MAX_QUEUE_FRAMES, Impairment
from netem.quantities import format_duration, parse_duration, parse_percent, parse_rate
from netem.topology.fields import Fields, Reader, scalar, whole_number

_PERCENT = scalar(parse_percent, "a percentage, such as 0.5%")
_DURATION = scalar(parse_duration, "a duration, such as 1.5ms")
_RATE = scalar(parse_rate, "a rate, such as 10mbit")

_FORMS: dict[str, tuple[str, Reader[Any]]] = {
    "loss": ("loss", _PERCENT),
    "delay": ("delay_ns", _DURATION),
    "jitter": ("jitter_ns", _DURATION),
    "duplicate": ("duplicate", _PERCENT),
    "reorder": ("reorder", _PERCENT),
    "corrupt": ("corrupt", _PERCENT),
    "rate": ("rate_bps", _RATE),
    "queue": ("queue_frames", whole_number(1, MAX_QUEUE_FRAMES)),
}
IMPAIRMENT_KEYS = tuple(_FORMS)


def read_changes(fields: Fields) -> dict[str, Any] | None:
    """The impairment fields that are given, or None when one of them is wrong."""
    changes = {
        attribute: fields.optional(key, reader, None)
        for key, (attribute, reader) in _FORMS.items()
        if key in fields
    }
    return None if None in changes.values() else changes


def apply_changes(fields: Fields, base: Impairment, changes: dict[str, Any]) -> Impairment | None:
    """`base` with the changes, or None when the report says why they do not fit."""
    delay_ns = changes.get("delay_ns", base.delay_ns)
    jitter_ns = changes.get("jitter_ns", base.jitter_ns)
    if jitter_ns > delay_ns:
        key, other, inherited = ("jitter", "delay", delay_ns)
        if "jitter" not in fields:
            key, other, inherited = ("delay", "jitter", jitter_ns)
        of_lan = " of the LAN" if other not in fields and inherited else ""
        jitter, delay = format_duration(jitter_ns), format_duration(delay_ns)
        where = {key: "", other: of_lan}
        fields.report.add(
            fields.line_of(key),
            f"jitter {jitter}{where['jitter']} is larger than delay {delay}{where['delay']}",
            "a jitter of at most the delay",
        )
        return None
    if changes.get("reorder", base.reorder) and not delay_ns:
        key = "reorder" if "reorder" in fields else "delay"
        fields.report.add(
            fields.line_of(key), "reorder without a delay does nothing", "a delay above 0 as well"
        )
        return None
    return replace(base, **changes)
