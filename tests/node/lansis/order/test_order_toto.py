"""ToTo: one order from any part of the graph, by majority, in the end for everything."""

import itertools
import random
from fractions import Fraction

import pytest
from order_definitions import toto_by_definition
from order_graphs import (
    Graph,
    Name,
    all_extensions,
    all_graphs,
    play,
    play_all,
    random_extension,
    random_graph,
)

from node.lansis.order.toto import ToTo

MEMBERS = range(2, 7)
GRAPHS = 300  # per number of members, and per test
SMALL = [(2, 2), (3, 3), (1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)]  # frames per member


def random_thresholds(rng: random.Random, members: int) -> int:
    """Doubled; the default half of the time."""
    return rng.choice((members, rng.randrange(members, 2 * members)))


# -- when a vertex has its turn


@pytest.mark.parametrize("members", range(1, 10))
def test_a_vertex_has_its_turn_when_just_over_half_of_the_members_follow_it(members: int) -> None:
    graph = Graph((1,) * members)
    message = graph.send(0)
    for slot in range(1, members):
        graph.send(slot, message, ordered=False)

    known = [bool(turns) for turns in play(ToTo(members), graph, graph.vertices)]

    assert known.index(True) + 1 == members // 2 + 1


@pytest.mark.parametrize(
    ("members", "doubled"), [(n, doubled) for n in range(1, 8) for doubled in range(n, 2 * n)]
)
def test_a_higher_threshold_asks_for_just_over_that_many(members: int, doubled: int) -> None:
    graph = Graph((1,) * members)
    message = graph.send(0)
    for slot in range(1, members):
        graph.send(slot, message, ordered=False)

    known = [bool(turns) for turns in play(ToTo(members, doubled), graph, graph.vertices)]

    assert known.index(True) + 1 == doubled // 2 + 1


@pytest.mark.parametrize("doubled", [2, 6, 7])
def test_a_threshold_below_half_or_of_all_members_is_refused(doubled: int) -> None:
    with pytest.raises(AssertionError):
        ToTo(3, doubled)


def test_a_silent_minority_does_not_hold_up_a_chain() -> None:
    graph = Graph((1,) * 5)
    chain: list[Name] = []
    for sender in (0, 1, 2) * 4:
        chain.append(graph.send(sender, *chain[-1:]))

    assert play_all(ToTo(5), graph, chain) == chain[:-2]


def test_what_the_majority_saw_first_goes_first_even_from_a_later_slot() -> None:
    graph = Graph((1, 1, 1))
    of_a, of_b = graph.send(0), graph.send(1)
    graph.send(2, of_b, ordered=False)

    assert play_all(ToTo(3), graph, graph.vertices) == [of_b]

    graph.send(2, of_a, ordered=False)
    graph.send(1, of_a, ordered=False)
    assert play_all(ToTo(3), graph, graph.vertices) == [of_b, of_a]


def test_without_a_majority_for_one_before_the_other_slots_decide() -> None:
    graph = Graph((1, 1))
    of_b, of_a = graph.send(1), graph.send(0)
    graph.send(1, of_a, ordered=False)

    assert play_all(ToTo(2), graph, graph.vertices) == [of_a, of_b]


def test_a_vertex_that_all_follow_still_waits_for_the_contest_of_its_rivals() -> None:
    """All-ack would deliver all three at once; here b and c may still beat one another at a."""
    graph = Graph((1, 1, 1))
    of_a, of_b, of_c = (graph.send(slot) for slot in range(3))
    graph.send(1, of_a, of_c, ordered=False)
    graph.send(2, of_a, of_b, ordered=False)
    assert play_all(ToTo(3), graph, graph.vertices) == []

    graph.send(0, of_c, ordered=False)
    assert play_all(ToTo(3), graph, graph.vertices) == [of_a, of_c, of_b]


def test_frames_that_are_not_ordered_vote_and_get_no_turn() -> None:
    graph = Graph((1, 1, 1))
    alive = graph.send(0, ordered=False)
    message = graph.send(1, alive)
    graph.send(2, message, ordered=False)

    assert play_all(ToTo(3), graph, graph.vertices) == [message]


def test_votes_cast_before_a_vertex_became_a_candidate_count() -> None:
    graph = Graph((1, 1, 1))
    first = graph.send(0)
    second = graph.send(0)
    graph.send(1, second, ordered=False)

    assert play_all(ToTo(3), graph, graph.vertices) == [first, second]


# -- voting cycles


def test_in_a_voting_cycle_all_candidates_go_by_slot() -> None:
    """a before b at a and c, b before c at b and a, c before a at c and b."""
    graph = Graph((1, 1, 1))
    firsts = [graph.send(slot) for slot in range(3)]
    for slot in range(3):
        graph.send(slot, firsts[(slot + 1) % 3], ordered=False)
    moments = list(play(ToTo(3), graph, graph.vertices))

    assert moments[-2] == []
    assert moments[-1] == firsts


