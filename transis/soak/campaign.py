"""A campaign: many schedules on all cores, each judged; the first failures shrunk and saved."""

import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path

from netem.rundir import trace_hash
from netem.schedule import Schedule
from oracle.verdict import Verdict
from transis.judged import run_and_judge
from transis.soak.failures import save
from transis.soak.schedules import everybody_can_be_heard, make_schedule
from transis.soak.shrink import shrink

MOST_SHRUNK = 3  # further failures are most likely the same bug: they are counted and listed
WAITING_PER_PROCESS = 4  # enough to keep all busy, few enough to stop soon
BAD = ("violated", "unknown")


@dataclass(slots=True)
class Failure:
    number: int
    verdicts: Sequence[Verdict]
    file: str | None = None

    @property
    def first(self) -> Verdict:
        return self.verdicts[0]


@dataclass(slots=True)
class Tally:
    """What a campaign has seen so far."""

    seed: int
    runs: int = 0
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)  # (guarantee, status)
    failures: list[Failure] = field(default_factory=list)

    def add(self, number: int, verdicts: Sequence[Verdict]) -> None:
        self.runs += 1
        self.statuses.update((verdict.guarantee, verdict.status) for verdict in verdicts)
        bad = worst_first(verdicts)
        if bad:
            self.failures.append(Failure(number, bad))

    def count(self, status: str) -> int:
        """How many runs have a guarantee with this status."""
        return sum(
            any(verdict.status == status for verdict in failure.verdicts)
            for failure in self.failures
        )


def worst_first(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Those that are not fine; violations before unknowns."""
    return [verdict for status in BAD for verdict in verdicts if verdict.status == status]


def campaign(
    seed: int, runs: int, *, processes: int | None = None, done: Callable[[Tally], object]
) -> Tally:
    """Run schedules 0 … runs-1; `done` is called after each. Results do not depend on timing."""
    tally = Tally(seed)
    for number, verdicts in _examined(seed, runs, processes or os.cpu_count() or 1):
        tally.add(number, verdicts)
        done(tally)
    tally.failures.sort(key=lambda failure: failure.number)
    return tally


def shrink_failures(
    tally: Tally, directory: Path, *, progress: Callable[[Failure, int], object] | None = None
) -> None:
    """Shrink and save the first few failures of a campaign."""
    for failure in tally.failures[:MOST_SHRUNK]:
        small = shrink(
            make_schedule(tally.seed, failure.number),
            fails=_fails_like(failure.first),
            progress=None if progress is None else partial(progress, failure),
        )
        path = directory / f"soak-{tally.seed}-{failure.number}.json"
        found = f"transis soak --seed {tally.seed}, run {failure.number}"
        judged = run_and_judge(small)
        save(path, small, judged.verdicts, trace_hash(judged.finished), found)
        failure.file = str(path)


def _fails_like(seen: Verdict) -> Callable[[Schedule], bool]:
    """The same guarantee in the same way, where it can be asked for: other failures may be another
    bug, or none."""

    def fails(schedule: Schedule) -> bool:
        return everybody_can_be_heard(schedule) and any(
            verdict.guarantee == seen.guarantee and verdict.status == seen.status
            for verdict in run_and_judge(schedule).verdicts
        )

    return fails


def _examine_number(seed: int, number: int) -> tuple[int, Sequence[Verdict]]:
    return number, run_and_judge(make_schedule(seed, number)).verdicts


def _examined(seed: int, runs: int, processes: int) -> Iterator[tuple[int, Sequence[Verdict]]]:
    if processes == 1:
        for number in range(runs):
            yield _examine_number(seed, number)
        return
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_end_with_parent)
    pending: set[Future[tuple[int, Sequence[Verdict]]]] = set()
    numbers = iter(range(runs))
    try:
        while True:
            room = WAITING_PER_PROCESS * processes - len(pending)
            for number in islice(numbers, room):
                pending.add(pool.submit(_examine_number, seed, number))
            if not pending:
                return
            finished, pending = wait(pending, return_when=FIRST_COMPLETED)
            yield from sorted((future.result() for future in finished), key=lambda r: r[0])
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """A worker whose campaign was killed must not wait for work for ever."""
    parent = parent_process()
    assert parent is not None, "workers have a parent"

    def wait_and_end() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait_and_end, daemon=True).start()
