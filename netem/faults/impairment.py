"""What a network does to the frames of one directed pair of nodes: one value, several interpreters.

The fields mean what `tc netem` means by them, so that the simulator, the kernel and the hub agree.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from netem.faults.plain import build, check_int
from netem.quantities import format_duration

DEFAULT_QUEUE_FRAMES = 1000  # netem's own default
MAX_QUEUE_FRAMES = 1_000_000  # a full queue of large datagrams is then 60 GB: more is a slip


@dataclass(frozen=True, kw_only=True, slots=True)
class Impairment:
    """Probabilities are shares of one, per frame, and independent of each other."""

    loss: float = 0.0
    delay_ns: int = 0
    # Uniform around the delay: delay - jitter to delay + jitter.
    jitter_ns: int = 0
    duplicate: float = 0.0
    # The share of frames that overtake those before them.
    reorder: float = 0.0
    # The share of frames in which a bit is flipped.
    corrupt: float = 0.0
    # None: as fast as it goes.
    rate_bps: int | None = None
    # What waits for the delay or the rate; what finds no place is lost.
    queue_frames: int = DEFAULT_QUEUE_FRAMES

    def __post_init__(self) -> None:
        for name in ("loss", "duplicate", "reorder", "corrupt"):
            share = getattr(self, name)
            if type(share) not in (int, float) or not 0.0 <= share <= 1.0:
                raise ValueError(f"{name} is {share!r}; expected a number from 0 to 1")
        check_int("delay_ns", self.delay_ns, 0)
        check_int("jitter_ns", self.jitter_ns, 0)
        check_int("queue_frames", self.queue_frames, 1, MAX_QUEUE_FRAMES)
        if self.rate_bps is not None:
            check_int("rate_bps", self.rate_bps, 1)
        if self.reorder and not self.delay_ns:
            raise ValueError("reorder without a delay does nothing; expected a delay as well")
        if self.jitter_ns > self.delay_ns:
            raise ValueError(
                f"jitter {format_duration(self.jitter_ns)} is larger than delay "
                f"{format_duration(self.delay_ns)}; expected at most the delay"
            )

    def to_dict(self) -> dict[str, Any]:
        """Only what differs from a perfect network."""
        values = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in values.items() if value != default}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Impairment":
        return build(cls, data)


PERFECT = Impairment()
