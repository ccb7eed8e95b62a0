"""The pump: what comes in reaches the engine, what comes out reaches wire, program and trace."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from node.codec import decode, encode
from node.contract import (
    Accepted,
    Broadcast,
    DeadlinePassed,
    Deliver,
    Effect,
    Input,
    InstallView,
    Received,
    Refused,
    Reject,
    Started,
    Submit,
    Transition,
    Writable,
)
from node.errors import MisuseError
from node.frames import Batch, Content, Data, Fragment, Frame, Heartbeat, Service
from node.identity import Processor
from node.runtime.pump import Pump
from node.runtime.trace import Trace
from node.views import regular_view

A, B = Processor(10, 1), Processor(20, 2)
VIEW = regular_view([A, B])
TWO = Batch(Service.CAUSAL, (b"x", b"yy"))
HALF = Fragment(Service.CAUSAL, 9, 0, b"half")
DELIVERY = Deliver(B, 4, Service.CAUSAL, (b"x", b"yy"), VIEW.id, 1)
HEARTBEAT = Heartbeat(B, VIEW.id, ((20, 3),))


@dataclass
class Scripted:
    """An engine that notes its inputs and gives the effects it was told to give."""

    effects: list[Effect] = field(default_factory=list)
    inputs: list[tuple[Input, int]] = field(default_factory=list)
    deadline_ns: int | None = None

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        self.inputs.append((event, now_ns))
        return self.effects

    def next_deadline(self) -> int | None:
        return self.deadline_ns

    def measures(self) -> dict[str, int]:
        return {"repairs": 3}


class Bench:
    """A pump of A around a scripted engine, and everything that comes out of it."""

    def __init__(self, *effects: Effect, receipts: bool = False, domain: int = 0) -> None:
        self.engine = Scripted([InstallView(VIEW)])
        self.lines: list[bytes] = []
        self.happened: list[object] = []
        self.pump = Pump(
            self.engine,
            A,
            Trace(self.lines.append),
            transmit=self.happened.append,
            deliver=self.happened.append,
            writable=lambda: self.happened.append("writable"),
            domain=domain,
            receipts=receipts,
        )
        self.pump.start(0)
        self.lines.clear()
        self.engine.inputs.clear()
        self.engine.effects = list(effects)

    def receive(self, frame: Frame) -> None:
        self.pump.receive(encode(frame), 5)

    def trace(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    def kinds(self) -> list[str]:
        return [record["e"] for record in self.trace()]


def data(origin: Processor, *content: Content, by: Processor | None = None) -> Data:
    return Data(by or origin, VIEW.id, origin.number, 6, 4, (), 4, content)


# -- inputs


def test_the_first_input_is_the_start() -> None:
    engine = Scripted()
    Pump(engine, A, Trace(print), transmit=print, deliver=print, writable=print).start(3)

    assert engine.inputs == [(Started(), 3)]


def test_a_datagram_becomes_a_frame_for_the_engine() -> None:
    bench = Bench()
    bench.receive(HEARTBEAT)

    assert bench.engine.inputs == [(Received(HEARTBEAT), 5)]
    assert bench.trace() == []


def test_a_deadline_becomes_an_input() -> None:
    bench = Bench()
    bench.engine.deadline_ns = 77

    assert bench.pump.next_deadline() == 77
    bench.pump.deadline_passed(77)
    assert bench.engine.inputs == [(DeadlinePassed(), 77)]


@pytest.mark.parametrize(
    ("datagram", "reason"),
    [
        (b"", "shorter than a header"),
        (b"not one of ours, but long enough", "not a Transis frame"),
        (encode(HEARTBEAT)[:-1], "says 36 bytes, has 35"),
        (encode(HEARTBEAT)[:-1] + b"?", "checksum mismatch"),
        (encode(HEARTBEAT, domain=7), "domain 7, expected 0"),
    ],
    ids=["empty", "foreign", "cut off", "damaged", "other domain"],
)
def test_a_malformed_datagram_becomes_a_reject_record_and_nothing_else(
    datagram: bytes, reason: str
) -> None:
    bench = Bench(receipts=True)
    bench.pump.receive(datagram, 5)

    assert bench.trace() == [{"e": "reject", "t": 5, "reason": reason, "count": 1}]
    assert bench.engine.inputs == []
    assert bench.happened == []


# -- effects


def test_a_broadcast_goes_on_the_wire_with_the_domain() -> None:
    bench = Bench(Broadcast(HEARTBEAT), domain=7)
    bench.pump.deadline_passed(5)

    (datagram,) = bench.happened
    assert isinstance(datagram, bytes)
    assert decode(datagram, 7) == HEARTBEAT
    assert bench.trace() == []


def test_a_delivery_goes_to_the_trace_and_to_the_program() -> None:
    bench = Bench(DELIVERY)
    bench.receive(HEARTBEAT)

    assert bench.happened == [DELIVERY]
    (record,) = bench.trace()
    assert (record["e"], record["t"], record["from"], record["first"]) == ("deliver", 5, [20, 2], 4)


def test_a_delivery_is_in_the_trace_before_the_program_has_it() -> None:
    bench = Bench(DELIVERY)
    seen: list[int] = []
    pump = Pump(
        bench.engine,
        A,
        Trace(bench.lines.append),
        transmit=print,
        deliver=lambda _: seen.append(len(bench.lines)),
        writable=print,
    )
    pump.deadline_passed(5)

    assert seen == [1]


def test_a_view_a_transition_and_a_reject_go_to_the_trace() -> None:
    moved = Transition("flow", "open", "slowed", "why")
    bench = Bench(InstallView(VIEW), moved, Reject("no"))
    bench.pump.deadline_passed(5)

    assert bench.kinds() == ["view", "transition", "reject"]
    assert bench.happened == []


def test_room_is_announced_to_the_program_and_not_traced() -> None:
    bench = Bench(Writable())
    bench.pump.deadline_passed(5)

    assert bench.happened == ["writable"]
    assert bench.trace() == []


def test_effects_are_performed_in_their_order() -> None:
    bench = Bench(Broadcast(HEARTBEAT), DELIVERY, Writable())
    bench.pump.deadline_passed(5)

    assert bench.happened == [encode(HEARTBEAT), DELIVERY, "writable"]


def test_the_stop_record_carries_the_measures() -> None:
    bench = Bench()
    bench.pump.stop("end", 9)

    assert bench.trace() == [{"e": "stop", "t": 9, "reason": "end", "measures": {"repairs": 3}}]


# -- submissions


def test_an_accepted_submission_is_traced_before_what_it_causes() -> None:
    bench = Bench(Accepted(4), DELIVERY)

    assert bench.pump.submit(Service.CAUSAL, (b"x", b"yy"), 5) == Accepted(4)
    assert bench.engine.inputs == [(Submit(Service.CAUSAL, (b"x", b"yy")), 5)]
    assert bench.kinds() == ["send", "deliver"]
    assert (bench.trace()[0]["first"], bench.trace()[0]["sizes"]) == (4, [1, 2])


def test_a_refused_submission_is_traced_as_such() -> None:
    bench = Bench(Refused("full"), Writable())

    assert bench.pump.submit(Service.CAUSAL, (b"x", b"yy"), 5) == Refused("full")
    assert bench.trace() == [{"e": "refuse", "t": 5, "reason": "full", "count": 2}]
    assert bench.happened == ["writable"]


@pytest.mark.parametrize("effects", [(DELIVERY,), (Writable(), Accepted(1))])
def test_an_engine_must_answer_a_submission_first(effects: tuple[Effect, ...]) -> None:
    with pytest.raises(AssertionError, match="answers a submission first"):
        Bench(*effects).pump.submit(Service.CAUSAL, (b"x",), 5)


def test_an_engine_must_not_answer_what_was_not_asked() -> None:
    with pytest.raises(AssertionError, match="an effect that answers nothing"):
        Bench(Accepted(1)).pump.deadline_passed(5)


def test_the_callers_mistake_reaches_the_caller_and_sends_nothing() -> None:
    bench = Bench()

    def refuse(event: Input, now_ns: int) -> list[Effect]:
        raise MisuseError("never")

    bench.engine.step = refuse  # type: ignore[method-assign]
    with pytest.raises(MisuseError, match="never"):
        bench.pump.submit(Service.CAUSAL, (b"x",), 5)

    assert "send" not in bench.kinds()
    assert bench.happened == []


# -- receipts


def test_a_received_frame_leaves_a_receipt_before_what_it_causes() -> None:
    bench = Bench(DELIVERY, receipts=True)
    bench.receive(data(B, TWO))

    assert bench.kinds() == ["receive", "deliver"]
    assert bench.trace()[0] == {
        "e": "receive",
        "t": 5,
        "from": [20, 2],
        "counter": 6,
        "first": 4,
        "last": 5,
    }


def test_a_repair_leaves_a_receipt_in_the_name_of_its_origin() -> None:
    bench = Bench(receipts=True)
    bench.receive(data(A, TWO, by=B))

    assert bench.trace()[0]["from"] == [10, 1]


def test_an_own_frame_leaves_a_receipt_when_it_is_sent() -> None:
    bench = Bench(Accepted(4), Broadcast(data(A, TWO)), receipts=True)
    bench.pump.submit(Service.CAUSAL, (b"x", b"yy"), 5)

    assert bench.kinds() == ["send", "receive"]
    assert bench.trace()[1]["from"] == [10, 1]


def test_repairing_a_frame_of_somebody_else_leaves_no_receipt() -> None:
    bench = Bench(Broadcast(data(B, TWO, by=A)), receipts=True)
    bench.pump.deadline_passed(5)

    assert bench.trace() == []


@pytest.mark.parametrize(
    "frame", [data(B), data(B, HALF), HEARTBEAT], ids=["no content", "no end", "no data"]
)
def test_a_frame_that_ends_no_message_leaves_no_receipt(frame: Frame) -> None:
    bench = Bench(receipts=True)
    bench.receive(frame)

    assert bench.trace() == []


def test_a_rejected_frame_leaves_no_receipt() -> None:
    bench = Bench(Reject("foreign"), receipts=True)
    bench.receive(data(B, TWO))

    assert bench.kinds() == ["reject"]


def test_without_being_asked_for_there_are_no_receipts() -> None:
    bench = Bench(Broadcast(data(A, TWO)), receipts=False)
    bench.receive(data(B, TWO))

    assert bench.trace() == []


def test_a_program_may_submit_while_it_is_being_delivered_to() -> None:
    """What its message leads to comes after what is left of the present step."""
    first = Deliver(B, 1, Service.CAUSAL, (b"question",), VIEW.id, 1)
    second = Deliver(B, 2, Service.CAUSAL, (b"more",), VIEW.id, 1)
    answer = Deliver(A, 1, Service.CAUSAL, (b"answer",), VIEW.id, 1)

    class Answering:
        def step(self, event: Input, now_ns: int) -> list[Effect]:
            return [Accepted(1), answer] if isinstance(event, Submit) else [first, second]

        def next_deadline(self) -> int | None:
            return None

        def measures(self) -> dict[str, int]:
            return {}

    seen: list[bytes] = []

    def deliver(delivery: Deliver) -> None:
        seen.extend(delivery.payloads)
        if delivery is first:
            assert pump.submit(Service.CAUSAL, (b"answer",), 0) == Accepted(1)

    lines: list[bytes] = []
    ignore = lines.clear
    pump = Pump(Answering(), A, Trace(lines.append), lambda _: None, deliver, ignore)
    pump.deadline_passed(0)
    assert seen == [b"question", b"more", b"answer"]
    assert [json.loads(line)["e"] for line in lines] == ["deliver", "send", "deliver", "deliver"]
