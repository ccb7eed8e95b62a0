"""Which application messages end in a frame."""

import pytest

from node.frames import Batch, Content, Data, Fragment, Service, messages_ended
from node.identity import Processor

TWO = Batch(Service.AGREED, (b"one", b"two"))
THREE = Batch(Service.CAUSAL, (b"", b"x", b"yy"))
HEAD = Fragment(Service.SAFE, 10, 0, b"abcd")
MIDDLE = Fragment(Service.SAFE, 10, 4, b"ef")
TAIL = Fragment(Service.SAFE, 10, 6, b"ghij")
WHOLE = Fragment(Service.BASIC, 3, 0, b"abc")


def frame(*content: Content) -> Data:
    return Data(Processor(1, 1), 7, 1, 5, 4, (), 20, content)


@pytest.mark.parametrize(
    ("content", "ended"),
    [
        ((TWO,), (20, 21)),
        ((TWO, THREE), (20, 24)),
        ((TAIL,), (20, 20)),
        ((TAIL, TWO), (20, 22)),
        ((TWO, HEAD), (20, 21)),
        ((TAIL, HEAD), (20, 20)),
        ((WHOLE,), (20, 20)),
    ],
)
def test_messages_end_with_their_last_byte(
    content: tuple[Content, ...], ended: tuple[int, int]
) -> None:
    assert messages_ended(frame(*content)) == ended


@pytest.mark.parametrize("content", [(), (HEAD,), (MIDDLE,)])
def test_in_some_frames_no_message_ends(content: tuple[Content, ...]) -> None:
    assert messages_ended(frame(*content)) is None


@pytest.mark.parametrize(("piece", "ends"), [(HEAD, False), (MIDDLE, False), (TAIL, True)])
def test_a_fragment_ends_its_message_if_it_reaches_the_total(piece: Fragment, ends: bool) -> None:
    assert piece.ends_message is ends


def test_services_are_labelled_in_lower_case_weakest_first() -> None:
    assert [service.label for service in sorted(Service)] == ["basic", "causal", "agreed", "safe"]
