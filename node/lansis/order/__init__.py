"""The agreed order: which ordered vertex is next. All rules look at the graph and nothing else."""

from typing import Protocol

from node.lansis.dag import Vertex


class Order(Protocol):
    """A rule that turns the causal graph into one sequence, the same everywhere."""

    def insert(self, vertex: Vertex, ordered: bool) -> list[Vertex]:
        """A vertex entered the graph. Returns the vertices whose turn is now known, in order.

        Only `ordered` vertices (those that carry agreed or safe messages) get a turn; the others
        just vote.
        """
        ...
