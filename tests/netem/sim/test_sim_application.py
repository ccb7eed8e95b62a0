"""The program on a node: every message is submitted, in time and in order, refused or not."""

import tracemalloc

import pytest
from sim_builder import MILLISECOND, Puppet, flow

from netem.sim.agenda import Agenda
from netem.sim.application import BYTES_AT_ONCE, RETRY_NS, Application, payload
from netem.sim.host import Host
from netem.workload import MAX_MESSAGE_BYTES, MAX_MESSAGES
from node.contract import Accepted, DeadlinePassed, Effect, Input, Refused, Submit, Writable
from node.identity import Processor
from node.runtime.pump import Pump
from node.runtime.trace import Trace

PLENTY = 1000


class Narrow(Puppet):
    """Takes so many messages, then refuses; makes room every so often, if at all."""

    def __init__(self, room: int = PLENTY, room_every_ns: int | None = None) -> None:
        super().__init__()
        self.room = self.size = room
        self.room_every_ns = room_every_ns
        self.taken: list[tuple[int, tuple[bytes, ...]]] = []
        self.refused = 0

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        if isinstance(event, Submit):
            if len(event.payloads) <= self.room:
                self.room -= len(event.payloads)
                self.taken.append((now_ns, event.payloads))
                return [Accepted(1)]
            self.refused += 1
            if self.room_every_ns is not None:
                self.deadline_ns = now_ns + self.room_every_ns
            return [Refused("no room")]
        if isinstance(event, DeadlinePassed):
            self.room, self.deadline_ns = self.size, None
            return [Writable()]
        return []

    @property
    def messages(self) -> list[bytes]:
        return [message for _, messages in self.taken for message in messages]


class Program:
    """An application, and the narrow engine that it submits to."""

    def __init__(self, engine: Narrow, most_at_once: int = PLENTY) -> None:
        self.agenda, self.engine, self.accepted = Agenda(), engine, list[int]()
        self.host = Host("a", self.agenda)
        self.application = Application(self.host, self.agenda, most_at_once, self.accepted.append)
        pump = Pump(
            engine,
            Processor(0, 1),
            Trace(lambda line: None),
            transmit=lambda datagram: None,
            deliver=lambda delivery: None,
            writable=self.application.writable,
        )
        self.host.boot(pump)

    def run(self) -> None:
        while self.agenda.next_time() is not None:
            self.agenda.advance()


def messages_of(name: str, count: int, size: int = 40) -> list[bytes]:
    return [payload(f"{name}/{number}", size) for number in range(count)]


# -- in time


def test_messages_are_submitted_when_they_are_due() -> None:
    program = Program(Narrow())
    program.application.begin("a", flow("a", count=3, start_ns=5, interval_ns=10))
    program.run()
    assert [time_ns for time_ns, _ in program.engine.taken] == [5, 15, 25]
    assert program.engine.messages == messages_of("a", 3)


def test_a_batch_is_submitted_as_one() -> None:
    program = Program(Narrow())
    program.application.begin("a", flow("a", count=5, interval_ns=10, batch=2))
    program.run()
    assert [(time, len(batch)) for time, batch in program.engine.taken] == [
        (0, 2),
        (10, 2),
        (20, 1),
    ]
    assert program.engine.messages == messages_of("a", 5)


def test_a_batch_larger_than_what_a_node_takes_is_submitted_in_parts() -> None:
    program = Program(Narrow(), most_at_once=4)
    program.application.begin("a", flow("a", count=10, batch=10))
    program.run()
    assert [len(batch) for _, batch in program.engine.taken] == [4, 4, 2]
    assert program.engine.messages == messages_of("a", 10)


def test_a_batch_of_large_messages_is_submitted_in_parts() -> None:
    size = BYTES_AT_ONCE // 2
    program = Program(Narrow())
    program.application.begin("a", flow("a", count=3, batch=3, size=size))
    program.run()
    assert [len(batch) for _, batch in program.engine.taken] == [2, 1]


