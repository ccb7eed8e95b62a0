"""The `transis` command."""

from importlib.metadata import version
from typing import Annotated

import typer

from transis.commands.check import check
from transis.commands.engines import engines
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
    app()
