"""Every frame that a node may send, for hypothesis."""

from hypothesis import strategies as st

from node.codec import MAX_HELD_LAG, MAX_WANTED
from node.frames import Batch, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import MAX_COUNTER, MAX_INCARNATION, MAX_PROCESSOR, Processor

numbers = st.integers(0, MAX_PROCESSOR)
counters = st.integers(1, MAX_COUNTER)
processors = st.builds(Processor, numbers, st.integers(0, MAX_INCARNATION))
views = st.integers(0, 2**64 - 1)
services = st.sampled_from(Service)
batches = st.builds(
    Batch, services, st.lists(st.binary(max_size=40), min_size=1, max_size=12).map(tuple)
)


@st.composite
def first_pieces(draw: st.DrawFn) -> Fragment:
    data = draw(st.binary(min_size=1, max_size=60))
    total = draw(st.integers(len(data), 2**32 - 1))
    return Fragment(draw(services), total, 0, data)


@st.composite
def last_pieces(draw: st.DrawFn) -> Fragment:
    data = draw(st.binary(min_size=1, max_size=60))
    offset = draw(st.integers(1, 2**32 - 1 - len(data)))
    return Fragment(draw(services), offset + len(data), offset, data)


@st.composite
def middle_pieces(draw: st.DrawFn) -> Fragment:
    data = draw(st.binary(min_size=1, max_size=60))
    offset = draw(st.integers(1, 2**32 - 2 - len(data)))
    total = draw(st.integers(offset + len(data) + 1, 2**32 - 1))
    return Fragment(draw(services), total, offset, data)


@st.composite
def contents(draw: st.DrawFn) -> tuple[Batch | Fragment, ...]:
    if draw(st.integers(0, 9)) == 0:
        return (draw(middle_pieces()),)
    items: list[Batch | Fragment] = draw(st.lists(batches, max_size=4))
    if draw(st.booleans()):
        items.insert(0, draw(last_pieces()))
    if draw(st.booleans()):
        items.append(draw(first_pieces()))
    return tuple(items)


@st.composite
def data_frames(draw: st.DrawFn) -> Data:
    origin, counter = draw(numbers), draw(counters)
    acks = draw(st.dictionaries(numbers.filter(lambda who: who != origin), counters, max_size=6))
    content = draw(contents())
    return Data(
        transmitter=draw(processors),
        view=draw(views),
        origin=origin,
        counter=counter,
        held=counter - draw(st.integers(1, min(counter, MAX_HELD_LAG))),
        acks=tuple(acks.items()),
        first=draw(st.integers(1 if content else 0, MAX_COUNTER)),
        content=content,
    )


@st.composite
def ranges(draw: st.DrawFn) -> tuple[int, int, int]:
    first = draw(counters)
    return draw(numbers), first, draw(st.integers(first, min(first + 0xFFFE, MAX_COUNTER)))


def disjoint(wanted: list[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """In order, without those that overlap one before them."""
    kept: list[tuple[int, int, int]] = []
    for who, first, last in sorted(wanted):
        if not kept or (who, first) > (kept[-1][0], kept[-1][2]):
            kept.append((who, first, last))
    return tuple(kept)


heartbeats = st.builds(
    Heartbeat,
    processors,
    views,
    st.dictionaries(numbers, st.integers(0, MAX_COUNTER), max_size=8).map(
        lambda holds: tuple(holds.items())
    ),
)
nacks = st.builds(
    Nack, processors, views, st.lists(ranges(), max_size=min(8, MAX_WANTED)).map(disjoint)
)
frames: st.SearchStrategy[Frame] = st.one_of(data_frames(), heartbeats, nacks)
domains = st.integers(0, 0xFFFF)
