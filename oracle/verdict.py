"""What the oracle says: one verdict per guarantee, and what they come to together."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct, to_builtins

Status: TypeAlias = Literal["holds", "violated", "unknown", "not exercised", "not promised"]

MOST_EVIDENCE = 5  # a reader follows the earliest; the rest usually follows from it


class Verdict(Struct, frozen=True):
    guarantee: str
    status: Status
    summary: str
    evidence: tuple[str, ...] = ()


def overall(verdicts: Sequence[Verdict]) -> Status:
    """The worst of all; a run that exercised nothing does not hold."""
    statuses = [verdict.status for verdict in verdicts]
    if "violated" in statuses:
        return "violated"
    if "unknown" in statuses:
        return "unknown"
    return "holds" if "holds" in statuses else "not exercised"


def exit_code(verdicts: Sequence[Verdict]) -> int:
    """1 if anything is violated, else 3 if anything is unknown, else 0."""
    return {"violated": 1, "unknown": 3}.get(overall(verdicts), 0)


def as_data(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The content of verdicts.json."""
    return {
        "schema": 1,
        "overall": overall(verdicts),
        "exit_code": exit_code(verdicts),
        "verdicts": [to_builtins(verdict) for verdict in verdicts],
    }
