"""All-ack (The Design of Transis, section 3.2; PROTOCOLS notes, section 3).

Vertices go by (level, slot). A vertex' turn is known once every member has a vertex at its level or
above: what they send later is at a higher level. The order is fixed when a frame is sent, so it is
the same in every component of a partition.
"""

from node.lansis.dag import Vertex


class AllAck:
    def __init__(self, members: int) -> None:
        self._reached = [0] * members
        self._lowest = 0
        self._by_level: dict[int, list[Vertex]] = {}

    def insert(self, vertex: Vertex, ordered: bool) -> list[Vertex]:
        if ordered:
            self._by_level.setdefault(vertex.level, []).append(vertex)
        before = self._reached[vertex.slot]
        self._reached[vertex.slot] = vertex.level
        if before != self._lowest:
            return []
        lowest = lowest_level(self._reached)
        turns: list[Vertex] = []
        if self._by_level:
            for level in range(self._lowest + 1, lowest + 1):
                turns += sorted(self._by_level.pop(level, ()), key=tie_break)
        self._lowest = lowest
        return turns


def lowest_level(reached: list[int]) -> int:
    """The level that every member has reached."""
    return min(reached)


def tie_break(vertex: Vertex) -> int:
    """Among vertices of one level: at most one per member, by slot."""
    return vertex.slot
