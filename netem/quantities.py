"""Quantities as people write them: durations, percentages, rates and sizes.

Decimal arithmetic keeps them exact, also when a duration is written again. What cannot be read
raises `QuantityError`, a ValueError that names what was found and what was expected.
"""

import re
from decimal import Context, Decimal

# Nanoseconds, bits per second and bytes must fit the 64-bit fields of kernel and trace.
MAX_QUANTITY = 2**63 - 1
# The longest text worth reading: the smallest float, written out as a percentage, has 340 digits.
MAX_TEXT = 400

# Wide enough for the product of any accepted text and any unit.
_EXACT = Context(prec=MAX_TEXT + 20)

_NUMBER_AND_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([A-Za-z%]*)")

# Largest first, as the printer tries them in this order.
_DURATION_NS = {
    "h": 3_600_000_000_000,
    "m": 60_000_000_000,
    "s": 1_000_000_000,
    "ms": 1_000_000,
    "us": 1_000,
    "ns": 1,
}
_RATE_BPS = {"tbit": 10**12, "gbit": 10**9, "mbit": 10**6, "kbit": 10**3, "bit": 1}
_SIZE_BYTES = {"GiB": 2**30, "MiB": 2**20, "KiB": 2**10, "B": 1}

_DURATION_EXPECTED = "a number with a unit (ns, us, ms, s, m, h), such as 1.5ms, or 0"
_PERCENT_EXPECTED = "a percentage from 0% to 100%, such as 0.5%, or 0"
_RATE_EXPECTED = "a number above 0 with a unit (bit, kbit, mbit, gbit, tbit), such as 10mbit"
_SIZE_EXPECTED = "a number of bytes, or one with a unit (B, KiB, MiB, GiB), such as 1KiB"


class QuantityError(ValueError):
    """A text that is not the quantity it should be."""

    def __init__(self, problem: str, expected: str) -> None:
        super().__init__(f"{problem}; expected {expected}")
        self.problem = problem
        self.expected = expected


def parse_duration(text: str) -> int:
    """Nanoseconds: "200us", "1.5ms", "2s", "1m"; zero needs no unit."""
    number, unit = _split(text, "duration", _DURATION_EXPECTED)
    if unit == "" and number == 0:
        return 0
    if unit not in _DURATION_NS:
        raise QuantityError(f"{_shown(text)} is not a duration", _DURATION_EXPECTED)
    return _whole(number, _DURATION_NS[unit], text, "nanoseconds", _DURATION_EXPECTED)


def format_duration(duration_ns: int) -> str:
    """The shortest exact way to write a duration: 1500000 is "1.5ms"."""
    if duration_ns == 0:
        return "0"
    for unit, size_ns in _DURATION_NS.items():
        if duration_ns % size_ns == 0:
            return f"{duration_ns // size_ns}{unit}"
        if duration_ns >= size_ns and unit not in ("h", "m"):  # a sixtieth has no exact decimal
            return f"{_plain(Decimal(duration_ns) / size_ns)}{unit}"
    raise AssertionError("a whole number of nanoseconds")


def parse_percent(text: str) -> float:
    """A share of one: "5%" is 0.05; zero needs no sign."""
    number, unit = _split(text, "percentage", _PERCENT_EXPECTED)
    if unit == "" and number == 0:
        return 0.0
    if unit != "%":
        raise QuantityError(f"{_shown(text)} is not a percentage", _PERCENT_EXPECTED)
    if number > 100:
        raise QuantityError(f"{_shown(text)} is more than 100%", _PERCENT_EXPECTED)
    return float(number.scaleb(-2))


def parse_rate(text: str) -> int:
    """Bits per second: "64kbit", "10mbit", "1gbit", in powers of 1000 as `tc` counts."""
    number, unit = _split(text, "rate", _RATE_EXPECTED)
    if unit.lower() not in _RATE_BPS:
        raise QuantityError(f"{_shown(text)} is not a rate", _RATE_EXPECTED)
    rate_bps = _whole(number, _RATE_BPS[unit.lower()], text, "bits per second", _RATE_EXPECTED)
    if rate_bps == 0:
        raise QuantityError(f"{_shown(text)} lets nothing through", _RATE_EXPECTED)
    return rate_bps


def parse_size(text: str) -> int:
    """Bytes: "1400", "1KiB", "16MiB"."""
    number, unit = _split(text, "size", _SIZE_EXPECTED)
    if unit not in _SIZE_BYTES and unit != "":
        raise QuantityError(f"{_shown(text)} is not a size", _SIZE_EXPECTED)
    return _whole(number, _SIZE_BYTES[unit or "B"], text, "bytes", _SIZE_EXPECTED)


def _split(text: str, kind: str, expected: str) -> tuple[Decimal, str]:
    match = _NUMBER_AND_UNIT.fullmatch(text.strip()) if len(text) <= MAX_TEXT else None
    if match is None:
        raise QuantityError(f"{_shown(text)} is not a {kind}", expected)
    return Decimal(match[1]), match[2]


def _whole(count: Decimal, unit_size: int, text: str, unit: str, expected: str) -> int:
    number = _EXACT.multiply(count, Decimal(unit_size))
    if number > MAX_QUANTITY:
        raise QuantityError(f"{_shown(text)} is too large", expected)
    if number != int(number):
        raise QuantityError(f"{_shown(text)} is not a whole number of {unit}", expected)
    return int(number)


def _plain(number: Decimal) -> str:
    """Without exponent and without trailing zeros."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
