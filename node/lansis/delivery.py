"""Handing messages to the application (CS91-13, section 3.3, "Implementation of Services").

- basic: when the frame arrives, in no order.
- causal: when its frame is in the graph and every ordered message that it follows is delivered (so
  that "delivered before sent" holds across services, not only among causal messages).
- agreed: at its frame's turn in the agreed order.
- safe: at its turn, once every member has acknowledged it. Until then it holds up what is behind
  it: agreed and safe messages form one order.

A frame may mix services; apart from basic ones its messages are delivered in their order (FIFO), so
one cursor per frame is all the state there is.
"""

from collections import deque
from dataclasses import dataclass

from node.contract import Deliver
from node.frames import Batch, Content, Data, Service
from node.lansis.assembly import Assembly
from node.lansis.dag import Dag, Vertex
from node.lansis.stability import Acknowledged, index_of_synchrony, is_safe
from node.limits import Limits
from node.views import View


@dataclass(slots=True, eq=False)
class Cursor:
    """How far a frame's content has been delivered."""

    vertex: Vertex
    number: int  # of the message at `place`
    ordered: bool
    place: int = 0


def is_ordered(frame: Data) -> bool:
    """Whether the frame carries agreed or safe messages and so needs a turn."""
    return any(item.service >= Service.AGREED for item in frame.content)


class Delivery:
    def __init__(self, view: View, dag: Dag, followed: Acknowledged, limits: Limits) -> None:
        self._view = view
        self._dag = dag
        self._followed = followed
        self._turns: deque[Cursor] = deque()
        self._awaiting_turn: dict[tuple[int, int], Cursor] = {}
        self._ordered: list[deque[int]] = [deque() for _ in view.members]
        self._held_back: list[Cursor] = []
        self._unordered_held_back = 0
        self._assemblies = [
            Assembly(limits.open_messages, limits.assembly_bytes) for _ in view.members
        ]

    def undelivered(self) -> int:
        """Frames in the graph whose messages are not all delivered."""
        return len(self._awaiting_turn) + self._unordered_held_back

    def arrived(self, frame: Data, slot: int, out: list[Deliver]) -> None:
        """Basic messages need no more than to be here."""
        number = frame.first
        for item in frame.content:
            if item.service is Service.BASIC:
                self._hand_over(item, slot, frame.counter, number, out)
            number += _messages(item)

    def entered(self, vertex: Vertex, ordered: bool, out: list[Deliver]) -> None:
        """The frame is in the graph: causal messages at its front may go."""
        cursor = Cursor(vertex, vertex.frame.first, ordered)
        if ordered:
            self._awaiting_turn[vertex.slot, vertex.counter] = cursor
            self._ordered[vertex.slot].append(vertex.counter)
        if not self._skip_basic(cursor) or cursor.vertex.frame.content[cursor.place].service != (
            Service.CAUSAL
        ):
            return
        if self._must_wait(vertex):
            self._held_back.append(cursor)
            self._unordered_held_back += not ordered
        else:
            self._advance(cursor, Service.CAUSAL, out)

    def turn(self, vertex: Vertex) -> None:
        """The agreed order says: this one next."""
        self._turns.append(self._awaiting_turn[vertex.slot, vertex.counter])

    def drain(self, out: list[Deliver]) -> None:
        """Deliver what has its turn, stopping at a message that is not safe yet."""
        while self._turns:
            cursor = self._turns[0]
            if not self._advance(cursor, Service.AGREED, out):
                return
            self._turns.popleft()
            vertex = cursor.vertex
            del self._awaiting_turn[vertex.slot, vertex.counter]
            first = self._ordered[vertex.slot].popleft()
            assert first == vertex.counter, "a sender's ordered frames keep their order"
            if self._held_back:
                self._release_causal(out)

    def _advance(self, cursor: Cursor, up_to: Service, out: list[Deliver]) -> bool:
        """Move the cursor as far as the services allow; returns whether it reached the end."""
        vertex = cursor.vertex
        while self._skip_basic(cursor):
            item = vertex.frame.content[cursor.place]
            if item.service > up_to and not (
                up_to is Service.AGREED
                and is_safe(self._followed.by_all, vertex.slot, vertex.counter)
            ):
                return False
            self._hand_over(item, vertex.slot, vertex.counter, cursor.number, out)
            cursor.number += _messages(item)
            cursor.place += 1
        return True

    def _skip_basic(self, cursor: Cursor) -> bool:
        """Basic messages are long delivered; returns whether anything is left."""
        content = cursor.vertex.frame.content
        while cursor.place < len(content) and content[cursor.place].service is Service.BASIC:
            cursor.number += _messages(content[cursor.place])
            cursor.place += 1
        return cursor.place < len(content)

    def _must_wait(self, vertex: Vertex) -> bool:
        """Whether an undelivered ordered frame is in its past."""
        for slot, counters in enumerate(self._ordered):
            if counters:
                newest = vertex.past[slot] if slot != vertex.slot else vertex.counter - 1
                if counters[0] <= newest:
                    return True
        return False

    def _release_causal(self, out: list[Deliver]) -> None:
        still = []
        for cursor in self._held_back:  # in the order in which they entered, so causally
            if self._must_wait(cursor.vertex):
                still.append(cursor)
            else:
                self._unordered_held_back -= not cursor.ordered
                self._advance(cursor, Service.CAUSAL, out)
        self._held_back = still

    def _hand_over(
        self, item: Content, slot: int, counter: int, number: int, out: list[Deliver]
    ) -> None:
        if isinstance(item, Batch):
            payloads = item.payloads
        else:
            whole = self._assemblies[slot].add(number, item)
            if whole is None:
                return
            payloads = (whole,)
        index = index_of_synchrony(self._dag.pasts, slot, counter)
        out.append(
            Deliver(
                self._view.members[slot],
                number,
                item.service,
                payloads,
                self._view.id,
                max(index, 1),  # a basic message may not be in the graph yet
            )
        )


def _messages(item: Content) -> int:
    """How many message numbers this item uses up."""
    if isinstance(item, Batch):
        return len(item.payloads)
    return 1 if item.ends_message else 0
