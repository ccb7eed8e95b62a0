"""Whole engines on a wire that the test turns by hand: what each promises, whatever is lost."""

import random

import pytest
from hand_cranked_lan import MS, Lan

from node.codec import encode
from node.contract import Received, Reject, Submit
from node.errors import MisuseError
from node.frames import Batch, Data, Frame, Heartbeat, Nack, Service
from node.identity import Processor
from node.lansis.engine import Agreed, Lansis
from node.limits import Limits, Timing
from node.views import regular_view

A, B, C = (Processor(number, 1) for number in range(3))
REBORN = Processor(1, 2)
STRANGER = Processor(9, 1)
LONG_NS = 2000 * MS
RULES: list[Agreed] = ["allack", "toto"]
services = pytest.mark.parametrize("service", Service, ids=lambda service: service.label)
rules = pytest.mark.parametrize("rule", RULES)


# -- a message to all


@services
@rules
def test_a_message_is_delivered_once_at_every_member(service: Service, rule: Agreed) -> None:
    lan = Lan("a", "b", "c", agreed=rule)
    lan.submit("b", service, "hello")
    lan.wait(LONG_NS, cranking=True)

    assert [lan.texts(name) for name in lan.names] == [["hello"]] * 3


@services
def test_whoever_is_alone_delivers_to_itself_at_once(service: Service) -> None:
    lan = Lan("a")
    lan.submit("a", service, "hello")

    assert lan.texts("a") == ["hello"]


def test_everything_is_delivered_in_the_view_that_was_installed() -> None:
    lan = Lan("a", "b")
    lan.submit("a", Service.AGREED, "x")
    lan.wait(LONG_NS, cranking=True)

    assert {effect.view for effect in lan.delivered["b"]} == {lan.view.id}
    assert lan.told[0] == "a installs the view of a b"


def test_a_large_message_arrives_whole() -> None:
    lan = Lan("a", "b")
    large = "0123456789" * 5000
    lan.submit("a", Service.AGREED, "before", large, "after")
    lan.wait(LONG_NS, cranking=True)

    assert lan.texts("b") == ["before", large, "after"]


# -- losses


def test_a_lost_frame_is_repaired_by_a_holder_when_its_origin_is_gone() -> None:
    lan = Lan("a", "b", "c")
    lan.submit("a", Service.CAUSAL, "last words")
    lan.hand("a1", "b")
    lan.lose("a1")
    lan.wait(MS)
    lan.hand("b1", "c")
    lan.wait(MS)
    lan.hand("c?1", "b")
    lan.wait(5 * MS)
    lan.hand("a1/b", "c")

    repair = lan.frames["a1/b"]
    assert repair.transmitter == B
    assert lan.texts("c") == ["last words"]


def test_of_many_that_miss_a_frame_one_asks_and_of_many_that_hold_it_one_answers() -> None:
    names = ("a", "b", "c", "d", "e", "f")
    lan = Lan(*names)
    for place, name in enumerate(names):
        lan.luck[name].value = place / 10
    lan.submit("a", Service.CAUSAL, "x")
    lan.hand("a1", "b", "c")
    lan.lose("a1")
    lan.wait(30 * MS, cranking=True)

    asked = [name for name in lan.frames if "?" in name]
    answered = [name for name in lan.frames if "/" in name]
    assert (len(asked), len(answered)) == (1, 1)
    assert all(lan.texts(name) == ["x"] for name in names)


def test_a_request_that_is_lost_is_made_again() -> None:
    lan = Lan("a", "b")
    lan.submit("a", Service.CAUSAL, "x")
    lan.lose("a1")
    lan.wait(10 * MS)
    lan.hand("a!1")
    lan.wait(MS)
    lan.lose("b?1")
    lan.wait(25 * MS)
    lan.hand("b?2")
    lan.wait(MS)
    lan.hand("a1/a")

    assert lan.texts("b") == ["x"]


def test_a_request_is_no_larger_than_a_datagram_may_be() -> None:
    lan = Lan("a", "b", "c", limits=Limits(datagram_bytes=576))
    for origin in (B, C):
        for counter in range(2, 129, 2):  # every second frame is lost
            frame = Data(origin, lan.view.id, origin.number, counter, 0, (), 1, ())
            lan.step("a", Received(frame))
    lan.wait(5 * MS)

    requests = [frame for frame in lan.frames.values() if isinstance(frame, Nack)]
    assert len(requests) > 1
    assert all(len(encode(frame)) <= 576 for frame in requests)
    assert sum(len(frame.wanted) for frame in requests) == 128


