"""Views: the same facts give the same id, other facts another."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from node.errors import MisuseError
from node.identity import MAX_INCARNATION, MAX_PROCESSOR, Processor
from node.views import MAX_EXPECTED, MAX_MEMBERS, View, ViewKind, regular_view

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=100)
A, B, C = Processor(1, 1), Processor(2, 1), Processor(3, 1)

memberships = st.dictionaries(
    st.integers(0, MAX_PROCESSOR),
    st.tuples(st.integers(0, MAX_INCARNATION), st.integers(1, MAX_EXPECTED)),
    min_size=1,
    max_size=8,
)


def view_of(membership: dict[int, tuple[int, int]], order: list[int]) -> View:
    members = [Processor(number, membership[number][0]) for number in order]
    return regular_view(members, [membership[number][1] for number in order])


@given(memberships, st.data())
@repeatable
def test_the_order_in_which_members_are_named_does_not_matter(
    membership: dict[int, tuple[int, int]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(list(membership)))
    assert view_of(membership, order) == view_of(membership, list(membership))


@given(memberships)
@repeatable
def test_members_are_in_processor_order_and_keep_their_counters(
    membership: dict[int, tuple[int, int]],
) -> None:
    view = view_of(membership, list(membership))
    numbers = [member.number for member in view.members]
    assert numbers == sorted(membership)
    assert view.size == len(membership)
    assert view.slots() == {number: slot for slot, number in enumerate(numbers)}
    for member, expected in zip(view.members, view.expected, strict=True):
        assert membership[member.number] == (member.incarnation, expected)


def test_any_other_fact_gives_another_id() -> None:
    views = [
        regular_view([A, B]),
        regular_view([A, B, C]),
        regular_view([A]),
        regular_view([A, C]),
        regular_view([A, Processor(2, 2)]),
        regular_view([A, B], [1, 2]),
        regular_view([A, B], [2, 1]),
        regular_view([Processor(11, 1)]),
        regular_view([Processor(1, 11)]),
        regular_view([Processor(1, 1)], [11]),
    ]
    for one, other in itertools.combinations(views, 2):
        assert one.id != other.id


def test_the_id_is_the_same_on_every_machine_and_fits_the_wire() -> None:
    assert regular_view([A, B], [5, 7]).id == 0xE8A4_C8B0_9D75_2325
    assert regular_view([B, A]).id < 2**64


def test_a_first_view_expects_everybody_s_first_frame() -> None:
    view = regular_view([B, A])
    assert view.members == (A, B)
    assert view.expected == (1, 1)
    assert view.kind is ViewKind.REGULAR


@pytest.mark.parametrize(
    ("members", "expected", "mistake"),
    [
        ([], None, "a view needs at least one member"),
        ([A, Processor(1, 2)], None, "a processor is in a view once, in one incarnation"),
        ([A, A], None, "a processor is in a view once, in one incarnation"),
        ([A, B], [1], "one expected counter per member"),
        ([A], [1, 1], "one expected counter per member"),
        (
            [Processor(number, 1) for number in range(MAX_MEMBERS + 1)],
            None,
            "a view has at most 128 members, not 129",
        ),
    ],
)
def test_what_is_no_view(
    members: list[Processor], expected: list[int] | None, mistake: str
) -> None:
    with pytest.raises(MisuseError) as caught:
        regular_view(members, expected)
    assert str(caught.value) == mistake


def test_the_largest_view() -> None:
    view = regular_view([Processor(number, 1) for number in range(MAX_MEMBERS)])
    assert view.size == MAX_MEMBERS
