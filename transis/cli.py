"""The `transis` command.

Exit code 1 is a verdict, so trouble of the machine ends with another one: nothing is known then.
"""

import os
import signal
import sys
from contextlib import suppress
from importlib.metadata import version
from typing import Annotated, NoReturn

import typer

from transis.commands.check import check
from transis.commands.engines import engines
from transis.commands.output import UNKNOWN
from transis.commands.replay import replay
from transis.commands.run import run
from transis.commands.sniff import sniff
from transis.commands.soak import soak

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    help="A testbed for group communication: run a topology, break the network, check every "
    "guarantee.",
)
for command in (run, soak, replay, check, engines, sniff):
    app.command(command.__name__)(command)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(version("transis-testbed"))
        raise typer.Exit


@app.callback()
def transis(
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Options of the command itself."""


def main() -> None:
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as cleanly as Ctrl-C
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends quietly when nobody listens any more
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        _end(f"cannot go on: {error.strerror}")
    except MemoryError:
        _end("out of memory")


def _end(problem: str) -> NoReturn:
    with suppress(OSError):  # what is left in the buffer has nowhere to go
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    typer.echo(f"transis: {problem}", err=True)
    sys.exit(UNKNOWN)
