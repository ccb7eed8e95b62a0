"""Reading one mapping of the raw tree: known keys, typed values, one mistake for each that is not.

A reader is a function from a raw value to what it means; it raises `Wrong` (or `QuantityError`).
`Fields` knows the lines, reports, and goes on with the default.
"""

import re
from collections.abc import Callable
from typing import TypeVar

from netem.quantities import QuantityError
from netem.topology.errors import Report, Wrong, one_of, quoted
from netem.topology.raw import RawList, RawMap, RawScalar, RawValue
from netem.topology.resolved import NAME

T = TypeVar("T")
D = TypeVar("D")
S = TypeVar("S", bound=str)
Reader = Callable[[RawValue], T]

NAME_EXPECTED = "a lower-case letter, then at most 30 of a-z, 0-9 and -"


class Fields:
    """The keys of one mapping; unknown ones are reported when it is made."""

    def __init__(self, report: Report, raw: RawMap, where: str, known: tuple[str, ...]) -> None:
        self.report = report
        self.line = raw.line
        self.where = where
        self._entries = {key.text: (key, value) for key, value in raw.entries}
        for key, _ in raw.entries:
            if key.text not in known:
                message = f"unknown key {quoted(key.text)} in {where}"
                report.add(key.line, message, one_of(known, key.text))

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def line_of(self, key: str) -> int:
        return self._entries[key][0].line if key in self._entries else self.line

    def raw(self, key: str) -> RawValue | None:
        return self._entries[key][1] if key in self._entries else None

    def optional(self, key: str, reader: Reader[T], default: D) -> T | D:
        """The value, or the default when there is none or a wrong one."""
        raw = self.raw(key)
        if raw is None:
            return default
        try:
            return reader(raw)
        except (Wrong, QuantityError) as error:
            self.report.add(self.line_of(key), f"{key}: {error.problem}", error.expected)
            return default

    def required(self, key: str, reader: Reader[T], example: str) -> T | None:
        """The value, or None when the report says what is wrong with it."""
        if key not in self:
            self.report.add(self.line, f"{self.where} has no {key!r}", f"{key}: {example}")
        return self.optional(key, reader, None)


def as_map(report: Report, raw: RawValue, what: str, expected: str) -> RawMap | None:
    if isinstance(raw, RawMap):
        return raw
    report.add(raw.line, f"{what} is {described(raw)}", expected)
    return None


def as_list(report: Report, raw: RawValue, what: str, expected: str) -> RawList | None:
    if isinstance(raw, RawList):
        return raw
    report.add(raw.line, f"{what} is {described(raw)}", expected)
    return None


def described(raw: RawValue) -> str:
    if isinstance(raw, RawScalar) and raw.kind != "nothing":
        return quoted(raw.text)
    return raw.kind if not isinstance(raw, RawScalar) else "empty"


def scalar(parse: Callable[[str], T], expected: str) -> Reader[T]:
    """A reader of single values: `parse` gets the text as the user typed it."""

    def read(raw: RawValue) -> T:
        if not isinstance(raw, RawScalar) or raw.kind == "nothing":
            raise Wrong(f"this is {described(raw)}", expected)
        return parse(raw.text)

    return read


def whole_number(minimum: int, maximum: int) -> Reader[int]:
    expected = f"a whole number from {minimum} to {maximum}"

    def parse(text: str) -> int:
        # Long texts of digits are refused before int() spends time on them.
        if not re.fullmatch(r"-?[0-9]{1,18}", text, re.ASCII):
            raise Wrong(f"{quoted(text)} is not a whole number", expected)
        if not minimum <= int(text) <= maximum:
            raise Wrong(f"{int(text)} is out of range", expected)
        return int(text)

    return scalar(parse, expected)


def bounded(parse: Callable[[str], int], minimum: int, maximum: int, expected: str) -> Reader[int]:
    """A quantity within bounds."""

    def check(text: str) -> int:
        value = parse(text)
        if not minimum <= value <= maximum:
            raise Wrong(f"{quoted(text)} is out of range", expected)
        return value

    return scalar(check, expected)


def choice(choices: tuple[S, ...]) -> Reader[S]:
    def parse(text: str) -> S:
        for each in choices:
            if each == text:
                return each
        raise Wrong(f"{quoted(text)} is unknown", one_of(choices, text))

    return scalar(parse, one_of(choices))


def on_or_off(raw: RawValue) -> bool:
    """YAML 1.1 takes a bare on for a boolean; its text is the same either way."""

    def parse(text: str) -> bool:
        if text.lower() not in ("on", "off", "true", "false", "yes", "no"):
            raise Wrong(f"{quoted(text)} is neither on nor off", "on or off")
        return text.lower() in ("on", "true", "yes")

    return scalar(parse, "on or off")(raw)


def plain_text(raw: RawValue) -> str:
    if not isinstance(raw, RawScalar) or raw.kind == "nothing":
        raise Wrong(f"this is {described(raw)}", "text")
    if raw.kind != "text":
        raise Wrong(f"YAML takes {quoted(raw.text)} for {raw.kind}", "text, in quotes")
    return raw.text


def name(raw: RawValue) -> str:
    """A name; what YAML does not take for text (no, 7, null) must be quoted to be one."""
    if not isinstance(raw, RawScalar) or raw.kind == "nothing":
        raise Wrong(f"a name is {described(raw)}", NAME_EXPECTED)
    if raw.kind != "text":
        in_quotes = f', in quotes: "{raw.text}"' if NAME.fullmatch(raw.text) else ""
        raise Wrong(f"YAML takes {quoted(raw.text)} for {raw.kind}", f"{NAME_EXPECTED}{in_quotes}")
    if not NAME.fullmatch(raw.text):
        raise Wrong(f"{quoted(raw.text)} is not a name", NAME_EXPECTED)
    return raw.text
