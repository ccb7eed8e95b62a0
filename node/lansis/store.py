"""Retransmission buffers (CS91-13, section 3.3, "Implementation Considerations").

Every receiver keeps every frame until all members are known to hold it, so that anyone may answer
a request for it.
"""

from node.frames import Data


class Store:
    def __init__(self, members: int) -> None:
        self._frames: list[dict[int, Data]] = [{} for _ in range(members)]
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def count(self, slot: int) -> int:
        """How many frames of this sender are not yet held by all."""
        return len(self._frames[slot])

    def add(self, slot: int, frame: Data) -> None:
        self._frames[slot][frame.counter] = frame
        self._count += 1

    def get(self, slot: int, counter: int) -> Data | None:
        return self._frames[slot].get(counter)

    def release(self, slot: int, counters: range) -> None:
        """All members hold these frames of this sender."""
        frames = self._frames[slot]
        for counter in counters:
            if frames.pop(counter, None) is not None:
                self._count -= 1
