"""The Lansis engine: inputs to effects, one thin layer over the rules (CS91-13, section 3.3).

Fixed membership: one configuration from start to end.
"""

from collections.abc import Callable
from typing import Literal

from node.codec import ranges_that_fit, smallest_datagram
from node.contract import (
    Broadcast,
    Deliver,
    Effect,
    Input,
    InstallView,
    Randomness,
    Received,
    Reject,
    Started,
    Submit,
)
from node.errors import MisuseError
from node.frames import Data, Heartbeat, Nack
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures, bounds
from node.lansis.order import Order
from node.lansis.order.allack import AllAck
from node.lansis.order.toto import ToTo
from node.lansis.sending import Sending
from node.limits import Limits, Timing
from node.views import View

Agreed = Literal["allack", "toto"]
ORDERS: dict[Agreed, Callable[[int], Order]] = {"allack": AllAck, "toto": ToTo}


class Lansis:
    """One processor of one broadcast domain."""

    def __init__(
        self,
        me: Processor,
        view: View,
        agreed: Agreed,
        limits: Limits,
        timing: Timing,
        randomness: Randomness,
    ) -> None:
        if me not in view.members:
            raise MisuseError(f"processor {me} is not a member of its view")
        if smallest_datagram(view.size) > limits.datagram_bytes:
            raise MisuseError(
                f"datagrams of {limits.datagram_bytes} bytes are too small for the "
                f"acknowledgements of {view.size} members"
            )
        self._me = me
        self._ranges_per_request = ranges_that_fit(limits.datagram_bytes)
        self._measures = Measures()
        self._bounds = bounds(view.size, limits.unheld_frames, limits.backlog_messages)
        self._sending = Sending(me, limits, timing, randomness, self._measures)
        self._configuration = Configuration(
            me, view, ORDERS[agreed], limits, timing, randomness, self._measures
        )

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        effects: list[Effect] = []
        deliveries: list[Deliver] = []
        if isinstance(event, Received):
            self._receive(event, now_ns, effects, deliveries)
        elif isinstance(event, Submit):
            effects.append(self._sending.submit(event, now_ns))
        elif isinstance(event, Started):
            effects.append(InstallView(self._configuration.view))
            self._sending.start(now_ns)
        self._repair(now_ns, effects)
        self._sending.transmit(self._configuration, now_ns, effects, deliveries)
        effects += deliveries
        effects += self._sending.writable()
        return effects

    def next_deadline(self) -> int | None:
        sending, repairing = self._sending.deadlines.earliest(), self._configuration.next_due()
        if sending is None or repairing is None:
            return repairing if sending is None else sending
        return min(sending, repairing)

    def measures(self) -> dict[str, int]:
        return self._measures.as_dict() | self._bounds

    def _receive(
        self, event: Received, now_ns: int, effects: list[Effect], deliveries: list[Deliver]
    ) -> None:
        frame = event.frame
        configuration = self._configuration
        if frame.transmitter == self._me:
            return  # the echo of our own broadcast
        if frame.view != configuration.view.id:
            effects.append(Reject("a frame of another view"))
            return
        if frame.transmitter not in configuration.view.members:
            effects.append(Reject("a frame from a processor outside the view"))
            return
        if isinstance(frame, Data):
            problem = configuration.accept(frame, now_ns, deliveries)
        elif isinstance(frame, Heartbeat):
            problem = configuration.hear(frame.transmitter.number, frame.holds, now_ns)
        else:
            problem = configuration.asked(frame.wanted, now_ns)
        if problem is not None:
            effects.append(Reject(problem))

    def _repair(self, now_ns: int, effects: list[Effect]) -> None:
        configuration = self._configuration
        due_ns = configuration.next_due()
        if due_ns is None or due_ns > now_ns:
            return
        wanted = configuration.wanted(now_ns, self._ranges_per_request)
        if wanted:
            configuration.flow.lost(now_ns)
            effects.append(Broadcast(Nack(self._me, configuration.view.id, wanted)))
            self._measures.nacks += 1
        for frame in configuration.repairs(now_ns):
            effects.append(Broadcast(frame))
            self._measures.repairs += 1
