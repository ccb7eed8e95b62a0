"""Lost frames: who asks when, who answers when, and who stays silent."""

import random

import pytest
from lansis_samples import MS, Chance

from node.lansis.repair import Answers, Requests, answer_delay
from node.limits import Timing

TIMING = Timing(
    nack_ns=2 * MS,
    nack_again_ns=20 * MS,
    nack_slowest_ns=160 * MS,
    repair_ns=2 * MS,
)
EVEN = 0.5  # at this chance a wait before asking again is exactly its nominal length
QUIET_NS = TIMING.repair_ns + TIMING.nack_ns


def requests(*chances: float) -> Requests:
    return Requests(TIMING, Chance(*chances))


def answers(*chances: float) -> Answers:
    return Answers(TIMING, Chance(*chances))


# -- asking


def test_who_misses_nothing_asks_for_nothing() -> None:
    idle = requests(EVEN)

    assert idle.next_due() is None
    assert idle.due(10**12, 9) == []


@pytest.mark.parametrize(("chance", "wait_ns"), [(0.0, 0), (0.25, MS // 2), (0.75, 3 * MS // 2)])
def test_the_wait_before_asking_is_random(chance: float, wait_ns: int) -> None:
    asking = requests(chance)
    asking.miss(1, [4], 100)

    assert asking.next_due() == 100 + wait_ns


def test_nothing_is_asked_for_before_its_time() -> None:
    asking = requests(EVEN)
    asking.miss(1, [4], 0)

    assert asking.due(MS - 1, 9) == []
    assert asking.due(MS, 9) == [(1, 4, 4)]


def test_frames_missed_together_are_asked_for_together() -> None:
    asking = requests(0.1, 0.9)
    asking.miss(1, [4, 5, 6], 0)

    assert asking.due(TIMING.nack_ns, 9) == [(1, 4, 6)]


def test_consecutive_counters_of_one_sender_make_one_range() -> None:
    asking = requests(0.0)
    asking.miss(2, [7], 0)
    asking.miss(1, [5, 6], 0)
    asking.miss(1, [4], 0)
    asking.miss(1, [9], 0)

    assert asking.due(0, 9) == [(1, 4, 6), (1, 9, 9), (2, 7, 7)]


def test_the_end_of_one_sender_and_the_start_of_the_next_are_two_ranges() -> None:
    asking = requests(0.0)
    asking.miss(0, [4], 0)
    asking.miss(1, [5], 0)

    assert asking.due(0, 9) == [(0, 4, 4), (1, 5, 5)]


def test_what_exceeds_a_request_is_asked_for_soon_after_as_if_for_the_first_time() -> None:
    asking = requests(0.0, 0.0, 0.0, EVEN)
    for counter in (2, 4, 6):
        asking.miss(1, [counter], 0)

    assert asking.due(0, 2) == [(1, 2, 2), (1, 4, 4)]
    assert asking.next_due() == TIMING.nack_ns
    assert asking.due(TIMING.nack_ns, 2) == [(1, 6, 6)]
    assert asking.due(TIMING.nack_again_ns, 9) == [(1, 2, 2), (1, 4, 4)]
    assert asking.next_due() == TIMING.nack_ns + TIMING.nack_again_ns


def test_a_range_costs_one_place_however_long_it_is() -> None:
    asking = requests(0.0)
    asking.miss(1, range(1, 100), 0)

    assert asking.due(0, 1) == [(1, 1, 99)]


def test_asking_again_takes_ever_longer_up_to_a_limit() -> None:
    asking = requests(0.0, EVEN)
    asking.miss(1, [4], 0)
    now_ns, waits = 0, []
    for _ in range(6):
        assert asking.due(now_ns, 9) == [(1, 4, 4)]
        after_ns = asking.next_due()
        assert after_ns is not None
        waits.append((after_ns - now_ns) // MS)
        now_ns = after_ns

    assert waits == [20, 40, 80, 160, 160, 160]


@pytest.mark.parametrize(("chance", "wait_ms"), [(0.0, 15), (0.999999, 25)])
def test_those_who_asked_together_ask_again_at_different_times(chance: float, wait_ms: int) -> None:
    asking = requests(0.0, chance)
    asking.miss(1, [4], 0)
    asking.due(0, 9)

    assert asking.next_due() == pytest.approx(wait_ms * MS, rel=1e-5)


def test_a_frame_that_was_found_is_not_asked_for() -> None:
    asking = requests(0.0)
    asking.miss(1, [4, 5], 0)
    asking.found(1, 4)

    assert len(asking) == 1
    assert asking.due(0, 9) == [(1, 5, 5)]


def test_finding_what_was_never_missed_changes_nothing() -> None:
    asking = requests(0.0)
    asking.miss(1, [4], 0)
    asking.found(1, 5)
    asking.found(0, 4)

    assert asking.due(0, 9) == [(1, 4, 4)]


def test_when_all_is_found_nobody_needs_to_wake_up() -> None:
    asking = requests(EVEN)
    asking.miss(1, [4], 0)
    asking.found(1, 4)

    assert asking.next_due() is None
    assert len(asking) == 0


def test_hearing_somebody_ask_counts_as_having_asked() -> None:
    asking = requests(EVEN)
    asking.miss(1, [4], 0)
    asking.somebody_asked(1, [4], 10)

    assert asking.due(TIMING.nack_ns, 9) == []
    assert asking.next_due() == 10 + TIMING.nack_again_ns

    asking.somebody_asked(1, [4], 20)
    assert asking.next_due() == 20 + 2 * TIMING.nack_again_ns


def test_only_what_somebody_asked_for_is_put_off() -> None:
    asking = requests(0.0)
    asking.miss(1, [4, 5], 0)
    asking.somebody_asked(1, [4], 0)

    assert asking.due(0, 9) == [(1, 5, 5)]


def test_hearing_somebody_ask_for_what_is_here_is_no_reason_to_ask() -> None:
    asking = requests(EVEN)
    asking.somebody_asked(1, [4], 10)

    assert len(asking) == 0
    assert asking.next_due() is None


# -- answering


@pytest.mark.parametrize("chance", [0.0, 0.5, 0.999])
def test_the_origin_answers_before_any_other_holder(chance: float) -> None:
    repair_ns = TIMING.repair_ns

    assert 0 <= answer_delay(repair_ns, True, chance) < repair_ns
    assert repair_ns <= answer_delay(repair_ns, False, chance) < 4 * repair_ns


@pytest.mark.parametrize(("is_origin", "due_ns"), [(True, MS), (False, 5 * MS)])
def test_an_answer_waits_for_its_random_time(is_origin: bool, due_ns: int) -> None:
    answering = answers(EVEN)
    answering.asked(1, 4, is_origin, 0)

    assert answering.next_due() == due_ns
    assert answering.due(due_ns - 1) == []
    assert answering.due(due_ns) == [(1, 4)]


def test_asked_twice_answers_once_at_the_time_that_was_drawn_first() -> None:
    answering = answers(0.5, 0.0)
    answering.asked(1, 4, True, 0)
    answering.asked(1, 4, True, 10)

    assert answering.next_due() == MS
    assert answering.due(MS) == [(1, 4)]
    assert len(answering) == 1


def test_when_somebody_else_answered_this_one_stays_silent() -> None:
    answering = answers(EVEN)
    answering.asked(1, 4, False, 0)
    answering.asked(1, 5, False, 0)
    answering.answered(1, 4, MS)

    assert answering.due(100 * MS) == [(1, 5)]


def test_for_a_quiet_time_after_an_answer_requests_are_taken_as_answered() -> None:
    answering = answers(0.0)
    answering.answered(1, 4, 0)

    answering.asked(1, 4, True, QUIET_NS - 1)
    assert answering.next_due() is None

    answering.asked(1, 4, True, QUIET_NS)
    assert answering.next_due() == QUIET_NS


def test_the_quiet_time_is_for_the_answered_frame_alone() -> None:
    answering = answers(0.0)
    answering.answered(1, 4, 0)
    answering.asked(1, 5, True, 1)
    answering.asked(0, 4, True, 1)

    assert answering.due(1) == [(0, 4), (1, 5)]


def test_what_all_hold_needs_no_answer_any_more() -> None:
    answering = answers(EVEN)
    answering.asked(1, 4, True, 0)
    answering.released(1, 4)

    assert answering.next_due() is None
    assert len(answering) == 0


def test_answers_go_out_in_the_order_of_their_times() -> None:
    answering = answers(0.9, 0.1, 0.5)
    for counter in (4, 5, 6):
        answering.asked(1, counter, True, 0)

    assert answering.due(TIMING.repair_ns) == [(1, 5), (1, 6), (1, 4)]


# -- both, over a long and random history


def test_whatever_happens_each_missing_frame_is_due_at_the_time_announced() -> None:
    rng = random.Random(7)
    asking = Requests(TIMING, rng)
    missing: set[tuple[int, int]] = set()
    now_ns = asked_for = 0
    for counter in range(1, 400):
        slot = rng.randrange(3)
        asking.miss(slot, [counter], now_ns)
        missing.add((slot, counter))
        if rng.random() < 0.9:
            found = rng.choice(sorted(missing))
            asking.found(*found)
            missing.discard(found)
        for place in sorted(missing)[:2]:
            asking.somebody_asked(place[0], [place[1]], now_ns)
        assert len(asking) == len(missing)
        due_ns = asking.next_due()
        if due_ns is not None:
            assert due_ns >= now_ns
            now_ns = due_ns
            asked = asking.due(now_ns, 100)
            asked_for += len(asked)
            assert asked
            assert all(
                (slot, count) in missing
                for slot, first, last in asked
                for count in range(first, last + 1)
            )
    assert asked_for > 100


def test_what_is_due_twice_at_the_same_time_is_due_once() -> None:
    asking = Requests(Timing(nack_again_ns=20 * MS, nack_slowest_ns=20 * MS), Chance(EVEN))
    asking.miss(0, [1], 0)
    asking.somebody_asked(0, [1], 5)
    asking.somebody_asked(0, [1], 5)
    assert asking.due(100 * MS, 9) == [(0, 1, 1)]
    answering = answers(0.0)
    answering.asked(0, 1, False, 0)
    answering.answered(0, 1, -QUIET_NS)
    answering.asked(0, 1, False, 0)
    assert answering.due(100 * MS) == [(0, 1)]


def test_what_is_asked_for_together_is_asked_for_together_again() -> None:
    asking = Requests(TIMING, random.Random(3))
    asking.miss(0, range(1, 65), 0)
    for _ in range(6):
        due_ns = asking.next_due()
        assert due_ns is not None
        assert asking.due(due_ns, 9) == [(0, 1, 64)]


def test_who_is_asked_in_vain_gives_up_its_privilege() -> None:
    """The origin may be the one that is not heard, so another must be first sometimes."""
    origin, other = answers(0.5), answers(0.1)
    for holder, is_origin in ((origin, True), (other, False)):
        holder.asked(0, 1, is_origin, 0)
        holder.answered(0, 1, 2 * MS)
        holder.asked(0, 1, is_origin, 20 * MS)
    assert (other.next_due() or 0) < (origin.next_due() or 0)
