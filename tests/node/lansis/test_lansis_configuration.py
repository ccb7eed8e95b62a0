"""One configuration: what is taken in, and what is refused and why."""

import pytest
from lansis_member import LIMITS, LONG_NS, Member
from lansis_samples import MS, VIEW, A, B, C, basic, causal, data

from node.frames import Fragment, Service
from node.identity import Processor
from node.views import regular_view

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
    assert Member().asked(Processor(99, 1), 1, 1) == "a request for frames that cannot exist"


def test_a_request_for_frames_that_cannot_exist_changes_nothing() -> None:
    member = Member()
    size = member.configuration.flow.size
    assert member.asked(B, 1_000_000, 1_000_001) == "a request for frames that cannot exist"
    assert member.asked(A, 1, 1) == "a request for frames that cannot exist"
    both = ((B.number, 1, 3), (99, 1, 1))
    assert member.configuration.asked(both, 0) == "a request for frames that cannot exist"
    assert member.wanted() == ()
    assert member.configuration.flow.size == size


def test_a_rejected_repair_does_not_silence_a_holder() -> None:
    member = Member()
    member.accept(data(B, 1, acks=((A, 9),), by=C))
    member.accept(data(B, 1))
    member.asked(B, 1, 1, now_ns=MS)
    assert member.repaired() == [(B.number, 1)]


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
