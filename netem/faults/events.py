"""Fault events: what happens to the nodes and the network at a given time of a run.

A schedule is a sequence of these values in the order of their times. To add a kind: write its class
here, add it to `Fault`, and give it a form in `netem/topology/scenarios.py`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self, get_args

from netem.faults.impairment import Impairment
from netem.faults.plain import build, check_int, check_mapping, check_text


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultEvent(ABC):
    """What all faults share; use one of the kinds below."""

    kind: ClassVar[str]

    at_ns: int

    def __post_init__(self) -> None:
        check_int("at_ns", self.at_ns, 0)
        self._check()

    @abstractmethod
    def _check(self) -> None:
        """Each kind checks its own fields here."""

    @property
    @abstractmethod
    def nodes(self) -> tuple[str, ...]:
        """The nodes that the fault names."""

    def to_dict(self) -> dict[str, Any]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"kind": self.kind} | {
            name: value.to_dict() if isinstance(value, Impairment) else value
            for name, value in values.items()
            if value is not None
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        check_mapping("a fault", data)
        if data.get("kind") != cls.kind:
            raise ValueError(f"kind is {data.get('kind')!r}; expected {cls.kind!r}")
        values = {name: value for name, value in data.items() if name != "kind"}
        return build(cls, values, impairment=Impairment.from_dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeFault(FaultEvent):
    """What the faults of one node share."""

    durations: ClassVar[tuple[str, ...]] = ()
    """Fields that say how long, in nanoseconds above 0."""

    node: str

    def _check(self) -> None:
        check_text("node", self.node)
        for name in self.durations:
            check_int(name, getattr(self, name), 1)

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.node,)


@dataclass(frozen=True, kw_only=True, slots=True)
class Kill(NodeFault):
    """The node stops at once, as by kill -9."""

    kind: ClassVar[str] = "kill"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pause(NodeFault):
    """The node stands still, as by SIGSTOP; frames keep arriving in its socket buffer."""

    kind: ClassVar[str] = "pause"
    durations: ClassVar[tuple[str, ...]] = ("for_ns",)

    for_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class SlowReceiver(NodeFault):
    """The node needs `per_frame_ns` more for each frame it receives."""

    kind: ClassVar[str] = "slow"
    durations: ClassVar[tuple[str, ...]] = ("per_frame_ns", "for_ns")

    per_frame_ns: int
    for_ns: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Impair(FaultEvent):
    """The directed pairs that match get another impairment for a while.

    `impairment` replaces the pair's own as a whole. Where several are in force on a pair, the last
    of them in the schedule counts; when it ends, the one before it, and at last the pair's own.
    """

    kind: ClassVar[str] = "impair"

    impairment: Impairment
    # None: to the end of the run.
    for_ns: int | None = None
    # None: any.
    source: str | None = None
    target: str | None = None

    def _check(self) -> None:
        if not isinstance(self.impairment, Impairment):
            raise ValueError(f"impairment is {self.impairment!r}; expected an Impairment")
        if self.for_ns is not None:
            check_int("for_ns", self.for_ns, 1)
        for name in ("source", "target"):
            if getattr(self, name) is not None:
                check_text(name, getattr(self, name))
        if self.source is not None and self.source == self.target:
            raise ValueError(f"source and target are both {self.source!r}; expected two nodes")

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(node for node in (self.source, self.target) if node is not None)

    def matches(self, source: str, target: str) -> bool:
        """Whether frames from `source` to `target` are concerned."""
        return self.source in (None, source) and self.target in (None, target)


Fault = Kill | Pause | SlowReceiver | Impair

_KINDS: dict[str, type[Fault]] = {kind.kind: kind for kind in get_args(Fault)}


def fault_from_dict(data: Mapping[str, Any]) -> Fault:
    """Any fault, told apart by its `kind`."""
    check_mapping("a fault", data)
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown fault kind {kind!r}; expected one of {', '.join(_KINDS)}")
    return _KINDS[kind].from_dict(data)
