"""The same seed is the same run, to the last byte of its trace, in any process."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from sim_builder import MILLISECOND, flow, names, schedule

from netem.faults import Impair, Impairment, Kill, Pause, SlowReceiver
from netem.rundir import trace_hash
from netem.schedule import Schedule
from netem.sim.world import Finished, simulate
from netem.topology import PairImpairment
from netem.workload import SERVICES

RUN = """
import json, sys
from netem.rundir import trace_hash
from netem.schedule import Schedule
from netem.sim.world import simulate
print(trace_hash(simulate(Schedule.from_dict(json.load(sys.stdin)))))
"""


def eventful(agreed: str) -> Schedule:
    """All services, all impairments and all kinds of faults."""
    return schedule(
        5,
        agreed=agreed,
        receipts=True,
        backlog_messages=20,
        impairment=Impairment(
            loss=0.2,
            delay_ns=MILLISECOND,
            jitter_ns=MILLISECOND // 2,
            duplicate=0.1,
            reorder=0.1,
            corrupt=0.05,
            rate_bps=20_000_000,
        ),
        pairs=(PairImpairment(source="a", target="b", impairment=Impairment(loss=0.4)),),
        workload=[
            flow(node, service=service, count=15, size=300, batch=2)
            for node in names(5)
            for service in SERVICES
        ],
        faults=[
            Pause(at_ns=3 * MILLISECOND, node="b", for_ns=30 * MILLISECOND),
            SlowReceiver(
                at_ns=5 * MILLISECOND, node="c", per_frame_ns=MILLISECOND, for_ns=40 * MILLISECOND
            ),
            Impair(
                at_ns=9 * MILLISECOND,
                source="d",
                for_ns=20 * MILLISECOND,
                impairment=Impairment(loss=0.9),
            ),
            Kill(at_ns=400 * MILLISECOND, node="e"),
        ],
    )


def hash_in_a_process_of_its_own(schedule: Schedule, hash_seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(schedule.to_dict()),
        env=os.environ | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_the_same_seed_gives_the_same_trace_in_every_process(agreed: str) -> None:
    one = hash_in_a_process_of_its_own(eventful(agreed), hash_seed=1)
    other = hash_in_a_process_of_its_own(eventful(agreed), hash_seed=2)
    assert one == other == trace_hash(simulate(eventful(agreed)))


def test_what_happens_at_the_same_time_happens_in_the_same_order_in_every_process() -> None:
    """On a perfect wire all receivers get a frame at once: nothing but the order tells."""
    crowd = [flow(node, count=60, interval_ns=0) for node in names(5)]
    perfect = schedule(5, receipts=True, packing=False, workload=crowd)
    one, other = (hash_in_a_process_of_its_own(perfect, hash_seed) for hash_seed in (1, 2))
    assert one == other


def happened(finished: Finished) -> list[list[bytes]]:
    """The traces without their first records, which name the run and with it the seed."""
    return [lines.splitlines()[1:] for lines in finished.traces.values()]


@pytest.mark.parametrize("agreed", ["allack", "toto"])
def test_with_another_seed_something_else_happens(agreed: str) -> None:
    one, other = (simulate(replace(eventful(agreed), seed=seed)) for seed in (1, 2))
    assert happened(one) != happened(other)
    assert trace_hash(one) != trace_hash(other)


def test_what_the_trace_of_one_seed_has_in_it_happened() -> None:
    finished = simulate(eventful("allack"))
    assert finished.complete
    assert finished.delivered > 0
    assert sum(measures["repairs"] for measures in finished.measures.values()) > 0
    assert b'"e":"reject"' in finished.traces["a.1"]
    assert b'"e":"refuse"' in b"".join(finished.traces.values())
