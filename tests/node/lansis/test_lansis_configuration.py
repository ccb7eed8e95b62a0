"""One configuration: what is taken in, what is refused and why, what is kept and let go."""

import pytest
from lansis_samples import MS, VIEW, A, B, C, Chance, agreed, basic, causal, data

from node.contract import Deliver
from node.frames import Content, Data, Fragment, Service
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures
from node.lansis.order.allack import AllAck
from node.limits import Limits, Timing
from node.views import View, regular_view

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


# -- taking frames in


def test_a_frame_is_taken_in_and_delivered() -> None:
    member = Member()

    assert member.accept(data(B, 1, causal("x"))) is None
    assert member.texts == ["x"]
    assert member.holds() == (0, 1, 0)


def test_a_duplicate_is_counted_and_delivers_nothing() -> None:
    member = Member()
    member.accept(data(B, 1, causal("x"), basic("y")))

    assert member.accept(data(B, 1, causal("x"), basic("y"))) is None
    assert member.texts == ["y", "x"]
    assert member.measures.duplicate_frames == 1


def test_a_duplicate_of_a_waiting_frame_is_one_too() -> None:
    member = Member()
    member.accept(data(B, 2, basic("x")))

    assert member.accept(data(B, 2, basic("x"))) is None
    assert member.texts == ["x"]
    assert member.measures.duplicate_frames == 1


def test_a_frame_waits_for_what_it_follows_and_that_is_asked_for() -> None:
    member = Member()
    member.accept(data(C, 1, causal("answer"), acks=((B, 2),)))

    assert member.texts == []
    assert member.wanted() == ((B.number, 1, 2),)

    member.accept(data(B, 1, causal("hello")))
    member.accept(data(B, 2, causal("question")))
    assert member.texts == ["hello", "question", "answer"]


def test_a_frame_that_arrived_is_not_asked_for_any_more() -> None:
    member = Member()
    member.accept(data(B, 3))
    member.accept(data(B, 1))

    assert member.wanted() == ((B.number, 2, 2),)

    member.accept(data(B, 2))
    assert member.wanted(10 * LONG_NS) == ()
    assert member.configuration.next_due() is None


def test_no_more_ranges_are_asked_for_at_once_than_allowed() -> None:
    member = Member()
    for counter in (2, 4, 6):
        member.accept(data(B, counter))

    assert member.configuration.wanted(LONG_NS, 2) == ((B.number, 1, 1), (B.number, 3, 3))


def test_counters_go_on_from_what_the_view_expects() -> None:
    view = regular_view([A, B, C], [5, 7, 1])
    member = Member(view)

    assert member.accept(data(B, 7, causal("x"), held=6, view=view)) is None
    assert member.texts == ["x"]
    assert member.send(causal("y")).counter == 5


# -- what is refused, and why


def test_a_frame_of_an_origin_outside_the_view_is_refused() -> None:
    stranger = data(Processor(99, 1), 1, causal("x"), by=B)

    assert Member().accept(stranger) == "a frame of a processor outside the view"


def test_a_frame_further_ahead_than_a_sender_may_be_is_refused() -> None:
    member = Member()

    assert member.accept(data(B, LIMITS.unheld_frames)) is None
    assert member.accept(data(B, LIMITS.unheld_frames + 1)) == "a frame beyond the window"


def test_the_window_of_a_sender_moves_on_with_what_is_in_the_graph() -> None:
    member = Member()
    member.accept(data(B, 1))
    member.hear(C, (B, 1))

    assert member.accept(data(B, LIMITS.unheld_frames + 1, held=1)) is None


def test_an_own_frame_that_was_never_sent_is_refused() -> None:
    member = Member()
    member.send(causal("1"))

    assert member.accept(data(A, 2, causal("2"), by=B)) == "a frame beyond the window"
    assert member.texts == ["1"]


