"""The pump: bytes → codec → engine → effects → bytes, trace and application.

One pump drives every engine on every backend; backends differ in who calls it and what `transmit`
does. It is also the only writer of the trace, so the trace is what happened.
"""

from collections import deque
from collections.abc import Callable

from node.codec import decode, encode
from node.contract import (
    Accepted,
    Broadcast,
    DeadlinePassed,
    Deliver,
    Effect,
    Engine,
    InstallView,
    Received,
    Refused,
    Reject,
    Started,
    Submit,
    Transition,
    Writable,
)
from node.errors import WireError
from node.frames import Data, Frame, Service, messages_ended
from node.identity import Processor
from node.runtime.trace import Trace
from node.views import View


class Pump:
    def __init__(
        self,
        engine: Engine,
        processor: Processor,
        trace: Trace,
        transmit: Callable[[bytes], object],
        deliver: Callable[[Deliver], object],
        writable: Callable[[], object],
        *,
        domain: int = 0,
        receipts: bool = False,
        decode_frame: Callable[[bytes, int], Frame] = decode,
    ) -> None:
        self._engine = engine
        self._processor = processor
        self._trace = trace
        self._transmit = transmit
        self._deliver = deliver
        self._writable = writable
        self._domain = domain
        self._receipts = receipts
        self._decode = decode_frame
        self._incarnations: dict[int, int] = {}
        self._to_do: deque[Effect] = deque()
        self._performing = False

    def start(self, now_ns: int) -> None:
        self._perform(self._engine.step(Started(), now_ns), now_ns)

    def receive(self, datagram: bytes, now_ns: int) -> None:
        try:
            frame = self._decode(datagram, self._domain)
        except WireError as error:
            self._trace.reject(now_ns, str(error))
            return
        effects = self._engine.step(Received(frame), now_ns)
        if self._receipts and isinstance(frame, Data) and not _rejected(effects):
            self._note_receipt(frame, now_ns)
        self._perform(effects, now_ns)

    def submit(
        self, service: Service, payloads: tuple[bytes, ...], now_ns: int
    ) -> Accepted | Refused:
        """Raises MisuseError for what can never be accepted."""
        effects = self._engine.step(Submit(service, payloads), now_ns)
        answer = effects[0]
        if isinstance(answer, Accepted):
            self._trace.send(now_ns, answer.first, service, payloads)
        elif isinstance(answer, Refused):
            self._trace.refuse(now_ns, answer.reason, len(payloads))
        else:
            raise AssertionError("an engine answers a submission first")
        self._perform(effects[1:], now_ns)
        return answer

    def deadline_passed(self, now_ns: int) -> None:
        self._perform(self._engine.step(DeadlinePassed(), now_ns), now_ns)

    def next_deadline(self) -> int | None:
        return self._engine.next_deadline()

    def stop(self, reason: str, now_ns: int) -> None:
        self._trace.stop(now_ns, reason, self._engine.measures())

    def _perform(self, effects: list[Effect], now_ns: int) -> None:
        """In order, also when the application submits while it is being delivered to: what that
        leads to comes after what is left of this."""
        self._to_do.extend(effects)
        if self._performing:
            return
        self._performing = True
        try:
            while self._to_do:
                self._perform_one(self._to_do.popleft(), now_ns)
        finally:
            self._performing = False

    def _perform_one(self, effect: Effect, now_ns: int) -> None:
        if isinstance(effect, Deliver):
            self._trace.deliver(now_ns, effect)
            self._deliver(effect)
        elif isinstance(effect, Broadcast):
            self._broadcast(effect.frame, now_ns)
        elif isinstance(effect, InstallView):
            self._install(effect.view, now_ns)
        elif isinstance(effect, Transition):
            self._trace.transition(now_ns, effect)
        elif isinstance(effect, Reject):
            self._trace.reject(now_ns, effect.reason)
        elif isinstance(effect, Writable):
            self._writable()
        else:
            raise AssertionError(f"an effect that answers nothing: {effect!r}")

    def _broadcast(self, frame: Frame, now_ns: int) -> None:
        if self._receipts and isinstance(frame, Data) and frame.origin == self._processor.number:
            self._note_receipt(frame, now_ns)
        self._transmit(encode(frame, self._domain))

    def _install(self, view: View, now_ns: int) -> None:
        self._incarnations = dict(view.members)
        self._trace.view(now_ns, view)

    def _note_receipt(self, frame: Data, now_ns: int) -> None:
        ended = messages_ended(frame)
        incarnation = self._incarnations.get(frame.origin)
        if ended is not None and incarnation is not None:
            self._trace.receive(now_ns, Processor(frame.origin, incarnation), frame.counter, ended)


def _rejected(effects: list[Effect]) -> bool:
    return any(isinstance(effect, Reject) for effect in effects)
