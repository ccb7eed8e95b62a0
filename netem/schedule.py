"""A schedule: everything that decides a run. As JSON it is what a failure is saved as.

A topology with a scenario and a seed resolves to a schedule; the soak makes up schedules.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from netem.faults.events import Fault, fault_from_dict
from netem.faults.plain import build, check_int, check_mapping, each
from netem.topology.resolved import Lan, Topology, check_known
from netem.workload import Flow

SCHEMA = 1
DEFAULT_BACKLOG = 100_000
NAME = re.compile(r"[a-z][a-z0-9-]{0,79}")  # it names directories


class ScheduleError(ValueError):
    """A schedule that cannot be run, and what was expected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Schedule:
    name: str
    seed: int
    lan: Lan
    workload: tuple[Flow, ...] = ()
    faults: tuple[Fault, ...] = ()
    receipts: bool = False  # whether the trace tells of every frame received
    backlog_messages: int = DEFAULT_BACKLOG  # what a node accepts before it refuses

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name):
            raise ValueError(f"name is {self.name!r}; expected {NAME.pattern}")
        if not isinstance(self.receipts, bool):
            raise ValueError(f"receipts is {self.receipts!r}; expected true or false")
        if any(later.at_ns < fault.at_ns for fault, later in pairwise(self.faults)):
            raise ValueError("faults are out of order; expected them by time")
        check_int("seed", self.seed, 0)
        check_int("backlog_messages", self.backlog_messages, 1)
        check_known((flow.node for flow in self.workload), self.lan.nodes)
        check_known((node for fault in self.faults for node in fault.nodes), self.lan.nodes)

    @property
    def run(self) -> str:
        """The id of its run: the same schedule is the same run."""
        return f"{self.name}-{self.seed}"

    @property
    def messages(self) -> int:
        return sum(flow.count for flow in self.workload)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "name": self.name,
            "seed": self.seed,
            "lan": self.lan.to_dict(),
            "workload": [flow.to_dict() for flow in self.workload],
            "faults": [fault.to_dict() for fault in self.faults],
            "receipts": self.receipts,
            "backlog_messages": self.backlog_messages,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Schedule":
        try:
            check_mapping("a schedule", data)
            if data.get("schema") != SCHEMA:
                raise ValueError(f"schema is {data.get('schema')!r}; expected {SCHEMA}")
            return build(
                cls,
                {key: value for key, value in data.items() if key != "schema"},
                lan=Lan.from_dict,
                workload=each(Flow.from_dict),
                faults=each(fault_from_dict),
            )
        except ValueError as error:
            raise ScheduleError(str(error)) from error


def schedule_of(
    topology: Topology, *, seed: int, scenario: str | None = None, receipts: bool = False
) -> Schedule:
    """The schedule of a topology under one of its scenarios (none: no faults)."""
    if scenario is not None and scenario not in topology.scenarios:
        known = ", ".join(topology.scenarios) or "none in this topology"
        raise ScheduleError(f"unknown scenario {scenario!r}; expected one of: {known}")
    return Schedule(
        name=topology.name if scenario is None else f"{topology.name}-{scenario}",
        seed=seed,
        lan=topology.lans[0],
        workload=topology.workload,
        faults=topology.scenarios[scenario] if scenario is not None else (),
        receipts=receipts,
    )
