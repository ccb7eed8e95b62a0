"""A simulated machine: its socket buffer, its processor, its one timer, its death."""

from sim_builder import MILLISECOND, Puppet, numbered

from netem.sim.agenda import Agenda
from netem.sim.host import SOCKET_FRAMES, Host
from node.codec import encode
from node.contract import DeadlinePassed, Effect, Input
from node.frames import Service
from node.identity import Processor
from node.runtime.pump import Pump
from node.runtime.trace import Trace


class Sleeper(Puppet):
    """Wants to be called at each of these times, in turn."""

    def __init__(self, *due_ns: int) -> None:
        super().__init__()
        self.due_ns = sorted(due_ns)

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        if isinstance(event, DeadlinePassed):
            self.due_ns = [due for due in self.due_ns if due > now_ns]
        return super().step(event, now_ns)

    def next_deadline(self) -> int | None:
        return min(self.due_ns, default=None)

    @property
    def rung(self) -> list[int]:
        return [now_ns for now_ns, event in self.inputs if isinstance(event, DeadlinePassed)]


class Machine:
    """A host with a puppet on it, and an agenda that can be run up to a time."""

    def __init__(self, engine: Puppet | None = None) -> None:
        self.agenda = Agenda()
        self.engine = engine or Puppet()
        self.host = Host("a", self.agenda)
        self.pump = Pump(
            self.engine,
            Processor(0, 1),
            Trace(lambda line: None),
            transmit=lambda datagram: None,
            deliver=lambda delivery: None,
            writable=lambda: None,
        )
        self.host.boot(self.pump)

    def arrive(self, at_ns: int, *numbers: int) -> None:
        for number in numbers:
            datagram = encode(numbered(number))
            self.agenda.at(at_ns, lambda datagram=datagram: self.host.receive(datagram))  # type: ignore[misc]

    def run(self) -> int:
        """To the end; returns how many events there were."""
        events = 0
        while self.agenda.next_time() is not None:
            self.agenda.advance()
            events += 1
        return events


# -- receiving


def test_a_free_processor_takes_frames_as_they_come() -> None:
    machine = Machine()
    machine.arrive(3, 1, 2)
    machine.arrive(5, 3)
    machine.run()
    assert machine.engine.numbers_received() == [(3, 1), (3, 2), (5, 3)]


def test_frames_wait_in_the_socket_buffer_while_the_node_is_paused() -> None:
    machine = Machine()
    machine.host.pause()
    machine.arrive(3, 1, 2)
    machine.arrive(5, 3)
    machine.agenda.at(100, machine.host.resume)
    machine.run()
    assert machine.engine.numbers_received() == [(100, 1), (100, 2), (100, 3)]


def test_what_waited_comes_before_what_arrives_at_the_end_of_the_pause() -> None:
    machine = Machine()
    machine.host.pause()
    machine.arrive(3, 1, 2)
    machine.agenda.at(100, machine.host.resume)
    machine.arrive(100, 3)
    machine.run()
    assert [number for _, number in machine.engine.numbers_received()] == [1, 2, 3]


def test_what_does_not_fit_into_the_socket_buffer_is_lost_and_counted() -> None:
    machine = Machine()
    machine.host.pause()
    machine.arrive(3, *range(SOCKET_FRAMES + 5))
    machine.agenda.at(100, machine.host.resume)
    machine.run()
    received = [number for _, number in machine.engine.numbers_received()]
    assert received == list(range(SOCKET_FRAMES))
    assert machine.host.overflows == 5


def test_nothing_overflows_on_a_free_processor() -> None:
    machine = Machine()
    machine.arrive(3, *range(SOCKET_FRAMES + 5))
    machine.run()
    assert machine.host.overflows == 0


# -- a slow receiver


def test_a_slow_receiver_needs_its_time_for_each_frame() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, 1, 2, 3)
    machine.run()
    assert machine.engine.numbers_received() == [(13, 1), (23, 2), (33, 3)]


def test_a_slow_receiver_that_is_idle_begins_at_once() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, 1)
    machine.arrive(50, 2)
    machine.run()
    assert machine.engine.numbers_received() == [(13, 1), (60, 2)]


def test_the_socket_buffer_of_a_slow_receiver_overflows_too() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, *range(SOCKET_FRAMES + 5))
    machine.run()
    assert len(machine.engine.numbers_received()) == SOCKET_FRAMES
    assert machine.host.overflows == 5


def test_order_is_kept_when_a_slow_receiver_recovers() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, 1, 2, 3)
    machine.agenda.at(15, lambda: machine.host.slow_down(0))
    machine.arrive(16, 4)
    machine.arrive(23, 5)
    machine.arrive(40, 6)
    machine.run()
    assert [number for _, number in machine.engine.numbers_received()] == [1, 2, 3, 4, 5, 6]
    assert machine.engine.numbers_received()[-1] == (40, 6)


