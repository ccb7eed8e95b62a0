"""What the papers claim, and what this project promises, shown from whole runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from netem.faults import Impairment
from netem.schedule import Schedule, schedule_of
from netem.topology import load
from netem.topology.resolved import Agreed, Lan
from netem.workload import SERVICES, Flow
from transis.judged import Judged, run_and_judge
from transis.summary import frames_per_message, fullest_buffers, synchrony

TOPOLOGIES = Path(__file__).parents[2] / "topologies"
MILLISECOND = 1_000_000


def statuses(judged: Judged) -> set[str]:
    return {verdict.status for verdict in judged.verdicts}


def schedule_from(topology: str, agreed: Agreed) -> Schedule:
    loaded = schedule_of(load(TOPOLOGIES / topology), seed=1)
    return replace(loaded, lan=replace(loaded.lan, agreed=agreed))


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_ten_nodes_under_a_fifth_of_loss_deliver_100_000_messages_within_bounds(
    agreed: Agreed,
) -> None:
    judged = run_and_judge(schedule_from("marathon.yaml", agreed))
    assert len(judged.finished.nodes) == 10
    assert judged.schedule.lan.impairment.loss == 0.2
    assert judged.finished.delivered == 10 * 100_000
    assert statuses(judged) <= {"holds", "not exercised"}
    for what, (peak, bound) in fullest_buffers(judged.finished).items():
        assert 0 < peak <= bound, what


@pytest.mark.parametrize("size", [2, 3, 4, 5, 8, 9])
def test_the_index_of_synchrony_is_that_of_figure_3(size: int) -> None:
    """1, 1, ⌊n/2⌋+1 at best, n: one sender, so nothing is contested."""
    wire = Lan(
        name="lan",
        nodes=tuple(f"n{place}" for place in range(1, size + 1)),
        agreed="toto",
        impairment=Impairment(delay_ns=200_000, jitter_ns=50_000),
    )
    flows = tuple(
        Flow(
            node="n1",
            service=service,
            size=64,
            count=20,
            start_ns=place * 500 * MILLISECOND,
            interval_ns=20 * MILLISECOND,
        )
        for place, service in enumerate(SERVICES)
    )
    judged = run_and_judge(Schedule(name="figure", seed=1, lan=wire, workload=flows))
    lowest = {service: seen.lowest for service, seen in synchrony(judged.finished).items()}
    assert lowest == {"basic": 1, "causal": 1, "agreed": size // 2 + 1, "safe": size}


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_no_extra_messages_for_order_when_all_are_busy(agreed: Agreed) -> None:
    schedule = schedule_from("busy-lan.yaml", agreed)
    assert not schedule.lan.packing
    rate = frames_per_message(run_and_judge(schedule).finished)
    assert rate is not None
    assert 1 <= rate < 1.1


def test_a_message_of_16_mib_spans_frames_and_arrives_whole() -> None:
    wire = Lan(name="lan", nodes=("a", "b"), datagram_bytes=61440)
    flow = Flow(node="a", service="agreed", size=16 * 2**20, count=1, start_ns=0, interval_ns=0)
    judged = run_and_judge(Schedule(name="large", seed=1, lan=wire, workload=(flow,)))
    assert judged.finished.delivered == 2
    assert statuses(judged) <= {"holds", "not exercised"}
