"""When to transmit what (CS91-13, section 3.3; The Design of Transis, section 3.1).

- Payload: as soon as flow control allows. A busy sender waits a little for its frame to fill.
- Acknowledgement ("I am alive" in the graph): only when payload of others is unacknowledged and no
  frame of ours comes by to carry it. An acknowledgement is never acknowledged for its own sake.
- Heartbeat: when nothing else was sent for a while; soon after activity, then ever more seldom.
"""

from node.codec import data_overhead
from node.contract import (
    Accepted,
    Broadcast,
    Deliver,
    Effect,
    Randomness,
    Refused,
    Submit,
    Transition,
    Writable,
)
from node.deadlines import Deadlines
from node.errors import MisuseError
from node.frames import Heartbeat
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures
from node.lansis.packing import Backlog
from node.limits import Limits, Timing

BUSY = 2  # own payload frames in flight from which on it pays to wait for a frame to fill


class Sending:
    def __init__(
        self,
        me: Processor,
        limits: Limits,
        timing: Timing,
        randomness: Randomness,
        measures: Measures,
    ) -> None:
        self.deadlines = Deadlines()
        self._me = me
        self._limits = limits
        self._timing = timing
        self._randomness = randomness
        self._measures = measures
        self._backlog = Backlog(limits.messages_per_frame)
        self._refused: tuple[int, int] | None = None  # messages and bytes of the last refusal
        self._last_payload_ns = 0
        self._pack_until_ns = 0
        self._heartbeat_wait_ns = timing.heartbeat_ns

    def start(self, now_ns: int) -> None:
        self._schedule_heartbeat(now_ns)

    # -- the application's side

    def submit(self, request: Submit, now_ns: int) -> Accepted | Refused:
        limits, backlog = self._limits, self._backlog
        size = sum(map(len, request.payloads))
        self._require_possible(request, size)
        if len(backlog) + len(request.payloads) > limits.backlog_messages:
            self._refused = len(request.payloads), size
            return Refused("too many messages are waiting to be sent")
        if backlog.bytes + size > limits.backlog_bytes:
            self._refused = len(request.payloads), size
            return Refused("too many bytes are waiting to be sent")
        if not backlog:
            self._pack_until_ns = now_ns + self._timing.pack_ns
        first = backlog.append(request.service, request.payloads)
        self._measures.peak_backlog_messages = max(
            self._measures.peak_backlog_messages, len(backlog)
        )
        return Accepted(first)

    def writable(self) -> list[Effect]:
        """After a refusal, once: there is room for what was refused, and for half a backlog."""
        if self._refused is None:
            return []
        limits, backlog = self._limits, self._backlog
        messages, size = self._refused
        if limits.backlog_messages - len(backlog) < max(
            messages, limits.backlog_messages // 2
        ) or limits.backlog_bytes - backlog.bytes < max(size, limits.backlog_bytes // 2):
            return []
        self._refused = None
        return [Writable()]

    def _require_possible(self, request: Submit, size: int) -> None:
        limits = self._limits
        if not request.payloads:
            raise MisuseError("nothing to send")
        longest = max(map(len, request.payloads))
        if longest > limits.message_bytes:
            raise MisuseError(
                f"a message of {longest} bytes; at most {limits.message_bytes} are allowed"
            )
        if len(request.payloads) > limits.backlog_messages or size > limits.backlog_bytes:
            raise MisuseError("more at once than may ever wait; submit it in parts")

    # -- the network's side

    def transmit(
        self, configuration: Configuration, now_ns: int, effects: list[Effect], out: list[Deliver]
    ) -> None:
        """Whatever may and must be sent now; deadlines are set for what must wait."""
        urged = self._must_acknowledge(configuration, now_ns)
        while self._may_send_payload(configuration, now_ns, urged):
            urged = False
            space = self._limits.datagram_bytes - data_overhead(configuration.acknowledgements())
            first, content = self._backlog.take(space)
            effects.append(Broadcast(configuration.add_own(first, content, out)))
            self._measures.payload_frames += 1
            self._last_payload_ns = now_ns
            self.deadlines.clear("acknowledge")
            self._pack_until_ns = now_ns + self._timing.pack_ns
            self._was_active(now_ns)
        if urged:
            effects.append(Broadcast(configuration.add_own(self._backlog.next_number, (), out)))
            self._measures.acknowledgement_frames += 1
            self._was_active(now_ns)
        self._note_state(configuration, effects)
        if self.deadlines.passed("heartbeat", now_ns):
            view = configuration.view.id
            effects.append(Broadcast(Heartbeat(self._me, view, configuration.holds())))
            self._measures.heartbeats += 1
            self._heartbeat_wait_ns = min(2 * self._heartbeat_wait_ns, self._timing.heartbeat_ns)
            self._schedule_heartbeat(now_ns)

    def _may_send_payload(self, configuration: Configuration, now_ns: int, urged: bool) -> bool:
        """Whether a payload frame goes now; where an acknowledgement must, it need not wait."""
        self.deadlines.clear("payload")
        if not self._backlog:
            return False
        delay_ns = configuration.flow.delay_ns(configuration.load, configuration.own_unheld)
        if delay_ns is None:
            return False  # until acknowledgements arrive
        if urged:
            return True
        due_ns = self._last_payload_ns + delay_ns
        if (
            self._pack_until_ns > max(due_ns, now_ns)
            and configuration.own_in_flight >= BUSY
            and not self._fills_a_frame(configuration)
        ):
            due_ns = self._pack_until_ns
        if due_ns > now_ns:
            self.deadlines.set("payload", due_ns)
            return False
        return True

    def _fills_a_frame(self, configuration: Configuration) -> bool:
        overhead = data_overhead(configuration.acknowledgements())
        return self._backlog.fills(self._limits.datagram_bytes - overhead)

    def _must_acknowledge(self, configuration: Configuration, now_ns: int) -> bool:
        deadlines = self.deadlines
        if not configuration.owed:
            deadlines.clear("acknowledge")
            return False
        if configuration.own_unheld >= self._limits.unheld_frames:
            deadlines.clear("acknowledge")  # until others say that they hold what we sent
            return False
        deadlines.set_if_unset("acknowledge", now_ns + self._timing.acknowledge_ns)
        urgent = configuration.owed * 4 >= self._limits.window_frames
        if urgent or deadlines.passed("acknowledge", now_ns):
            deadlines.clear("acknowledge")
            return True
        return False

    def _note_state(self, configuration: Configuration, effects: list[Effect]) -> None:
        moved = configuration.flow.move(configuration.load, configuration.own_unheld)
        if moved is not None:
            before, after, reason = moved
            effects.append(Transition("flow", before.value, after.value, reason))

    def _was_active(self, now_ns: int) -> None:
        self._heartbeat_wait_ns = self._timing.heartbeat_soon_ns
        self._schedule_heartbeat(now_ns)

    def _schedule_heartbeat(self, now_ns: int) -> None:
        """Not all at the same time, or they collide."""
        wait = self._heartbeat_wait_ns * (0.9 + 0.2 * self._randomness.random())
        self.deadlines.set("heartbeat", now_ns + int(wait))
