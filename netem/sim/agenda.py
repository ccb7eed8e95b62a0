"""Virtual time: what happens next. Events at the same time happen in the order of their making."""

from collections.abc import Callable
from heapq import heappop, heappush

Action = Callable[[], object]


class Agenda:
    def __init__(self) -> None:
        self.now_ns = 0
        self._events: list[tuple[int, int, Action]] = []
        self._made = 0

    def at(self, time_ns: int, action: Action) -> None:
        """Not before now: what is overdue happens at once."""
        self._made += 1
        heappush(self._events, (max(time_ns, self.now_ns), self._made, action))

    def next_time(self) -> int | None:
        return self._events[0][0] if self._events else None

    def advance(self) -> None:
        """Let the next event happen."""
        self.now_ns, _, action = heappop(self._events)
        action()
