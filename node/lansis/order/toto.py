"""ToTo: early delivery by majority (CS91-13, section 3.2 "Agreed"; PROTOCOLS notes, section 3).

The criterion and its proof are in docs/protocols/ordering.md. Candidates are the pending vertices
that follow no other pending vertex. A candidate's *votes* say, per member, which of the member's
vertices is the first to follow it. Deviations from the notes: vertices that carry no ordered
message vote but are never candidates, so that acknowledgements need not be ordered; that every
chosen vertex has at least n−Φ votes is not tested, because it follows from the rest.
"""

from bisect import bisect_left
from collections import deque
from dataclasses import dataclass

from node.lansis.dag import Vertex

NEVER = 1 << 62  # "no vertex of this member follows yet"


@dataclass(slots=True, eq=False)
class Candidate:
    vertex: Vertex
    votes: list[int]  # per slot: counter of the member's first vertex that follows, or NEVER

    def heard(self) -> int:
        return sum(1 for vote in self.votes if vote != NEVER)


class ToTo:
    def __init__(self, members: int, threshold_doubled: int | None = None) -> None:
        """The threshold Φ (n/2 ≤ Φ < n) is given doubled, to stay with integers; default n/2."""
        self._members = members
        self._threshold_doubled = members if threshold_doubled is None else threshold_doubled
        assert members <= self._threshold_doubled < 2 * members, "n/2 ≤ Φ < n"
        self._pending: list[deque[Vertex]] = [deque() for _ in range(members)]
        self._history: list[list[Vertex]] = [[] for _ in range(members)]
        self._candidates: dict[int, Candidate] = {}

    def insert(self, vertex: Vertex, ordered: bool) -> list[Vertex]:
        slot, past = vertex.slot, vertex.past
        changed = False
        for candidate in self._candidates.values():
            chosen = candidate.vertex
            if candidate.votes[slot] == NEVER and past[chosen.slot] >= chosen.counter:
                candidate.votes[slot] = vertex.counter
                changed = True
        if ordered:
            self._pending[slot].append(vertex)
            if self._is_first(vertex):
                votes = [NEVER] * self._members
                votes[slot] = vertex.counter
                self._candidates[slot] = Candidate(vertex, votes)
                changed = True
        if self._candidates:
            self._history[slot].append(vertex)
        if not changed:
            return []
        turns: list[Vertex] = []
        while chosen_slots := self._decide():
            for chosen_slot in chosen_slots:
                turns.append(self._pending[chosen_slot].popleft())
                del self._candidates[chosen_slot]
            self._nominate()
        if turns:
            self._prune()
        return turns

    def _is_first(self, vertex: Vertex) -> bool:
        """Whether it follows no other pending vertex (its sender's earlier ones included)."""
        for slot, waiting in enumerate(self._pending):
            if waiting:
                head = waiting[0]
                if head is not vertex and vertex.past[slot] >= head.counter:
                    return False
        return True

    def _nominate(self) -> None:
        """After a decision, heads of chains may have become candidates."""
        for slot, waiting in enumerate(self._pending):
            if waiting and slot not in self._candidates and self._is_first(waiting[0]):
                vertex = waiting[0]
                self._candidates[slot] = Candidate(vertex, self._votes_for(vertex))

    def _votes_for(self, vertex: Vertex) -> list[int]:
        votes = []
        for history in self._history:
            place = bisect_left(history, vertex.counter, key=lambda later: later.past[vertex.slot])
            votes.append(history[place].counter if place < len(history) else NEVER)
        return votes

    def _prune(self) -> None:
        """Drop the vertices that follow nothing pending: they can be nobody's vote any more."""
        heads = [waiting[0] for waiting in self._pending if waiting]
        if not heads:
            for history in self._history:
                history.clear()
            return
        for history in self._history:
            useless = 0
            while useless < len(history) and not any(map(history[useless].follows, heads)):
                useless += 1
            if useless:
                del history[:useless]

    def _decide(self) -> list[int]:
        """The slots whose candidates are delivered next, in order; empty while undecided."""
        candidates = sorted(self._candidates.items())
        if not any(self._beats(candidate.heard()) for _, candidate in candidates):
            return []  # a rival that is unseen so far could still win
        inside = []
        for slot, candidate in candidates:
            verdict = self._judge(candidate, candidates)
            if verdict is None:
                return []  # somebody is still open
            if verdict:
                inside.append(slot)
        if inside:
            return inside
        # A voting cycle: everybody is beaten by somebody. An unseen rival would be in it too.
        return [slot for slot, _ in candidates] if self._is_complete() else []

    def _is_complete(self) -> bool:
        """Whether no candidate can be unseen: each member has a vertex that follows one of these,
        so whatever else it sends follows that one too."""
        votes = [candidate.votes for candidate in self._candidates.values()]
        return all(
            any(vote != NEVER for vote in of_member) for of_member in zip(*votes, strict=True)
        )

    def _judge(self, candidate: Candidate, candidates: list[tuple[int, Candidate]]) -> bool | None:
        """True: in; False: out; None: open."""
        could_lose = False
        for _, rival in candidates:
            if rival is candidate:
                continue
            ahead = neither = 0
            for theirs, ours in zip(rival.votes, candidate.votes, strict=True):
                if theirs < ours:
                    ahead += 1
                elif theirs == ours == NEVER:
                    neither += 1
            if self._beats(ahead):
                return False
            could_lose = could_lose or self._beats(ahead + neither)
        return None if could_lose else True

    def _beats(self, members: int) -> bool:
        """Whether this many members are more than Φ."""
        return 2 * members > self._threshold_doubled