@pytest.mark.parametrize(
    "acks",
    [((A, 1),), ((C, LIMITS.unheld_frames + 1),), ((Processor(99, 1), 1),)],
    ids=["own, never sent", "too far ahead", "of a stranger"],
)
def test_acknowledgements_of_frames_that_cannot_exist_are_refused(
    acks: tuple[tuple[Processor, int], ...],
) -> None:
    member = Member()

    assert member.accept(data(B, 1, basic("x"), acks=acks)) == (
        "a frame that speaks of frames that cannot exist"
    )
    assert member.texts == []
    assert member.wanted() == ()


def test_a_frame_that_says_we_hold_what_we_do_not_is_refused() -> None:
    assert Member().accept(data(B, 3, held=1)) == "a frame that speaks of frames that cannot exist"


def test_a_piece_of_a_message_that_is_too_large_is_refused() -> None:
    member = Member()
    most = LIMITS.message_bytes

    assert member.accept(data(B, 1, Fragment(Service.CAUSAL, most, 0, b"x"))) is None
    assert member.accept(data(C, 1, Fragment(Service.CAUSAL, most + 1, 0, b"x"))) == (
        "a message larger than allowed"
    )


def test_a_frame_that_was_refused_is_still_missing() -> None:
    member = Member()
    member.accept(data(B, 2))
    member.accept(data(B, 1, acks=((A, 9),)))

    assert member.wanted() == ((B.number, 1, 1),)


@pytest.mark.parametrize(
    "holds",
    [((A, 1),), ((B, LIMITS.unheld_frames + 1),), ((C, 1), (Processor(99, 1), 0))],
    ids=["own, never sent", "too far ahead", "of a stranger"],
)
def test_a_heartbeat_about_frames_that_cannot_exist_is_refused_as_a_whole(
    holds: tuple[tuple[Processor, int], ...],
) -> None:
    member = Member()

    assert member.hear(B, *holds) == "a heartbeat that speaks of frames that cannot exist"
    assert member.wanted() == ()


def test_a_request_for_frames_of_a_stranger_is_refused() -> None:
    assert Member().asked(Processor(99, 1), 1, 1) == (
        "a request for frames of a processor outside the view"
    )


# -- own frames


def test_an_own_frame_is_delivered_here_at_once() -> None:
    member = Member()
    frame = member.send(causal("mine"), first=4)

    assert (frame.transmitter, frame.origin, frame.counter) == (A, A.number, 1)
    assert (frame.view, frame.first, frame.content) == (VIEW.id, 4, (causal("mine"),))
    assert member.texts == ["mine"]


def test_an_own_frame_acknowledges_the_leaves_and_pays_what_is_owed() -> None:
    member = Member()
    member.accept(data(B, 1, causal("x")))
    member.accept(data(C, 1, causal("y"), acks=((B, 1),)))
    assert (member.configuration.owed, member.configuration.acknowledgements()) == (2, 1)

    assert member.send().acks == ((C.number, 1),)
    assert (member.configuration.owed, member.configuration.acknowledgements()) == (0, 0)
    assert member.send().acks == ()


def test_nothing_is_owed_for_acknowledgements_own_frames_and_frames_that_wait() -> None:
    member = Member()
    member.accept(data(B, 1))
    member.send(causal("mine"))
    member.accept(data(C, 2, causal("early")))

    assert member.configuration.owed == 0


def test_an_own_frame_says_up_to_where_all_hold_what_we_sent() -> None:
    member = Member()
    member.send(causal("1"))
    member.send(causal("2"), first=2)
    member.hear(B, (A, 2))
    member.hear(C, (A, 1))

    assert member.send(causal("3"), first=3).held == 1


# -- heartbeats


def test_a_heartbeat_reveals_that_a_last_frame_was_lost() -> None:
    member = Member()
    member.accept(data(B, 1))

    assert member.hear(B, (A, 0), (B, 3), (C, 0)) is None
    assert member.wanted() == ((B.number, 2, 3),)


def test_a_third_members_heartbeat_reveals_it_as_well() -> None:
    member = Member()
    member.hear(C, (B, 1))

    assert member.wanted() == ((B.number, 1, 1),)