def cycle_without_the_first_member() -> tuple[Graph, list[Name]]:
    """Four of five vote in a cycle, each pair with a majority, and have not heard of the first."""
    graph = Graph((1,) * 5)
    firsts = [graph.send(slot) for slot in range(1, 5)]
    for place, slot in itertools.product((1, 2, 3), range(4)):
        graph.send(slot + 1, firsts[(slot + place) % 4], ordered=False)
    return graph, firsts


def test_a_voting_cycle_waits_for_a_member_that_may_have_sent_a_rival() -> None:
    graph, firsts = cycle_without_the_first_member()
    rival = graph.send(0)
    with_rival = [rival, *(name for name in graph.vertices if name != rival)]
    without_rival = with_rival[1:]

    assert play_all(ToTo(5), graph, without_rival) == []
    assert play_all(ToTo(5), graph, with_rival) == [rival, *firsts]


def test_a_voting_cycle_goes_ahead_once_the_last_member_has_voted() -> None:
    graph, firsts = cycle_without_the_first_member()
    graph.send(0, firsts[-1], ordered=False)

    assert play_all(ToTo(5), graph, graph.vertices) == firsts


# -- one order, whatever the part of the graph and the order of arrival


@pytest.mark.parametrize("members", MEMBERS)
def test_members_that_saw_different_parts_give_prefixes_of_one_order(members: int) -> None:
    rng = random.Random(100 + members)
    for _ in range(GRAPHS):
        graph = random_graph(rng, members, frames=5)
        doubled = random_thresholds(rng, members)
        longest: list[Name] = []
        for _ in range(8):
            extension = random_extension(rng, graph)
            stop = rng.randint(0, len(extension))
            for turns in play(ToTo(members, doubled), graph, extension[:stop]):
                assert turns == longest[: len(turns)] or turns[: len(longest)] == longest
                longest = max(longest, turns, key=len)


@pytest.mark.parametrize("frames", SMALL)
def test_all_arrivals_of_all_small_graphs_give_prefixes_of_one_order(
    frames: tuple[int, ...],
) -> None:
    members = len(frames)
    for choice in (lambda name: True, lambda name: name[1] == 1):  # all, or messages and ACKs
        for graph in all_graphs(frames, choice):
            extensions = list(all_extensions(graph))
            for doubled in range(members, 2 * members):
                moments = {
                    tuple(turns)
                    for extension in extensions
                    for turns in play(ToTo(members, doubled), graph, extension)
                }
                longest = max(moments, key=len)
                assert all(turns == longest[: len(turns)] for turns in moments)


@pytest.mark.parametrize("members", MEMBERS)
def test_the_turns_known_are_those_of_the_definition_at_every_moment(members: int) -> None:
    rng = random.Random(200 + members)
    for _ in range(GRAPHS):
        graph = random_graph(rng, members, frames=4)
        doubled = random_thresholds(rng, members)
        extension = random_extension(rng, graph)
        there: set[Name] = set()
        for name, turns in zip(
            extension, play(ToTo(members, doubled), graph, extension), strict=True
        ):
            there.add(name)
            assert turns == toto_by_definition(graph, there, Fraction(doubled, 2))


def test_sides_of_a_partition_may_order_what_one_of_them_decided_differently() -> None:
    """Why ToTo promises its order within a component only: b and c decide by c's vote; a, cut off
    from it, can only close the configuration by (level, slot)."""
    graph = Graph((1, 1, 1))
    of_a, of_b = graph.send(0), graph.send(1)
    graph.send(2, of_b, ordered=False)
    graph.send(1, of_a, ordered=False)
    graph.send(2, of_a, ordered=False)
    seen_by_a = [of_a, of_b]

    assert play_all(ToTo(3), graph, graph.vertices) == [of_b, of_a]
    assert play_all(ToTo(3), graph, seen_by_a) == []
    assert sorted(seen_by_a, key=lambda name: (graph.vertices[name].level, name[0])) == [of_a, of_b]


# -- long runs


def test_nothing_is_kept_for_turns_long_past() -> None:
    """Two members race, the third acknowledges; always something is pending."""
    graph = Graph((1, 1, 1))
    order = ToTo(3)
    kept = []
    last = [graph.send(0), graph.send(1)]
    names = list(last)
    for _ in range(150):
        ack = graph.send(2, *last, ordered=False)
        last = [graph.send(0, ack), graph.send(1, ack)]
        names += [ack, *last]
    turns = 0
    for name in names:
        turns += len(order.insert(graph.vertices[name], graph.ordered[name]))
        kept.append(sum(map(len, order._history)))

    assert turns < len(graph.names_to_order())
    assert max(kept) <= 10
