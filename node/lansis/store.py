"""Retransmission buffers (CS91-13, section 3.3, "Implementation Considerations").

Every receiver keeps every frame until all members are known to hold it. The payload frames kept are
the *network sliding window*: received, not yet acknowledged by all, from all senders.
"""

from node.frames import Data


class Store:
    def __init__(self, members: int) -> None:
        self._frames: list[dict[int, Data]] = [{} for _ in range(members)]
        self.window = 0
        """How many payload frames are not yet held by all."""

    def __len__(self) -> int:
        return sum(map(len, self._frames))

    def count(self, slot: int) -> int:
        return len(self._frames[slot])

    def add(self, slot: int, frame: Data) -> None:
        self._frames[slot][frame.counter] = frame
        if frame.content:
            self.window += 1

    def get(self, slot: int, counter: int) -> Data | None:
        return self._frames[slot].get(counter)

    def release(self, slot: int, up_to: int) -> list[int]:
        """All members hold this sender's frames up to here; returns the counters let go."""
        frames = self._frames[slot]
        counters = []
        for counter in list(frames):  # in counter order, as they were added
            if counter > up_to:
                break
            if frames.pop(counter).content:
                self.window -= 1
            counters.append(counter)
        return counters
