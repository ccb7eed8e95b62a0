"""Causal graphs for the tests of the order rules: drawn by hand, at random, or all there are.

Nothing here uses `Dag`: pasts and levels are computed from sets of vertices, so that the graph and
the rules are judged by something else than themselves.
"""

import itertools
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from node.frames import Data
from node.identity import Processor
from node.lansis.dag import Vertex
from node.lansis.order import Order

Name = tuple[int, int]
"""A vertex as (slot, counter)."""


@dataclass
class Graph:
    """A causal graph, its vertices in an order in which they could have been sent."""

    expected: tuple[int, ...]
    vertices: dict[Name, Vertex] = field(default_factory=dict)
    ordered: dict[Name, bool] = field(default_factory=dict)
    pasts: dict[Name, frozenset[Name]] = field(default_factory=dict)

    @property
    def members(self) -> int:
        return len(self.expected)

    def send(self, slot: int, *acks: Name, ordered: bool = True) -> Name:
        """The member sends a frame that directly follows its own last one and `acks`."""
        counter = self.expected[slot] + sum(1 for sender, _ in self.vertices if sender == slot)
        name = slot, counter
        own = [(slot, counter - 1)] if (slot, counter - 1) in self.vertices else []
        direct = [*own, *acks]
        past = frozenset({name}).union(*(self.pasts[each] for each in direct))
        highest = [
            max((count for sender, count in past if sender == column), default=first - 1)
            for column, first in enumerate(self.expected)
        ]
        level = 1 + max((self.vertices[each].level for each in past - {name}), default=0)
        frame = Data(Processor(slot, 1), 1, slot, counter, 0, acks, 1, ())
        self.vertices[name] = Vertex(frame, slot, counter, level, tuple(highest))
        self.ordered[name] = ordered
        self.pasts[name] = past
        return name

    def leaves(self, slot: int, seen: Iterable[Name]) -> list[Name]:
        """What a member that has seen this much acknowledges: what nothing it saw follows."""
        shown = set(seen)
        followed = {older for name in shown for older in self.pasts[name] if older != name}
        return sorted(name for name in shown - followed if name[0] != slot)

    def names_to_order(self) -> set[Name]:
        return {name for name, ordered in self.ordered.items() if ordered}


def close(graph: Graph) -> Graph:
    """Everybody acknowledges everything, with one frame each and none the wiser for the others'."""
    everything = list(graph.vertices)
    for slot in range(graph.members):
        graph.send(slot, *graph.leaves(slot, everything), ordered=False)
    return graph


def random_graph(rng: random.Random, members: int, frames: int) -> Graph:
    """Members that see random causally closed parts of each other's past, and send.

    How fast they hear each other, who is silent and how many frames are ordered differ from graph
    to graph, from nearly a chain to nearly all concurrent.
    """
    graph = Graph(tuple(rng.choice((1, 1, rng.randint(2, 9))) for _ in range(members)))
    left = [rng.randint(1, frames) for _ in range(members)]
    if rng.random() < 0.2:
        left[rng.randrange(members)] = 0
    hearing = [rng.choice((0.2, 0.5, 0.9)) for _ in range(members)]
    ordered = rng.choice((0.3, 0.6, 1.0))
    seen: list[set[Name]] = [set() for _ in range(members)]
    while any(left):
        slot = rng.choice([each for each in range(members) if left[each]])
        left[slot] -= 1
        for name, past in graph.pasts.items():  # in the order of sending: predecessors first
            arrives = rng.random() < hearing[slot]
            if arrives and past - {name} <= seen[slot]:  # else it would wait outside the graph
                seen[slot].add(name)
        sent = graph.send(slot, *graph.leaves(slot, seen[slot]), ordered=rng.random() < ordered)
        seen[slot].add(sent)
    return graph


def all_graphs(frames: tuple[int, ...], ordered: Callable[[Name], bool]) -> Iterator[Graph]:
    """Every causal graph in which member p sends frames[p] frames."""
    layer: set[frozenset[Vector]] = {frozenset()}
    for _ in range(sum(frames)):  # one frame more; the same graph by another history counts once
        layer = {sent | {frame} for sent in layer for frame in _next_frames(sent, frames)}
    for sent in sorted(layer, key=sorted):
        graph = Graph((1,) * len(frames))
        for slot, past in sorted(sent, key=lambda each: sum(each[1])):
            seen = [name for name in graph.vertices if name[1] <= past[name[0]]]
            graph.send(slot, *graph.leaves(slot, seen), ordered=ordered((slot, past[slot])))
        yield graph


Vector = tuple[int, tuple[int, ...]]
"""A vertex as its slot and the last counter that it follows per slot, itself included."""


def _next_frames(sent: frozenset[Vector], frames: tuple[int, ...]) -> Iterator[Vector]:
    """What any member may send next, having seen any causally closed part of it all."""
    pasts = {(slot, past[slot]): past for slot, past in sent}
    tops = [sum(1 for sender, _ in sent if sender == slot) for slot in range(len(frames))]
    for seen in itertools.product(*(range(top + 1) for top in tops)):
        tips = [pasts[tip] for tip in enumerate(seen) if tip[1]]
        if any(theirs > ours for past in tips for theirs, ours in zip(past, seen, strict=True)):
            continue  # not causally closed
        for slot, count in enumerate(frames):
            if seen[slot] == tops[slot] < count:
                yield slot, (*seen[:slot], seen[slot] + 1, *seen[slot + 1 :])


def random_extension(rng: random.Random, graph: Graph) -> list[Name]:
    """The vertices in some order that respects causality."""
    by_sender: list[list[Name]] = [[] for _ in range(graph.members)]
    for name in sorted(graph.vertices, reverse=True):
        by_sender[name[0]].append(name)
    entered: set[Name] = set()
    order: list[Name] = []
    # Biased towards some senders, so that some members' frames come early and others' late.
    weights = [rng.choice((1, 1, 10)) for _ in range(graph.members)]
    while len(order) < len(graph.vertices):
        (names,) = rng.choices(by_sender, weights)
        if names and graph.pasts[names[-1]] - {names[-1]} <= entered:
            order.append(names.pop())
            entered.add(order[-1])
    return order


def all_extensions(graph: Graph) -> Iterator[tuple[Name, ...]]:
    """The vertices in every order that respects causality."""

    def extend(order: tuple[Name, ...], left: frozenset[Name]) -> Iterator[tuple[Name, ...]]:
        if not left:
            yield order
        for name in sorted(left):
            if not (graph.pasts[name] - {name}) & left:
                yield from extend((*order, name), left - {name})

    return extend((), frozenset(graph.vertices))


def play(order: Order, graph: Graph, names: Iterable[Name]) -> Iterator[list[Name]]:
    """The sequence of turns that the rule has given, after each vertex."""
    turns: list[Name] = []
    for name in names:
        given = order.insert(graph.vertices[name], graph.ordered[name])
        turns += [(vertex.slot, vertex.counter) for vertex in given]
        yield list(turns)


def play_all(order: Order, graph: Graph, names: Iterable[Name]) -> list[Name]:
    """The sequence of turns that the rule has given in the end."""
    return [[], *play(order, graph, names)][-1]
