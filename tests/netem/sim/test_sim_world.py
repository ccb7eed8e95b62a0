"""Whole runs in virtual time: what they deliver, and what faults do to them."""

import json
from typing import Any

import pytest
from sim_builder import MILLISECOND, flow, names, numbers_heard, schedule

from netem.faults import Fault, Impair, Impairment, Kill, Pause, SlowReceiver
from netem.sim.world import Finished, simulate
from netem.topology import PairImpairment
from netem.workload import SERVICES, Service
from oracle.verdict import overall
from transis.judged import run_and_judge

CUT_OFF = Impairment(loss=1.0)


def records(finished: Finished, node: str, *kinds: str) -> list[dict[str, Any]]:
    lines = finished.traces[f"{node}.1"].splitlines()
    return [record for record in map(json.loads, lines) if record["e"] in kinds]


def faults_noted(finished: Finished) -> list[tuple[int, str, str | None]]:
    """(milliseconds, kind, node)"""
    noted = [json.loads(line) for line in finished.faults.splitlines()]
    assert all(record["e"] == "fault" for record in noted)
    return [(each["t"] // MILLISECOND, each["kind"], each.get("node")) for each in noted]


def millisecond(fault: type[Fault], at: int, lasting: int | None = None, **fields: Any) -> Fault:
    """A fault with its times in milliseconds."""
    if lasting is not None:
        fields["for_ns"] = lasting * MILLISECOND
    return fault(at_ns=at * MILLISECOND, **fields)


# -- a run as it should be


@pytest.mark.parametrize("agreed", ["allack", "toto"])
@pytest.mark.parametrize("service", SERVICES)
def test_every_service_holds_on_a_lossy_lan(service: Service, agreed: str) -> None:
    trouble = Impairment(
        loss=0.1, duplicate=0.05, corrupt=0.02, delay_ns=200_000, jitter_ns=200_000
    )
    judged = run_and_judge(
        schedule(
            4,
            agreed=agreed,
            impairment=trouble,
            receipts=True,
            workload=[flow(node, service=service, count=20) for node in names(4)],
        )
    )
    assert overall(judged.verdicts) == "holds", judged.verdicts
    assert judged.finished.delivered == 4 * judged.finished.accepted == 4 * 80


def test_every_service_holds_under_every_fault_at_once() -> None:
    judged = run_and_judge(
        schedule(
            5,
            receipts=True,
            backlog_messages=10,
            impairment=Impairment(loss=0.1, delay_ns=300_000, reorder=0.1),
            workload=[
                flow(node, service=service, count=20, batch=3)
                for node in names(5)
                for service in SERVICES
            ],
            faults=[
                millisecond(Pause, 5, 60, node="a"),
                millisecond(SlowReceiver, 8, 50, node="b", per_frame_ns=MILLISECOND),
                millisecond(Impair, 10, 40, impairment=CUT_OFF, source="c"),
            ],
        )
    )
    assert overall(judged.verdicts) == "holds", judged.verdicts
    assert judged.finished.delivered == 5 * judged.finished.accepted == 5 * 400


def test_a_node_alone_delivers_to_itself() -> None:
    judged = run_and_judge(
        schedule(1, workload=[flow("a", service=service) for service in SERVICES])
    )
    assert overall(judged.verdicts) == "holds", judged.verdicts
    assert judged.finished.delivered == 40


def test_the_pairs_of_a_lan_can_differ() -> None:
    deaf = PairImpairment(source="a", target="b", impairment=CUT_OFF)
    finished = simulate(schedule(2, workload=[flow("a", service="basic")], pairs=(deaf,)))
    assert records(finished, "b", "deliver") == []
    assert finished.measures["b"]["heartbeats"] > 0
    assert not finished.complete


def test_datagrams_and_their_bytes_are_counted_once_per_broadcast() -> None:
    finished = simulate(schedule(5, workload=[flow("a")]))
    counted = ("payload_frames", "acknowledgement_frames", "heartbeats", "nacks", "repairs")
    assert finished.datagrams == sum(
        measures[name] for measures in finished.measures.values() for name in counted
    )
    assert 26 * finished.datagrams < finished.wire_bytes < 200 * finished.datagrams


# -- faults


def test_faults_and_their_ends_are_noted_in_order() -> None:
    finished = simulate(
        schedule(
            workload=[flow("a")],
            faults=[
                millisecond(Pause, 5, 40, node="a"),
                millisecond(SlowReceiver, 10, 10, node="b", per_frame_ns=1),
                millisecond(Impair, 15, 15, impairment=CUT_OFF),
                millisecond(Impair, 25, impairment=Impairment()),
                millisecond(Kill, 50, node="c"),
            ],
        )
    )
    assert faults_noted(finished) == [
        (5, "pause", "a"),
        (10, "slow", "b"),
        (15, "impair", None),
        (20, "unslow", "b"),
        (25, "impair", None),
        (30, "unimpair", None),
        (45, "resume", "a"),
        (50, "kill", "c"),
    ]


def test_the_trace_of_a_killed_node_just_ends() -> None:
    finished = simulate(
        schedule(workload=[flow("a", count=50)], faults=[millisecond(Kill, 20, node="b")])
    )
    everything = [json.loads(line) for line in finished.traces["b.1"].splitlines()]
    assert everything[-1]["e"] != "stop"
    assert everything[-1]["t"] <= 20 * MILLISECOND
    assert [record["e"] for record in records(finished, "a", "stop")] == ["stop"]


def test_a_paused_node_does_nothing_until_it_goes_on() -> None:
    finished = simulate(
        schedule(
            workload=[flow(node, count=60) for node in names(3)],
            faults=[millisecond(Pause, 20, 100, node="b")],
        )
    )
    times = [record["t"] for record in records(finished, "b", "send", "deliver", "transition")]
    assert not [t for t in times if 20 * MILLISECOND < t < 120 * MILLISECOND]
    assert [t for t in times if t >= 120 * MILLISECOND]


def test_a_slow_receiver_is_behind_for_as_long_as_it_is_slow() -> None:
    finished = simulate(
        schedule(
            workload=[flow("a", service="basic", count=30, interval_ns=10 * MILLISECOND)],
            faults=[
                millisecond(SlowReceiver, 95, 100, node="b", per_frame_ns=3 * MILLISECOND),
            ],
        )
    )
    sent = [record["t"] for record in records(finished, "a", "send")]
    delivered = [record["t"] for record in records(finished, "b", "deliver")]
    delays = [after - before for before, after in zip(sent, delivered, strict=True)]
    assert set(delays[:10] + delays[20:]) == {0}
    assert min(delays[10:20]) >= 3 * MILLISECOND


def heard(*faults: Fault, **lan: Any) -> dict[str, list[int]]:
    """Node a speaks every millisecond, for 100 of them: in which of them the others hear it."""
    return numbers_heard(schedule(faults=faults, **lan), 100, 0, 0)


def test_an_impairment_ends_when_its_time_is_over() -> None:
    found = heard(millisecond(Impair, 30, 20, impairment=CUT_OFF))
    assert found["ab"] == [*range(30), *range(50, 100)]


def test_an_impairment_concerns_only_the_pairs_that_match() -> None:
    found = heard(millisecond(Impair, 30, 20, impairment=CUT_OFF, source="a", target="b"))
    assert found["ab"] == [*range(30), *range(50, 100)]
    assert found["ac"] == [*range(100)]


def test_an_impairment_replaces_that_of_the_pair_as_a_whole() -> None:
    late = Impairment(delay_ns=MILLISECOND // 2)
    found = heard(millisecond(Impair, 30, 20, impairment=Impairment()), impairment=late)
    assert found["ab"] == [*range(30, 50)]


def test_when_an_impairment_ends_that_of_the_pair_is_in_force_again() -> None:
    deaf = PairImpairment(source="a", target="b", impairment=CUT_OFF)
    found = heard(millisecond(Impair, 30, 20, impairment=Impairment()), pairs=(deaf,))
    assert found["ab"] == [*range(30, 50)]
    assert found["ac"] == [*range(100)]


def test_of_several_impairments_the_last_counts_and_when_it_ends_the_one_before() -> None:
    found = heard(
        millisecond(Impair, 10, 60, impairment=CUT_OFF),
        millisecond(Impair, 20, 20, impairment=Impairment()),
        millisecond(Impair, 30, 20, impairment=CUT_OFF),
    )
    assert found["ab"] == [*range(10), *range(20, 30), *range(70, 100)]


def test_an_impairment_that_ends_first_leaves_the_later_one_in_force() -> None:
    found = heard(
        millisecond(Impair, 10, 20, impairment=Impairment()),
        millisecond(Impair, 20, 20, impairment=CUT_OFF),
    )
    assert found["ab"] == [*range(20), *range(40, 100)]


def test_of_impairments_that_begin_together_the_last_in_the_schedule_counts() -> None:
    found = heard(
        millisecond(Impair, 10, 20, impairment=CUT_OFF),
        millisecond(Impair, 10, 10, impairment=Impairment()),
    )
    assert found["ab"] == [*range(20), *range(30, 100)]