def test_own_frames_leave_the_buffer_when_all_say_that_they_hold_them() -> None:
    member = Member()
    member.send(causal("x"))
    member.hear(B, (A, 1))
    assert member.configuration.own_unheld == 1

    member.hear(C, (A, 1))
    assert member.configuration.own_unheld == 0


def test_own_frames_leave_the_buffer_when_frames_of_all_follow_them() -> None:
    member = Member()
    member.send(causal("x"))
    member.accept(data(B, 1, acks=((A, 1),)))
    assert (member.configuration.own_unheld, member.configuration.own_in_flight) == (1, 1)

    member.accept(data(C, 1, acks=((B, 1),)))
    assert (member.configuration.own_unheld, member.configuration.own_in_flight) == (0, 0)


def test_heartbeats_alone_release_buffers_but_not_the_window() -> None:
    member = Member()
    member.send(agreed("x"))
    member.hear(B, (A, 1))
    member.hear(C, (A, 1))

    assert member.configuration.own_in_flight == 1
    assert member.texts == []


def test_the_window_holds_the_payload_of_all_until_all_follow_it() -> None:
    member = Member()
    member.accept(data(B, 1, causal("x")))
    member.accept(data(C, 1, acks=((B, 1),)))
    assert member.configuration.load == 1

    member.send()
    assert member.configuration.load == 0


# -- answering requests


@pytest.mark.parametrize("counter", [1, 3], ids=["in the graph", "waiting"])
def test_a_request_is_answered_with_a_frame_of_somebody_else(counter: int) -> None:
    member = Member()
    member.accept(data(B, 1, causal("x")))
    member.accept(data(B, 3, causal("z"), first=3))
    member.asked(B, counter, counter)

    (frame,) = member.configuration.repairs(LONG_NS)
    assert (frame.transmitter, frame.origin, frame.counter) == (A, B.number, counter)
    assert member.configuration.repairs(2 * LONG_NS) == []


def test_an_own_frame_is_sent_again_just_as_it_was() -> None:
    member = Member()
    sent = member.send(causal("x"))
    member.asked(A, 1, 1)

    assert member.configuration.repairs(LONG_NS) == [sent]


def test_the_origin_answers_sooner_than_another_holder() -> None:
    origin, holder = Member(), Member()
    origin.send(causal("x"))
    origin.asked(A, 1, 1)
    holder.accept(data(B, 1, causal("x")))
    holder.asked(B, 1, 1)

    assert origin.configuration.next_due() == TIMING.repair_ns // 2
    assert holder.configuration.next_due() == TIMING.repair_ns * 5 // 2


@pytest.mark.parametrize("by", [B, C], ids=["by the origin", "by another holder"])
def test_hearing_the_frame_again_makes_an_answer_unnecessary(by: Processor) -> None:
    member = Member()
    member.accept(data(B, 1, causal("x")))
    member.asked(B, 1, 1)
    member.accept(data(B, 1, causal("x"), by=by), now_ns=MS)

    assert member.repaired() == []


def test_who_got_the_frame_by_a_repair_does_not_repair_it_right_away() -> None:
    member = Member()
    member.accept(data(B, 1, causal("x"), by=C))
    member.asked(B, 1, 1, now_ns=MS)

    assert member.repaired() == []


def test_who_misses_the_frame_too_waits_as_if_it_had_asked() -> None:
    member = Member()
    member.asked(B, 1, 2)

    assert member.wanted(TIMING.nack_ns) == ()
    assert member.wanted(TIMING.nack_again_ns) == ((B.number, 1, 2),)


def test_a_request_for_what_all_hold_is_not_answered() -> None:
    member = Member()
    member.accept(data(B, 1))
    member.asked(B, 1, 1)
    member.hear(C, (B, 1))
    member.asked(B, 1, 1)

    assert member.repaired() == []
    assert member.configuration.next_due() is None


def test_a_request_shrinks_the_window_like_any_loss() -> None:
    member = Member()
    member.configuration.flow.size = 10.0
    member.asked(B, 1, 1)

    assert member.configuration.flow.size == 7.0
