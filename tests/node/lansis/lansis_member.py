"""One member's side of a configuration, driven by hand."""

from lansis_samples import MS, VIEW, A, Chance

from node.contract import Deliver
from node.frames import Content, Data
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures
from node.lansis.order.allack import AllAck
from node.limits import Limits, Timing
from node.views import View

TIMING = Timing()
LIMITS = Limits(window_frames=4, message_bytes=5000)  # so a sender may be 8 frames ahead
LONG_NS = 1000 * MS
MOST = 100


class Member:
    """A's side of a configuration, with what it handed over."""

    def __init__(self, view: View = VIEW) -> None:
        self.measures = Measures()
        self.texts: list[str] = []
        self.configuration = Configuration(
            A, view, AllAck, LIMITS, TIMING, Chance(0.5), self.measures
        )

    def accept(self, frame: Data, now_ns: int = 0) -> str | None:
        out: list[Deliver] = []
        problem = self.configuration.accept(frame, now_ns, out)
        self._note(out)
        return problem

    def hear(
        self, transmitter: Processor, *holds: tuple[Processor, int], now_ns: int = 0
    ) -> str | None:
        entries = tuple((member.number, counter) for member, counter in holds)
        return self.configuration.hear(transmitter.number, entries, now_ns)

    def asked(self, origin: Processor, first: int, last: int, now_ns: int = 0) -> str | None:
        return self.configuration.asked(((origin.number, first, last),), now_ns)

    def send(self, *content: Content, first: int = 1) -> Data:
        out: list[Deliver] = []
        frame = self.configuration.add_own(first, content, out)
        self._note(out)
        return frame

    def wanted(self, now_ns: int = LONG_NS) -> tuple[tuple[int, int, int], ...]:
        return self.configuration.wanted(now_ns, MOST)

    def repaired(self, now_ns: int = LONG_NS) -> list[tuple[int, int]]:
        return [(frame.origin, frame.counter) for frame in self.configuration.repairs(now_ns)]

    def holds(self) -> tuple[int, ...]:
        return tuple(counter for _, counter in self.configuration.holds())

    def _note(self, out: list[Deliver]) -> None:
        self.texts += [payload.decode() for effect in out for payload in effect.payloads]
