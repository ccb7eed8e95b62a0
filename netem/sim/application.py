"""The program on a node: submits its flows in time, and again what was refused, in order."""

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from netem.sim.agenda import Agenda
from netem.sim.host import Host
from netem.workload import Flow
from node.contract import Accepted
from node.frames import Service
from node.runtime.pump import Pump

RETRY_NS = 1_000_000  # a program on a paused host goes on when the host does
BYTES_AT_ONCE = 32 * 2**20
SERVICES = {service.label: service for service in Service}


@dataclass(slots=True)
class Submission:
    """Messages first … last of a flow. Contents are made when they are offered: a workload may be
    larger than memory."""

    flow: Flow
    label: str
    first: int
    last: int

    def part(self, most: int) -> tuple[bytes, ...]:
        """The contents of as many as may be offered at once."""
        most = max(1, min(most, BYTES_AT_ONCE // self.flow.size))
        numbers = range(self.first, min(self.first + most, self.last + 1))
        return tuple(payload(f"{self.label}/{number}", self.flow.size) for number in numbers)


class Application:
    def __init__(
        self, host: Host, agenda: Agenda, most_at_once: int, accepted: Callable[[int], object]
    ) -> None:
        self._host = host
        self._agenda = agenda
        self._most_at_once = most_at_once
        self._accepted = accepted
        self._waiting: deque[Submission] = deque()
        self._refused = False
        self.unsubmitted = 0
        """Messages of the workload that the node has not accepted yet."""

    def begin(self, name: str, flow: Flow) -> None:
        self.unsubmitted += flow.count
        self._schedule(name, flow, 0, flow.submissions())

    def writable(self) -> None:
        """The node has room again. Not from within its own step: in the next one."""
        self._agenda.at(self._agenda.now_ns, self._retry)

    def _schedule(
        self, name: str, flow: Flow, first: int, submissions: Iterator[tuple[int, int]]
    ) -> None:
        """Only the next submission of a flow is on the agenda."""
        following = next(submissions, None)
        if following is not None:
            time_ns, count = following
            self._agenda.at(time_ns, lambda: self._due(name, flow, first, count, submissions))

    def _due(
        self,
        name: str,
        flow: Flow,
        first: int,
        count: int,
        submissions: Iterator[tuple[int, int]],
    ) -> None:
        self._schedule(name, flow, first + count, submissions)
        self._waiting.append(Submission(flow, name, first, first + count - 1))
        if not self._refused:
            self._submit()

    def _retry(self) -> None:
        self._refused = False
        self._submit()

    def _submit(self) -> None:
        while self._waiting and not self._refused and self._host.alive:
            if not self._host.run(self._offer):
                self._refused = True
                self._agenda.at(self._agenda.now_ns + RETRY_NS, self._retry)

    def _offer(self, pump: Pump, now_ns: int) -> None:
        head = self._waiting[0]
        payloads = head.part(self._most_at_once)
        if isinstance(pump.submit(SERVICES[head.flow.service], payloads, now_ns), Accepted):
            head.first += len(payloads)
            if head.first > head.last:
                self._waiting.popleft()
            self.unsubmitted -= len(payloads)
            self._accepted(len(payloads))
        else:
            self._refused = True


def payload(label: str, size: int) -> bytes:
    """Contents that tell messages apart (as far as their size allows)."""
    unit = f"{label}.".encode()
    return (unit * (size // len(unit) + 1))[:size]
