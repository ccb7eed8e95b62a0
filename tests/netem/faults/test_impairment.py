"""Impairments: valid once constructed, short when written."""

import json
from typing import Any

import pytest
from faults_strategies import IMPAIRMENTS
from hypothesis import given, settings

from netem.faults import PERFECT, Impairment


@settings(derandomize=True)
@given(IMPAIRMENTS)
def test_an_impairment_survives_its_dictionary(impairment: Impairment) -> None:
    assert Impairment.from_dict(json.loads(json.dumps(impairment.to_dict()))) == impairment


def test_only_what_differs_is_written() -> None:
    assert PERFECT.to_dict() == {}
    assert Impairment(loss=0.5, delay_ns=7).to_dict() == {"loss": 0.5, "delay_ns": 7}


def test_a_perfect_network_is_the_default() -> None:
    assert Impairment.from_dict({}) == PERFECT
    assert PERFECT.rate_bps is None
    assert PERFECT.queue_frames == 1000


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"loss": 1.1}, "loss is 1.1; expected a number from 0 to 1"),
        ({"duplicate": -0.1}, "duplicate is -0.1"),
        ({"reorder": True}, "reorder is True"),
        ({"corrupt": "5%"}, "corrupt is '5%'"),
        ({"loss": float("nan")}, "loss is nan"),
        ({"delay_ns": -1}, "delay_ns is -1; expected a whole number of at least 0"),
        ({"delay_ns": 1.5}, "delay_ns is 1.5"),
        ({"jitter_ns": -1}, "jitter_ns is -1"),
        ({"rate_bps": 0}, "rate_bps is 0; expected a whole number of at least 1"),
        ({"queue_frames": 0}, "queue_frames is 0; expected a whole number from 1 to 1000000"),
        ({"queue_frames": 1_000_001}, "queue_frames is 1000001"),
        (
            {"delay_ns": 1000, "jitter_ns": 2000},
            "jitter 2us is larger than delay 1us; expected at most the delay",
        ),
        ({"lost": 1}, "Impairment has no field 'lost'"),
    ],
)
def test_an_impairment_that_makes_no_sense(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        Impairment.from_dict(fields)
    assert str(caught.value).startswith(problem)
