"""What every order promises: causality, and in the end a turn for everything."""

import random
from collections.abc import Callable

import pytest
from order_graphs import Graph, close, play_all, random_extension, random_graph

from node.lansis.order import Order
from node.lansis.order.allack import AllAck
from node.lansis.order.toto import ToTo

MakeOrder = Callable[[random.Random, int], Order]

GRAPHS = 300  # per number of members, and per test


def all_ack(_: random.Random, members: int) -> Order:
    return AllAck(members)


def toto(_: random.Random, members: int) -> Order:
    return ToTo(members)


def toto_with_any_threshold(rng: random.Random, members: int) -> Order:
    return ToTo(members, rng.randrange(members, 2 * members))


@pytest.mark.parametrize("members", range(2, 7))
@pytest.mark.parametrize("make_order", [all_ack, toto, toto_with_any_threshold])
def test_every_ordered_vertex_has_one_turn_once_all_members_follow_all(
    make_order: MakeOrder, members: int
) -> None:
    rng = random.Random(400 + members)
    for _ in range(GRAPHS):
        graph = close(random_graph(rng, members, frames=5))
        turns = play_all(make_order(rng, members), graph, random_extension(rng, graph))
        assert sorted(turns) == sorted(graph.names_to_order())


@pytest.mark.parametrize("members", range(2, 7))
@pytest.mark.parametrize("make_order", [all_ack, toto, toto_with_any_threshold])
@pytest.mark.parametrize("ending", [close, lambda graph: graph], ids=["closed", "open"])
def test_no_vertex_comes_before_one_that_it_follows(
    ending: Callable[[Graph], Graph], make_order: MakeOrder, members: int
) -> None:
    rng = random.Random(300 + members)
    for _ in range(GRAPHS):
        graph = ending(random_graph(rng, members, frames=5))
        turns = play_all(make_order(rng, members), graph, random_extension(rng, graph))
        for place, name in enumerate(turns):
            assert not graph.pasts[name] & set(turns[place + 1 :])
