"""How a run ends: complete, incomplete, or cut off; and what it tells on the way."""

import json
from collections.abc import Callable
from random import Random

import pytest
from sim_builder import MILLISECOND, SECOND, Puppet, flow, names, schedule

from netem.faults import Impair, Impairment, Kill, Pause
from netem.schedule import Schedule
from netem.sim import world
from netem.sim.world import SETTLE_NS, Finished, MakeEngine, simulate
from node.contract import Engine
from node.identity import Processor
from node.views import View

CUT_OFF = Impairment(loss=1.0)


def last_time(finished: Finished, *kinds: str) -> int:
    """When the last record of these kinds was written, at any node."""
    lines = b"".join(finished.traces.values()).splitlines()
    times: list[int] = [record["t"] for record in map(json.loads, lines) if record["e"] in kinds]
    return max(times)


def stopped(finished: Finished) -> list[str]:
    """The nodes that ended in an orderly way."""
    return [
        name
        for name, lines in finished.traces.items()
        if json.loads(lines.splitlines()[-1])["e"] == "stop"
    ]


def all_by(make: Callable[[], Engine]) -> MakeEngine:
    """The same kind of engine on every node."""

    def make_engine(_: Schedule, me: Processor, view: View, randomness: Random) -> Engine:
        return make()

    return make_engine


def test_a_run_is_complete_when_all_is_delivered_and_a_while_has_passed() -> None:
    finished = simulate(schedule(workload=[flow("a")]))
    assert finished.complete
    assert finished.accepted == 10
    assert finished.delivered == 30
    assert finished.settled_ns == last_time(finished, "send", "deliver")
    assert finished.duration_ns <= finished.settled_ns + SETTLE_NS


def test_every_node_stops_at_the_end() -> None:
    finished = simulate(schedule(workload=[flow("a")]))
    assert stopped(finished) == ["a.1", "b.1", "c.1"]
    assert last_time(finished, "stop") == finished.duration_ns


def test_a_run_waits_for_what_is_not_submitted_yet() -> None:
    finished = simulate(schedule(workload=[flow("a", count=2, interval_ns=30 * SECOND)]))
    assert finished.complete
    assert finished.accepted == 2
    assert finished.settled_ns >= 30 * SECOND


def test_a_run_waits_for_its_last_fault_to_be_over() -> None:
    pause = Pause(at_ns=8 * SECOND, node="a", for_ns=SECOND)
    finished = simulate(schedule(workload=[flow("a")], faults=[pause]))
    assert finished.complete
    assert finished.duration_ns > 9 * SECOND


def test_a_run_without_a_workload_is_complete() -> None:
    finished = simulate(schedule())
    assert finished.complete
    assert finished.accepted == finished.delivered == 0


def test_a_run_in_which_messages_stay_undelivered_is_incomplete() -> None:
    cut = Impair(at_ns=0, target="b", impairment=CUT_OFF)
    finished = simulate(schedule(workload=[flow("a")], faults=[cut]))
    assert not finished.complete
    assert finished.delivered < 3 * finished.accepted


def test_a_run_recovers_from_being_cut_off_for_longer_than_its_patience() -> None:
    cut = Impair(at_ns=0, for_ns=20 * SECOND, target="b", impairment=CUT_OFF)
    finished = simulate(schedule(workload=[flow("a")], faults=[cut]))
    assert finished.complete
    assert finished.delivered == 3 * finished.accepted


def test_a_run_with_a_killed_member_ends_as_planned_though_not_all_is_delivered() -> None:
    kill = Kill(at_ns=5 * MILLISECOND, node="b")
    finished = simulate(schedule(workload=[flow("a", count=20)], faults=[kill]))
    assert finished.complete
    assert finished.delivered < 3 * finished.accepted
    assert stopped(finished) == ["a.1", "c.1"]


def test_a_run_in_which_nobody_is_left_ends_at_once() -> None:
    kills = [Kill(at_ns=5 * MILLISECOND, node=node) for node in names(3)]
    finished = simulate(schedule(workload=[flow("a")], faults=kills))
    assert finished.complete
    assert stopped(finished) == []
    assert finished.duration_ns < SECOND


# -- chatter without end


class Restless(Puppet):
    """Always wants to be called again, at once."""

    def next_deadline(self) -> int | None:
        return 0


class Chatterbox(Puppet):
    """Accepts messages, delivers none, and wants to be called every microsecond."""

    def next_deadline(self) -> int | None:
        return self.inputs[-1][0] + 1000 if self.inputs else None


@pytest.mark.parametrize("engine", [Restless, Chatterbox])
def test_chatter_without_end_is_cut_off(
    engine: Callable[[], Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "EVENTS_PER_PAIR", 100)
    finished = simulate(schedule(workload=[flow("a")]), make_engine=all_by(engine))
    assert not finished.complete
    assert finished.duration_ns < SECOND


# -- progress


def test_progress_never_goes_back_and_ends_with_everything() -> None:
    told: list[tuple[int, int]] = []
    finished = simulate(
        schedule(workload=[flow("a", count=100)]),
        progress=lambda delivered, expected: told.append((delivered, expected)),
    )
    assert told[-1] == (finished.delivered, finished.delivered)
    assert told == sorted(told)
    assert all(delivered <= expected for delivered, expected in told)


def test_progress_is_told_often_while_messages_are_delivered() -> None:
    told: list[int] = []
    simulate(
        schedule(workload=[flow("a", count=100)]),
        progress=lambda delivered, expected: told.append(delivered),
    )
    assert len(set(told)) > 50


def test_progress_changes_nothing() -> None:
    quiet = schedule(workload=[flow("a")], impairment=Impairment(loss=0.2))
    assert simulate(quiet, progress=lambda delivered, expected: None) == simulate(quiet)
