"""A LAN on which nothing is to be said is quiet but for heartbeats, before and after it is busy."""

from itertools import pairwise

import pytest
from sim_builder import (
    MILLISECOND,
    SECOND,
    Tap,
    flow,
    is_acknowledgement,
    is_repair,
    is_request,
    names,
    schedule,
)

from netem.faults import PERFECT, Fault, Impair, Impairment
from netem.sim.world import Finished, simulate
from netem.topology.resolved import Agreed
from netem.workload import SERVICES
from node.frames import Heartbeat
from node.limits import Timing

HEARTBEAT_NS = Timing().heartbeat_ns
SOONEST_NS = HEARTBEAT_NS * 9 // 10
LATEST_NS = HEARTBEAT_NS * 11 // 10


def until(time_ns: int, impairment: Impairment = PERFECT) -> Fault:
    """Something that changes nothing, for a run to wait for."""
    return Impair(at_ns=time_ns, impairment=impairment)


def beats(tap: Tap, start_ns: int = 0) -> dict[int, list[int]]:
    """When each node sent its heartbeats."""
    times: dict[int, list[int]] = {}
    for time_ns, transmitter, frame in tap.frames:
        if isinstance(frame, Heartbeat) and time_ns >= start_ns:
            times.setdefault(transmitter.number, []).append(time_ns)
    return times


@pytest.mark.parametrize("nodes", [1, 2, 5])
def test_on_an_idle_lan_there_are_only_heartbeats(nodes: int) -> None:
    tap = Tap()
    simulate(schedule(nodes, faults=[until(5 * SECOND)]), make_engine=tap.make_engine)
    assert {type(frame) for frame in tap.sent()} == {Heartbeat}


def test_losses_do_not_make_an_idle_lan_talk() -> None:
    tap, lossy = Tap(), Impairment(loss=0.5, duplicate=0.2, delay_ns=MILLISECOND)
    idle = schedule(5, impairment=lossy, faults=[until(5 * SECOND, lossy)])
    simulate(idle, make_engine=tap.make_engine)
    assert {type(frame) for frame in tap.sent()} == {Heartbeat}


def test_an_idle_node_sends_one_heartbeat_per_interval() -> None:
    tap = Tap()
    simulate(schedule(5, faults=[until(5 * SECOND)]), make_engine=tap.make_engine)
    assert len(beats(tap)) == 5
    for times in beats(tap).values():
        gaps = [after - before for before, after in pairwise([0, *times])]
        assert SOONEST_NS <= min(gaps) <= max(gaps) <= LATEST_NS


def test_idle_nodes_do_not_send_their_heartbeats_together() -> None:
    tap = Tap()
    simulate(schedule(5, faults=[until(5 * SECOND)]), make_engine=tap.make_engine)
    everybodys = [time_ns for times in beats(tap).values() for time_ns in times]
    assert len(set(everybodys)) == len(everybodys)


# -- after a busy phase

BUSY = Impairment(loss=0.2, duplicate=0.05, delay_ns=MILLISECOND, jitter_ns=MILLISECOND)
REST_NS = SECOND  # after the last delivery: the slowest request has been made and answered


def busy_then_idle(agreed: Agreed) -> tuple[Tap, Finished]:
    tap = Tap()
    finished = simulate(
        schedule(
            5,
            agreed=agreed,
            impairment=BUSY,
            workload=[
                flow(node, service=service, count=20) for node in names(5) for service in SERVICES
            ],
            faults=[until(6 * SECOND, BUSY)],
        ),
        make_engine=tap.make_engine,
    )
    assert finished.complete
    assert finished.settled_ns < 3 * SECOND
    return tap, finished


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_after_a_busy_phase_the_lan_is_quiet_again(agreed: Agreed) -> None:
    tap, finished = busy_then_idle(agreed)
    assert any(is_request(frame) for frame in tap.sent())
    assert any(is_acknowledgement(frame) for frame in tap.sent())
    assert any(is_repair(frame, transmitter) for _, transmitter, frame in tap.frames)
    assert {type(frame) for frame in tap.sent(finished.settled_ns + REST_NS)} == {Heartbeat}


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_heartbeats_slow_down_again_after_a_busy_phase(agreed: Agreed) -> None:
    tap, finished = busy_then_idle(agreed)
    late = beats(tap, finished.settled_ns + REST_NS)
    assert len(late) == 5
    for times in late.values():
        assert min(after - before for before, after in pairwise(times)) >= SOONEST_NS


def test_at_the_end_everybody_says_that_everybody_holds_everything() -> None:
    tap, _ = busy_then_idle("allack")
    last = {frame.transmitter: frame for frame in tap.sent() if isinstance(frame, Heartbeat)}
    assert len(last) == 5
    assert len({frame.holds for frame in last.values()}) == 1
