"""The wire format: bytes to frames and back. Layout and reasons: docs/wire.md.

Sanity comes first: magic, version, length, checksum and domain are verified before a single field
is believed, and every count is checked against the bytes that are really there. Decoding raises
`WireError` and nothing else, and accepts only what encoding makes: one frame, one datagram.
"""

import struct
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache

from node.errors import WireError
from node.frames import Batch, Content, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import MAX_COUNTER, Processor

MAGIC = 0x7452  # "tR"
VERSION = 1
DATA, HEARTBEAT, NACK = 1, 2, 3
KIND_NAMES = {DATA: "data", HEARTBEAT: "heartbeat", NACK: "nack"}

# magic, version, kind, domain, length of the datagram, CRC-32, transmitter, incarnation, view
HEADER = struct.Struct(">HBBHHIHIQ")
# origin, ACKs, content items, counter (16+32 bits), counter - held, first message (16+32 bits)
DATA_HEAD = struct.Struct(">HBBHIHHI")
ENTRY = struct.Struct(">HHI")  # processor, counter (16+32 bits)
WANT = struct.Struct(">HHIH")  # processor, first counter (16+32 bits), how many
BATCH_HEAD = struct.Struct(">BH")  # service, messages; then a 16-bit length for each, then bytes
FRAGMENT_HEAD = struct.Struct(">BIIH")  # service | FRAGMENT, total, offset, length; then bytes
COUNT = struct.Struct(">H")

FRAGMENT = 0x80
CRC_AT = 8
BLANK_CRC = bytes(4)
LENGTH_BYTES = 2
MAX_HELD_LAG = 0xFFFF  # beyond the largest Limits.unheld_frames
MAX_ITEMS = 0xFF
LEAST_CONTENT = 64  # bytes
MAX_WANTED = 128  # entries of one NACK: what is still missing after that is asked for next time

_SERVICES = {int(service): service for service in Service}


def data_overhead(acks: int) -> int:
    """Bytes of a data frame that are not content."""
    return HEADER.size + DATA_HEAD.size + acks * ENTRY.size


def smallest_datagram(members: int) -> int:
    """What a view of so many needs: the ACKs of all the others, and some content beside them."""
    return data_overhead(members - 1) + LEAST_CONTENT


