"""When to transmit what: payload, acknowledgements, heartbeats; and what the application feels."""

import pytest
from lansis_samples import MS, VIEW, A, B, C, Chance, agreed, basic, causal, data, safe

from node.codec import encode
from node.contract import Broadcast, Deliver, Effect, Submit, Transition
from node.frames import Data, Frame, Heartbeat, Service
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures
from node.lansis.order.allack import AllAck
from node.lansis.sending import Sending
from node.limits import Limits, Timing

TIMING = Timing()
LIMITS = Limits(window_frames=8)
FULL = "x" * 1423  # fills a frame of 1472 bytes
IDLE_MS = [100, 200, 300, 400]


class Sender:
    """A's sending side, with the configuration it sends into."""

    def __init__(self, limits: Limits = LIMITS, timing: Timing = TIMING, chance: float = 0.5):
        randomness = Chance(chance)
        self.measures = Measures()
        self.sending = Sending(A, limits, timing, randomness, self.measures)
        self.configuration = Configuration(
            A, VIEW, AllAck, limits, timing, randomness, self.measures
        )
        self.effects: list[Effect] = []
        self.sending.start(0)

    def submit(
        self, *texts: str, now_ns: int = 0, service: Service = Service.CAUSAL
    ) -> list[Frame]:
        payloads = tuple(text.encode() for text in texts)
        self.answer = self.sending.submit(Submit(service, payloads), now_ns)
        return self.wake(now_ns)

    def receive(self, *frames: Data, now_ns: int = 0) -> list[Frame]:
        for frame in frames:
            assert self.configuration.accept(frame, now_ns, []) is None
        return self.wake(now_ns)

    def hear(self, who: Processor, own: int, now_ns: int = 0) -> list[Frame]:
        """A heartbeat: `who` holds A's frames up to this one."""
        assert self.configuration.hear(who.number, ((A.number, own),), now_ns) is None
        return self.wake(now_ns)

    def wake(self, now_ns: int) -> list[Frame]:
        """Time to transmit; returns what went on the wire."""
        self.effects = []
        deliveries: list[Deliver] = []
        self.sending.transmit(self.configuration, now_ns, self.effects, deliveries)
        return [effect.frame for effect in self.effects if isinstance(effect, Broadcast)]

    def due_ns(self) -> int | None:
        return self.sending.deadlines.earliest()

    def transitions(self) -> list[tuple[str, str]]:
        moved = [effect for effect in self.effects if isinstance(effect, Transition)]
        assert all(effect.machine == "flow" for effect in moved)
        return [(effect.before, effect.after) for effect in moved]


def contents(frames: list[Frame]) -> list[tuple[object, ...]]:
    return [frame.content for frame in frames if isinstance(frame, Data)]


def busy_sender(timing: Timing = TIMING) -> Sender:
    """One that has two payload frames in flight."""
    sender = Sender(timing=timing)
    sender.submit("one")
    sender.submit("two")
    return sender


def blocked_sender() -> Sender:
    """One that has filled the window."""
    sender = Sender()
    sender.submit(*[FULL] * 9)
    now_ns = 0
    while sender.configuration.load < LIMITS.window_frames:
        now_ns += TIMING.slowest_ns
        sender.wake(now_ns)
    return sender


# -- payload


def test_an_idle_senders_message_goes_out_at_once() -> None:
    assert contents(Sender().submit("x")) == [(causal("x"),)]


def test_messages_that_are_submitted_together_share_a_frame() -> None:
    assert contents(Sender().submit("x", "y", "z")) == [(causal("x", "y", "z"),)]


def test_a_busy_sender_waits_for_its_frame_to_fill() -> None:
    sender = busy_sender()
    assert sender.submit("three", now_ns=MS) == []
    assert sender.submit("four", now_ns=MS + 7) == []
    assert sender.due_ns() == MS + TIMING.pack_ns

    assert sender.wake(MS + TIMING.pack_ns - 1) == []
    assert contents(sender.wake(MS + TIMING.pack_ns)) == [(causal("three", "four"),)]


def test_a_busy_sender_does_not_wait_when_its_frame_is_full() -> None:
    sender = busy_sender()
    sender.submit("three", now_ns=MS)

    assert len(sender.submit(FULL, now_ns=MS)) == 1


