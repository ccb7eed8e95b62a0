"""A run and what the oracle says of it: the step that `run`, `soak` and `replay` share."""

from collections.abc import Sequence
from dataclasses import dataclass

from netem.rundir import run_info
from netem.schedule import Schedule
from netem.sim.world import Finished, MakeEngine, Progress, Tap, lansis, simulate
from oracle.judge import judge
from oracle.trace import read_records
from oracle.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Judged:
    schedule: Schedule
    finished: Finished
    verdicts: Sequence[Verdict]


def run_and_judge(
    schedule: Schedule,
    *,
    progress: Progress | None = None,
    make_engine: MakeEngine = lansis,
    tap: Tap | None = None,
) -> Judged:
    finished = simulate(schedule, progress=progress, make_engine=make_engine, tap=tap)
    run = read_records(run_info(schedule, finished), finished.traces, finished.faults)
    return Judged(schedule, finished, [*_breakdown(finished), *judge(run)])


def _breakdown(finished: Finished) -> list[Verdict]:
    """A node that breaks down is a violation, whatever else was promised."""
    if finished.breakdown is None:
        return []
    *_, what = finished.breakdown.splitlines()
    return [Verdict("no breakdown", "violated", what, (finished.breakdown,))]
