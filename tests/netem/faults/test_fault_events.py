"""Faults as values: what they say, and that they can be written down."""

import json
from typing import Any

import pytest
from faults_strategies import faults_of
from hypothesis import given, settings

from netem.faults import (
    PERFECT,
    Fault,
    Impair,
    Impairment,
    Kill,
    Pause,
    SlowReceiver,
    fault_from_dict,
)
from netem.faults.events import FaultEvent


@settings(derandomize=True, max_examples=200)
@given(faults_of("a", "b", "c"))
def test_a_fault_survives_its_dictionary(fault: Fault) -> None:
    assert fault_from_dict(json.loads(json.dumps(fault.to_dict()))) == fault


@pytest.mark.parametrize(
    ("fault", "data"),
    [
        (Kill(at_ns=5, node="a"), {"kind": "kill", "at_ns": 5, "node": "a"}),
        (
            Pause(at_ns=5, node="a", for_ns=7),
            {"kind": "pause", "at_ns": 5, "node": "a", "for_ns": 7},
        ),
        (
            SlowReceiver(at_ns=5, node="a", per_frame_ns=2, for_ns=7),
            {"kind": "slow", "at_ns": 5, "node": "a", "per_frame_ns": 2, "for_ns": 7},
        ),
        (
            Impair(at_ns=5, impairment=Impairment(loss=0.5), source="a"),
            {"kind": "impair", "at_ns": 5, "impairment": {"loss": 0.5}, "source": "a"},
        ),
    ],
)
def test_what_a_fault_is_written_as(fault: Fault, data: dict[str, Any]) -> None:
    assert fault.to_dict() == data
    assert fault_from_dict(data) == fault


def test_the_nodes_a_fault_names() -> None:
    assert Kill(at_ns=0, node="a").nodes == ("a",)
    assert Pause(at_ns=0, node="b", for_ns=1).nodes == ("b",)
    assert Impair(at_ns=0, impairment=PERFECT).nodes == ()
    assert Impair(at_ns=0, impairment=PERFECT, source="a", target="b").nodes == ("a", "b")
    assert Impair(at_ns=0, impairment=PERFECT, target="b").nodes == ("b",)


@pytest.mark.parametrize(
    ("source", "target", "matching"),
    [
        (None, None, {"ab", "ba", "ac"}),
        ("a", None, {"ab", "ac"}),
        (None, "b", {"ab"}),
        ("b", "a", {"ba"}),
        ("c", "a", set()),
    ],
)
def test_the_pairs_an_impairment_matches(
    source: str | None, target: str | None, matching: set[str]
) -> None:
    impair = Impair(at_ns=0, impairment=PERFECT, source=source, target=target)
    assert {pair for pair in ("ab", "ba", "ac") if impair.matches(*pair)} == matching


def test_a_fault_of_no_kind_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        FaultEvent(at_ns=0)  # type: ignore[abstract]


def test_faults_do_not_change() -> None:
    with pytest.raises(AttributeError):
        Kill(at_ns=0, node="a").at_ns = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({"kind": "kill", "at_ns": -1, "node": "a"}, "at_ns is -1; expected a whole number"),
        ({"kind": "kill", "at_ns": 0, "node": ""}, "node is ''; expected a name"),
        ({"kind": "kill", "at_ns": 0}, "Kill lacks the field 'node'"),
        ({"kind": "kill", "at_ns": 0, "node": "a", "for_ns": 1}, "Kill has no field 'for_ns'"),
        ({"kind": "pause", "at_ns": 0, "node": "a", "for_ns": 0}, "for_ns is 0"),
        (
            {"kind": "slow", "at_ns": 0, "node": "a", "for_ns": 1, "per_frame_ns": 0},
            "per_frame_ns is 0; expected a whole number of at least 1",
        ),
        (
            {"kind": "slow", "at_ns": 0, "node": "a", "for_ns": 0, "per_frame_ns": 1},
            "for_ns is 0",
        ),
        ({"kind": "impair", "at_ns": 0, "impairment": 3}, "Impairment is 3; expected a mapping"),
        ({"kind": "impair", "at_ns": 0, "impairment": {}, "for_ns": 0}, "for_ns is 0"),
        ({"kind": "impair", "at_ns": 0, "impairment": {}, "source": ""}, "source is ''"),
        (
            {"kind": "impair", "at_ns": 0, "impairment": {}, "source": "a", "target": "a"},
            "source and target are both 'a'; expected two nodes",
        ),
        ({"kind": "flood", "at_ns": 0}, "unknown fault kind 'flood'; expected one of kill, pause"),
        ({"at_ns": 0, "node": "a"}, "unknown fault kind None"),
        ({"kind": ["kill"]}, "unknown fault kind ['kill']"),
        ("kill", "a fault is 'kill'; expected a mapping"),
    ],
)
def test_a_dictionary_that_is_no_fault(data: Any, problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        fault_from_dict(data)
    assert str(caught.value).startswith(problem)


def test_a_dictionary_of_another_kind() -> None:
    with pytest.raises(ValueError, match=r"^kind is 'kill'; expected 'pause'$"):
        Pause.from_dict(Kill(at_ns=0, node="a").to_dict())


def test_an_impairment_must_be_one() -> None:
    with pytest.raises(ValueError, match="expected an Impairment"):
        Impair(at_ns=0, impairment={})  # type: ignore[arg-type]