def test_a_sender_that_is_not_busy_any_more_waits_no_longer() -> None:
    sender = busy_sender()
    assert sender.submit("three", now_ns=MS) == []
    sent = sender.receive(data(B, 1, acks=((A, 2),)), data(C, 1, acks=((A, 2),)), now_ns=MS)

    assert contents(sent) == [(causal("three"),)]


def test_with_packing_switched_off_every_message_has_its_frame() -> None:
    sender = Sender(limits=Limits(messages_per_frame=1))

    assert contents(sender.submit("x", "y", "z")) == [
        (causal("x"),),
        (causal("y"),),
        (causal("z"),),
    ]


def test_no_frame_is_larger_than_a_datagram_may_be() -> None:
    sender = Sender(limits=Limits(datagram_bytes=600))
    sender.receive(data(B, 1, causal("x")), data(C, 1, causal("y")))
    sent = sender.submit("z" * 1500)

    assert len(sent) >= 2
    assert max(len(encode(frame)) for frame in sent) == 600


def test_services_may_share_a_frame_in_their_order() -> None:
    sender = busy_sender()
    for service, text in zip(Service, "1234", strict=True):
        sender.submit(text, service=service, now_ns=MS)

    assert contents(sender.wake(MS + TIMING.pack_ns)) == [
        (basic("1"), causal("2"), agreed("3"), safe("4"))
    ]


def test_beyond_half_a_window_payload_is_delayed_and_at_a_full_one_blocked() -> None:
    sender = Sender()
    assert len(sender.submit(*[FULL] * 9)) == 5
    assert sender.transitions() == [("open", "slowed")]
    assert sender.due_ns() == TIMING.slowest_ns // 4

    blocked = blocked_sender()
    assert blocked.transitions() == [("slowed", "blocked")]
    assert contents(blocked.wake(90 * MS)) == []


def test_a_blocked_sender_goes_on_when_all_have_acknowledged() -> None:
    sender = blocked_sender()
    sender.receive(data(B, 1, acks=((A, 8),)), now_ns=90 * MS)
    assert sender.transitions() == []

    sent = sender.receive(data(C, 1, acks=((A, 8),)), now_ns=90 * MS)
    assert contents(sent)
    assert sender.transitions() == [("blocked", "open")]


# -- acknowledgements


def test_payload_of_others_is_acknowledged_after_a_wait() -> None:
    sender = Sender()
    assert sender.receive(data(B, 1, causal("x")), now_ns=7) == []
    assert sender.due_ns() == 7 + TIMING.acknowledge_ns

    assert sender.wake(6 + TIMING.acknowledge_ns) == []
    (sent,) = sender.wake(7 + TIMING.acknowledge_ns)
    assert isinstance(sent, Data)
    assert (sent.acks, sent.content) == (((B.number, 1),), ())


