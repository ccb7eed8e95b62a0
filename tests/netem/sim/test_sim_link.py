"""One direction of a link: its statistics over many seeded draws, its delay, rate and queue."""

from math import sqrt
from random import Random
from typing import Any

import pytest
from sim_builder import MICROSECOND, MILLISECOND, numbers_heard, schedule

from netem.faults import PERFECT, Impairment
from netem.sim.link import Link

DRAWS = 4000
FRAME = bytes(range(125))  # 1000 bits


def link(seed: int = 1, **impairment: Any) -> Link:
    return Link(Impairment(**impairment), Random(seed))


def carried_apart(wire: Link, draws: int = DRAWS) -> list[list[tuple[int, bytes]]]:
    """What arrives of each of many frames, as (after how long, bytes), each sent when all is
    quiet."""
    spaced_ns = 10 * MILLISECOND
    return [
        [(at_ns - now_ns, frame) for at_ns, frame in wire.carry(FRAME, now_ns)]
        for now_ns in range(0, draws * spaced_ns, spaced_ns)
    ]


def assert_share(count: int, share: float, draws: int = DRAWS) -> None:
    """Within four standard deviations of a binomial distribution."""
    assert abs(count - draws * share) <= 4 * sqrt(draws * share * (1 - share))


def bits_flipped(frame: bytes) -> int:
    return (int.from_bytes(frame) ^ int.from_bytes(FRAME)).bit_count()


def test_a_perfect_link_is_immediate_and_keeps_the_order() -> None:
    wire = Link(PERFECT, Random(1))
    frames = [bytes([number]) for number in range(200)]
    arrivals = [arrival for frame in frames for arrival in wire.carry(frame, 7)]
    assert arrivals == [(7, frame) for frame in frames]


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_as_many_frames_are_lost_as_said(share: float) -> None:
    arrivals = carried_apart(link(loss=share))
    assert_share(arrivals.count([]), share)


@pytest.mark.parametrize("share", [0.01, 0.3])
def test_as_many_frames_arrive_twice_as_said(share: float) -> None:
    arrivals = carried_apart(link(duplicate=share))
    assert_share(arrivals.count([(0, FRAME), (0, FRAME)]), share)
    assert_share(arrivals.count([(0, FRAME)]), 1 - share)


def test_loss_and_duplication_are_independent() -> None:
    arrivals = carried_apart(link(loss=0.3, duplicate=0.2))
    copies = [len(each) for each in arrivals]
    assert_share(copies.count(0), 0.3 * 0.8)
    assert_share(copies.count(2), 0.7 * 0.2)


def test_as_many_frames_skip_the_delay_as_said() -> None:
    arrivals = carried_apart(link(reorder=0.25, delay_ns=MILLISECOND))
    assert_share(arrivals.count([(0, FRAME)]), 0.25)
    assert_share(arrivals.count([(MILLISECOND, FRAME)]), 0.75)


def test_a_reordered_frame_overtakes_those_before_it() -> None:
    wire = link(reorder=0.25, delay_ns=MILLISECOND)
    arrivals = [at_ns for now_ns in range(100) for at_ns, _ in wire.carry(FRAME, now_ns)]
    assert arrivals != sorted(arrivals)


def test_as_many_frames_are_corrupted_as_said() -> None:
    arrivals = carried_apart(link(corrupt=0.1))
    assert_share(sum(frame != FRAME for [(_, frame)] in arrivals), 0.1)


def test_exactly_one_bit_of_a_corrupted_frame_is_flipped() -> None:
    arrivals = carried_apart(link(corrupt=1.0))
    assert {bits_flipped(frame) for [(_, frame)] in arrivals} == {1}
    assert {len(frame) for [(_, frame)] in arrivals} == {len(FRAME)}


def test_any_bit_of_a_frame_can_be_flipped() -> None:
    wire = link(corrupt=1.0)
    flipped = {frame for now_ns in range(500) for _, frame in wire.carry(bytes(2), now_ns)}
    assert flipped == {(1 << bit).to_bytes(2) for bit in range(16)}


def test_without_jitter_the_delay_is_exact() -> None:
    assert list(link(delay_ns=300).carry(FRAME, 5)) == [(305, FRAME)]


