"""Made-up schedules: reproducible, and varied enough to reach every service and impairment."""

from netem.faults import Impair, Kill, Pause, SlowReceiver
from netem.schedule import Schedule
from transis.soak.schedules import MOST_LOSS, make_schedule

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