def test_later_payload_does_not_put_the_acknowledgement_off() -> None:
    sender = Sender(limits=Limits(window_frames=64))
    sender.receive(data(B, 1, causal("x")), now_ns=0)
    sender.receive(data(B, 2, causal("y"), first=2), now_ns=MS // 2)

    assert sender.due_ns() == TIMING.acknowledge_ns


def test_one_acknowledgement_is_enough() -> None:
    sender = Sender()
    sender.receive(data(B, 1, causal("x")))
    sender.wake(TIMING.acknowledge_ns)

    assert sender.wake(TIMING.acknowledge_ns + MS) == []


def test_acknowledgements_are_never_acknowledged_for_their_own_sake() -> None:
    sender = Sender()
    sender.receive(data(B, 1), data(C, 1, acks=((B, 1),)))

    assert sender.due_ns() == TIMING.heartbeat_ns


def test_a_frame_that_waits_for_others_is_not_acknowledged_yet() -> None:
    sender = Sender()
    sender.receive(data(B, 2, causal("y")))

    assert sender.due_ns() == TIMING.heartbeat_ns


def test_a_quarter_of_a_window_is_acknowledged_at_once() -> None:
    sender = Sender()
    assert sender.receive(data(B, 1, causal("x"))) == []

    (sent,) = sender.receive(data(C, 1, causal("y")))
    assert isinstance(sent, Data)
    assert sent.acks == ((B.number, 1), (C.number, 1))


def test_a_payload_frame_takes_the_place_of_an_acknowledgement() -> None:
    sender = Sender()
    sender.receive(data(B, 1, causal("x")))
    (sent,) = sender.submit("y", now_ns=10)
    assert isinstance(sent, Data)
    assert sent.acks == ((B.number, 1),)

    assert sender.wake(2 * TIMING.acknowledge_ns) == []
    assert sender.measures.acknowledgement_frames == 0


def test_after_payload_took_its_place_the_next_acknowledgement_waits_its_full_time() -> None:
    sender = Sender()
    sender.receive(data(B, 1, causal("x")))
    sender.submit("y", now_ns=MS // 2)
    sender.receive(data(B, 2, causal("z"), first=2, acks=((A, 1),)), now_ns=MS * 3 // 4)

    assert sender.due_ns() == MS * 3 // 4 + TIMING.acknowledge_ns


def test_payload_that_waits_to_be_packed_goes_along_when_an_acknowledgement_must() -> None:
    sender = busy_sender(Timing(pack_ns=5 * MS))
    sender.submit("three")
    sender.receive(data(B, 1, causal("x")))

    (sent,) = sender.wake(TIMING.acknowledge_ns)
    assert isinstance(sent, Data)
    assert (sent.acks, sent.content) == (((B.number, 1),), (causal("three"),))


def test_a_blocked_sender_still_acknowledges() -> None:
    sender = blocked_sender()
    now_ns = 40 * MS
    sender.receive(data(B, 1, causal("x")), now_ns=now_ns)
    sent = sender.wake(now_ns + TIMING.acknowledge_ns)

    assert contents(sent) == [()]


def test_with_too_many_frames_not_held_by_all_even_acknowledgements_wait() -> None:
    sender = Sender(limits=Limits(window_frames=1))
    sender.submit("payload")
    sender.receive(data(B, 1, causal("x")))
    sender.receive(data(B, 2, causal("y"), first=2, acks=((A, 1),)))
    assert sender.configuration.own_unheld == 2
    assert sender.due_ns() == TIMING.heartbeat_soon_ns

    sender.hear(B, 2, now_ns=MS)
    (sent,) = sender.hear(C, 2, now_ns=MS)
    assert isinstance(sent, Data)
    assert sent.acks == ((B.number, 2),)


# -- heartbeats


def heartbeat_times(sender: Sender, count: int) -> list[float]:
    """When the next heartbeats go out, in ms; nothing else may."""
    times: list[float] = []
    while len(times) < count:
        due_ns = sender.due_ns()
        assert due_ns is not None
        sent = sender.wake(due_ns)
        assert all(isinstance(frame, Heartbeat) for frame in sent)
        times += [due_ns / MS] * len(sent)
    return times


def test_an_idle_node_sends_heartbeats_and_nothing_else() -> None:
    assert heartbeat_times(Sender(), 4) == IDLE_MS


def test_after_activity_heartbeats_come_soon_and_then_ever_more_seldom() -> None:
    sender = Sender()
    sender.submit("x")

    assert heartbeat_times(sender, 6) == [10, 30, 70, 150, 250, 350]


def test_an_acknowledgement_is_activity_too() -> None:
    sender = Sender()
    sender.receive(data(B, 1, causal("x")))
    sender.wake(MS)

    assert heartbeat_times(sender, 2) == [11, 31]


def test_what_others_send_does_not_change_when_heartbeats_come() -> None:
    sender = Sender()
    sender.receive(data(B, 1), now_ns=50 * MS)

    assert heartbeat_times(sender, 2) == [100, 200]


@pytest.mark.parametrize(("chance", "times"), [(0.0, [90, 180]), (0.75, [105, 210])])
def test_heartbeats_are_spread_by_a_tenth(chance: float, times: list[float]) -> None:
    assert heartbeat_times(Sender(chance=chance), 2) == pytest.approx(times)


def test_a_heartbeat_says_what_its_sender_holds() -> None:
    sender = Sender()
    sender.receive(data(B, 1), data(B, 2), data(C, 2))
    (sent,) = sender.wake(TIMING.heartbeat_ns)

    assert sent == Heartbeat(A, VIEW.id, ((A.number, 0), (B.number, 2), (C.number, 0)))
