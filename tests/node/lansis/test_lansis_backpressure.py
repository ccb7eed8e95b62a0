"""What the application feels: numbers, refusals, room again, and mistakes."""

import pytest
from lansis_samples import A, B, Chance

from node.contract import Accepted, Deliver, Effect, Refused, Submit, Writable
from node.errors import MisuseError
from node.frames import Service
from node.identity import Processor
from node.lansis.configuration import Configuration
from node.lansis.measures import Measures
from node.lansis.order.allack import AllAck
from node.lansis.sending import Sending
from node.limits import Limits, Timing
from node.views import regular_view

FEW = Limits(backlog_messages=4, backlog_bytes=1000, message_bytes=600)
ONE_BY_ONE = Limits(
    backlog_messages=10,
    backlog_bytes=1000,
    message_bytes=600,
    window_frames=1,
    messages_per_frame=1,
)


class Door:
    """The application's side of a sender; nothing leaves until the test lets it.

    With a second member, who never says anything, only one window's worth can leave.
    """

    def __init__(self, limits: Limits = FEW, members: tuple[Processor, ...] = (A,)) -> None:
        timing, chance, self.measures = Timing(), Chance(0.5), Measures()
        self._sending = Sending(A, limits, timing, chance, self.measures)
        self._configuration = Configuration(
            A, regular_view(members), AllAck, limits, timing, chance, self.measures
        )

    def submit(self, count: int, size: int = 1) -> Accepted | Refused:
        payloads = (b"x" * size,) * count
        return self._sending.submit(Submit(Service.CAUSAL, payloads), 0)

    def is_writable(self) -> bool:
        effects = self._sending.writable()
        assert effects in ([], [Writable()])
        return bool(effects)

    def let_go(self) -> None:
        effects: list[Effect] = []
        deliveries: list[Deliver] = []
        self._sending.transmit(self._configuration, 0, effects, deliveries)
        assert effects


def test_accepted_messages_are_numbered_consecutively() -> None:
    door = Door()

    assert [door.submit(1), door.submit(2), door.submit(1)] == [
        Accepted(1),
        Accepted(2),
        Accepted(4),
    ]


def test_numbers_go_on_after_messages_have_left() -> None:
    door = Door()
    door.submit(3)
    door.let_go()

    assert door.submit(1) == Accepted(4)


def test_more_messages_than_may_wait_are_refused_all_or_none() -> None:
    door = Door()
    door.submit(3)

    assert door.submit(2) == Refused("too many messages are waiting to be sent")
    assert door.submit(1) == Accepted(4)


def test_more_bytes_than_may_wait_are_refused() -> None:
    door = Door()
    door.submit(1, size=600)

    assert door.submit(1, size=401) == Refused("too many bytes are waiting to be sent")
    assert door.submit(1, size=400) == Accepted(2)


def test_without_a_refusal_nobody_is_told_that_there_is_room() -> None:
    door = Door()
    door.submit(4)
    door.let_go()

    assert not door.is_writable()


def test_after_a_refusal_the_application_is_told_once_that_there_is_room() -> None:
    door = Door()
    door.submit(4)
    door.submit(1)
    assert not door.is_writable()

    door.let_go()
    assert door.is_writable()
    assert not door.is_writable()


def test_there_is_room_only_when_what_was_refused_fits() -> None:
    door = Door()
    door.submit(1)
    door.submit(4)
    assert not door.is_writable()  # three places: more than half, but not enough

    door.let_go()
    assert door.is_writable()


@pytest.mark.parametrize(
    ("waiting", "refused"),
    [((100, 500, 200), (1, 250)), ((1,) * 9, (2, 1))],
    ids=["bytes", "messages"],
)
def test_room_for_what_was_refused_is_not_enough_below_half_a_backlog(
    waiting: tuple[int, ...], refused: tuple[int, int]
) -> None:
    door = Door(ONE_BY_ONE, members=(A, B))
    for size in waiting:
        assert isinstance(door.submit(1, size), Accepted)
    assert isinstance(door.submit(*refused), Refused)
    door.let_go()

    assert not door.is_writable()
    assert isinstance(door.submit(*refused), Accepted)


def test_the_fullest_backlog_is_remembered() -> None:
    door = Door()
    door.submit(3)
    door.let_go()
    door.submit(1)

    assert door.measures.peak_backlog_messages == 3


@pytest.mark.parametrize(
    ("count", "size", "complaint"),
    [
        (0, 0, "nothing to send"),
        (1, 601, "a message of 601 bytes; at most 600 are allowed"),
        (5, 1, "more at once than may ever wait"),
        (2, 501, "more at once than may ever wait"),
    ],
)
def test_what_could_never_be_accepted_is_a_mistake_of_the_caller(
    count: int, size: int, complaint: str
) -> None:
    door = Door()
    with pytest.raises(MisuseError, match=complaint):
        door.submit(count, size)

    assert door.submit(1) == Accepted(1)
    assert not door.is_writable()


@pytest.mark.parametrize(("count", "size"), [(1, 0), (1, 600), (4, 250)])
def test_whatever_fits_the_limits_is_accepted(count: int, size: int) -> None:
    assert Door().submit(count, size) == Accepted(1)
