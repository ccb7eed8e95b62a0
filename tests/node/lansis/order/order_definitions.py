"""The order rules by the book: recomputed from scratch from the set of vertices that are there.

Slow and plain on purpose. The rules of the node work step by step and must give the same sequence.
"""

from fractions import Fraction
from math import inf

from order_graphs import Graph, Name


def all_ack_by_definition(graph: Graph, there: set[Name]) -> list[Name]:
    """By (level, slot), up to the level that every member has reached."""
    levels = {name: graph.vertices[name].level for name in there}
    reached = min(
        max((levels[name] for name in there if name[0] == slot), default=0)
        for slot in range(graph.members)
    )
    settled = [name for name in there if graph.ordered[name] and levels[name] <= reached]
    return sorted(settled, key=lambda name: (levels[name], name[0]))


def toto_by_definition(graph: Graph, there: set[Name], threshold: Fraction) -> list[Name]:
    """Decision after decision, each from the candidates and all the votes for them."""
    pending = {name for name in there if graph.ordered[name]}
    turns: list[Name] = []
    while chosen := _next_decision(graph, there, pending, threshold):
        turns += sorted(chosen)
        pending -= chosen
    return turns


def _next_decision(
    graph: Graph, there: set[Name], pending: set[Name], threshold: Fraction
) -> set[Name]:
    members = range(graph.members)
    candidates = {name for name in pending if graph.pasts[name] & pending == {name}}
    votes = {
        name: [
            min((count for who, count in there if who == p and name in graph.pasts[p, count]),
                default=inf)
            for p in members
        ]
        for name in candidates
    }  # fmt: skip

    def heard(name: Name) -> int:
        return sum(vote < inf for vote in votes[name])

    def ahead(one: Name, other: Name) -> int:
        return sum(votes[one][p] < votes[other][p] for p in members)

    def undecided(one: Name, other: Name) -> int:
        return sum(votes[one][p] == votes[other][p] == inf for p in members)

    def surely_beats(one: Name, other: Name) -> bool:
        return ahead(one, other) > threshold

    def may_beat(one: Name, other: Name) -> bool:
        return ahead(one, other) + undecided(one, other) > threshold

    out = {each for each in candidates if any(surely_beats(by, each) for by in candidates)}
    inside = {
        each
        for each in candidates
        if not any(may_beat(by, each) for by in candidates if by != each)
    }
    if out | inside != candidates or not any(heard(each) > threshold for each in candidates):
        return set()
    if inside:
        return inside
    voters = [p for p in members if any(votes[each][p] < inf for each in candidates)]
    return candidates if len(voters) == graph.members else set()
