"""Who has acknowledged what (CS91-13, section 3.3, "Implementation Considerations" and "Safe").

Two matrices, one row per member, one column per sender:
- *followed*: from the graph alone. Delivery rules may look only at this one, because all
  survivors of a configuration will hold the same graph, but not the same heartbeats.
- *held*: also from heartbeats and from what senders say of their own frames. It releases buffers,
  lets a sender go on that had too many frames not held by all, and decides nothing.
"""

from collections.abc import Sequence

from node.lansis.dag import Past


class Acknowledged:
    """A matrix of counters that only grow, with its column minima kept up to date."""

    __slots__ = ("by_all", "rows")

    def __init__(self, start: Sequence[int]) -> None:
        self.rows: list[list[int]] = [list(start) for _ in start]
        self.by_all: list[int] = list(start)

    def note(self, member: int, counters: Sequence[int]) -> list[int]:
        """The member acknowledges these; returns the columns whose minimum rose."""
        row = self.rows[member]
        by_all = self.by_all
        risen = []
        for column, counter in enumerate(counters):
            before = row[column]
            if counter > before:
                row[column] = counter
                if before == by_all[column] and self._raise_minimum(column):
                    risen.append(column)
        return risen

    def raise_one(self, member: int, column: int, counter: int) -> bool:
        """The member acknowledges this much of one column; returns whether the minimum rose."""
        row = self.rows[member]
        before = row[column]
        if counter <= before:
            return False
        row[column] = counter
        if before > self.by_all[column]:
            return False
        return self._raise_minimum(column)

    def _raise_minimum(self, column: int) -> bool:
        lowest = min([row[column] for row in self.rows])
        if lowest == self.by_all[column]:
            return False
        self.by_all[column] = lowest
        return True

    def raise_column(self, column: int, counter: int) -> bool:
        """Every member acknowledges this much of the column; returns whether the minimum rose."""
        if counter <= self.by_all[column]:
            return False
        for row in self.rows:
            if row[column] < counter:
                row[column] = counter
        self.by_all[column] = counter
        return True


def index_of_synchrony(pasts: Sequence[Past], slot: int, counter: int) -> int:
    """How many members have a vertex that follows this one (its sender's own counts)."""
    return sum(1 for past in pasts if past[slot] >= counter)


def is_safe(followed_by_all: Sequence[int], slot: int, counter: int) -> bool:
    """Safe: the paths from the vertex to the leaves contain a vertex of every member."""
    return followed_by_all[slot] >= counter
