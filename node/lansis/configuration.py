"""One configuration as one member sees it: frames in, deliveries out (CS91-13, section 3.3).

A frame that arrives is kept for repair, enters the graph when everything it follows is there, gets
its turn from the order, is delivered as its service allows, and leaves the buffers when all members
have it. Everything here belongs to one view and ends with it.
"""

from collections.abc import Callable
from dataclasses import replace

from node.contract import Deliver, Randomness
from node.frames import Content, Data, Fragment
from node.identity import Processor
from node.lansis.dag import Dag, Vertex
from node.lansis.delivery import Delivery, is_ordered
from node.lansis.flow import Flow, Window
from node.lansis.measures import Measures
from node.lansis.order import Order
from node.lansis.repair import Answers, Requests
from node.lansis.stability import Acknowledged
from node.lansis.store import Store
from node.limits import Limits, Timing
from node.views import View

Entries = tuple[tuple[int, int], ...]


class Configuration:
    def __init__(
        self,
        me: Processor,
        view: View,
        order: Callable[[int], Order],
        limits: Limits,
        timing: Timing,
        randomness: Randomness,
        measures: Measures,
    ) -> None:
        self.view = view
        self.window = Window(view.size)
        self.owed = 0
        """Payload frames of others that entered the graph since our last frame: ACKs to send."""
        self.flow = Flow(limits.window_frames, limits.unheld_frames, timing.slowest_ns)
        self._me = me
        self._my_slot = view.members.index(me)
        self._limits = limits
        self._measures = measures
        self._slots = view.slots()
        self._dag = Dag(view.expected)
        self._followed = Acknowledged(self._dag.tops)
        self._held = Acknowledged(self._dag.tops)
        self._order = order(view.size)
        self._delivery = Delivery(view, self._dag, self._followed, limits)
        self._store = Store(view.size)
        self._requests = Requests(timing, randomness)
        self._answers = Answers(timing, randomness)
        self._forgotten = list(self._dag.tops)
        self._released = list(self._dag.tops)

    # -- what arrives; each returns why the frame was rejected, if it was

    def accept(self, frame: Data, now_ns: int, out: list[Deliver]) -> str | None:
        """A data frame from another member, its own or a repair."""
        slot = self._slots.get(frame.origin)
        if slot is None:
            return "a frame of a processor outside the view"
        counter = frame.counter
        if counter > self._highest(slot):
            return "a frame beyond the window"
        if self._dag.holds(slot, counter):
            self._measures.duplicate_frames += 1
            if counter > self._released[slot]:
                self._answers.answered(slot, counter, now_ns)
            return None
        acks = self._to_slots(frame.acks)
        if acks is None or frame.held > self._dag.tops[slot]:
            return "a frame that speaks of frames that cannot exist"
        if self._has_too_much(slot) or counter - frame.held > self._limits.unheld_frames:
            return "a frame of a sender with a larger window"
        if self._is_too_large(frame):
            return "a message larger than allowed"
        if frame.transmitter.number != frame.origin:
            self._answers.answered(slot, counter, now_ns)
        self._requests.found(slot, counter)
        self._learn(slot, counter, now_ns, arrived=counter)
        for other, count in acks:
            self._learn(other, count, now_ns)
        if self._held.raise_column(slot, frame.held):
            self._release(slot)
        self._take_in(frame, slot, acks, out)
        return None

    def hear(self, transmitter: int, holds: Entries, now_ns: int) -> str | None:
        """A heartbeat: what its transmitter holds."""
        entries = self._to_slots(holds)
        if entries is None:
            return "a heartbeat that speaks of frames that cannot exist"
        member = self._slots[transmitter]
        for slot, counter in entries:
            self._learn(slot, counter, now_ns)
            if self._held.raise_one(member, slot, counter):
                self._release(slot)
        return None

    def asked(self, wanted: tuple[tuple[int, int, int], ...], now_ns: int) -> str | None:
        """Somebody misses frames: no need to ask for them as well; answer with those we hold."""
        ends = self._to_slots(tuple((number, last) for number, _, last in wanted))
        if ends is None:
            return "a request for frames that cannot exist"
        self.flow.lost(now_ns)
        for (slot, last), (_, first, _) in zip(ends, wanted, strict=True):
            self._learn(slot, last, now_ns)
            counters = range(max(first, self._released[slot] + 1), last + 1)
            self._requests.somebody_asked(slot, counters, now_ns)
            for counter in counters:
                if self._store.get(slot, counter) is not None:
                    self._answers.asked(slot, counter, slot == self._my_slot, now_ns)
        return None

    # -- what goes out

    @property
    def load(self) -> int:
        """How full the window is for us."""
        return self.window.load(self._my_slot)

    @property
    def own_in_flight(self) -> int:
        """Own payload frames not yet followed by all."""
        return self.window.frames[self._my_slot]

    @property
    def own_unheld(self) -> int:
        """Own frames, payload or not, that not everybody is known to hold."""
        return self._store.count(self._my_slot)

    def acknowledgements(self) -> int:
        """How many ACKs our next frame will carry."""
        return len(self._dag.leaves(self._my_slot))

    def add_own(self, first: int, content: tuple[Content, ...], out: list[Deliver]) -> Data:
        """Our next frame, taken into our own graph at once; it acknowledges all that is owed."""
        leaves = tuple(self._dag.leaves(self._my_slot))
        members = self.view.members
        frame = Data(
            transmitter=self._me,
            view=self.view.id,
            origin=self._me.number,
            counter=self._dag.tops[self._my_slot] + 1,
            held=self._held.by_all[self._my_slot],
            acks=tuple((members[slot].number, counter) for slot, counter in leaves),
            first=first,
            content=content,
        )
        self.owed = 0
        self._take_in(frame, self._my_slot, leaves, out)
        return frame

    def holds(self) -> Entries:
        """What a heartbeat says: per member the last frame in the graph, our own last included."""
        return tuple(
            (member.number, top)
            for member, top in zip(self.view.members, self._dag.tops, strict=True)
        )

    def wanted(self, now_ns: int, most: int) -> tuple[tuple[int, int, int], ...]:
        """What is to be asked for: (processor, first counter, last counter)."""
        members = self.view.members
        return tuple(
            (members[slot].number, first, last)
            for slot, first, last in self._requests.due(now_ns, most)
        )

    def repairs(self, now_ns: int) -> list[Data]:
        """The frames to send again now, with us as their transmitter."""
        frames = []
        for slot, counter in self._answers.due(now_ns):
            frame = self._store.get(slot, counter)
            assert frame is not None, "a promise to answer ends when the frame is released"
            self._answers.answered(slot, counter, now_ns)
            frames.append(replace(frame, transmitter=self._me))
        return frames

    def next_due(self) -> int | None:
        """When something is to be asked for or answered."""
        asking, answering = self._requests.next_due(), self._answers.next_due()
        if asking is None or answering is None:
            return answering if asking is None else asking
        return min(asking, answering)

    # -- the way of a frame

    def _take_in(self, frame: Data, slot: int, acks: Entries, out: list[Deliver]) -> None:
        self._store.add(slot, frame)
        if frame.content:
            self.window.enter(slot)
            self._delivery.arrived(frame, slot, out)
        for vertex in self._dag.offer(frame, slot, acks):
            self._enter(vertex, out)
        self._measure(slot)

    def _enter(self, vertex: Vertex, out: list[Deliver]) -> None:
        """The frame is in the graph: it acknowledges, votes, and may be delivered."""
        slot = vertex.slot
        risen = self._followed.note(slot, vertex.past)
        for column in risen:
            self._forget(column)
        for column in self._held.note(slot, vertex.past):
            self._release(column)
        if self._held.raise_one(self._my_slot, slot, vertex.counter):
            self._release(slot)
        if vertex.frame.content and slot != self._my_slot:
            self.owed += 1
        ordered = is_ordered(vertex.frame)
        self._delivery.entered(vertex, ordered, out)
        turns = self._order.insert(vertex, ordered)
        for turn in turns:
            self._delivery.turn(turn)
        if turns or risen:
            self._delivery.drain(out)

    def _forget(self, slot: int) -> None:
        """All members follow these vertices: they leave the graph and the window."""
        upto = self._followed.by_all[slot]
        for counter in range(self._forgotten[slot] + 1, upto + 1):
            if self._dag.forget(slot, counter).frame.content:
                self.window.leave(slot)
                self.flow.released()
        self._forgotten[slot] = upto

    def _release(self, slot: int) -> None:
        """All members hold these frames: nobody will ask for them any more."""
        upto = self._held.by_all[slot]
        counters = range(self._released[slot] + 1, upto + 1)
        self._store.release(slot, counters)
        for counter in counters:
            self._answers.released(slot, counter)
        self._released[slot] = upto

    def _learn(self, slot: int, counter: int, now_ns: int, arrived: int | None = None) -> None:
        """This frame exists, hence all before it: ask for those first heard of (but this one)."""
        unheard = self._dag.learn(slot, counter)
        if unheard:
            missing = [count for count in unheard if count != arrived]
            if missing:
                self._requests.miss(slot, missing, now_ns)

    # -- bounds

    def _highest(self, slot: int) -> int:
        """The last counter that can exist: senders stop so far ahead of what we hold."""
        top = self._dag.tops[slot]
        return top if slot == self._my_slot else top + self._limits.unheld_frames

    def _to_slots(self, entries: Entries) -> Entries | None:
        """(processor, counter) to (slot, counter); None if one cannot exist."""
        slots = self._slots
        translated = []
        for number, counter in entries:
            slot = slots.get(number)
            if slot is None or counter > self._highest(slot):
                return None
            translated.append((slot, counter))
        return tuple(translated)

    def _has_too_much(self, slot: int) -> bool:
        """Whether a sender went beyond what its window allows, whatever it says others hold."""
        unheld = self._limits.unheld_frames
        return (
            self.window.frames[slot] >= 2 * unheld
            or self._dag.count(slot) >= self.view.size * unheld
        )

    def _is_too_large(self, frame: Data) -> bool:
        """Whole messages are bounded by their datagram; pieces announce what they are part of."""
        most = self._limits.message_bytes
        return any(isinstance(item, Fragment) and item.total > most for item in frame.content)

    def _measure(self, slot: int) -> None:
        assert self._store.count(slot) <= self._limits.unheld_frames, "the window bounds the store"
        self._measures.note_peaks(
            store=len(self._store),
            waiting=self._dag.waiting_count,
            requests=len(self._requests),
            window=self.window.total,
            vertices=self._dag.vertex_count,
            undelivered=self._delivery.undelivered(),
        )
