"""Bounds and times: what makes no sense is refused where it is written down."""

from collections.abc import Mapping

import pytest

from node.codec import MAX_HELD_LAG
from node.errors import MisuseError
from node.limits import MAX_DATAGRAM, MIN_DATAGRAM, Limits, Timing

TIMES = [
    "heartbeat_ns",
    "heartbeat_soon_ns",
    "acknowledge_ns",
    "pack_ns",
    "slowest_ns",
    "nack_ns",
    "nack_again_ns",
    "nack_slowest_ns",
    "repair_ns",
]


@pytest.mark.parametrize(
    "values",
    [
        {"datagram_bytes": MIN_DATAGRAM},
        {"datagram_bytes": MAX_DATAGRAM},
        {"window_frames": 1},
        {"window_frames": 16_384},
        {"message_bytes": 1},
        {"message_bytes": 2**32 - 1, "backlog_bytes": 2**32 - 1},
        {"message_bytes": 500, "backlog_bytes": 500},
        {"backlog_messages": 1},
        {"messages_per_frame": 1},
        {"messages_per_frame": 4096},
    ],
    ids=str,
)
def test_values_at_the_edge_are_allowed(values: Mapping[str, int]) -> None:
    limits = Limits(**values)

    assert all(getattr(limits, name) == value for name, value in values.items())


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"datagram_bytes": MIN_DATAGRAM - 1}, "datagram_bytes between .* not 575"),
        ({"datagram_bytes": MAX_DATAGRAM + 1}, "datagram_bytes between .* not 61441"),
        ({"window_frames": 0}, "window_frames between 1 and 16384, not 0"),
        ({"window_frames": 16_385}, "window_frames between 1 and 16384, not 16385"),
        ({"message_bytes": 0}, "message_bytes between .* not 0"),
        ({"message_bytes": 2**32, "backlog_bytes": 2**32}, "message_bytes between"),
        ({"message_bytes": 500, "backlog_bytes": 499}, "the largest message could never be sent"),
        ({"backlog_messages": 0}, "backlog_messages at least 1"),
        ({"messages_per_frame": 0}, "messages_per_frame between"),
        ({"messages_per_frame": 4097}, "messages_per_frame between"),
    ],
    ids=str,
)
def test_values_beyond_the_edge_are_refused(values: Mapping[str, int], complaint: str) -> None:
    with pytest.raises(MisuseError, match=complaint):
        Limits(**values)


def test_a_sender_may_have_a_window_of_payload_and_as_many_acknowledgements_unheld() -> None:
    assert Limits(window_frames=5).unheld_frames == 10


def test_the_largest_lag_that_limits_allow_fits_the_wire_format() -> None:
    assert Limits(window_frames=16_384).unheld_frames <= MAX_HELD_LAG


def test_every_time_is_listed_here() -> None:
    assert list(Timing.__dataclass_fields__) == TIMES


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("value", [0, -1])
def test_no_time_is_zero_or_negative(name: str, value: int) -> None:
    with pytest.raises(MisuseError, match=f"{name} positive"):
        Timing(**{name: value})


def test_the_first_heartbeat_after_activity_is_not_later_than_the_others() -> None:
    Timing(heartbeat_soon_ns=7, heartbeat_ns=7)
    with pytest.raises(MisuseError, match="heartbeat_soon_ns at most heartbeat_ns"):
        Timing(heartbeat_soon_ns=8, heartbeat_ns=7)


def test_asking_again_starts_no_slower_than_it_may_become() -> None:
    Timing(nack_again_ns=7, nack_slowest_ns=7)
    with pytest.raises(MisuseError, match="nack_again_ns at most nack_slowest_ns"):
        Timing(nack_again_ns=8, nack_slowest_ns=7)
