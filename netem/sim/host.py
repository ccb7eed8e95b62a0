"""A simulated machine: a socket buffer, a processor that may be slow, stand still or die, a pump.

Frames wait in the socket buffer while the processor is busy or stopped; what does not fit is lost,
as with a real socket.
"""

from collections import deque
from collections.abc import Callable

from netem.sim.agenda import Agenda
from node.runtime.pump import Pump

SOCKET_FRAMES = 1024  # about what Linux' default receive buffer takes


class Host:
    def __init__(self, name: str, agenda: Agenda) -> None:
        self.name = name
        self.alive = True
        self.overflows = 0
        self._agenda = agenda
        self._pump: Pump | None = None
        self._inbox: deque[bytes] = deque()
        self._pauses = 0
        self._slowness: list[int] = []
        self._busy = False
        self._armed_ns: int | None = None

    def boot(self, pump: Pump) -> None:
        self._pump = pump
        pump.start(self._agenda.now_ns)
        self._arm()

    def receive(self, datagram: bytes) -> None:
        """From the network."""
        if not self.alive:
            return
        if self._busy or self._pauses or self._slowness:
            if len(self._inbox) >= SOCKET_FRAMES:
                self.overflows += 1
                return
            self._inbox.append(datagram)
            self._work()
        else:
            self._process(datagram)

    def run(self, use: Callable[[Pump, int], object]) -> bool:
        """Let a local program use the pump; returns whether there was a processor to run it."""
        if not self.alive or self._pauses:
            return False
        assert self._pump is not None, "a host boots before it works"
        use(self._pump, self._agenda.now_ns)
        self._arm()
        return True

    # -- faults

    def kill(self) -> None:
        self.alive = False
        self._inbox.clear()

    def pause(self) -> None:
        """Stand still, until there were as many `resume`s."""
        self._pauses += 1

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._work()
            self._arm()

    def slow_down(self, per_frame_ns: int) -> None:
        """Need so much for each frame received; where several are in force, the last counts."""
        self._slowness.append(per_frame_ns)

    def speed_up(self, per_frame_ns: int) -> None:
        """The end of one slowness."""
        self._slowness.remove(per_frame_ns)

    # -- the processor

    def _work(self) -> None:
        """Begin with the next frame of the inbox, if free to."""
        if self._busy or self._pauses or not self.alive or not self._inbox:
            return
        self._busy = True
        per_frame_ns = self._slowness[-1] if self._slowness else 0
        self._agenda.at(self._agenda.now_ns + per_frame_ns, self._finish)

    def _finish(self) -> None:
        self._busy = False
        if self._pauses or not self.alive or not self._inbox:
            return
        self._process(self._inbox.popleft())
        self._work()

    def _process(self, datagram: bytes) -> None:
        assert self._pump is not None, "a host boots before it works"
        self._pump.receive(datagram, self._agenda.now_ns)
        self._arm()

    def _arm(self) -> None:
        """One timer at most: for the earliest deadline. One that comes too early arms the next."""
        if self._pauses or not self.alive:
            return
        assert self._pump is not None, "a host boots before it works"
        due_ns = self._pump.next_deadline()
        if due_ns is None or (self._armed_ns is not None and self._armed_ns <= due_ns):
            return
        self._armed_ns = due_ns
        self._agenda.at(due_ns, lambda: self._ring(due_ns))

    def _ring(self, armed_ns: int) -> None:
        if armed_ns != self._armed_ns:
            return  # an earlier timer was set since
        self._armed_ns = None
        if self._pauses or not self.alive:
            return
        assert self._pump is not None, "a host boots before it works"
        due_ns = self._pump.next_deadline()
        if due_ns is not None and due_ns <= self._agenda.now_ns:
            self._pump.deadline_passed(self._agenda.now_ns)
        self._arm()