def test_a_frame_that_arrives_twice_is_delivered_once() -> None:
    lan = Lan("a", "b")
    lan.submit("a", Service.BASIC, "x")
    lan.hand("a1", "b")
    lan.hand("a1", "b")

    assert lan.texts("b") == ["x"]


# -- order


@rules
def test_messages_that_cross_are_delivered_in_the_same_order(rule: Agreed) -> None:
    lan = Lan("a", "b", "c", agreed=rule)
    for name in lan.names:
        lan.submit(name, Service.AGREED, f"of {name}")
    for frame, receivers in (("c1", "ab"), ("a1", "cb"), ("b1", "ca")):
        lan.hand(frame, *receivers)
    lan.wait(LONG_NS, cranking=True)

    assert lan.texts("a") == lan.texts("b") == lan.texts("c")
    assert sorted(lan.texts("a")) == ["of a", "of b", "of c"]


def test_a_safe_message_is_delivered_only_when_all_have_acknowledged_it() -> None:
    lan = Lan("a", "b", "c")
    lan.submit("a", Service.SAFE, "x")
    lan.hand("a1")
    lan.wait(MS)
    lan.hand("b1", "a")
    assert lan.texts("a") == []

    lan.hand("c1", "a")
    assert lan.texts("a") == ["x"]


def test_an_answer_is_not_delivered_before_its_question() -> None:
    lan = Lan("a", "b", "c")
    lan.submit("a", Service.CAUSAL, "question")
    lan.hand("a1", "b")
    lan.submit("b", Service.CAUSAL, "answer")
    lan.hand("b1", "c")
    assert lan.texts("c") == []

    lan.hand("a1", "c")
    assert lan.texts("c") == ["question", "answer"]


# -- what is not acted upon


def stranger_frames() -> list[tuple[str, Frame, str]]:
    view = regular_view([A, B, C])
    other = view.id + 1
    content = (Batch(Service.BASIC, (b"x",)),)
    outside = "a frame from a processor outside the view"
    return [
        ("data, other view", Data(B, other, 1, 1, 0, (), 1, content), "a frame of another view"),
        ("heartbeat, other view", Heartbeat(B, other, ((1, 1),)), "a frame of another view"),
        ("request, other view", Nack(B, other, ((0, 1, 1),)), "a frame of another view"),
        ("data, other incarnation", Data(REBORN, view.id, 1, 1, 0, (), 1, content), outside),
        ("heartbeat, other incarnation", Heartbeat(REBORN, view.id, ((1, 1),)), outside),
        ("request, other incarnation", Nack(REBORN, view.id, ((0, 1, 1),)), outside),
        ("data, stranger", Data(STRANGER, view.id, 1, 1, 0, (), 1, content), outside),
        (
            "data of a stranger",
            Data(B, view.id, 9, 1, 0, (), 1, content),
            "a frame of a processor outside the view",
        ),
        (
            "data, beyond the window",
            Data(B, view.id, 1, 129, 128, (), 1, content),
            "a frame beyond the window",
        ),
        (
            "acknowledges what cannot exist",
            Data(B, view.id, 1, 1, 0, ((0, 2),), 1, content),
            "a frame that speaks of frames that cannot exist",
        ),
        (
            "holds what cannot exist",
            Heartbeat(B, view.id, ((1, 1), (0, 2))),
            "a heartbeat that speaks of frames that cannot exist",
        ),
    ]


@pytest.mark.parametrize(
    ("frame", "reason"),
    [case[1:] for case in stranger_frames()],
    ids=[case[0] for case in stranger_frames()],
)
def test_a_frame_that_does_not_belong_here_is_rejected_and_changes_nothing(
    frame: Frame, reason: str
) -> None:
    lan = Lan("a", "b", "c")
    lan.submit("a", Service.CAUSAL, "mine")
    engine = lan.engines["a"]
    before = (engine.next_deadline(), engine.measures())

    assert lan.step("a", Received(frame)) == [Reject(reason)]
    assert (engine.next_deadline(), engine.measures()) == before
    lan.wait(10 * MS)
    assert lan.told[-1] == "at 10 ms a sends a!1: I hold up to a1 b0 c0"


