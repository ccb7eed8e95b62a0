"""`transis soak`: many seeded schedules over all services and impairments."""

import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from transis.commands.output import (
    HOLDS,
    INTERRUPTED,
    UNKNOWN,
    VIOLATED,
    AsJson,
    Seed,
    broken_pipes_raise,
    print_json,
    progress_bar,
)
from transis.show import STYLES, console, show_evidence
from transis.soak.campaign import MOST_SHRUNK, Failure, Tally, campaign, shrink_failures


def soak(
    runs: Annotated[int, typer.Option(min=1, help="How many schedules.")] = 500,
    seed: Seed = 1,
    processes: Annotated[
        int | None, typer.Option(min=1, help="How many at a time.", show_default="all cores")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where failures are saved.")] = Path("failures"),
    as_json: AsJson = False,
) -> None:
    """Run many made-up schedules and judge each; shrink and save what fails.

    Exit code: 0 if every guarantee holds in every run, 1 if one is violated, 3 if one is unknown.
    """
    started = time.monotonic()
    tally = Tally(seed)
    try:
        with broken_pipes_raise(), progress_bar(as_json) as bar:
            task = bar.add_task("soaking", total=runs)

            def done(so_far: Tally) -> None:
                nonlocal tally
                tally = so_far
                failed = f", {len(so_far.failures)} failed" if so_far.failures else ""
                bar.update(task, completed=so_far.runs, description=f"soaking{failed}")

            tally = campaign(seed, runs, processes=processes, done=done)
            _shrink(tally, out, bar)
    except BrokenProcessPool:
        typer.echo(f"transis soak: a worker died after {tally.runs} of {runs} runs", err=True)
        raise typer.Exit(UNKNOWN) from None
    except KeyboardInterrupt:
        typer.echo(f"interrupted after {tally.runs} of {runs} runs", err=True)
        raise typer.Exit(INTERRUPTED) from None
    seconds = time.monotonic() - started
    if as_json:
        print_json(_as_data(tally, seconds))
    else:
        _show(console(), tally, seconds)
    violated, unknown = tally.count("violated"), tally.count("unknown")
    raise typer.Exit(VIOLATED if violated else UNKNOWN if unknown else HOLDS)


def _shrink(tally: Tally, out: Path, bar: Progress) -> None:
    task = bar.add_task("shrinking", total=None, visible=bool(tally.failures))

    def progress(failure: Failure, tries: int) -> None:
        bar.update(task, description=f"shrinking run {failure.number}", completed=tries)

    try:
        shrink_failures(tally, out, progress=progress)
    except OSError as error:  # the verdict stands all the same
        typer.echo(f"transis soak: cannot save failures in {out}: {error.strerror}", err=True)


def _as_data(tally: Tally, seconds: float) -> dict[str, Any]:
    guarantees: dict[str, dict[str, int]] = {}
    for (guarantee, status), count in tally.statuses.items():
        guarantees.setdefault(guarantee, {})[status] = count
    return {
        "runs": tally.runs,
        "seed": tally.seed,
        "violated": tally.count("violated"),
        "unknown": tally.count("unknown"),
        "seconds": round(seconds, 3),
        "guarantees": guarantees,
        "failures": [
            {"number": failure.number, "file": failure.file, "verdicts": failure.verdicts}
            for failure in tally.failures
        ],
    }


def _show(screen: Console, tally: Tally, seconds: float) -> None:
    statuses = [status for status in STYLES if any(seen == status for _, seen in tally.statuses)]
    table = Table("guarantee", box=None, pad_edge=False)
    for status in statuses:
        table.add_column(status, justify="right", style=STYLES[status])
    for guarantee in dict.fromkeys(guarantee for guarantee, _ in tally.statuses):
        counts = [tally.statuses[guarantee, status] for status in statuses]
        table.add_row(guarantee, *map(str, counts))
    screen.print(table)
    for failure in tally.failures[:MOST_SHRUNK]:
        show_evidence(screen, failure.verdicts[:1])
        screen.print(
            Text(f"  run {failure.number}; minimal schedule: {failure.file or 'not saved'}")
        )
        if failure.file is not None:
            screen.print(Text(f"  again: transis replay {failure.file}"))
    for failure in tally.failures[MOST_SHRUNK:]:
        screen.print(Text(f"run {failure.number}: {failure.first.guarantee} failed as well"))
    screen.print()
    screen.print(
        f"{tally.runs} runs in {seconds:.0f} s, seed {tally.seed}: "
        f"{tally.count('violated')} violated, {tally.count('unknown')} unknown"
    )
