"""Bytes to frames and back: nothing is lost, nothing malformed passes, nothing else is raised."""

import struct

import pytest
from frame_strategies import domains, frames
from hypothesis import given, settings
from hypothesis import strategies as st

from node import codec
from node.codec import DATA_HEAD, HEADER, MAX_HELD_LAG, decode, encode
from node.errors import WireError
from node.frames import Batch, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import MAX_COUNTER, MAX_INCARNATION, MAX_PROCESSOR, Processor
from node.limits import MAX_DATAGRAM

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=300)
ME = Processor(1, 1)
BODY = HEADER.size
ACKS = BODY + DATA_HEAD.size


def payload(*content: Batch | Fragment, acks: tuple[tuple[int, int], ...] = ()) -> Data:
    return Data(ME, 7, origin=1, counter=5, held=2, acks=acks, first=9, content=content)


def resealed(datagram: bytes) -> bytes:
    """With the length and the checksum that belong to these bytes, so that deeper checks see it."""
    if len(datagram) < HEADER.size:
        return datagram
    sized = datagram[:6] + (len(datagram) & 0xFFFF).to_bytes(2, "big") + datagram[8:]
    return sized[:8] + codec.checksum(sized).to_bytes(4, "big") + sized[12:]


def patched(frame: Frame, at: int, new: bytes) -> bytes:
    datagram = encode(frame)
    return resealed(datagram[:at] + new + datagram[at + len(new) :])


def accepted(datagram: bytes, domain: int = 0) -> Frame | None:
    try:
        return decode(datagram, domain)
    except WireError:
        return None


def assert_canonical(datagram: bytes) -> None:
    """Rejected with a WireError, or the one and only encoding of what it says."""
    frame = accepted(datagram)
    assert frame is None or encode(frame) == datagram


# -- round trips


@given(frames, domains)
@repeatable
def test_a_frame_survives_the_wire(frame: Frame, domain: int) -> None:
    assert decode(encode(frame, domain), domain) == frame


