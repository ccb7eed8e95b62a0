"""Quantities are read as people write them, and written so that they read the same."""

from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from netem.quantities import (
    MAX_QUANTITY,
    QuantityError,
    format_duration,
    parse_duration,
    parse_percent,
    parse_rate,
    parse_size,
)

ALL_PARSERS = [parse_duration, parse_percent, parse_rate, parse_size]


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [
        ("0", 0),
        ("0ms", 0),
        ("1ns", 1),
        ("200us", 200_000),
        ("1.5ms", 1_500_000),
        ("0.000001ms", 1),
        (" 2 s ", 2_000_000_000),
        ("1m", 60_000_000_000),
        ("0.5h", 1_800_000_000_000),
        ("9223372036854775807ns", MAX_QUANTITY),
    ],
)
def test_durations(text: str, nanoseconds: int) -> None:
    assert parse_duration(text) == nanoseconds


@pytest.mark.parametrize(
    ("text", "share"), [("0", 0.0), ("5%", 0.05), ("0.5 %", 0.005), ("100%", 1.0), ("33.3%", 0.333)]
)
def test_percentages(text: str, share: float) -> None:
    assert parse_percent(text) == share


@pytest.mark.parametrize(
    ("text", "rate"), [("1bit", 1), ("64kbit", 64_000), ("10Mbit", 10**7), ("1.5gbit", 15 * 10**8)]
)
def test_rates_count_in_thousands(text: str, rate: int) -> None:
    assert parse_rate(text) == rate


@pytest.mark.parametrize(
    ("text", "size"),
    [("0", 0), ("1400", 1400), ("7B", 7), ("1KiB", 1024), ("1.5MiB", 3 * 2**19), ("2GiB", 2**31)],
)
def test_sizes_count_in_powers_of_two(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    ("parse", "text", "problem"),
    [
        (parse_duration, "5", "'5' is not a duration"),
        (parse_duration, "5sec", "'5sec' is not a duration"),
        (parse_duration, "-1ms", "'-1ms' is not a duration"),
        (parse_duration, "1e3ms", "'1e3ms' is not a duration"),
        (parse_duration, "0.5ns", "'0.5ns' is not a whole number of nanoseconds"),
        (parse_duration, "9223372036854775808ns", "'9223372036854775808ns' is too large"),
        (parse_percent, "5", "'5' is not a percentage"),
        (parse_percent, "100.1%", "'100.1%' is more than 100%"),
        (parse_rate, "0mbit", "'0mbit' lets nothing through"),
        (parse_rate, "10", "'10' is not a rate"),
        (parse_rate, "1.5bit", "'1.5bit' is not a whole number of bits per second"),
        (parse_size, "1kb", "'1kb' is not a size"),
        (parse_size, "0.1KiB", "'0.1KiB' is not a whole number of bytes"),
        (parse_size, "٣", "'٣' is not a size"),
    ],
)
def test_what_cannot_be_read(parse: Callable[[str], object], text: str, problem: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse(text)
    assert caught.value.problem == problem
    assert str(caught.value) == f"{problem}; expected {caught.value.expected}"


@pytest.mark.parametrize("parse", ALL_PARSERS)
@pytest.mark.parametrize(
    "text", ["", " ", "ms", "1 2ms", "nan%", "inf", "1_000B", "0x10", "9" * 401]
)
def test_what_no_quantity_looks_like(parse: Callable[[str], object], text: str) -> None:
    with pytest.raises(QuantityError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("x" * 60, "x" * 60), ("x" * 61, "x" * 57 + "..."), ("x" * 1000, "x" * 57 + "...")],
)
def test_a_long_text_is_quoted_in_part(text: str, shown: str) -> None:
    with pytest.raises(QuantityError) as caught:
        parse_size(text)
    assert caught.value.problem == f"'{shown}' is not a size"


@pytest.mark.parametrize(
    ("text", "nanoseconds"),
    [("0", 0), ("999ns", 999), ("1.5ms", 1_500_000), ("90s", 90 * 10**9), ("2m", 120 * 10**9),
     ("1h", 3600 * 10**9), ("3600.000000001s", 3600 * 10**9 + 1)],
)  # fmt: skip
def test_durations_are_written_short(text: str, nanoseconds: int) -> None:
    assert format_duration(nanoseconds) == text


@settings(derandomize=True)
@given(st.integers(0, MAX_QUANTITY))
@example(MAX_QUANTITY)
def test_a_written_duration_reads_the_same(value: int) -> None:
    assert parse_duration(format_duration(value)) == value


@settings(derandomize=True, max_examples=60)
@given(st.text(max_size=40) | st.from_regex(r"[0-9]{1,25}(\.[0-9]{1,25})? ?[a-zA-Z%]{0,4}"))
def test_any_text_is_read_or_refused(text: str) -> None:
    for parse in ALL_PARSERS:
        try:
            assert 0 <= parse(text) <= MAX_QUANTITY
        except QuantityError:
            continue