def test_the_echo_of_an_own_frame_is_ignored_in_silence() -> None:
    lan = Lan("a", "b")
    lan.submit("a", Service.BASIC, "x")

    assert lan.step("a", Received(lan.frames["a1"])) == []
    assert lan.engines["a"].measures()["duplicate_frames"] == 0


# -- quiet


def test_idle_engines_send_heartbeats_and_nothing_else() -> None:
    lan = Lan("a", "b", "c")
    lan.wait(1000 * MS, cranking=True)

    assert all(isinstance(frame, Heartbeat) for frame in lan.frames.values())
    assert len(lan.frames) == 30


def test_after_traffic_the_lan_becomes_quiet_again() -> None:
    lan = Lan("a", "b", "c")
    for name in lan.names:
        lan.submit(name, Service.SAFE, "x")
    lan.wait(20 * MS, cranking=True)
    before = set(lan.frames)
    lan.wait(1000 * MS, cranking=True)

    later = [frame for name, frame in lan.frames.items() if name not in before]
    assert later
    assert all(isinstance(frame, Heartbeat) for frame in later)


# -- back-pressure


def test_after_a_refusal_the_program_is_told_once_that_there_is_room() -> None:
    lan = Lan("a", "b", limits=Limits(window_frames=1, backlog_messages=1))
    lan.submit("a", Service.CAUSAL, "goes out")
    lan.submit("a", Service.CAUSAL, "waits")
    lan.submit("a", Service.CAUSAL, "is refused")
    assert lan.told[-1] == "a refuses: too many messages are waiting to be sent"

    lan.wait(LONG_NS, cranking=True)
    assert sum("a has room again" in line for line in lan.told) == 1
    assert lan.texts("b") == ["goes out", "waits"]


def window_told(lan: Lan) -> int:
    """The size of a's window, as told when a large message fills it."""
    lan.submit("a", Service.CAUSAL, "x" * 60_000)
    (line,) = [line for line in lan.told if "a moves its flow from open to slowed" in line]
    return int(line.split()[-2])


@pytest.mark.parametrize("lost", [False, True])
def test_whoever_has_to_ask_for_a_frame_sends_more_slowly(lost: bool) -> None:
    lan = Lan("a", "b")
    for _ in range(150):  # the window grows with every frame that all follow
        lan.submit("a", Service.CAUSAL, "x")
        lan.wait(2 * MS, cranking=True)
    if lost:
        lan.submit("b", Service.BASIC, "lost")
        lan.lose(lan.on_the_wire()[-1])
        lan.wait(20 * MS, cranking=True)

    assert window_told(lan) == (13 if lost else 19)


# -- mistakes of the caller


def test_an_engine_must_be_a_member_of_its_view() -> None:
    with pytest.raises(MisuseError, match=r"processor 9\.1 is not a member of its view"):
        Lansis(STRANGER, regular_view([A, B]), "allack", Limits(), Timing(), random.Random(1))


def test_datagrams_must_have_room_for_the_acknowledgements_of_all() -> None:
    view = regular_view([Processor(number, 1) for number in range(128)])
    with pytest.raises(MisuseError, match="too small for the acknowledgements of 128 members"):
        Lansis(A, view, "allack", Limits(datagram_bytes=576), Timing(), random.Random(1))


def test_a_submission_that_can_never_be_accepted_raises_and_changes_nothing() -> None:
    lan = Lan("a", "b")
    with pytest.raises(MisuseError, match="nothing to send"):
        lan.step("a", Submit(Service.BASIC, ()))

    assert lan.on_the_wire() == []


def test_a_sender_with_a_larger_window_is_rejected_and_does_not_stop_this_node() -> None:
    lan = Lan("a", "b", "c", limits=Limits(window_frames=1))
    content = (Batch(Service.BASIC, (b"x",)),)
    rejected = []
    for counter in (1, 2, 3):
        frame = Data(Processor(1, 1), lan.view.id, 1, counter, 0, (), counter, content)
        rejected += [
            effect for effect in lan.step("a", Received(frame)) if isinstance(effect, Reject)
        ]
    assert rejected == [Reject("a frame of a sender with a larger window")]
