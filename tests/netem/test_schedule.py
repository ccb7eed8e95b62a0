"""Schedules: written down and read again, and made of topologies."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from netem.faults import Impair, Impairment, Kill, Pause, SlowReceiver
from netem.schedule import Schedule, ScheduleError, schedule_of
from netem.topology import Lan, PairImpairment, Topology, load
from netem.workload import Flow

TOPOLOGIES = Path(__file__).parents[2] / "topologies"

FLOW = Flow(node="a", service="safe", size=7, count=3, start_ns=1, interval_ns=2, batch=3)
PAUSE = Pause(at_ns=5, node="a", for_ns=6)
SMALL = Schedule(name="small", seed=0, lan=Lan(name="lab", nodes=("a", "b")))
EVERYTHING = Schedule(
    name="everything",
    seed=2**63 - 1,
    lan=Lan(
        name="lab",
        nodes=("a", "b", "c"),
        agreed="toto",
        datagram_bytes=576,
        window_frames=2,
        packing=False,
        impairment=Impairment(
            loss=0.1,
            delay_ns=9,
            jitter_ns=8,
            duplicate=0.2,
            reorder=0.3,
            corrupt=0.4,
            rate_bps=7,
            queue_frames=6,
        ),
        pairs=(PairImpairment(source="a", target="b", impairment=Impairment(loss=1.0)),),
    ),
    workload=(FLOW, Flow(node="c", service="basic", size=1, count=1, start_ns=0, interval_ns=0)),
    faults=(
        PAUSE,
        SlowReceiver(at_ns=6, node="b", per_frame_ns=7, for_ns=8),
        Impair(at_ns=7, for_ns=8, source="a", target="c", impairment=Impairment(corrupt=0.5)),
        Impair(at_ns=8, impairment=Impairment()),
        Kill(at_ns=9, node="c"),
    ),
    receipts=True,
    backlog_messages=11,
)


@pytest.mark.parametrize("schedule", [SMALL, EVERYTHING], ids=lambda schedule: schedule.name)
def test_a_schedule_survives_json(schedule: Schedule) -> None:
    assert Schedule.from_dict(json.loads(json.dumps(schedule.to_dict()))) == schedule


def test_what_has_a_default_may_be_left_out() -> None:
    data = {"schema": 1, "name": "small", "seed": 0, "lan": {"name": "lab", "nodes": ["a", "b"]}}
    assert Schedule.from_dict(data) == SMALL


def test_the_messages_of_all_flows_are_counted() -> None:
    assert EVERYTHING.messages == 3 + 1


def test_a_run_is_named_by_its_schedule_and_seed() -> None:
    assert replace(SMALL, seed=42).run == "small-42"


def test_another_seed_changes_nothing_else() -> None:
    other = replace(EVERYTHING, seed=5)
    assert other.seed == 5
    assert replace(other, seed=EVERYTHING.seed) == EVERYTHING


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"schema": 2}, "schema is 2; expected 1"),
        ({"schema": None}, "schema is None; expected 1"),
        ({"seed": -1}, "seed is -1; expected a whole number of at least 0"),
        ({"seed": "1"}, "seed is '1'; expected a whole number"),
        ({"backlog_messages": 0}, "backlog_messages is 0; expected a whole number of at least 1"),
        ({"lan": None}, "Lan is None; expected a mapping"),
        ({"lan": {}}, "Lan lacks the field 'name'"),
        ({"lan": {"name": "lab", "nodes": "ab"}}, "found 'ab'; expected a list"),
        ({"workload": [3]}, "Flow is 3; expected a mapping"),
        ({"workload": [FLOW.to_dict() | {"node": "z"}]}, "there is no node 'z'; expected a node"),
        ({"workload": [FLOW.to_dict() | {"service": "x"}]}, "service is 'x'; expected one of"),
        ({"faults": [{"kind": "flood"}]}, "unknown fault kind 'flood'; expected one of kill"),
        ({"faults": [PAUSE.to_dict() | {"node": "z"}]}, "there is no node 'z'; expected a node"),
        ({"colour": "red"}, "Schedule has no field 'colour'; expected ['name', 'seed', 'lan'"),
    ],
)
def test_an_error_says_what_was_expected(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        Schedule.from_dict(EVERYTHING.to_dict() | changed)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize("field", ["name", "seed", "lan"])
def test_what_has_no_default_must_be_there(field: str) -> None:
    data = EVERYTHING.to_dict()
    del data[field]
    with pytest.raises(ScheduleError, match="lacks the field"):
        Schedule.from_dict(data)


def test_no_fault_without_a_scenario() -> None:
    schedule = schedule_of(_topology(), seed=4)
    assert schedule == Schedule(name="town", seed=4, lan=SMALL.lan, workload=(FLOW,))


def test_a_scenario_brings_its_faults_and_its_name() -> None:
    schedule = schedule_of(_topology(), seed=4, scenario="nap", receipts=True)
    assert schedule == Schedule(
        name="town-nap", seed=4, lan=SMALL.lan, workload=(FLOW,), faults=(PAUSE,), receipts=True
    )


def test_an_unknown_scenario_is_answered_with_those_there_are() -> None:
    with pytest.raises(ScheduleError) as caught:
        schedule_of(_topology(), seed=4, scenario="nup")
    assert str(caught.value) == "unknown scenario 'nup'; expected one of: nap, rest"


def test_a_scenario_of_a_topology_that_has_none() -> None:
    with pytest.raises(ScheduleError, match="expected one of: none in this topology"):
        schedule_of(Topology(name="town", lans=(SMALL.lan,)), seed=4, scenario="nap")


@pytest.mark.parametrize("path", sorted(TOPOLOGIES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_scenario_that_is_shipped_makes_a_schedule(path: Path) -> None:
    topology = load(path)
    for scenario in (None, *topology.scenarios):
        schedule = schedule_of(topology, seed=1, scenario=scenario)
        assert Schedule.from_dict(json.loads(json.dumps(schedule.to_dict()))) == schedule


def _topology() -> Topology:
    return Topology(
        name="town",
        lans=(SMALL.lan,),
        workload=(FLOW,),
        scenarios={"nap": (PAUSE,), "rest": (PAUSE, PAUSE)},
    )
