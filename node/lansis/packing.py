"""From application messages to the content of frames: packing small ones, splitting large ones.

The unit of the protocol is the frame, so a full frame shares its cost among many messages. An idle
sender's message goes out at once; a busy one's frames fill up while they wait for the window
(`node.lansis.flow`). A message that does not fit into the rest of a frame is split when the
rest is worth it, so that busy senders fill the wire.
"""

from collections import deque
from dataclasses import dataclass

from node.codec import BATCH_HEAD, FRAGMENT_HEAD, LENGTH_BYTES, MAX_ITEMS
from node.frames import Batch, Content, Fragment, Service

WORTH_SPLITTING = 128  # bytes: below this a fragment's own header costs too much


@dataclass(slots=True)
class Queued:
    service: Service
    payload: bytes
    sent: int = 0  # bytes already in earlier frames


class Backlog:
    """Accepted messages that are not in a frame yet. Its bounds are checked by the engine."""

    def __init__(self, messages_per_frame: int) -> None:
        self._messages_per_frame = messages_per_frame
        self._queue: deque[Queued] = deque()
        self.bytes = 0
        self.next_number = 1
        """The number of the message at the head of the queue."""

    def __len__(self) -> int:
        return len(self._queue)

    def append(self, service: Service, payloads: tuple[bytes, ...]) -> int:
        """Returns the number of the first of these messages."""
        first = self.next_number + len(self._queue)
        self._queue.extend([Queued(service, payload) for payload in payloads])
        self.bytes += sum(map(len, payloads))
        return first

    def fills(self, space: int) -> bool:
        """Whether there is enough for a full frame."""
        if len(self._queue) >= self._messages_per_frame:
            return True
        return self.bytes + len(self._queue) * LENGTH_BYTES + BATCH_HEAD.size >= space

    def take(self, space: int) -> tuple[int, tuple[Content, ...]]:
        """The content of the next frame, at most `space` bytes, and its first message's number."""
        first = self.next_number
        content: list[Content] = []
        run: list[bytes] = []
        run_service = Service.BASIC
        messages = 0
        while self._queue and messages < self._messages_per_frame:
            head = self._queue[0]
            size = len(head.payload) - head.sent
            opens = 0 if run and head.service is run_service else BATCH_HEAD.size
            if opens and len(content) + bool(run) >= MAX_ITEMS:
                break
            if head.sent == 0 and opens + LENGTH_BYTES + size <= space:
                if opens and run:
                    content.append(Batch(run_service, tuple(run)))
                    run = []
                run_service = head.service
                run.append(head.payload)
                space -= opens + LENGTH_BYTES + size
                self._pop()
                messages += 1
                continue
            room = space - FRAGMENT_HEAD.size
            if head.sent == 0 and content + run and room < min(size, WORTH_SPLITTING):
                break
            if len(content) + bool(run) >= MAX_ITEMS:
                break
            if run:
                content.append(Batch(run_service, tuple(run)))
                run = []
            piece = head.payload[head.sent : head.sent + room]
            content.append(Fragment(head.service, len(head.payload), head.sent, piece))
            head.sent += len(piece)
            self.bytes -= len(piece)
            space = room - len(piece)
            messages += 1
            if head.sent < len(head.payload):
                break
            self._pop()
        if run:
            content.append(Batch(run_service, tuple(run)))
        return first, tuple(content)

    def _pop(self) -> None:
        head = self._queue.popleft()
        self.bytes -= len(head.payload) - head.sent
        self.next_number += 1
