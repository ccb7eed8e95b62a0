"""Shrinking: what is left is what it takes."""

from dataclasses import replace

import pytest
from mutants import breaks_ties_by_arrival

from netem.schedule import Schedule
from transis.judged import run_and_judge
from transis.soak.schedules import make_schedule
from transis.soak.shrink import shrink, simpler


def biggest() -> Schedule:
    return max(
        (make_schedule(1, number) for number in range(100)),
        key=lambda schedule: len(schedule.workload) + len(schedule.faults),
    )


def test_everything_goes_that_is_not_needed() -> None:
    needed = biggest().workload[2].service
    small = shrink(biggest(), lambda s: any(flow.service == needed for flow in s.workload))
    assert [flow.service for flow in small.workload] == [needed]
    (flow,) = small.workload
    assert (flow.count, flow.size, flow.batch, flow.start_ns) == (1, 1, 1, 0)
    assert len(small.lan.nodes) == 2
    assert small.faults == ()
    assert small.lan.impairment.to_dict() == {}
    assert small.lan.pairs == ()


def test_what_is_needed_stays() -> None:
    def fails(schedule: Schedule) -> bool:
        return len(schedule.lan.nodes) >= 4 and bool(schedule.faults)

    small = shrink(biggest(), fails)
    assert fails(small)
    assert len(small.lan.nodes) == 4
    assert len(small.faults) == 1


def test_a_schedule_that_cannot_be_simpler_has_an_end() -> None:
    small = shrink(biggest(), lambda _: True)
    assert list(simpler(replace(small, workload=()))) == []


def test_the_tries_are_bounded() -> None:
    tried: list[int] = []
    shrink(biggest(), lambda _: False, most_tries=5, progress=tried.append)
    assert tried == [1, 2, 3, 4, 5]


def test_a_wrong_tie_break_shrinks_to_two_nodes_and_two_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    breaks_ties_by_arrival(monkeypatch)

    def fails(schedule: Schedule) -> bool:
        return any(
            verdict.guarantee == "total order" and verdict.status == "violated"
            for verdict in run_and_judge(schedule).verdicts
        )

    failing = next(
        schedule
        for schedule in (make_schedule(1, number) for number in range(200))
        if fails(schedule)
    )
    small = shrink(failing, fails)
    assert len(small.lan.nodes) == 2
    assert sum(flow.count for flow in small.workload) == 2
