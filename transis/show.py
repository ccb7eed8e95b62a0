"""Verdicts for people: tables on the terminal."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from oracle.verdict import Verdict

STYLES = {
    "holds": "bold green",
    "violated": "bold red",
    "unknown": "bold yellow",
    "not exercised": "dim",
    "not promised": "dim",
}


def console(*, stderr: bool = False) -> Console:
    return Console(stderr=stderr, highlight=False, soft_wrap=False)


def status(word: str) -> Text:
    return Text(word, style=STYLES.get(word, ""))


def verdict_table(verdicts: Sequence[Verdict]) -> Table:
    table = Table("guarantee", "verdict", "what was seen", box=None, pad_edge=False)
    for verdict in verdicts:
        table.add_row(verdict.guarantee, status(verdict.status), Text(verdict.summary))
    return table


def show_evidence(screen: Console, verdicts: Sequence[Verdict]) -> None:
    for verdict in verdicts:
        if verdict.status in ("violated", "unknown"):
            screen.print()
            screen.print(Text(f"{verdict.guarantee}: {verdict.status}", STYLES[verdict.status]))
            for line in verdict.evidence:
                screen.print(Text(f"  {line}"), soft_wrap=True)


def key_values(rows: Mapping[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    for key, value in rows.items():
        table.add_row(Text(key, "dim"), Text(value))
    return table
