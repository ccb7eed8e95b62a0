"""From messages to frames: nothing lost, the order kept, no frame too large."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from node import codec
from node.codec import BATCH_HEAD, FRAGMENT_HEAD, LENGTH_BYTES, MAX_ITEMS
from node.frames import Batch, Content, Data, Fragment, Service, messages_ended
from node.identity import Processor
from node.lansis.assembly import Assembly
from node.lansis.packing import WORTH_SPLITTING, Backlog

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=200)
Message = tuple[Service, bytes]
Taken = tuple[int, tuple[Content, ...]]


def backlog_of(messages: Iterable[Message], messages_per_frame: int = 1024) -> Backlog:
    backlog = Backlog(messages_per_frame)
    for service, payload in messages:
        backlog.append(service, (payload,))
    return backlog


def drained(backlog: Backlog, space: int) -> list[Taken]:
    frames = []
    while backlog:
        frames.append(backlog.take(space))
        assert frames[-1][1], "a frame without content makes no progress"
    assert backlog.bytes == 0
    return frames


def received(frames: Iterable[Taken]) -> dict[int, Message]:
    """What a receiver makes of it, by message number."""
    messages: dict[int, Message] = {}
    assembly = Assembly(most_open=5, most_bytes=1 << 30)
    for first, content in frames:
        number = first
        for item in content:
            if isinstance(item, Batch):
                for payload in item.payloads:
                    assert number not in messages
                    messages[number] = (item.service, payload)
                    number += 1
            else:
                whole = assembly.add(number, item)
                if item.ends_message:
                    assert whole is not None
                    messages[number] = (item.service, whole)
                    number += 1
    return messages


def size_of(content: tuple[Content, ...]) -> int:
    """As the codec makes it."""
    frame = Data(Processor(1, 1), 7, 1, 5, 4, (), 1, content)
    return len(codec.encode(frame)) - codec.data_overhead(0)


def numbered(messages: Iterable[Message]) -> dict[int, Message]:
    return dict(enumerate(messages, start=1))


services = st.sampled_from(Service)
sizes = st.one_of(st.integers(0, 40), st.integers(0, 1500), st.sampled_from([5000, 70_000]))
messages_of_all_kinds = st.lists(
    st.tuples(services, st.tuples(sizes, st.integers(0, 255))).map(
        lambda drawn: (drawn[0], bytes([drawn[1][1]]) * drawn[1][0])
    ),
    max_size=40,
)
spaces = st.one_of(st.integers(FRAGMENT_HEAD.size + 1, 60), st.integers(60, 1500))


@given(messages_of_all_kinds, spaces, st.sampled_from([1, 2, 7, 1024]))
@repeatable
def test_nothing_is_lost_and_the_order_is_kept(
    messages: list[Message], space: int, messages_per_frame: int
) -> None:
    space = max(space, max((len(payload) for _, payload in messages), default=0) // 500)
    frames = drained(backlog_of(messages, messages_per_frame), space)
    assert received(frames) == numbered(messages)


@given(messages_of_all_kinds, st.integers(100, 1500), st.sampled_from([1, 3, 1024]))
@repeatable
def test_every_frame_fits_and_is_well_formed(
    messages: list[Message], space: int, messages_per_frame: int
) -> None:
    for first, content in drained(backlog_of(messages, messages_per_frame), space):
        assert size_of(content) <= space
        frame = Data(Processor(1, 1), 7, 1, 5, 4, (), first, content)
        assert codec.decode(codec.encode(frame)) == frame
        ended = messages_ended(frame)
        assert ended is None or ended[1] - ended[0] < messages_per_frame


@given(messages_of_all_kinds, messages_of_all_kinds, st.integers(100, 1500), st.data())
@repeatable
def test_messages_may_come_while_frames_leave(
    early: list[Message], late: list[Message], space: int, data: st.DataObject
) -> None:
    backlog = backlog_of(early)
    frames = []
    for number, (service, payload) in enumerate(late, start=len(early) + 1):
        if backlog and data.draw(st.booleans()):
            frames.append(backlog.take(space))
        assert backlog.append(service, (payload,)) == number
    frames += drained(backlog, space)
    assert received(frames) == numbered([*early, *late])


def test_messages_of_one_service_share_a_frame() -> None:
    messages = [(Service.AGREED, b"one"), (Service.AGREED, b""), (Service.AGREED, b"three")]
    assert drained(backlog_of(messages), 100) == [
        (1, (Batch(Service.AGREED, (b"one", b"", b"three")),))
    ]


def test_services_mix_in_a_frame_in_the_order_of_the_messages() -> None:
    messages = [
        (Service.AGREED, b"a"),
        (Service.SAFE, b"b"),
        (Service.SAFE, b"c"),
        (Service.AGREED, b"d"),
    ]
    assert drained(backlog_of(messages), 100) == [
        (
            1,
            (
                Batch(Service.AGREED, (b"a",)),
                Batch(Service.SAFE, (b"b", b"c")),
                Batch(Service.AGREED, (b"d",)),
            ),
        )
    ]


def test_a_frame_is_filled_to_the_last_byte() -> None:
    messages = [(Service.AGREED, bytes(30)), (Service.AGREED, bytes(21))]
    space = BATCH_HEAD.size + 30 + 21 + 2 * LENGTH_BYTES
    assert len(drained(backlog_of(messages), space)) == 1
    assert len(drained(backlog_of(messages), space - 1)) == 2


def test_packing_off_means_one_message_per_frame() -> None:
    messages = [(Service.CAUSAL, bytes(10))] * 5 + [(Service.CAUSAL, bytes(250))]
    frames = drained(backlog_of(messages, messages_per_frame=1), 200)
    assert [first for first, _ in frames] == [1, 2, 3, 4, 5, 6, 6]
    assert all(len(content) == 1 for _, content in frames)
    assert received(frames) == numbered(messages)


def test_a_frame_takes_no_more_messages_than_allowed() -> None:
    frames = drained(backlog_of([(Service.BASIC, b"")] * 10, messages_per_frame=4), 1400)
    assert [len(content[0].payloads) for _, content in frames] == [4, 4, 2]


def test_services_that_alternate_run_out_of_items_before_space() -> None:
    messages = [(Service(number % 2), b"x") for number in range(2 * MAX_ITEMS)]
    frames = drained(backlog_of(messages), 60_000)
    assert [len(content) for _, content in frames] == [MAX_ITEMS, MAX_ITEMS]
    assert received(frames) == numbered(messages)


def test_a_large_message_waits_when_the_items_of_a_frame_are_used_up() -> None:
    messages = [(Service(number % 2), b"x") for number in range(MAX_ITEMS)]
    messages.append((messages[-1][0], bytes(100_000)))
    frames = drained(backlog_of(messages), 60_000)
    assert [len(content) for _, content in frames] == [MAX_ITEMS, 1, 1]
    assert received(frames) == numbered(messages)


def test_a_large_message_begins_in_the_rest_of_a_frame_when_that_is_worth_it() -> None:
    small, large = (Service.SAFE, bytes(100)), (Service.SAFE, bytes(1000))
    used = BATCH_HEAD.size + LENGTH_BYTES + 100
    worth = used + FRAGMENT_HEAD.size + WORTH_SPLITTING
    assert drained(backlog_of([small, large]), worth)[0] == (
        1,
        (
            Batch(Service.SAFE, (bytes(100),)),
            Fragment(Service.SAFE, 1000, 0, bytes(WORTH_SPLITTING)),
        ),
    )
    assert drained(backlog_of([small, large]), worth - 1)[0] == (
        1,
        (Batch(Service.SAFE, (bytes(100),)),),
    )


def test_what_follows_a_large_message_shares_its_last_frame() -> None:
    messages = [(Service.SAFE, bytes(150)), (Service.BASIC, b"next")]
    frames = drained(backlog_of(messages), 100)
    assert frames == [
        (1, (Fragment(Service.SAFE, 150, 0, bytes(89)),)),
        (1, (Fragment(Service.SAFE, 150, 89, bytes(61)), Batch(Service.BASIC, (b"next",)))),
    ]


def test_a_message_of_16_mib() -> None:
    payload = bytes(range(256)) * (16 * 4096)
    frames = drained(backlog_of([(Service.AGREED, payload), (Service.SAFE, b"after")]), 1428)
    assert received(frames) == {1: (Service.AGREED, payload), 2: (Service.SAFE, b"after")}
    assert len(frames) == -(-len(payload) // (1428 - FRAGMENT_HEAD.size))


def test_what_waits_is_counted_in_messages_and_bytes() -> None:
    backlog = backlog_of([(Service.SAFE, bytes(150)), (Service.SAFE, bytes(10))])
    assert (len(backlog), backlog.bytes, backlog.next_number) == (2, 160, 1)
    backlog.take(100)
    assert (len(backlog), backlog.bytes, backlog.next_number) == (2, 160 - 89, 1)
    backlog.take(100)
    assert (len(backlog), backlog.bytes, backlog.next_number) == (0, 0, 3)


@pytest.mark.parametrize(
    ("count", "size", "space", "fills"),
    [(1, 45, 50, True), (1, 44, 50, False), (4, 0, 1400, True), (3, 0, 1400, False)],
    ids=["by bytes", "not by bytes", "by messages", "not by messages"],
)
def test_a_frame_is_full(count: int, size: int, space: int, fills: bool) -> None:
    backlog = backlog_of([(Service.SAFE, bytes(size))] * count, messages_per_frame=4)
    assert backlog.fills(space) is fills


def test_an_empty_backlog_gives_a_frame_without_content() -> None:
    assert Backlog(1024).take(1400) == (1, ())
