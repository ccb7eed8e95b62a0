"""Flow control (The Design of Transis, section 3.1; PROTOCOLS notes, section 5).

The network sliding window — payload frames from all senders that are not yet followed by all —
sets the delay before the next transmission: none while it is less than half full, then growing,
infinite at its size. Losses shrink the size for a while. Every processor computes this from what
it has seen, so a slow receiver slows the whole LAN down.

State machine (the reason travels with every transition):

| from | to | when |
|---|---|---|
| open | slowed | the window is more than half full |
| slowed | open | the window is at most half full |
| open, slowed | blocked | the window is full, or this sender has too many frames not held by all |
| blocked | open, slowed | members acknowledged |
"""

from enum import Enum

SHRINK = 0.7
SMALLEST_WINDOW = 8  # frames: enough to keep a pipeline going under heavy loss
LOSS_PAUSE_NS = 20_000_000  # shrink at most once in this time: one burst of losses is one event


class FlowState(Enum):
    OPEN = "open"
    SLOWED = "slowed"
    BLOCKED = "blocked"


class Window:
    """The network sliding window: payload frames received and not yet followed by all."""

    __slots__ = ("_active", "frames", "total")

    def __init__(self, members: int) -> None:
        self.frames = [0] * members
        self.total = 0
        self._active = 0

    def enter(self, slot: int) -> None:
        self._active += self.frames[slot] == 0
        self.frames[slot] += 1
        self.total += 1

    def leave(self, slot: int) -> None:
        self.frames[slot] -= 1
        self.total -= 1
        self._active -= self.frames[slot] == 0

    def load(self, me: int) -> int:
        """How full the window is for one sender: as it is, or as it would be if all that are
        sending had as much in it. Else all would fill it at the same time, then all be blocked."""
        return max(self.total, self.frames[me] * self._active)


class Flow:
    def __init__(self, window_frames: int, unheld_frames: int, slowest_ns: int) -> None:
        self._largest = float(window_frames)
        self._smallest = float(min(SMALLEST_WINDOW, window_frames))
        self._unheld_frames = unheld_frames
        self._slowest_ns = slowest_ns
        self._calm_at_ns = 0
        self.size = self._smallest
        """The window's present size, in frames."""
        self.state = FlowState.OPEN

    def delay_ns(self, load: int, own_unheld: int) -> int | None:
        """How long after our last payload frame the next may follow; None while blocked."""
        if own_unheld >= self._unheld_frames:
            return None
        return transmission_delay(load, self.size, self._slowest_ns)

    def move(self, load: int, own_unheld: int) -> tuple[FlowState, FlowState, str] | None:
        """The state that follows from the window; returns (before, after, reason) on a change."""
        before = self.state
        delay = self.delay_ns(load, own_unheld)
        if delay is None:
            after = FlowState.BLOCKED
        elif delay > 0:
            after = FlowState.SLOWED
        else:
            after = FlowState.OPEN
        if after is before:
            return None
        self.state = after
        if own_unheld >= self._unheld_frames:
            return before, after, f"{own_unheld} own frames are not held by all"
        return before, after, f"the window counts as {load} of {self.size:.0f} frames"

    def released(self) -> None:
        """A frame left the window: grow back by about one frame per window's worth."""
        if self.size < self._largest:
            self.size = min(self._largest, self.size + 1 / self.size)

    def lost(self, now_ns: int) -> None:
        """Somebody asks for a frame again."""
        if now_ns >= self._calm_at_ns:
            self._calm_at_ns = now_ns + LOSS_PAUSE_NS
            self.size = max(self._smallest, self.size * SHRINK)


def transmission_delay(load: int, size: float, slowest_ns: int) -> int | None:
    """From none at half a window to blocked at a full one."""
    if load >= size:
        return None
    excess = 2 * load / size - 1
    return int(excess * slowest_ns) if excess > 0 else 0
