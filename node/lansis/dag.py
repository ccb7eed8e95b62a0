"""The causal graph of one configuration (CS91-13, section 3.3; membership paper, section 2).

Vertices are frames; an arc leads from each frame to those that acknowledge it. A frame enters the
graph when everything it follows is in it; until then it waits outside. An ACK means *causally
deliverable*, not received, so a frame acknowledges the leaves of its sender's graph and nothing
that the leaves already acknowledge: every ACK travels once.

Counters are per sender and consecutive, so the past of a vertex is one counter per slot.
"""

from dataclasses import dataclass

from node.frames import Data

Past = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Vertex:
    """A frame in the graph."""

    frame: Data
    slot: int
    counter: int
    level: int  # 1 + the highest level it follows, from 1 in each configuration
    past: Past  # per slot: the highest counter it follows, itself included

    def follows(self, other: "Vertex") -> bool:
        """Whether `other` is in this vertex' past (every vertex follows itself)."""
        return self.past[other.slot] >= other.counter


@dataclass(slots=True, eq=False)
class Waiting:
    """A frame outside the graph, with what it directly follows: (slot, counter)."""

    frame: Data
    slot: int
    follows: tuple[tuple[int, int], ...]


class Dag:
    """The graph as this processor has seen it so far."""

    def __init__(self, expected: tuple[int, ...]) -> None:
        members = len(expected)
        self.tops: list[int] = [counter - 1 for counter in expected]
        """Per slot: the last counter in the graph; everything before it is in the graph too."""
        self.known: list[int] = list(self.tops)
        """Per slot: the last counter known to exist."""
        start = tuple(self.tops)
        self.pasts: list[Past] = [start] * members
        """Per slot: the past of its last vertex, i.e. what this member has acknowledged."""
        self.levels: list[int] = [0] * members
        """Per slot: the level of its last vertex."""
        self.waiting_count = 0
        """Frames outside the graph."""
        self.vertex_count = 0
        """Vertices not yet forgotten."""
        self._leaves: list[bool] = [False] * members
        self._vertices: list[dict[int, Vertex]] = [{} for _ in expected]
        self._waiting: list[dict[int, Waiting]] = [{} for _ in expected]
        self._blocked: dict[tuple[int, int], list[Waiting]] = {}

    def holds(self, slot: int, counter: int) -> bool:
        return counter <= self.tops[slot] or counter in self._waiting[slot]

    def count(self, slot: int) -> int:
        """How many frames of this sender are here, in the graph or waiting, and not forgotten."""
        return len(self._vertices[slot]) + len(self._waiting[slot])

    def leaves(self, me: int) -> list[tuple[int, int]]:
        """What the next frame of `me` must acknowledge: (slot, counter), own chain implied."""
        return [
            (slot, self.tops[slot])
            for slot, is_leaf in enumerate(self._leaves)
            if is_leaf and slot != me
        ]

    def learn(self, slot: int, counter: int) -> range:
        """Somebody mentioned this frame. Returns the counters first heard of, to be recovered."""
        known = self.known[slot]
        if counter <= known:
            return range(0)
        self.known[slot] = counter
        return range(known + 1, counter + 1)

    def offer(self, frame: Data, slot: int, acks: tuple[tuple[int, int], ...]) -> list[Vertex]:
        """Take in a frame that is not held yet; returns the vertices that entered, in an order
        that respects causality (empty if the frame must wait)."""
        arrival = Waiting(frame, slot, ((slot, frame.counter - 1), *acks))
        self._waiting[slot][frame.counter] = arrival
        self.waiting_count += 1
        entered: list[Vertex] = []
        ready = [arrival]
        while ready:
            candidate = ready.pop()
            missing = self._first_missing(candidate)
            if missing is not None:
                self._blocked.setdefault(missing, []).append(candidate)
                continue
            vertex = self._enter(candidate)
            entered.append(vertex)
            freed = self._blocked.pop((vertex.slot, vertex.counter), None)
            if freed is not None:
                ready += freed
        return entered

    def _first_missing(self, candidate: Waiting) -> tuple[int, int] | None:
        tops = self.tops
        for slot, counter in candidate.follows:
            if tops[slot] < counter:
                return slot, counter
        return None

    def _enter(self, candidate: Waiting) -> Vertex:
        frame, slot = candidate.frame, candidate.slot
        counter = frame.counter
        assert self.tops[slot] == counter - 1, "a sender's frames enter in their order"
        del self._waiting[slot][counter]
        self.waiting_count -= 1
        level = self.levels[slot]
        past = self.pasts[slot]
        for other, count in candidate.follows[1:]:
            acknowledged = self._vertices[other].get(count)
            if acknowledged is not None:  # else followed by all already: nothing to learn from it
                past = tuple(map(max, past, acknowledged.past))
                level = max(level, acknowledged.level)
            if self.tops[other] == count:
                self._leaves[other] = False
        own = list(past)
        own[slot] = counter
        vertex = Vertex(frame, slot, counter, level + 1, tuple(own))
        self._vertices[slot][counter] = vertex
        self.vertex_count += 1
        self.tops[slot] = counter
        self.pasts[slot] = vertex.past
        self.levels[slot] = vertex.level
        self._leaves[slot] = True
        if counter > self.known[slot]:
            self.known[slot] = counter
        return vertex

    def forget(self, slot: int, counter: int) -> Vertex:
        """Every member's vertices follow this one: no frame to come can acknowledge it."""
        self.vertex_count -= 1
        return self._vertices[slot].pop(counter)