def test_accepted_messages_are_counted() -> None:
    program = Program(Narrow(room=3))
    program.application.begin("a", flow("a", count=4, batch=2))
    assert program.application.unsubmitted == 4
    program.run()
    assert program.accepted == [2]
    assert program.application.unsubmitted == 2


# -- back-pressure


@pytest.mark.parametrize("batch", [1, 3, 4])
def test_what_was_refused_is_submitted_again_in_order_and_nothing_is_lost(batch: int) -> None:
    program = Program(Narrow(room=4, room_every_ns=7 * MILLISECOND))
    program.application.begin("a", flow("a", count=30, interval_ns=0, batch=batch))
    program.run()
    assert program.engine.refused > 0
    assert program.engine.messages == messages_of("a", 30)
    assert program.application.unsubmitted == 0


def test_a_later_flow_does_not_overtake_what_was_refused() -> None:
    program = Program(Narrow(room=2, room_every_ns=20 * MILLISECOND))
    program.application.begin(
        "a",
        flow("a", count=3, batch=3, service="safe"),
    )
    program.application.begin("b", flow("a", count=1, start_ns=MILLISECOND))
    program.engine.size = 3
    program.run()
    assert program.engine.messages == messages_of("a", 3) + messages_of("b", 1)


def test_a_refusal_is_not_asked_again_before_there_is_room() -> None:
    program = Program(Narrow(room=1, room_every_ns=50 * MILLISECOND))
    program.application.begin("a", flow("a", count=10, interval_ns=MILLISECOND))
    program.run()
    assert program.engine.refused == 9  # once for every message but the first


def test_without_room_ever_the_program_waits_in_silence() -> None:
    program = Program(Narrow(room=0))
    program.application.begin("a", flow("a", count=5))
    program.run()
    assert program.engine.refused == 1
    assert program.application.unsubmitted == 5


# -- faults of the host


def test_what_is_due_during_a_pause_follows_soon_after_it_in_order() -> None:
    program = Program(Narrow())
    end_ns = 10 * MILLISECOND + 1
    program.agenda.at(1, program.host.pause)
    program.agenda.at(end_ns, program.host.resume)
    program.application.begin("a", flow("a", count=15, interval_ns=MILLISECOND))
    program.run()
    assert program.engine.messages == messages_of("a", 15)
    late = [time_ns for time_ns, _ in program.engine.taken[1:11]]
    assert all(end_ns <= time_ns <= end_ns + RETRY_NS for time_ns in late)


def test_back_pressure_and_a_pause_together_lose_nothing() -> None:
    program = Program(Narrow(room=3, room_every_ns=2 * MILLISECOND))
    program.agenda.at(1, program.host.pause)
    program.agenda.at(9 * MILLISECOND, program.host.resume)
    program.application.begin("a", flow("a", count=30, interval_ns=MILLISECOND // 2))
    program.run()
    assert program.engine.messages == messages_of("a", 30)


def test_the_program_dies_with_its_host() -> None:
    program = Program(Narrow())
    program.agenda.at(2 * MILLISECOND + 1, program.host.kill)
    program.application.begin("a", flow("a", count=10, interval_ns=MILLISECOND))
    program.run()
    assert program.engine.messages == messages_of("a", 3)
    assert program.application.unsubmitted == 7


# -- contents


@pytest.mark.parametrize("size", [1, 7, 40, 5000])
def test_contents_have_their_size(size: int) -> None:
    assert len(payload("a/0/17", size)) == size


def test_contents_tell_messages_apart() -> None:
    labels = [
        f"{node}/{flow}/{number}" for node in "ab" for flow in range(12) for number in range(120)
    ]
    assert len({payload(label, 16) for label in labels}) == len(labels)


def test_a_workload_may_be_larger_than_memory() -> None:
    """Ten million messages of 16 MiB are due at once; no more are made than the node is offered."""
    count, size = MAX_MESSAGES, MAX_MESSAGE_BYTES
    program = Program(Narrow(room=2))
    program.application.begin("a", flow("a", count=count, size=size, interval_ns=0, batch=count))
    tracemalloc.start()
    try:
        program.run()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert program.engine.taken
    assert peak < 8 * BYTES_AT_ONCE
    assert program.application.unsubmitted == count - 2
