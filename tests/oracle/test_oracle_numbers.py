"""Sets of numbers kept as runs behave as sets do."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from oracle.numbers import NONE, Numbers

RUNS = st.lists(
    st.tuples(st.integers(1, 60), st.integers(0, 8)).map(lambda run: (run[0], run[0] + run[1])),
    max_size=25,
)


def made_of(runs: list[tuple[int, int]]) -> tuple[Numbers, set[int]]:
    numbers, plain = Numbers(), set[int]()
    for first, last in runs:
        numbers.add(first, last)
        plain |= set(range(first, last + 1))
    return numbers, plain


@settings(derandomize=True, max_examples=300)
@given(RUNS, RUNS)
@example([(1, 3), (5, 9), (4, 4)], [(2, 7)])
def test_numbers_are_a_set(one: list[tuple[int, int]], two: list[tuple[int, int]]) -> None:
    numbers, plain = made_of(one)
    others, plain_others = made_of(two)
    assert list(numbers) == sorted(plain)
    assert len(numbers) == len(plain)
    assert [n for n in range(80) if n in numbers] == sorted(plain)
    assert list(numbers.without(others)) == sorted(plain - plain_others)
    for first, last in two:
        common = [n for run in numbers.common(first, last) for n in run]
        assert common == sorted(plain & set(range(first, last + 1)))
    if plain:
        assert numbers.first == min(plain)


def test_runs_that_touch_become_one() -> None:
    numbers, _ = made_of([(1, 2), (6, 7), (3, 5)])
    assert numbers.common(1, 10) == [range(1, 8)]


def test_only_what_comes_next_follows() -> None:
    numbers = Numbers(3, 5)
    assert not numbers.follow(7, 8)
    assert not numbers.follow(5, 6)
    assert numbers.follow(6, 6)
    assert list(numbers) == [3, 4, 5, 6]
    assert not Numbers().follow(1, 1)


def test_none_is_empty() -> None:
    assert len(NONE) == 0
    assert not Numbers(4, 3)
    assert list(Numbers(2, 4).without(NONE)) == [2, 3, 4]