def test_a_slow_receiver_that_is_paused_loses_nothing() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, 1, 2, 3)
    machine.agenda.at(15, machine.host.pause)
    machine.agenda.at(100, machine.host.resume)
    machine.run()
    assert machine.engine.numbers_received() == [(13, 1), (110, 2), (120, 3)]


# -- death


def test_a_killed_node_receives_nothing_more() -> None:
    machine = Machine()
    machine.arrive(3, 1)
    machine.agenda.at(4, machine.host.kill)
    machine.arrive(5, 2)
    machine.run()
    assert machine.engine.numbers_received() == [(3, 1)]


def test_what_waits_in_the_socket_buffer_dies_with_the_node() -> None:
    machine = Machine()
    machine.host.slow_down(10)
    machine.arrive(3, 1, 2)
    machine.agenda.at(15, machine.host.kill)
    machine.run()
    assert machine.engine.numbers_received() == [(13, 1)]


def test_no_timer_rings_at_a_killed_node() -> None:
    engine = Sleeper(10, 20)
    machine = Machine(engine)
    machine.agenda.at(15, machine.host.kill)
    machine.run()
    assert engine.rung == [10]


def test_a_killed_node_does_not_come_back_by_resuming() -> None:
    engine = Sleeper(20)
    machine = Machine(engine)
    machine.host.pause()
    machine.arrive(3, 1)
    machine.host.kill()
    machine.host.resume()
    machine.run()
    assert engine.rung == []
    assert engine.numbers_received() == []


# -- local programs


def test_a_program_runs_only_where_there_is_a_processor_for_it() -> None:
    machine = Machine()
    used: list[str] = []
    assert machine.host.run(lambda pump, now_ns: used.append("up"))
    machine.host.pause()
    assert not machine.host.run(lambda pump, now_ns: used.append("paused"))
    machine.host.resume()
    machine.host.kill()
    assert not machine.host.run(lambda pump, now_ns: used.append("killed"))
    assert used == ["up"]


def test_what_a_program_does_can_bring_a_deadline() -> None:
    class Answering(Sleeper):
        def step(self, event: Input, now_ns: int) -> list[Effect]:
            if not self.inputs:
                return super().step(event, now_ns)
            self.due_ns = [] if isinstance(event, DeadlinePassed) else [now_ns + 7]
            return Puppet.step(self, event, now_ns)

    engine = Answering()
    machine = Machine(engine)
    machine.host.run(lambda pump, now_ns: pump.submit(Service.SAFE, (b"x",), now_ns))
    machine.run()
    assert engine.rung == [7]


# -- timers


def test_every_deadline_is_kept() -> None:
    engine = Sleeper(10, 20, 20, 35)
    Machine(engine).run()
    assert engine.rung == [10, 20, 35]


def test_only_the_earliest_deadline_is_armed() -> None:
    machine = Machine(Sleeper(10, 20, 30))
    assert machine.agenda.next_time() == 10
    machine.agenda.advance()
    assert machine.agenda.next_time() == 20


def test_a_deadline_that_comes_nearer_is_kept_and_rings_once() -> None:
    engine = Sleeper(50)
    machine = Machine(engine)

    def nearer() -> None:
        engine.due_ns = [20]
        machine.host.receive(encode(numbered(1)))

    machine.agenda.at(5, nearer)
    machine.run()
    assert engine.rung == [20]


def test_a_timer_that_was_set_too_late_is_forgotten() -> None:
    engine = Sleeper(50, 60, 70, 80)
    machine = Machine(engine)

    def nearer() -> None:
        engine.due_ns = [20, *engine.due_ns]
        machine.host.receive(encode(numbered(1)))

    machine.agenda.at(5, nearer)
    events = machine.run()
    assert engine.rung == [20, 50, 60, 70, 80]
    assert events == 1 + len(engine.rung) + 1  # the frame, the deadlines, and the one too late


def test_a_deadline_that_is_put_off_does_not_ring_early() -> None:
    engine = Sleeper(20)
    machine = Machine(engine)

    def put_off() -> None:
        engine.due_ns = [50]
        machine.host.receive(encode(numbered(1)))

    machine.agenda.at(5, put_off)
    machine.run()
    assert engine.rung == [50]


def test_no_timer_rings_during_a_pause_and_overdue_ones_ring_at_its_end() -> None:
    engine = Sleeper(10, 20, 30, 120)
    machine = Machine(engine)
    machine.agenda.at(15, machine.host.pause)
    machine.agenda.at(100, machine.host.resume)
    machine.run()
    assert engine.rung == [10, 100, 120]


def test_a_pause_that_ends_before_a_deadline_does_not_move_it() -> None:
    engine = Sleeper(10 * MILLISECOND)
    machine = Machine(engine)
    machine.agenda.at(5, machine.host.pause)
    machine.agenda.at(6, machine.host.resume)
    machine.run()
    assert engine.rung == [10 * MILLISECOND]