HIGHEST = Processor(MAX_PROCESSOR, MAX_INCARNATION)
EXTREMES: dict[str, Frame] = {
    "the lowest of everything": Data(Processor(0, 0), 0, 0, 1, 0, (), 0, ()),
    "the highest of everything": Data(
        HIGHEST,
        2**64 - 1,
        MAX_PROCESSOR,
        MAX_COUNTER,
        MAX_COUNTER - MAX_HELD_LAG,
        ((0, MAX_COUNTER),),
        MAX_COUNTER,
        (Fragment(Service.SAFE, 2**32 - 1, 2**32 - 2, b"x"),),
    ),
    "a counter just below 32 bits": Data(ME, 7, 1, 2**32 - 1, 2**32 - 2, (), 2**32 - 1, ()),
    "a counter just above 32 bits": Data(ME, 7, 1, 2**32, 2**32 - 1, ((2, 2**32),), 2**32, ()),
    "127 acknowledgements": payload(acks=tuple((100 + who, who + 1) for who in range(127))),
    "255 acknowledgements": payload(acks=tuple((100 + who, who + 1) for who in range(255))),
    "an empty message": payload(Batch(Service.BASIC, (b"",))),
    "1024 empty messages": payload(Batch(Service.AGREED, (b"",) * 1024)),
    "1024 messages": payload(Batch(Service.CAUSAL, (b"ab",) * 1024)),
    "255 items": payload(*[Batch(Service(place % 4), (b"x",)) for place in range(255)]),
    "a heartbeat that holds nothing": Heartbeat(HIGHEST, 0, ()),
    "a heartbeat of 128 members": Heartbeat(ME, 7, tuple((who, MAX_COUNTER) for who in range(128))),
    "an empty nack": Nack(ME, 7, ()),
    "the largest nack": Nack(ME, 7, tuple((who, 1, 0xFFFF) for who in range(codec.MAX_WANTED))),
    "a nack for the last counter": Nack(ME, 7, ((3, MAX_COUNTER, MAX_COUNTER),)),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_survive_the_wire(name: str) -> None:
    assert decode(encode(EXTREMES[name])) == EXTREMES[name]


@pytest.mark.parametrize("whole", [True, False], ids=["one message", "a fragment"])
def test_a_datagram_of_60_kib(whole: bool) -> None:
    overhead = codec.data_overhead(0) + (5 if whole else codec.FRAGMENT_HEAD.size)
    data = bytes(MAX_DATAGRAM - overhead)
    item = Batch(Service.SAFE, (data,)) if whole else Fragment(Service.SAFE, 2**24, 4096, data)
    datagram = encode(payload(item))
    assert len(datagram) == MAX_DATAGRAM
    assert decode(datagram) == payload(item)


@pytest.mark.parametrize("acks", [0, 1, 127])
def test_the_overhead_of_a_data_frame_is_what_it_takes_without_content(acks: int) -> None:
    frame = payload(acks=tuple((100 + who, 1) for who in range(acks)))
    assert len(encode(frame)) == codec.data_overhead(acks)


def test_the_layout_does_not_change_unnoticed() -> None:
    frame = Data(
        Processor(0x0102, 0x03040506),
        0x0708090A0B0C0D0E,
        origin=0x1112,
        counter=0x131415161718,
        held=0x131415161718 - 0x191A,
        acks=((0x2122, 0x232425262728),),
        first=0x313233343536,
        content=(
            Batch(Service.AGREED, (b"ab", b"")),
            Fragment(Service.SAFE, 0x41424344, 0, b"xyz"),
        ),
    )
    assert encode(frame, 0x5152) == bytes.fromhex(
        "7452 01 01 5152 004b c877c038 0102 03040506 0708090a0b0c0d0e"
        "1112 01 02 131415161718 191a 313233343536"
        "2122 232425262728"
        "02 0002 0002 0000 6162"
        "83 41424344 00000000 0003 78797a"
    )


# -- a frame's own sender knows better than these


@pytest.mark.parametrize("held", [5, 6, 5 - MAX_HELD_LAG - 1])
def test_a_held_counter_out_of_range_is_never_sent(held: int) -> None:
    with pytest.raises(AssertionError, match="out of range"):
        encode(Data(ME, 7, 1, 5, held, (), 1, ()))


def test_a_nack_for_too_much_is_never_sent() -> None:
    with pytest.raises(AssertionError, match="129 ranges"):
        encode(Nack(ME, 7, ((3, 1, 1),) * 129))


def test_what_is_no_frame_is_never_sent() -> None:
    with pytest.raises(AssertionError, match="not a frame"):
        encode("hello")  # type: ignore[arg-type]


# -- garbage


@given(st.binary(max_size=200))
@repeatable
def test_arbitrary_bytes(datagram: bytes) -> None:
    assert_canonical(datagram)


@given(st.integers(0, 4), st.binary(max_size=200))
@repeatable
def test_arbitrary_bytes_behind_a_valid_header(kind: int, body: bytes) -> None:
    header = HEADER.pack(codec.MAGIC, codec.VERSION, kind, 0, 0, 0, 1, 1, 7)
    assert_canonical(resealed(header + body))


@given(frames, st.data(), st.booleans())
@repeatable
def test_flipped_bits(frame: Frame, data: st.DataObject, seal: bool) -> None:
    datagram = bytearray(encode(frame))
    for place in data.draw(st.lists(st.integers(0, 8 * len(datagram) - 1), min_size=1, max_size=3)):
        datagram[place // 8] ^= 1 << place % 8
    assert_canonical(resealed(bytes(datagram)) if seal else bytes(datagram))


@given(frames, st.data(), st.booleans())
@repeatable
def test_truncations(frame: Frame, data: st.DataObject, seal: bool) -> None:
    datagram = encode(frame)
    short = datagram[: data.draw(st.integers(0, len(datagram) - 1))]
    assert_canonical(resealed(short) if seal else short)
    assert seal or accepted(short) is None


@given(frames, st.binary(min_size=1, max_size=20), st.booleans())
@repeatable
def test_extensions(frame: Frame, more: bytes, seal: bool) -> None:
    datagram = encode(frame) + more
    assert accepted(resealed(datagram) if seal else datagram) is None


@given(frames, frames, st.data())
@repeatable
def test_splices(one: Frame, other: Frame, data: st.DataObject) -> None:
    front, back = encode(one), encode(other)
    cut = data.draw(st.integers(0, len(front)))
    resume = data.draw(st.integers(0, len(back)))
    assert_canonical(resealed(front[:cut] + back[resume:]))


@given(frames, st.data(), st.sampled_from([0, 1, 2, 0x7F, 0x80, 0xFF]))
@repeatable
def test_bytes_replaced_by_telling_values(frame: Frame, data: st.DataObject, new: int) -> None:
    datagram = bytearray(encode(frame))
    datagram[data.draw(st.integers(BODY, len(datagram) - 1))] = new
    assert_canonical(resealed(bytes(datagram)))


def test_every_single_bit_is_covered_by_the_checksum() -> None:
    datagram = encode(payload(Batch(Service.AGREED, (b"some", b"words")), acks=((2, 3),)))
    for place in range(8 * len(datagram)):
        spoiled = bytearray(datagram)
        spoiled[place // 8] ^= 1 << place % 8
        assert accepted(bytes(spoiled)) is None


# -- every reason to reject


def batch_of(*lengths: int, count: int | None = None, data: bytes = b"") -> bytes:
    """A batch whose lengths need not be true."""
    claimed = len(lengths) if count is None else count
    return struct.pack(f">BH{len(lengths)}H", Service.AGREED, claimed, *lengths) + data


def holding(*items: bytes, count: int | None = None) -> bytes:
    """A data frame with these bytes for its content."""
    claimed = len(items) if count is None else count
    whole = resealed(encode(payload()) + b"".join(items))
    return resealed(whole[: BODY + 3] + bytes([claimed]) + whole[BODY + 4 :])


def piece(total: int, offset: int, length: int, data: bytes) -> bytes:
    return codec.FRAGMENT_HEAD.pack(Service.SAFE | codec.FRAGMENT, total, offset, length) + data


DATA = payload()
ACKED = payload(acks=((2, 3), (4, 5)))
BEAT = Heartbeat(ME, 7, ((1, 5), (2, 6)))
NACK = Nack(ME, 7, ((2, 5, 6),))
GOOD = batch_of(2, data=b"ok")

MALFORMED: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "shorter than a header"),
    "a header less one byte": (encode(DATA)[: HEADER.size - 1], "shorter than a header"),
    "another magic": (patched(DATA, 0, b"\x74\x53"), "not a Transis frame"),
    "another version": (patched(DATA, 2, b"\x02"), "version 2, expected 1"),
    "a byte too many": (encode(DATA) + b"x", "says 44 bytes, has 45"),
    "a byte too few": (encode(DATA)[:-1], "says 44 bytes, has 43"),
    "a spoiled byte": (encode(DATA)[:-1] + b"\xff", "checksum mismatch"),
    "a spoiled checksum": (encode(DATA)[:8] + bytes(4) + encode(DATA)[12:], "checksum mismatch"),
    "another domain": (encode(DATA, 3), "domain 3, expected 0"),
    "kind 0": (patched(DATA, 3, b"\0"), "unknown kind 0"),
    "kind 4": (patched(DATA, 3, b"\4"), "unknown kind 4"),
    "half a data head": (resealed(encode(DATA)[:-1]), "ends in the middle of a field"),
    "a heartbeat without a count": (
        resealed(encode(BEAT)[: BODY + 1]),
        "ends in the middle of a field",
    ),
    "counter 0": (patched(DATA, BODY + 4, bytes(6)), "frames are counted from 1"),
    "a held counter of its own": (patched(DATA, BODY + 10, b"\0\0"), "held counter out of range"),
    "a held counter below 0": (patched(DATA, BODY + 10, b"\0\6"), "held counter out of range"),
    "an acknowledgement of itself": (
        patched(ACKED, ACKS, b"\0\1"),
        "a frame acknowledges its own origin by following it",
    ),
    "an acknowledgement of nothing": (
        patched(ACKED, ACKS + 2, bytes(6)),
        "an acknowledged counter of 0: frames are counted from 1",
    ),
    "two acknowledgements of one": (patched(ACKED, ACKS, b"\0\4"), "a processor is listed twice"),
    "too many acknowledgements claimed": (
        patched(ACKED, BODY + 2, b"\3"),
        "fewer entries than announced",
    ),
    "too few acknowledgements claimed": (patched(ACKED, BODY + 2, b"\1"), "8 bytes too many"),
    "message number 0": (
        patched(payload(Batch(Service.SAFE, (b"x",))), BODY + 12, bytes(6)),
        "messages are numbered from 1",
    ),
    "too many items claimed": (holding(GOOD, count=2), "fewer content items than announced"),
    "too few items claimed": (holding(GOOD, GOOD, count=1), "7 bytes too many"),
    "service 4": (holding(b"\4\0\1\0\0"), "unknown service 4"),
    "a fragment of service 5": (holding(b"\x85" + piece(9, 0, 1, b"x")[1:]), "unknown service 5"),
    "a batch of nothing": (holding(batch_of()), "empty batch"),
    "a batch head cut short": (holding(b"\2\0"), "ends in the middle of a field"),
    "lengths cut short": (holding(batch_of(1, count=2)), "ends in the middle of a field"),
    "65535 messages claimed": (
        holding(batch_of(1, count=0xFFFF, data=b"x")),
        "ends in the middle of a field",
    ),
    "messages past the end": (holding(batch_of(1, 2, data=b"xy")), "batch runs past the end"),
    "messages before the end": (holding(batch_of(1, data=b"xy")), "1 bytes too many"),
    "a fragment head cut short": (
        holding(piece(9, 0, 1, b"")[:-1]),
        "ends in the middle of a field",
    ),
    "a fragment past the end": (holding(piece(9, 0, 3, b"xy")), "fragment runs past the end"),
    "an empty fragment": (holding(piece(9, 0, 0, b"")), "fragment outside its message"),
    "a fragment past its message": (holding(piece(9, 8, 2, b"xy")), "fragment outside its message"),
    "an offset that would wrap": (
        holding(piece(9, 2**32 - 1, 2, b"xy")),
        "fragment outside its message",
    ),
    "a message behind an unfinished one": (
        holding(piece(9, 0, 1, b"x"), GOOD),
        "an unfinished fragment must end its frame",
    ),
    "a message before a continued one": (
        holding(GOOD, piece(9, 8, 1, b"x")),
        "a continued fragment must begin its frame",
    ),
    "too many entries claimed": (patched(BEAT, BODY, b"\0\3"), "fewer entries than announced"),
    "too few entries claimed": (patched(BEAT, BODY, b"\0\1"), "8 bytes too many"),
    "one processor held twice": (patched(BEAT, BODY + 2, b"\0\2"), "a processor is listed twice"),
    "too many ranges claimed": (patched(NACK, BODY, b"\0\2"), "10 bytes too few"),
    "too few ranges claimed": (patched(NACK, BODY, b"\0\0"), "10 bytes too many"),
    "more ranges than allowed": (
        resealed(encode(NACK)[:BODY] + b"\0\x81" + codec.WANT.pack(2, 0, 5, 1) * 129),
        "asks for 129 ranges, at most 128",
    ),
    "wanted twice": (
        encode(Nack(ME, 7, ((2, 5, 6), (2, 6, 7)))),
        "wanted ranges overlap or are out of order",
    ),
    "counter 0 wanted": (patched(NACK, BODY + 4, bytes(6)), "wanted counters out of range"),
    "no counters wanted": (patched(NACK, BODY + 10, b"\0\0"), "wanted counters out of range"),
    "more wanted than can be": (
        patched(NACK, BODY + 4, b"\xff" * 6),
        "wanted counters out of range",
    ),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_malformed_is_rejected_with_the_reason(name: str) -> None:
    datagram, reason = MALFORMED[name]
    with pytest.raises(WireError) as caught:
        decode(datagram)
    assert str(caught.value) == reason


def test_what_the_malformed_ones_are_made_from_is_well_formed() -> None:
    for datagram in (encode(DATA), encode(ACKED), encode(BEAT), encode(NACK), holding(GOOD)):
        assert accepted(datagram) is not None
    assert accepted(holding(piece(9, 8, 1, b"x"), GOOD, piece(9, 0, 1, b"x"))) is not None