def test_jitter_goes_as_far_up_as_down() -> None:
    arrivals = carried_apart(link(delay_ns=1000 * MICROSECOND, jitter_ns=400 * MICROSECOND))
    delays = [delay_ns for [(delay_ns, _)] in arrivals]
    assert 600 * MICROSECOND <= min(delays) < 605 * MICROSECOND
    assert 1395 * MICROSECOND < max(delays) <= 1400 * MICROSECOND
    assert_share(sum(delay < 1000 * MICROSECOND for delay in delays), 0.5)
    assert_share(sum(delay < 700 * MICROSECOND for delay in delays), 0.125)


def test_jitter_as_large_as_the_delay_never_turns_back_time() -> None:
    arrivals = carried_apart(link(delay_ns=1000, jitter_ns=1000))
    assert min(delay_ns for [(delay_ns, _)] in arrivals) >= 0


def test_at_a_rate_frames_follow_one_another() -> None:
    wire = link(rate_bps=1_000_000)
    arrivals = [at_ns for _ in range(3) for at_ns, _ in wire.carry(FRAME, 0)]
    assert arrivals == [1 * MILLISECOND, 2 * MILLISECOND, 3 * MILLISECOND]


def test_a_larger_frame_takes_longer_at_a_rate() -> None:
    assert list(link(rate_bps=1_000_000).carry(4 * FRAME, 0)) == [(4 * MILLISECOND, 4 * FRAME)]


def test_idle_time_at_a_rate_is_not_saved_up() -> None:
    wire = link(rate_bps=1_000_000)
    list(wire.carry(FRAME, 0))
    arrivals = [at_ns for _ in range(2) for at_ns, _ in wire.carry(FRAME, 50 * MILLISECOND)]
    assert arrivals == [51 * MILLISECOND, 52 * MILLISECOND]


def test_the_delay_comes_on_top_of_the_rate() -> None:
    wire = link(rate_bps=1_000_000, delay_ns=10 * MILLISECOND)
    arrivals = [at_ns for _ in range(2) for at_ns, _ in wire.carry(FRAME, 0)]
    assert arrivals == [11 * MILLISECOND, 12 * MILLISECOND]


@pytest.mark.parametrize("waiting", [{"delay_ns": MILLISECOND}, {"rate_bps": 3_000_000}])
def test_what_finds_no_place_in_the_queue_is_lost(waiting: dict[str, int]) -> None:
    wire = link(queue_frames=3, **waiting)
    assert [len(list(wire.carry(FRAME, 0))) for _ in range(5)] == [1, 1, 1, 0, 0]


def test_there_is_room_in_the_queue_again_when_a_frame_has_left() -> None:
    wire = link(queue_frames=2, rate_bps=1_000_000)
    sent_at_ns = [0, 0, 0, MILLISECOND, MILLISECOND, 2 * MILLISECOND]
    assert [len(list(wire.carry(FRAME, now_ns))) for now_ns in sent_at_ns] == [1, 1, 0, 1, 0, 1]


def test_the_copy_needs_a_place_in_the_queue_too() -> None:
    wire = link(queue_frames=3, delay_ns=MILLISECOND, duplicate=1.0)
    assert [len(list(wire.carry(FRAME, 0))) for _ in range(3)] == [2, 1, 0]


def test_the_same_stream_does_the_same() -> None:
    trouble: dict[str, Any] = {
        "loss": 0.2, "duplicate": 0.1, "corrupt": 0.1, "reorder": 0.1, "delay_ns": 900,
        "jitter_ns": 500,
    }  # fmt: skip
    assert carried_apart(link(5, **trouble), 200) == carried_apart(link(5, **trouble), 200)
    assert carried_apart(link(5, **trouble), 200) != carried_apart(link(6, **trouble), 200)


# -- the links of a LAN


def heard_on_a_lossy_lan(*counts: int) -> dict[str, list[int]]:
    return numbers_heard(schedule(len(counts), impairment=Impairment(loss=0.5)), *counts)


def test_every_direction_of_every_pair_has_losses_of_its_own() -> None:
    heard = heard_on_a_lossy_lan(100, 100, 100)
    assert len({tuple(numbers) for numbers in heard.values()}) == len(heard) == 6


def test_what_happens_on_a_link_does_not_depend_on_the_traffic_of_others() -> None:
    alone, in_company = heard_on_a_lossy_lan(100, 0, 0), heard_on_a_lossy_lan(100, 70, 30)
    assert alone["ab"] == in_company["ab"]
    assert alone["ac"] == in_company["ac"]
