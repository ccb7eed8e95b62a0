"""`transis check`: judge a run directory again, from its traces alone."""

from pathlib import Path
from typing import Annotated

import typer

from oracle.judge import judge
from oracle.trace import TraceError, read_run
from oracle.verdict import as_data, exit_code
from transis.commands.output import AsJson, complain, print_json
from transis.show import console, show_evidence, verdict_table


def check(
    directory: Annotated[Path, typer.Argument(metavar="DIRECTORY", help="A run directory.")],
    as_json: AsJson = False,
) -> None:
    """Judge a run directory, from its traces alone.

    Exit code: 0 if every guarantee holds, 1 if one is violated, 3 if one cannot be known.
    """
    try:
        run = read_run(directory)
    except TraceError as error:
        problem = f"{directory}/{error}"
        if not (directory / "run.json").is_file():
            problem += "; expected a run directory, such as runs/NAME-SEED"
        complain("check", problem, as_json=as_json)
    verdicts = judge(run)
    if as_json:
        print_json({"run": run.info.run, **as_data(verdicts)})
    else:
        screen = console()
        screen.print(verdict_table(verdicts))
        show_evidence(screen, verdicts)
    raise typer.Exit(exit_code(verdicts))
