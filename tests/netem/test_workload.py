"""Flows: who submits how much, and when."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from netem.workload import MAX_MESSAGE_BYTES, MAX_MESSAGES, SERVICES, Flow


def flow(**changed: Any) -> Flow:
    fields: dict[str, Any] = {
        "node": "a", "service": "agreed", "size": 64, "count": 5, "start_ns": 100,
        "interval_ns": 10, "batch": 1,
    }  # fmt: skip
    return Flow(**(fields | changed))


def test_one_message_at_a_time() -> None:
    assert list(flow(count=3).submissions()) == [(100, 1), (110, 1), (120, 1)]


def test_the_last_batch_may_be_smaller() -> None:
    assert list(flow(batch=2).submissions()) == [(100, 2), (110, 2), (120, 1)]


def test_a_batch_larger_than_all() -> None:
    assert list(flow(batch=9).submissions()) == [(100, 5)]


def test_without_an_interval_all_come_at_once() -> None:
    assert list(flow(interval_ns=0, count=2).submissions()) == [(100, 1), (100, 1)]
    assert flow(interval_ns=0).end_ns == 100


FLOWS = st.builds(
    Flow,
    node=st.sampled_from(["a", "worker-1"]),
    service=st.sampled_from(SERVICES),
    size=st.integers(1, MAX_MESSAGE_BYTES),
    count=st.integers(1, 200),
    start_ns=st.integers(0, 10**12),
    interval_ns=st.integers(0, 10**9),
    batch=st.integers(1, 250),
)


@settings(derandomize=True)
@given(FLOWS)
def test_submissions_come_to_the_count_and_end_when_they_should(flow: Flow) -> None:
    submissions = list(flow.submissions())
    assert sum(count for _, count in submissions) == flow.count
    assert all(1 <= count <= flow.batch for _, count in submissions)
    assert submissions[0][0] == flow.start_ns
    assert submissions[-1][0] == flow.end_ns
    assert [t for t, _ in submissions] == sorted(t for t, _ in submissions)


@settings(derandomize=True)
@given(FLOWS)
def test_a_flow_survives_its_dictionary(flow: Flow) -> None:
    assert Flow.from_dict(flow.to_dict()) == flow


def test_a_dictionary_may_leave_out_the_batch() -> None:
    data = flow(batch=1).to_dict()
    del data["batch"]
    assert Flow.from_dict(data) == flow(batch=1)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"node": ""}, "node is ''; expected a name"),
        ({"node": 3}, "node is 3; expected a name"),
        ({"service": "fast"}, "service is 'fast'; expected one of basic, causal, agreed, safe"),
        ({"size": 0}, f"size is 0; expected a whole number from 1 to {MAX_MESSAGE_BYTES}"),
        ({"size": MAX_MESSAGE_BYTES + 1}, "size is"),
        ({"count": 0}, f"count is 0; expected a whole number from 1 to {MAX_MESSAGES}"),
        ({"count": 1.0}, "count is 1.0"),
        ({"count": True}, "count is True"),
        ({"start_ns": -1}, "start_ns is -1; expected a whole number of at least 0"),
        ({"interval_ns": -1}, "interval_ns is -1"),
        ({"batch": 0}, "batch is 0"),
    ],
)
def test_a_flow_that_makes_no_sense(changed: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError) as caught:
        flow(**changed)
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("alter", "problem"),
    [
        (lambda data: data.pop("size"), "Flow lacks the field 'size'"),
        (lambda data: data.update(colour=1), "Flow has no field 'colour'; expected ['node'"),
    ],
)
def test_a_dictionary_that_is_no_flow(alter: Any, problem: str) -> None:
    data = flow().to_dict()
    alter(data)
    with pytest.raises(ValueError) as caught:
        Flow.from_dict(data)
    assert str(caught.value).startswith(problem)


def test_something_else_than_a_dictionary() -> None:
    with pytest.raises(ValueError, match=r"^Flow is \[\]; expected a mapping$"):
        Flow.from_dict([])  # type: ignore[arg-type]
