"""Resolved topologies as values: valid once constructed, the same after they were written down."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from netem.faults import Impair, Impairment, Kill, Pause, SlowReceiver
from netem.topology import Lan, PairImpairment, Topology, load
from netem.workload import Flow

TOPOLOGIES = sorted((Path(__file__).parents[3] / "topologies").glob("*.yaml"))
LOSSY = Impairment(loss=0.25, delay_ns=2000, jitter_ns=1000, rate_bps=10, queue_frames=3)
FULL = Topology(
    name="full",
    description="two LANs, which files cannot have yet",
    lans=(
        Lan(
            name="one",
            nodes=("a", "b"),
            agreed="toto",
            datagram_bytes=576,
            window_frames=1,
            packing=False,
            impairment=LOSSY,
            pairs=(PairImpairment(source="a", target="b", impairment=Impairment(loss=0.5)),),
        ),
        Lan(name="two", nodes=("c",)),
    ),
    workload=(
        Flow(node="c", service="safe", size=9, count=8, start_ns=7, interval_ns=6, batch=5),
        Flow(node="a", service="basic", size=1, count=1, start_ns=0, interval_ns=0),
    ),
    scenarios={
        "all": (
            Kill(at_ns=0, node="a"),
            Pause(at_ns=1, node="b", for_ns=2),
            SlowReceiver(at_ns=1, node="c", per_frame_ns=3, for_ns=4),
            Impair(at_ns=5, impairment=LOSSY, source="a"),
        ),
        "none": (),
    },
)


def rewritten(topology: Topology) -> Topology:
    return Topology.from_dict(json.loads(json.dumps(topology.to_dict())))


def test_a_topology_survives_its_dictionary() -> None:
    assert rewritten(FULL) == FULL


@pytest.mark.parametrize("path", TOPOLOGIES, ids=lambda path: path.stem)
def test_the_examples_survive_their_dictionary(path: Path) -> None:
    topology = load(path)
    assert rewritten(topology) == topology
    assert list(rewritten(topology).scenarios) == list(topology.scenarios)


def test_a_dictionary_may_leave_out_what_has_defaults() -> None:
    data = {"name": "t", "lans": [{"name": "lab", "nodes": ["a"]}]}
    assert Topology.from_dict(data) == Topology(name="t", lans=(Lan(name="lab", nodes=("a",)),))


def test_the_nodes_of_all_lans() -> None:
    assert FULL.nodes == ("a", "b", "c")


def lan(**changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data["lans"][0].update(changed)


def top(**changed: Any) -> Callable[[dict[str, Any]], None]:
    return lambda data: data.update(changed)


@pytest.mark.parametrize(
    ("alter", "problem"),
    [
        (top(name="No"), "'No' is not a name; expected [a-z]"),
        (top(name=7), "7 is not a name"),
        (top(colour=1), "Topology has no field 'colour'"),
        (top(lans=[]), "topology full has no LAN; expected at least one"),
        (top(lans="lab"), "found 'lab'; expected a list"),
        (top(lans=["lab"]), "Lan is 'lab'; expected a mapping"),
        (top(scenarios=[]), "scenarios is []; expected a mapping"),
        (top(scenarios={"Bad": []}), "'Bad' is not a name"),
        (top(scenarios={"s": [{"kind": "flood"}]}), "unknown fault kind 'flood'"),
        (lambda data: data.pop("lans"), "Topology lacks the field 'lans'"),
        (lambda data: data["lans"].append(data["lans"][1]), "topology full has a LAN twice"),
        (
            lambda data: data["lans"][1].update(nodes=["b"]),
            "topology full has a node in two LANs; expected it in one",
        ),
        (
            lambda data: data["workload"][0].update(node="z"),
            "there is no node 'z'; expected a node of the topology",
        ),
        (
            lambda data: data["scenarios"]["all"][0].update(node="z"),
            "there is no node 'z'; expected a node of the topology",
        ),
        (
            lambda data: data["scenarios"]["all"].reverse(),
            "faults are out of order; expected them by time",
        ),
        (lan(name=""), "'' is not a name"),
        (lan(nodes=[]), "the number of nodes of LAN one is 0"),
        (lan(nodes="ab"), "found 'ab'; expected a list"),
        (lan(nodes=["a", "b", "a"]), "LAN one has a node twice; expected each node once"),
        (lan(nodes=["a", "x" * 32]), f"'{'x' * 32}' is not a name"),
        (lan(nodes=[f"n{i}" for i in range(129)]), "the number of nodes of LAN one is 129"),
        (lan(agreed="both"), "agreed is 'both'; expected one of allack, toto"),
        (lan(datagram_bytes=575), "datagram_bytes is 575; expected a whole number from 576"),
        (lan(datagram_bytes=61441), "datagram_bytes is 61441"),
        (lan(window_frames=0), "window_frames is 0"),
        (lan(window_frames=4097), "window_frames is 4097"),
        (lan(packing=1), "packing is 1; expected True or False"),
        (lan(impairment={"loss": 2}), "loss is 2; expected a number from 0 to 1"),
        (lan(pairs=[{"source": "a", "target": "c", "impairment": {}}]), "there is no node 'c'"),
        (lan(pairs=[{"source": "a", "target": "a", "impairment": {}}]), "the pair is 'a' twice"),
        (lan(pairs=[{"source": "a", "target": "b"}]), "PairImpairment lacks the field"),
        (
            lan(pairs=[{"source": "a", "target": "b", "impairment": {}}] * 2),
            "LAN one has a pair twice; expected each pair once",
        ),
    ],
)
def test_a_dictionary_that_is_no_topology(
    alter: Callable[[dict[str, Any]], Any], problem: str
) -> None:
    data = json.loads(json.dumps(FULL.to_dict()))
    alter(data)
    with pytest.raises(ValueError) as caught:
        Topology.from_dict(data)
    assert str(caught.value).startswith(problem)
