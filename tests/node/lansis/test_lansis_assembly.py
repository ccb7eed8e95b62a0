"""Pieces in any order to whole messages."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from node.frames import Fragment, Service
from node.lansis.assembly import OVERHEAD, Assembly

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=200)


def pieces_of(message: bytes, cuts: list[int]) -> list[Fragment]:
    ends = sorted({cut for cut in cuts if 0 < cut < len(message)} | {len(message)})
    starts = [0, *ends[:-1]]
    return [
        Fragment(Service.SAFE, len(message), start, message[start:end])
        for start, end in zip(starts, ends, strict=True)
    ]


@given(st.binary(min_size=1, max_size=300), st.lists(st.integers(1, 300), max_size=8), st.randoms())
@repeatable
def test_a_message_is_whole_with_its_last_missing_piece(
    message: bytes, cuts: list[int], shuffle: random.Random
) -> None:
    pieces = pieces_of(message, cuts)
    shuffle.shuffle(pieces)
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    *incomplete, whole = [assembly.add(1, piece) for piece in pieces]
    assert incomplete == [None] * (len(pieces) - 1)
    assert whole == message


@given(
    st.lists(st.binary(min_size=2, max_size=50), min_size=2, max_size=5), st.randoms(), st.data()
)
@repeatable
def test_messages_with_mingled_pieces_are_kept_apart(
    messages: list[bytes], shuffle: random.Random, data: st.DataObject
) -> None:
    arrivals = [
        (number, piece)
        for number, message in enumerate(messages, start=1)
        for piece in pieces_of(message, [data.draw(st.integers(1, len(message) - 1))])
    ]
    shuffle.shuffle(arrivals)
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    made = {
        number: whole
        for number, piece in arrivals
        if (whole := assembly.add(number, piece)) is not None
    }
    assert made == dict(enumerate(messages, start=1))


def test_a_piece_that_comes_twice_counts_once() -> None:
    first, second = pieces_of(b"hello", [3])
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    assert [assembly.add(1, piece) for piece in (first, first, second)] == [None, None, b"hello"]


def test_a_piece_that_says_another_total_is_left_out() -> None:
    first, second = pieces_of(b"hello", [2])
    stranger = Fragment(Service.SAFE, 3, 2, b"x")
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    assert [assembly.add(1, piece) for piece in (first, stranger, second)] == [None, None, b"hello"]


def test_a_finished_message_leaves_nothing_behind() -> None:
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    for _ in range(2):
        assert [assembly.add(1, piece) for piece in pieces_of(b"again", [3])] == [None, b"again"]


def test_no_more_messages_are_opened_than_allowed() -> None:
    assembly = Assembly(most_open=2, most_bytes=1000)
    for number in (1, 2, 3):
        assert assembly.add(number, Fragment(Service.BASIC, 2, 0, b"x")) is None
    assert assembly.add(3, Fragment(Service.BASIC, 2, 1, b"y")) is None
    assert assembly.add(2, Fragment(Service.BASIC, 2, 1, b"y")) == b"xy"
    assert assembly.add(3, Fragment(Service.BASIC, 1, 0, b"z")) == b"z"


def test_no_more_bytes_are_kept_than_allowed() -> None:
    assembly = Assembly(most_open=9, most_bytes=2 * (100 + OVERHEAD))
    assert assembly.add(1, Fragment(Service.BASIC, 300, 0, bytes(100))) is None
    assert assembly.add(1, Fragment(Service.BASIC, 300, 100, bytes(100))) is None
    assert assembly.add(2, Fragment(Service.BASIC, 100, 0, bytes(100))) is None
