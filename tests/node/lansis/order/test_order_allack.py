"""All-ack: the order of levels, fixed when a frame is sent."""

import random

import pytest
from order_definitions import all_ack_by_definition
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

from node.lansis.order.allack import AllAck

MEMBERS = range(2, 7)
GRAPHS = 200  # per number of members, and per test
SMALL = [(2, 2), (3, 3), (1, 1, 1), (2, 1, 1), (2, 2, 1), (2, 2, 2)]  # frames per member


def by_level(graph: Graph, name: Name) -> tuple[int, int]:
    return graph.vertices[name].level, name[0]


# -- when a vertex has its turn


@pytest.mark.parametrize("members", range(1, 10))
def test_a_lone_vertex_has_its_turn_when_all_members_follow_it(members: int) -> None:
    graph = Graph((1,) * members)
    message = graph.send(0)
    for slot in range(1, members):
        graph.send(slot, message, ordered=False)

    known = [bool(turns) for turns in play(AllAck(members), graph, graph.vertices)]

    assert known.index(True) + 1 == members


@pytest.mark.parametrize("members", range(1, 10))
def test_concurrent_vertices_of_all_members_need_no_acknowledgement(members: int) -> None:
    graph = Graph((1,) * members)
    names = [graph.send(slot) for slot in range(members)]
    moments = list(play(AllAck(members), graph, reversed(names)))

    assert moments == [[]] * (members - 1) + [names]


def test_lower_levels_go_first_whatever_their_slot() -> None:
    graph = Graph((1, 1))
    of_b = graph.send(1)
    of_a = graph.send(0, of_b)
    graph.send(1, of_a, ordered=False)

    assert play_all(AllAck(2), graph, graph.vertices) == [of_b, of_a]


def test_levels_may_be_skipped() -> None:
    graph = Graph((1, 1))
    chain = [graph.send(0) for _ in range(4)]
    moments = list(play(AllAck(2), graph, [*chain, graph.send(1, chain[-1])]))

    assert moments[-2:] == [[], chain]


def test_frames_that_are_not_ordered_raise_levels_and_get_no_turn() -> None:
    graph = Graph((1, 1))
    alive = graph.send(0, ordered=False)
    message = graph.send(1, alive)
    graph.send(0, message, ordered=False)

    assert play_all(AllAck(2), graph, graph.vertices) == [message]


# -- one order, whatever the part of the graph and the order of arrival


@pytest.mark.parametrize("members", MEMBERS)
def test_members_that_saw_different_parts_give_prefixes_of_the_order_of_levels(
    members: int,
) -> None:
    rng = random.Random(100 + members)
    for _ in range(GRAPHS):
        graph = random_graph(rng, members, frames=5)
        whole = sorted(graph.names_to_order(), key=lambda name: by_level(graph, name))
        for _ in range(8):
            extension = random_extension(rng, graph)
            stop = rng.randint(0, len(extension))
            for turns in play(AllAck(members), graph, extension[:stop]):
                assert turns == whole[: len(turns)]


@pytest.mark.parametrize("frames", SMALL)
def test_all_arrivals_of_all_small_graphs_give_prefixes_of_the_order_of_levels(
    frames: tuple[int, ...],
) -> None:
    for choice in (lambda name: True, lambda name: name[1] == 1):  # all, or messages and ACKs
        for graph in all_graphs(frames, choice):
            whole = sorted(graph.names_to_order(), key=lambda name: by_level(graph, name))
            for extension in all_extensions(graph):
                for turns in play(AllAck(len(frames)), graph, extension):
                    assert turns == whole[: len(turns)]


@pytest.mark.parametrize("members", MEMBERS)
def test_the_turns_known_are_those_of_the_definition_at_every_moment(members: int) -> None:
    rng = random.Random(200 + members)
    for _ in range(GRAPHS):
        graph = random_graph(rng, members, frames=5)
        extension = random_extension(rng, graph)
        there: set[Name] = set()
        for name, turns in zip(extension, play(AllAck(members), graph, extension), strict=True):
            there.add(name)
            assert turns == all_ack_by_definition(graph, there)
