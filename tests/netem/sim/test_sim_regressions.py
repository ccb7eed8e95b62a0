"""Regressions: each of these was once wrong."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sim_builder import MILLISECOND, SECOND, Puppet, flow, names, schedule

from netem.faults import Impairment, Kill, Pause, SlowReceiver
from netem.rundir import RunDirectoryError, write
from netem.schedule import Schedule, ScheduleError
from netem.sim.link import Link
from netem.sim.world import Finished, simulate
from netem.topology import Lan
from netem.topology.resolved import Agreed, PairImpairment
from node.codec import encode
from node.contract import Broadcast, DeadlinePassed, Received, Started
from node.frames import Batch, Data, Nack, Service
from node.identity import Processor
from node.lansis.engine import Lansis
from node.limits import Limits, Timing
from node.views import regular_view
from oracle.trace import read_run


def times(finished: Finished, node: str, *kinds: str) -> list[int]:
    lines = map(json.loads, finished.traces[f"{node}.1"].splitlines())
    return [record["t"] for record in lines if record["e"] in kinds]


@pytest.mark.parametrize("interval_us", [200, 500, 900])
@pytest.mark.parametrize("nodes", [3, 5, 8])
def test_nodes_that_send_steadily_acknowledge_by_what_they_send_anyway(
    nodes: int, interval_us: int
) -> None:
    finished = simulate(
        schedule(
            nodes,
            packing=False,
            workload=[
                flow(node, count=200, start_ns=place * 77_000, interval_ns=interval_us * 1000)
                for place, node in enumerate(names(nodes))
            ],
        )
    )
    assert finished.datagrams < 1.1 * finished.accepted


def test_a_request_fits_into_a_datagram() -> None:
    me, other = Processor(0, 1), Processor(1, 1)
    view = regular_view([me, other])
    engine = Lansis(me, view, "allack", Limits(datagram_bytes=576), Timing(), Random(1))
    engine.step(Started(), 0)
    for counter in range(2, 129, 2):  # every other frame is lost
        content = (Batch(Service.BASIC, (b"x",)),)
        frame = Data(other, view.id, other.number, counter, 0, (), counter, content)
        engine.step(Received(frame), 1)
    effects = engine.step(DeadlinePassed(), 5 * MILLISECOND)
    sent = [effect.frame for effect in effects if isinstance(effect, Broadcast)]
    assert max(len(encode(frame)) for frame in sent if isinstance(frame, Nack)) <= 576


def test_an_interrupted_replacement_keeps_the_earlier_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = schedule(workload=[flow("a")])
    finished = simulate(played)
    write(tmp_path / "run", played, finished, {})

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write(tmp_path / "run", played, finished, {})
    assert read_run(tmp_path / "run").info.run == played.run


def test_a_run_json_of_somebody_else_does_not_make_a_directory_a_run(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b'{"scripts": {}}')
    (tmp_path / "thesis.tex").write_bytes(b"ten years of work")
    played = schedule(workload=[flow("a")])
    with pytest.raises(RunDirectoryError):
        write(tmp_path, played, simulate(played), {})
    assert (tmp_path / "thesis.tex").exists()


def test_a_long_gap_in_the_workload_is_no_chatter() -> None:
    lan = Lan(name="lan", nodes=tuple(f"n{number}" for number in range(30)))
    gap = Schedule(
        name="gap", seed=1, lan=lan, workload=(flow("n1", count=2, interval_ns=60 * SECOND),)
    )
    assert simulate(gap).complete


def test_overlapping_pauses_last_to_the_end_of_the_last() -> None:
    finished = simulate(
        schedule(
            workload=[flow("a", count=300)],
            faults=[
                Pause(at_ns=50 * MILLISECOND, node="b", for_ns=100 * MILLISECOND),
                Pause(at_ns=100 * MILLISECOND, node="b", for_ns=100 * MILLISECOND),
            ],
        )
    )
    delivered = times(finished, "b", "deliver")
    assert not [t for t in delivered if 50 * MILLISECOND < t < 200 * MILLISECOND]


def test_overlapping_slowness_lasts_to_the_end_of_the_last() -> None:
    slow = {"node": "b", "per_frame_ns": MILLISECOND // 4, "for_ns": 100 * MILLISECOND}
    finished = simulate(
        schedule(
            workload=[flow("a", service="basic", count=190)],
            faults=[
                SlowReceiver(at_ns=50 * MILLISECOND, **slow),
                SlowReceiver(at_ns=100 * MILLISECOND, **slow),
            ],
        )
    )
    late = [t for t in times(finished, "b", "deliver") if 160 * MILLISECOND < t < 190 * MILLISECOND]
    assert not [t for t in late if t % MILLISECOND == 0]


def test_the_time_of_settling_is_that_of_the_last_message_also_after_a_kill() -> None:
    kill = Kill(at_ns=20 * MILLISECOND, node="b")
    finished = simulate(schedule(workload=[flow("a")], faults=[kill]))
    last = max(t for node in names(3) for t in times(finished, node, "send", "deliver"))
    assert finished.settled_ns == last


def test_engines_that_fall_silent_end_a_run_as_planned() -> None:
    assert simulate(schedule(), make_engine=lambda *_: Puppet()).complete


def test_a_frame_that_came_through_early_leaves_its_place_in_the_queue() -> None:
    draws = [0.999, 0.05, 0.5]

    class Draws(Random):
        def random(self) -> float:
            return draws.pop(0)

    wire = Link(Impairment(delay_ns=1000, jitter_ns=1000, queue_frames=2), Draws())
    arrivals = [at_ns for _ in range(2) for at_ns, _ in wire.carry(b"x", 0)]
    assert arrivals == [1998, 100]
    assert len(list(wire.carry(b"x", 500))) == 1


@pytest.mark.parametrize("data", [[], None, "text"])
def test_something_else_than_a_schedule_is_told_what_was_expected(data: Any) -> None:
    with pytest.raises(ScheduleError, match="expected"):
        Schedule.from_dict(data)


@pytest.mark.parametrize(
    "changed",
    [
        {"workload": None},
        {"faults": 3},
        {"name": 3},
        {"name": "../elsewhere"},
        {"receipts": "no"},
        {
            "faults": [
                Kill(at_ns=5, node="a").to_dict(),
                Kill(at_ns=1, node="b").to_dict(),
            ]
        },
    ],
)
def test_a_schedule_that_makes_no_sense(changed: dict[str, Any]) -> None:
    with pytest.raises(ScheduleError, match="expected"):
        Schedule.from_dict(schedule().to_dict() | changed)


@pytest.mark.parametrize("agreed", ["allack", "toto"])
@pytest.mark.parametrize("deaf", [[("a", "b")], [("a", "b"), ("b", "a")]])
def test_a_frame_reaches_a_node_that_cannot_hear_its_origin(
    deaf: list[tuple[str, str]], agreed: Agreed
) -> None:
    """Whoever holds it answers; the origin, who is not heard, must not silence the others."""
    lan = Lan(
        name="lan",
        nodes=("a", "b", "c", "d"),
        agreed=agreed,
        impairment=Impairment(delay_ns=MILLISECOND // 5),
        pairs=tuple(
            PairImpairment(source=source, target=target, impairment=Impairment(loss=1.0))
            for source, target in deaf
        ),
    )
    workload = tuple(flow(node, service="safe", count=20) for node in lan.nodes)
    finished = simulate(Schedule(name="deaf", seed=1, lan=lan, workload=workload))
    assert finished.complete
    assert finished.delivered == 4 * 80


@pytest.mark.parametrize(
    "slow", [Impairment(delay_ns=20 * SECOND), Impairment(rate_bps=1000), Impairment(loss=0.9)]
)
def test_a_slow_network_is_waited_for(slow: Impairment) -> None:
    lan = Lan(name="lan", nodes=("a", "b"), impairment=slow)
    played = Schedule(name="slow", seed=1, lan=lan, workload=(flow("a", service="safe", count=3),))
    assert simulate(played).complete
