"""Made-up schedules: reproducible, and varied enough to reach every service and impairment."""

from dataclasses import replace

import pytest

from netem.faults import Impair, Kill, Pause, SlowReceiver
from netem.schedule import Schedule
from transis.judged import run_and_judge
from transis.soak.campaign import worst_first
from transis.soak.schedules import MOST_LOSS, everybody_can_be_heard, make_schedule

MANY = [make_schedule(1, number) for number in range(500)]


def test_the_same_number_is_the_same_schedule() -> None:
    assert make_schedule(7, 3) == make_schedule(7, 3)


def test_another_number_or_seed_is_another_schedule() -> None:
    assert make_schedule(7, 3) != make_schedule(7, 4)
    assert make_schedule(7, 3) != make_schedule(8, 3)


def test_a_schedule_survives_being_saved() -> None:
    assert all(Schedule.from_dict(schedule.to_dict()) == schedule for schedule in MANY[:50])


def test_groups_of_two_to_nine() -> None:
    assert {len(schedule.lan.nodes) for schedule in MANY} == set(range(2, 10))


def test_losses_up_to_thirty_percent() -> None:
    losses = [schedule.lan.impairment.loss for schedule in MANY]
    assert MOST_LOSS == 0.30
    assert min(losses) == 0
    assert 0.29 < max(losses) <= 0.30


def test_every_service_order_impairment_and_fault_occurs_often() -> None:
    seen: dict[str, int] = {}
    for schedule in MANY:
        words = {flow.service for flow in schedule.workload} | {schedule.lan.agreed}
        words |= set(schedule.lan.impairment.to_dict())
        words |= {type(fault).__name__ for fault in schedule.faults}
        words |= {"pairs"} if schedule.lan.pairs else set()
        words |= {"packing" if schedule.lan.packing else "no packing"}
        for word in words:
            seen[word] = seen.get(word, 0) + 1
    expected = {"basic", "causal", "agreed", "safe", "allack", "toto", "packing", "no packing"}
    expected |= {"loss", "delay_ns", "jitter_ns", "duplicate", "reorder", "corrupt", "rate_bps"}
    expected |= {kind.__name__ for kind in (Kill, Pause, SlowReceiver, Impair)} | {"pairs"}
    assert {word for word, count in seen.items() if count >= 25} >= expected


def test_where_one_never_hears_another_somebody_lives_to_repeat_it() -> None:
    deaf = [
        schedule
        for schedule in MANY
        if any(pair.impairment.loss == 1 for pair in schedule.lan.pairs)
    ]
    assert len(deaf) >= 25
    assert all(map(everybody_can_be_heard, deaf))


@pytest.mark.parametrize(("seed", "number"), [(77, 1248), (2026, 2121), (2026, 2769), (2026, 4623)])
def test_the_only_one_who_could_repeat_it_is_spared(seed: int, number: int) -> None:
    """Found by long soaks: three nodes, one deaf towards another, the third killed."""
    schedule = make_schedule(seed, number)
    assert everybody_can_be_heard(schedule)
    assert not any(isinstance(fault, Kill) for fault in schedule.faults)
    assert worst_first(run_and_judge(schedule).verdicts) == []


def test_a_deaf_pair_alone_cannot_be_heard() -> None:
    schedule = make_schedule(77, 1248)
    (pair,) = schedule.lan.pairs
    relay = next(node for node in schedule.lan.nodes if node not in (pair.source, pair.target))
    faults = (Kill(at_ns=0, node=relay), *schedule.faults)
    assert not everybody_can_be_heard(replace(schedule, faults=faults))
