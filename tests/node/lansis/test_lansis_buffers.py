"""One configuration: what is kept for the others, what is let go, and who is answered."""

import pytest
from lansis_member import LONG_NS, TIMING, Member
from lansis_samples import MS, A, B, C, agreed, causal, data

from node.identity import Processor

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


def test_a_frame_that_is_asked_for_again_later_is_sent_again_later() -> None:
    member = Member()
    member.accept(data(B, 1, causal("x")))
    member.asked(B, 1, 1)
    assert member.repaired(10 * MS) == [(B.number, 1)]

    member.asked(B, 1, 1, now_ns=11 * MS)  # somebody was late to hear the answer
    assert member.repaired(30 * MS) == []

    member.asked(B, 1, 1, now_ns=31 * MS)  # somebody did not hear it
    assert member.repaired(50 * MS) == [(B.number, 1)]


def test_payload_that_all_follow_makes_the_window_grow_back() -> None:
    member = Member()
    member.configuration.flow.size = 2.0
    member.send(causal("x"))
    member.accept(data(B, 1, acks=((A, 1),)))
    assert member.configuration.flow.size == 2.0

    member.accept(data(C, 1, acks=((A, 1),)))
    assert member.configuration.flow.size == 2.5
