"""The resolved topology: every name checked, every default filled in, every flow of one node."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, get_args

from netem.faults.events import Fault, fault_from_dict
from netem.faults.impairment import PERFECT, Impairment
from netem.faults.plain import build, check_int, check_mapping, each
from netem.workload import Flow
from node.codec import smallest_datagram

Agreed = Literal["allack", "toto"]
AGREED: tuple[Agreed, ...] = get_args(Agreed)

NAME = re.compile(r"[a-z][a-z0-9-]{0,30}")
MAX_NODES = 128  # per LAN: acknowledgements carry an entry per member
MIN_DATAGRAM_BYTES = 576  # what every IPv4 host must take
MAX_DATAGRAM_BYTES = 61440  # below UDP's 65507, with room for authentication and encapsulation
MAX_WINDOW_FRAMES = 4096  # the frames that every node may have to keep for repair

DEFAULT_AGREED: Agreed = "allack"
DEFAULT_DATAGRAM_BYTES = 1472  # an Ethernet frame without IP and UDP headers
DEFAULT_WINDOW_FRAMES = 64


@dataclass(frozen=True, kw_only=True, slots=True)
class PairImpairment:
    """What frames from `source` to `target` suffer, instead of what the LAN says."""

    source: str
    target: str
    impairment: Impairment

    def __post_init__(self) -> None:
        if self.source == self.target:
            raise ValueError(f"the pair is {self.source!r} twice; expected two nodes")

    def to_dict(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "impairment": self.impairment.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "PairImpairment":
        return build(cls, data, impairment=Impairment.from_dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lan:
    """One broadcast domain."""

    name: str
    nodes: tuple[str, ...]
    agreed: Agreed = DEFAULT_AGREED
    datagram_bytes: int = DEFAULT_DATAGRAM_BYTES
    window_frames: int = DEFAULT_WINDOW_FRAMES
    packing: bool = True
    impairment: Impairment = PERFECT
    pairs: tuple[PairImpairment, ...] = ()

    def __post_init__(self) -> None:
        for name in (self.name, *self.nodes):
            check_name(name)
        check_int(f"the number of nodes of LAN {self.name}", len(self.nodes), 1, MAX_NODES)
        if len(set(self.nodes)) < len(self.nodes):
            raise ValueError(f"LAN {self.name} has a node twice; expected each node once")
        if self.agreed not in AGREED:
            raise ValueError(f"agreed is {self.agreed!r}; expected one of {', '.join(AGREED)}")
        check_int("datagram_bytes", self.datagram_bytes, MIN_DATAGRAM_BYTES, MAX_DATAGRAM_BYTES)
        check_int("window_frames", self.window_frames, 1, MAX_WINDOW_FRAMES)
        if self.datagram_bytes < smallest_datagram(len(self.nodes)):
            raise ValueError(
                f"datagram_bytes is {self.datagram_bytes}; expected at least "
                f"{smallest_datagram(len(self.nodes))} for {len(self.nodes)} nodes"
            )
        if not isinstance(self.packing, bool):
            raise ValueError(f"packing is {self.packing!r}; expected True or False")
        for pair in self.pairs:
            check_known((pair.source, pair.target), self.nodes)
        if len({(pair.source, pair.target) for pair in self.pairs}) < len(self.pairs):
            raise ValueError(f"LAN {self.name} has a pair twice; expected each pair once")

    def impairment_of(self, source: str, target: str) -> Impairment:
        """What frames from `source` to `target` suffer while no fault changes it."""
        for pair in self.pairs:
            if (pair.source, pair.target) == (source, target):
                return pair.impairment
        return self.impairment

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "nodes": list(self.nodes),
            "agreed": self.agreed,
            "datagram_bytes": self.datagram_bytes,
            "window_frames": self.window_frames,
            "packing": self.packing,
            "impairment": self.impairment.to_dict(),
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Lan":
        return build(
            cls,
            data,
            nodes=each(),
            impairment=Impairment.from_dict,
            pairs=each(PairImpairment.from_dict),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Topology:
    name: str
    description: str = ""
    lans: tuple[Lan, ...]
    workload: tuple[Flow, ...] = ()
    # Each in the order of its times.
    scenarios: Mapping[str, tuple[Fault, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (self.name, *self.scenarios):
            check_name(name)
        if not self.lans:
            raise ValueError(f"topology {self.name} has no LAN; expected at least one")
        if len({lan.name for lan in self.lans}) < len(self.lans):
            raise ValueError(f"topology {self.name} has a LAN twice; expected each LAN once")
        if len(set(self.nodes)) < len(self.nodes):
            raise ValueError(f"topology {self.name} has a node in two LANs; expected it in one")
        check_known((flow.node for flow in self.workload), self.nodes)
        for faults in self.scenarios.values():
            check_known((node for fault in faults for node in fault.nodes), self.nodes)
            if any(later.at_ns < fault.at_ns for fault, later in pairwise(faults)):
                raise ValueError("faults are out of order; expected them by time")

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of all LANs, in the order of the file."""
        return tuple(node for lan in self.lans for node in lan.nodes)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "description": self.description,
            "lans": [lan.to_dict() for lan in self.lans],
            "workload": [flow.to_dict() for flow in self.workload],
            "scenarios": {
                name: [fault.to_dict() for fault in faults]
                for name, faults in self.scenarios.items()
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Topology":
        return build(
            cls,
            data,
            lans=each(Lan.from_dict),
            workload=each(Flow.from_dict),
            scenarios=_read_scenarios,
        )


def _read_scenarios(data: Any) -> dict[str, tuple[Fault, ...]]:
    check_mapping("scenarios", data)
    return {name: each(fault_from_dict)(faults) for name, faults in data.items()}


def check_name(name: str) -> None:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a name; expected {NAME.pattern}")


def check_known(found: Iterable[str], known: Iterable[str]) -> None:
    nodes = set(known)
    for node in found:
        if node not in nodes:
            raise ValueError(f"there is no node {node!r}; expected a node of the topology")