def ranges_that_fit(datagram_bytes: int) -> int:
    """How many ranges a NACK of this size can ask for."""
    return min(MAX_WANTED, (datagram_bytes - HEADER.size - COUNT.size) // WANT.size)


def encode(frame: Frame, domain: int = 0) -> bytes:
    """The datagram for this frame."""
    if type(frame) is Data:
        kind, body = DATA, _encode_data(frame)
    elif type(frame) is Heartbeat:
        kind, body = HEARTBEAT, _encode_entries(frame.holds)
    elif type(frame) is Nack:
        kind, body = NACK, _encode_wanted(frame.wanted)
    else:
        raise AssertionError(f"not a frame: {frame!r}")
    number, incarnation = frame.transmitter
    length = HEADER.size + len(body)
    blank = HEADER.pack(MAGIC, VERSION, kind, domain, length, 0, number, incarnation, frame.view)
    crc = zlib.crc32(body, zlib.crc32(blank))
    return blank[:CRC_AT] + crc.to_bytes(4, "big") + blank[CRC_AT + 4 :] + body


def decode(datagram: bytes, domain: int = 0) -> Frame:
    """The frame in this datagram, or WireError."""
    try:
        magic, version, kind, its_domain, length, crc, number, incarnation, view = (
            HEADER.unpack_from(datagram)
        )
    except struct.error:
        raise WireError("shorter than a header") from None
    if magic != MAGIC:
        raise WireError("not a Transis frame")
    if version != VERSION:
        raise WireError(f"version {version}, expected {VERSION}")
    if length != len(datagram):
        raise WireError(f"says {length} bytes, has {len(datagram)}")
    if crc != checksum(datagram):
        raise WireError("checksum mismatch")
    if its_domain != domain:
        raise WireError(f"domain {its_domain}, expected {domain}")
    transmitter = Processor(number, incarnation)
    try:
        if kind == DATA:
            return _decode_data(datagram, transmitter, view)
        if kind == HEARTBEAT:
            entries, end = _decode_entries(datagram, HEADER.size + COUNT.size, _count(datagram))
            _exactly(datagram, end)
            return Heartbeat(transmitter, view, entries)
        if kind == NACK:
            return Nack(transmitter, view, _decode_wanted(datagram))
    except struct.error:
        raise WireError("ends in the middle of a field") from None
    raise WireError(f"unknown kind {kind}")


def checksum(datagram: bytes) -> int:
    """CRC-32 of the datagram as if its checksum field were zero."""
    head = zlib.crc32(datagram[:CRC_AT] + BLANK_CRC)
    return zlib.crc32(memoryview(datagram)[CRC_AT + len(BLANK_CRC) :], head)


# -- data frames


def _encode_data(frame: Data) -> bytes:
    counter, first = frame.counter, frame.first
    lag = counter - frame.held
    # Never clamped: a smaller lag would claim that all hold what some do not.
    assert 0 < lag <= MAX_HELD_LAG, f"held {frame.held} is out of range of counter {counter}"
    parts = [
        DATA_HEAD.pack(
            frame.origin,
            len(frame.acks),
            len(frame.content),
            counter >> 32,
            counter & 0xFFFFFFFF,
            lag,
            first >> 32,
            first & 0xFFFFFFFF,
        )
    ]
    pack_entry = ENTRY.pack
    parts += [pack_entry(who, count >> 32, count & 0xFFFFFFFF) for who, count in frame.acks]
    for item in frame.content:
        if type(item) is Batch:
            payloads = item.payloads
            count = len(payloads)
            parts.append(BATCH_HEAD.pack(item.service, count))
            parts.append(_lengths(count).pack(*map(len, payloads)))
            parts += payloads
        elif type(item) is Fragment:
            parts.append(
                FRAGMENT_HEAD.pack(item.service | FRAGMENT, item.total, item.offset, len(item.data))
            )
            parts.append(item.data)
    return b"".join(parts)


def _decode_data(datagram: bytes, transmitter: Processor, view: int) -> Data:
    origin, acks_count, items, high, low, lag, first_high, first_low = DATA_HEAD.unpack_from(
        datagram, HEADER.size
    )
    counter = high << 32 | low
    if counter == 0:
        raise WireError("frames are counted from 1")
    if lag == 0 or lag > counter:
        raise WireError("held counter out of range")
    acks, at = _decode_entries(datagram, HEADER.size + DATA_HEAD.size, acks_count)
    acknowledged = dict(acks)
    if origin in acknowledged:
        raise WireError("a frame acknowledges its own origin by following it")
    if 0 in acknowledged.values():
        raise WireError("an acknowledged counter of 0: frames are counted from 1")
    content: list[Content] = []
    for place in range(items):
        item, at = _decode_item(datagram, at)
        if type(item) is Fragment:
            if not item.ends_message and place != items - 1:
                raise WireError("an unfinished fragment must end its frame")
            if item.offset and place != 0:
                raise WireError("a continued fragment must begin its frame")
        content.append(item)
    _exactly(datagram, at)
    first = first_high << 32 | first_low
    if items and first == 0:
        raise WireError("messages are numbered from 1")
    return Data(transmitter, view, origin, counter, counter - lag, acks, first, tuple(content))


def _decode_item(datagram: bytes, at: int) -> tuple[Content, int]:
    if at >= len(datagram):
        raise WireError("fewer content items than announced")
    tag = datagram[at]
    service = _SERVICES.get(tag & ~FRAGMENT)
    if service is None:
        raise WireError(f"unknown service {tag & ~FRAGMENT}")
    if tag & FRAGMENT:
        _, total, offset, length = FRAGMENT_HEAD.unpack_from(datagram, at)
        at += FRAGMENT_HEAD.size
        end = at + length
        if end > len(datagram):
            raise WireError("fragment runs past the end")
        if length == 0 or offset + length > total:
            raise WireError("fragment outside its message")
        return Fragment(service, total, offset, datagram[at:end]), end
    _, count = BATCH_HEAD.unpack_from(datagram, at)
    if count == 0:
        raise WireError("empty batch")
    at += BATCH_HEAD.size
    lengths = _lengths(count).unpack_from(datagram, at)
    at += count * LENGTH_BYTES
    if at + sum(lengths) > len(datagram):
        raise WireError("batch runs past the end")
    payloads = []
    for length in lengths:
        end = at + length
        payloads.append(datagram[at:end])
        at = end
    return Batch(service, tuple(payloads)), at


@lru_cache(maxsize=1024)  # bounded: the count comes from the network
def _lengths(count: int) -> struct.Struct:
    return struct.Struct(f">{count}H")


# -- lists of (processor, counter)


def _encode_entries(entries: Iterable[tuple[int, int]]) -> bytes:
    packed = [ENTRY.pack(who, count >> 32, count & 0xFFFFFFFF) for who, count in entries]
    return COUNT.pack(len(packed)) + b"".join(packed)


def _decode_entries(
    datagram: bytes, at: int, count: int
) -> tuple[tuple[tuple[int, int], ...], int]:
    end = at + count * ENTRY.size
    if end > len(datagram):
        raise WireError("fewer entries than announced")
    if count == 0:
        return (), end
    packed = ENTRY.iter_unpack(datagram[at:end])
    entries = tuple([(who, high << 32 | low) for who, high, low in packed])
    if len(dict(entries)) != count:
        raise WireError("a processor is listed twice")
    return entries, end


def _encode_wanted(wanted: Sequence[tuple[int, int, int]]) -> bytes:
    assert len(wanted) <= MAX_WANTED, f"{len(wanted)} ranges in one NACK"
    packed = [
        WANT.pack(who, first >> 32, first & 0xFFFFFFFF, last - first + 1)
        for who, first, last in wanted
    ]
    return COUNT.pack(len(packed)) + b"".join(packed)


def _decode_wanted(datagram: bytes) -> tuple[tuple[int, int, int], ...]:
    count = _count(datagram)
    if count > MAX_WANTED:
        raise WireError(f"asks for {count} ranges, at most {MAX_WANTED}")
    at = HEADER.size + COUNT.size
    end = at + count * WANT.size
    _exactly(datagram, end)
    wanted: list[tuple[int, int, int]] = []
    for who, high, low, many in WANT.iter_unpack(datagram[at:end]):
        first = high << 32 | low
        last = first + many - 1
        if first == 0 or many == 0 or last > MAX_COUNTER:
            raise WireError("wanted counters out of range")
        if wanted and (who, first) <= (wanted[-1][0], wanted[-1][2]):
            raise WireError("wanted ranges overlap or are out of order")
        wanted.append((who, first, last))
    return tuple(wanted)


def _count(datagram: bytes) -> int:
    (count,) = COUNT.unpack_from(datagram, HEADER.size)
    return int(count)


def _exactly(datagram: bytes, end: int) -> None:
    if end != len(datagram):
        raise WireError(
            f"{abs(len(datagram) - end)} bytes too {'many' if len(datagram) > end else 'few'}"
        )
