"""Flow control: how the window turns into a delay, and how losses and calm change the window."""

import pytest

from node.lansis.flow import (
    LOSS_PAUSE_NS,
    SHRINK,
    SMALLEST_WINDOW,
    Flow,
    FlowState,
    Window,
    transmission_delay,
)

SLOWEST_NS = 1000
UNHELD = 128


def calm_flow(window_frames: int = 64) -> Flow:
    """A flow whose window has grown to its full size."""
    flow = Flow(window_frames, UNHELD, SLOWEST_NS)
    while flow.size < window_frames:
        flow.released()
    return flow


# -- the delay


@pytest.mark.parametrize("window", [0, 1, 9, 10])
def test_up_to_half_a_window_there_is_no_delay(window: int) -> None:
    assert transmission_delay(window, 20, SLOWEST_NS) == 0


def test_beyond_half_the_delay_grows_in_proportion() -> None:
    delays = [transmission_delay(window, 16, SLOWEST_NS) for window in (10, 12, 14)]

    assert delays == [250, 500, 750]


@pytest.mark.parametrize("window", [20, 21, 1000])
def test_a_full_window_blocks(window: int) -> None:
    assert transmission_delay(window, 20, SLOWEST_NS) is None


def test_the_delay_never_reaches_the_slowest_without_blocking() -> None:
    for size in (1.0, 8.0, 8.4, 63.9, 64.0):
        for window in range(70):
            delay = transmission_delay(window, size, SLOWEST_NS)
            assert (delay is None) == (window >= size)
            assert delay is None or 0 <= delay < SLOWEST_NS


def test_too_many_own_frames_that_not_all_hold_block_even_an_empty_window() -> None:
    flow = calm_flow()

    assert flow.delay_ns(0, UNHELD - 1) == 0
    assert flow.delay_ns(0, UNHELD) is None


# -- the size of the window


def test_the_window_starts_small_and_grows_by_about_one_frame_per_window() -> None:
    flow = Flow(64, UNHELD, SLOWEST_NS)
    assert flow.size == SMALLEST_WINDOW

    for _ in range(SMALLEST_WINDOW):
        flow.released()
    assert SMALLEST_WINDOW + 0.9 < flow.size < SMALLEST_WINDOW + 1


def test_the_window_never_grows_beyond_its_limit() -> None:
    flow = calm_flow(10)
    flow.released()

    assert flow.size == 10


def test_a_loss_shrinks_the_window() -> None:
    flow = calm_flow()
    flow.lost(0)

    assert flow.size == pytest.approx(64 * SHRINK)


def test_one_burst_of_losses_is_one_event() -> None:
    flow = calm_flow()
    flow.lost(5)
    after_one = flow.size
    flow.lost(5)
    flow.lost(5 + LOSS_PAUSE_NS - 1)

    assert flow.size == after_one


def test_after_the_pause_the_next_loss_counts() -> None:
    flow = calm_flow()
    flow.lost(5)
    flow.lost(5 + LOSS_PAUSE_NS)

    assert flow.size == pytest.approx(64 * SHRINK * SHRINK)


def test_losses_leave_enough_to_keep_a_pipeline_going() -> None:
    flow = calm_flow()
    for burst in range(50):
        flow.lost(burst * LOSS_PAUSE_NS)

    assert flow.size == SMALLEST_WINDOW


def test_the_window_grows_back_after_a_loss() -> None:
    flow = calm_flow()
    flow.lost(0)
    shrunk = flow.size
    flow.released()

    assert flow.size == pytest.approx(shrunk + 1 / shrunk)


def test_a_limit_below_the_smallest_window_is_kept() -> None:
    flow = Flow(3, UNHELD, SLOWEST_NS)
    flow.released()
    assert flow.size == 3

    flow.lost(0)
    assert flow.size == 3


# -- the state machine


def test_the_state_follows_the_window_and_says_why() -> None:
    flow = calm_flow()
    open_, slowed, blocked = FlowState.OPEN, FlowState.SLOWED, FlowState.BLOCKED

    assert flow.state is open_
    assert flow.move(33, 33) == (open_, slowed, "the window counts as 33 of 64 frames")
    assert flow.move(64, 64) == (slowed, blocked, "the window counts as 64 of 64 frames")
    assert flow.move(63, 63) == (blocked, slowed, "the window counts as 63 of 64 frames")
    assert flow.move(32, 32) == (slowed, open_, "the window counts as 32 of 64 frames")
    assert flow.move(70, 70) == (open_, blocked, "the window counts as 70 of 64 frames")
    assert flow.move(0, 0) == (blocked, open_, "the window counts as 0 of 64 frames")


def test_own_frames_that_not_all_hold_are_named_as_the_reason() -> None:
    flow = calm_flow()

    assert flow.move(2, UNHELD) == (
        FlowState.OPEN,
        FlowState.BLOCKED,
        "128 own frames are not held by all",
    )


def test_staying_is_no_transition() -> None:
    flow = calm_flow()
    assert flow.move(5, 5) is None

    flow.move(40, 40)
    assert flow.move(41, 41) is None
    assert flow.state is FlowState.SLOWED


# -- sharing the window


def test_the_window_counts_the_frames_of_each_sender() -> None:
    window = Window(3)
    for slot in (0, 2, 2):
        window.enter(slot)
    window.leave(2)

    assert window.frames == [1, 0, 1]
    assert window.total == 2


def test_a_lone_sender_may_use_the_whole_window() -> None:
    window = Window(3)
    for _ in range(5):
        window.enter(0)

    assert window.load(0) == 5


def test_for_whoever_has_most_in_it_the_window_is_as_full_as_if_all_that_send_did_the_same() -> (
    None
):
    window = Window(4)
    for slot in (0, 0, 0, 0, 0, 1, 2):
        window.enter(slot)

    assert window.load(0) == 15  # three are sending: 3 times 5
    assert window.load(1) == 7  # as it is
    assert window.load(3) == 7


def test_who_has_nothing_in_the_window_any_more_takes_no_share() -> None:
    window = Window(2)
    for slot in (0, 0, 0, 1):
        window.enter(slot)
    window.leave(1)

    assert window.load(0) == 3
