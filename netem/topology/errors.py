"""Mistakes in a topology file: all of them are collected, then raised together."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

# A report that lists more names than this is no longer read.
SHOWN_NAMES = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    file: str
    line: int | None  # None: the mistake is not in the text, as when the file is missing
    message: str
    expected: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.message}; expected {self.expected}"


class TopologyErrors(Exception):  # noqa: N818 (there are several)
    """Every mistake of one file, in the order of its lines; printed one per line."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__(mistakes)
        self.mistakes = list(mistakes)

    def __str__(self) -> str:
        return "\n".join(str(mistake) for mistake in self.mistakes)


class Report:
    """Collects the mistakes of one file."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._mistakes: dict[Mistake, None] = {}  # a set that keeps the order

    def add(self, line: int | None, message: str, expected: str) -> None:
        mistake = Mistake(file=self._file, line=line, message=message, expected=expected)
        self._mistakes[mistake] = None  # what an alias repeats is still one mistake

    @property
    def count(self) -> int:
        return len(self._mistakes)

    def errors(self) -> TopologyErrors:
        return TopologyErrors(sorted(self._mistakes, key=lambda mistake: mistake.line or 0))


class Wrong(ValueError):  # noqa: N818 (it never leaves this package)
    """One value that is not what it should be, before its place in the file is known."""

    def __init__(self, problem: str, expected: str) -> None:
        super().__init__(f"{problem}; expected {expected}")
        self.problem = problem
        self.expected = expected


def quoted(text: str) -> str:
    """Text of the user's, safe to print on one line."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def one_of(known: Iterable[str], found: str | None = None) -> str:
    """The choices, with the nearest to what was found."""
    names = list(known)
    shown = names if len(names) <= SHOWN_NAMES else [*names[: SHOWN_NAMES - 2], "...", names[-1]]
    choices = shown[0] if len(names) == 1 else f"one of {', '.join(shown)}"
    # Comparing is quadratic in the length: names and keys are short, so is what resembles them.
    near = difflib.get_close_matches(found[:60].lower(), names, n=1) if found else []
    return f"{choices} (did you mean {near[0]}?)" if near else choices
