"""The workload of a run: which node submits how many messages, of which size, and when."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from netem.faults.plain import build, check_int, check_text

Service = Literal["basic", "causal", "agreed", "safe"]
SERVICES: tuple[Service, ...] = get_args(Service)

MAX_MESSAGE_BYTES = 16 * 2**20  # a message is held whole in memory by every node
MAX_MESSAGES = 10_000_000  # per flow: about what a trace of one run may grow to


@dataclass(frozen=True, kw_only=True, slots=True)
class Flow:
    """`node` submits `count` messages, `batch` at a time, every `interval_ns` from `start_ns`."""

    node: str
    service: Service
    size: int  # bytes
    count: int
    start_ns: int
    interval_ns: int  # 0: all of them at once
    batch: int = 1

    def __post_init__(self) -> None:
        check_text("node", self.node)
        if self.service not in SERVICES:
            raise ValueError(f"service is {self.service!r}; expected one of {', '.join(SERVICES)}")
        check_int("size", self.size, 1, MAX_MESSAGE_BYTES)
        check_int("count", self.count, 1, MAX_MESSAGES)
        check_int("start_ns", self.start_ns, 0)
        check_int("interval_ns", self.interval_ns, 0)
        check_int("batch", self.batch, 1, MAX_MESSAGES)

    def submissions(self) -> Iterator[tuple[int, int]]:
        """Each time of a submission with its number of messages; the last may be smaller."""
        for turn, done in enumerate(range(0, self.count, self.batch)):
            yield self.start_ns + turn * self.interval_ns, min(self.batch, self.count - done)

    @property
    def end_ns(self) -> int:
        """The time of the last submission."""
        return self.start_ns + (self.count - 1) // self.batch * self.interval_ns

    def to_dict(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Flow":
        return build(cls, data)
