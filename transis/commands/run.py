"""`transis run`: one topology, one seed, one verdict."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from netem import rundir
from netem.schedule import Schedule, ScheduleError, schedule_of
from netem.sim.world import Tap
from netem.topology import TopologyErrors, load
from oracle.verdict import as_data, exit_code
from transis import summary
from transis.commands.output import (
    AsJson,
    Seed,
    complain,
    interruptible,
    print_json,
    progress_bar,
)
from transis.judged import Judged, run_and_judge
from transis.show import console, key_values, show_evidence, verdict_table


class Backend(StrEnum):
    SIM = "sim"


def run(
    topology: Annotated[
        Path, typer.Argument(metavar="TOPOLOGY", help="A topology file, see topologies/.")
    ],
    backend: Annotated[Backend, typer.Option(help="Where the nodes run.")] = Backend.SIM,
    seed: Seed = 1,
    scenario: Annotated[
        str | None, typer.Option(help="A fault schedule of the topology; none if not given.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The run directory.", show_default="runs/NAME-SEED")
    ] = None,
    receipts: Annotated[
        bool, typer.Option(help="Trace every frame received: a stricter check of safe delivery.")
    ] = True,
    pcap: Annotated[
        Path | None, typer.Option(help="Also write what was on the wire, for `transis sniff`.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a topology, write its run directory and print the verdict.

    Exit code: 0 if every guarantee holds, 1 if one is violated, 3 if one cannot be known.
    """
    assert backend is Backend.SIM, "there is one backend"
    try:
        resolved = load(topology)
        as_given = topology.read_bytes()
        schedule = schedule_of(resolved, seed=seed, scenario=scenario, receipts=receipts)
        directory = out or Path("runs") / schedule.run
        rundir.check_usable(directory)
    except (TopologyErrors, ScheduleError, rundir.RunDirectoryError) as error:
        complain("run", error, as_json=as_json)
    with recorded(pcap, as_json=as_json) as tap:
        judged = run_with_progress(schedule, quiet=as_json, tap=tap)
    save("run", directory, judged, as_given, as_json=as_json)
    report(judged, directory, as_json=as_json)
    raise typer.Exit(exit_code(judged.verdicts))


@contextmanager
def recorded(pcap: Path | None, *, as_json: bool) -> Iterator[Tap | None]:
    """A tap that writes a capture file, if one is wanted; nothing else in here touches the disk."""
    if pcap is None:
        yield None
        return
    from transis.wire.record import WireRecorder  # Scapy takes long to import

    try:
        with closing(WireRecorder(pcap)) as recorder:
            yield recorder
    except OSError as error:
        complain("run", f"cannot write {pcap}: {error.strerror}", as_json=as_json)


def run_with_progress(schedule: Schedule, *, quiet: bool, tap: Tap | None = None) -> Judged:
    with interruptible(), progress_bar(quiet) as bar:
        total = schedule.messages * len(schedule.lan.nodes)
        task = bar.add_task(f"running {schedule.run}", total=total)
        return run_and_judge(
            schedule, tap=tap, progress=lambda done, _: bar.update(task, completed=done)
        )


def save(
    command: str, directory: Path, judged: Judged, topology: bytes | None, *, as_json: bool
) -> None:
    try:
        rundir.write(
            directory, judged.schedule, judged.finished, as_data(judged.verdicts), topology
        )
    except OSError as error:
        complain(command, f"cannot write {directory}: {error.strerror}", as_json=as_json)


def report(
    judged: Judged, directory: Path | None, *, as_json: bool, more: dict[str, Any] | None = None
) -> None:
    schedule, finished = judged.schedule, judged.finished
    trace_hash = rundir.trace_hash(finished)
    if as_json:
        print_json(
            {
                "run": schedule.run,
                "backend": "sim",
                "seed": schedule.seed,
                "out": None if directory is None else str(directory),
                "trace_hash": trace_hash,
                **as_data(judged.verdicts),
                "summary": summary.as_data(finished),
                **(more or {}),
            }
        )
        return
    screen = console()
    agreed, size = schedule.lan.agreed, len(finished.nodes)
    nodes = "1 node" if size == 1 else f"{size} nodes"
    screen.print(f"{schedule.name}: {nodes}, {agreed}, seed {schedule.seed}")
    screen.print()
    screen.print(verdict_table(judged.verdicts))
    show_evidence(screen, judged.verdicts)
    screen.print()
    rows = summary.in_words(finished) | {"trace hash": trace_hash[:16]}
    if directory is not None:
        rows["written to"] = str(directory)
    screen.print(key_values(rows))
