"""How commands speak: results on stdout, JSON if asked for, complaints on stderr, exit codes."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NoReturn

import msgspec
import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from netem.quantities import MAX_QUANTITY
from netem.topology import TopologyErrors
from transis.show import console

HOLDS, VIOLATED, USAGE, UNKNOWN = 0, 1, 2, 3
INTERRUPTED = 130

Seed = Annotated[
    int, typer.Option(min=0, max=MAX_QUANTITY, help="Same seed, same run.", metavar="NUMBER")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]


def print_json(value: Any) -> None:
    typer.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def complain(command: str, problem: object, *, as_json: bool = False) -> NoReturn:
    """A mistake of the caller: say what is wrong and end. Places in files stand at the beginning
    of their line, where editors look for them."""
    if as_json:
        print_json({"error": _described(problem)})
    elif isinstance(problem, TopologyErrors):
        typer.echo(str(problem), err=True)
    else:
        typer.echo(f"transis {command}: {problem}", err=True)
    raise typer.Exit(USAGE)


def _described(problem: object) -> dict[str, Any]:
    if isinstance(problem, TopologyErrors):
        mistakes = [msgspec.to_builtins(mistake) for mistake in problem.mistakes]
        return {"message": "mistakes in the topology", "mistakes": mistakes}
    return {"message": str(problem)}


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C is neither a verdict nor a mistake."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def broken_pipes_raise() -> Iterator[None]:
    """For commands with workers: the death of one is for the command to tell, not its own end."""
    usual = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, usual)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """On stderr, gone when done, and not at all where nobody watches."""
    screen = console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=screen,
        transient=True,
        disable=quiet or not screen.is_terminal,
    ) as progress:
        yield progress
