"""`transis replay`: run a saved schedule again, a failure of the soak or one of a run directory."""

from pathlib import Path
from typing import Annotated

import typer

from netem import rundir
from oracle.verdict import exit_code
from transis.commands.output import AsJson, complain
from transis.commands.run import report, run_with_progress, save
from transis.soak.failures import FailureError, read


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="A saved failure, a schedule.json, or a run directory."
        ),
    ],
    out: Annotated[
        Path | None, typer.Option(help="Write a run directory, to look into the traces.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a saved schedule again and print the verdict.

    Exit code: 0 if every guarantee holds, 1 if one is violated, 3 if one cannot be known.
    """
    try:
        saved = read(file)
        if out is not None:
            rundir.check_usable(out)
    except (FailureError, rundir.RunDirectoryError) as error:
        complain("replay", error, as_json=as_json)
    judged = run_with_progress(saved.schedule, quiet=as_json)
    if out is not None:
        save("replay", out, judged, None, as_json=as_json)
    same = None
    if saved.trace_hash is not None:
        same = rundir.trace_hash(judged.finished) == saved.trace_hash
    report(judged, out, as_json=as_json, more={"reproduced": same})
    if same is not None and not as_json:
        typer.echo(f"the trace is {'the same as' if same else 'NOT the same as'} the saved one")
    raise typer.Exit(exit_code(judged.verdicts))
