"""The Scapy layer against the codec: two descriptions of one format."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Padding, Raw

from node import codec
from node.errors import WireError
from node.frames import Batch, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import MAX_COUNTER, Processor
from transis.wire import DEFAULT_PORT
from transis.wire.layer import (
    Transis,
    TransisBatch,
    TransisData,
    TransisEntry,
    TransisFragment,
    TransisHeartbeat,
    TransisNack,
    TransisRange,
    bind_port,
    from_frame,
)

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=100)
ME = Processor(3, 2)
OTHER_PORT = 17452

numbers = st.integers(0, 0xFFFF)
counters = st.integers(1, MAX_COUNTER)
processors = st.builds(Processor, numbers, st.integers(0, 2**32 - 1))
views = st.integers(0, 2**64 - 1)
services = st.sampled_from(Service)
batches = st.builds(
    Batch, services, st.lists(st.binary(max_size=30), min_size=1, max_size=6).map(tuple)
)
first_pieces = st.builds(
    Fragment, services, st.integers(50, 2**32 - 1), st.just(0), st.binary(min_size=1, max_size=50)
)
entries = st.dictionaries(st.integers(1, 0xFFFF), counters, max_size=6).map(
    lambda drawn: tuple(drawn.items())
)
data_frames = st.builds(
    lambda transmitter, view, counter, lag, acks, first, items, last: Data(
        transmitter, view, 0, counter, max(counter - lag, 0), acks, first, (*items, *last)
    ),
    processors,
    views,
    counters,
    st.integers(1, 0xFFFF),
    entries,
    counters,
    st.lists(batches, max_size=4),
    st.lists(first_pieces, max_size=1),
)
ranges = st.tuples(numbers, st.integers(1, 2**40), st.integers(0, 0xFFFE)).map(
    lambda drawn: (drawn[0], drawn[1], drawn[1] + drawn[2])
)


def by_processor(wanted: tuple[int, int, int]) -> int:
    return wanted[0]


def in_order(wanted: list[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    return tuple(sorted(wanted))


frames: st.SearchStrategy[Frame] = st.one_of(
    data_frames,
    st.builds(Heartbeat, processors, views, entries),
    st.builds(
        Nack, processors, views, st.lists(ranges, max_size=6, unique_by=by_processor).map(in_order)
    ),
)


def frame_in(packet: Any) -> Frame:
    """What the fields of a dissected packet say, put together again."""
    transmitter = Processor(packet.transmitter, packet.incarnation)
    if TransisHeartbeat in packet:
        return Heartbeat(transmitter, packet.view, entries_in(packet.holds))
    if TransisNack in packet:
        wanted = [
            (part.processor, part.first, part.first + part.many - 1) for part in packet.wanted
        ]
        return Nack(transmitter, packet.view, tuple(wanted))
    data = packet[TransisData]
    return Data(
        transmitter,
        packet.view,
        data.origin,
        data.counter,
        data.counter - data.lag,
        entries_in(data.acks),
        data.first,
        tuple(item_in(item) for item in data.content),
    )


def entries_in(parts: list[Any]) -> tuple[tuple[int, int], ...]:
    return tuple((part.processor, part.counter) for part in parts)


def item_in(item: Any) -> Batch | Fragment:
    if isinstance(item, TransisBatch):
        return Batch(Service(item.service), tuple(item.payloads))
    return Fragment(Service(item.service), item.total, item.offset, item.data)


LARGE: dict[str, Frame] = {
    "127 acknowledgements": Data(
        ME, 1, 3, 9, 8, tuple((100 + who, MAX_COUNTER) for who in range(127)), 1, ()
    ),
    "1024 messages": Data(ME, 1, 3, 9, 8, (), 1, (Batch(Service.SAFE, (b"xy", b"") * 512),)),
    "255 items": Data(ME, 1, 3, 9, 8, (), 1, (Batch(Service.BASIC, (b"",)),) * 255),
    "60 KiB": Data(ME, 1, 3, 9, 8, (), 1, (Fragment(Service.SAFE, 2**24, 0, bytes(61_000)),)),
    "128 held": Heartbeat(ME, 1, tuple((who, who) for who in range(128))),
    "128 wanted": Nack(ME, 1, ((1, 5, 70),) * 128),
}


@given(frames, st.integers(0, 0xFFFF))
@repeatable
def test_scapy_builds_what_the_codec_encodes(frame: Frame, domain: int) -> None:
    assert bytes(from_frame(frame, domain)) == codec.encode(frame, domain)


@given(frames, st.integers(0, 0xFFFF))
@repeatable
def test_scapy_dissects_what_the_codec_encodes(frame: Frame, domain: int) -> None:
    datagram = codec.encode(frame, domain)
    packet = Transis(datagram)
    assert frame_in(packet) == frame
    assert (packet.magic, packet.version, packet.domain) == (codec.MAGIC, codec.VERSION, domain)
    assert (packet.length, packet.crc) == (len(datagram), codec.checksum(datagram))
    assert Raw not in packet
    assert Padding not in packet


@pytest.mark.parametrize("name", LARGE)
def test_large_frames(name: str) -> None:
    datagram = codec.encode(LARGE[name])
    assert bytes(from_frame(LARGE[name])) == datagram
    assert frame_in(Transis(datagram)) == LARGE[name]


@given(frames)
@repeatable
def test_a_dissected_packet_can_be_changed_and_built_again(frame: Frame) -> None:
    packet = Transis(codec.encode(frame))
    packet.view = 77
    packet.crc = None
    changed = codec.decode(bytes(packet))
    assert changed.view == 77
    assert bytes(from_frame(changed)) == bytes(packet)


# -- by hand

CRAFTED = Transis(transmitter=1, incarnation=1, view=7) / TransisData(
    origin=1,
    counter=5,
    lag=2,
    first=9,
    acks=[TransisEntry(processor=2, counter=3)],
    content=[TransisBatch(service="agreed", payloads=[b"hello", b""])],
)


def test_a_frame_crafted_by_hand_is_valid() -> None:
    assert codec.decode(bytes(CRAFTED)) == Data(
        Processor(1, 1), 7, 1, 5, 3, ((2, 3),), 9, (Batch(Service.AGREED, (b"hello", b"")),)
    )


def test_the_kind_follows_from_what_is_stacked() -> None:
    beat = Transis() / TransisHeartbeat(holds=[TransisEntry(processor=1, counter=2)])
    nack = Transis() / TransisNack(wanted=[TransisRange(processor=1, first=2, many=3)])
    assert codec.decode(bytes(beat)) == Heartbeat(Processor(0, 0), 0, ((1, 2),))
    assert codec.decode(bytes(nack)) == Nack(Processor(0, 0), 0, ((1, 2, 4),))


def body(**fields: Any) -> Any:
    given = {"origin": 1, "counter": 5, "first": 1, **fields}
    return Transis(transmitter=1) / TransisData(**given)


SPOILED: dict[str, tuple[Any, str]] = {
    "crc": (Transis(crc=1) / TransisHeartbeat(), "checksum mismatch"),
    "length": (Transis(length=99) / TransisHeartbeat(), "says 99 bytes, has 28"),
    "magic": (Transis(magic=1) / TransisHeartbeat(), "not a Transis frame"),
    "version": (Transis(version=2) / TransisHeartbeat(), "version 2, expected 1"),
    "domain": (Transis(domain=5) / TransisHeartbeat(), "domain 5, expected 0"),
    "kind": (Transis(kind=9) / Raw(b"what"), "unknown kind 9"),
    "entry count": (Transis() / TransisHeartbeat(count=4), "fewer entries than announced"),
    "ranges": (Transis() / TransisNack(count=4), "40 bytes too few"),
    "ack count": (body(ack_count=2), "fewer entries than announced"),
    "items": (body(items=1), "fewer content items than announced"),
    "counter": (body(counter=0), "frames are counted from 1"),
    "lag": (body(lag=6), "held counter out of range"),
    "message count": (
        body(content=[TransisBatch(count=9, payloads=[b"x"])]),
        "ends in the middle of a field",
    ),
    "message length": (
        body(content=[TransisBatch(lengths=[5], payloads=[b"x"])]),
        "batch runs past the end",
    ),
    "service": (body(content=[TransisBatch(service=9, payloads=[b"x"])]), "unknown service 9"),
    "fragment length": (
        body(content=[TransisFragment(total=9, length=5, data=b"x")]),
        "fragment runs past the end",
    ),
    "fragment offset": (
        body(content=[TransisFragment(total=9, offset=9, data=b"x")]),
        "fragment outside its message",
    ),
    "something behind": (body() / Raw(b"more"), "4 bytes too many"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_wrong_value_is_kept_when_it_is_given(name: str) -> None:
    packet, reason = SPOILED[name]
    with pytest.raises(WireError) as caught:
        codec.decode(bytes(packet))
    assert str(caught.value) == reason


@given(st.binary(max_size=120), st.integers(0, 4))
@repeatable
def test_garbage_in_a_datagram_does_not_stop_the_dissector(garbage: bytes, kind: int) -> None:
    for load in (garbage, bytes(Transis(kind=kind) / Raw(garbage))):
        wire = bytes(Ether() / IP() / UDP(sport=DEFAULT_PORT, dport=DEFAULT_PORT) / Raw(load))
        packet = Ether(wire)
        assert bytes(packet) == wire
        assert packet.summary()


# -- in a stack


@pytest.mark.parametrize("ports", [(DEFAULT_PORT, DEFAULT_PORT), (40000, DEFAULT_PORT)])
def test_a_datagram_on_the_port_is_ours(ports: tuple[int, int]) -> None:
    source, destination = ports
    wire = bytes(Ether() / IP() / UDP(sport=source, dport=destination) / Raw(bytes(CRAFTED)))
    assert TransisData in Ether(wire)


def test_stacking_on_udp_chooses_the_port() -> None:
    packet = IP() / UDP() / CRAFTED
    assert (packet[UDP].sport, packet[UDP].dport) == (DEFAULT_PORT, DEFAULT_PORT)


def test_another_port_can_be_bound() -> None:
    wire = bytes(IP() / UDP(sport=1, dport=OTHER_PORT) / Raw(bytes(CRAFTED)))
    assert Transis not in IP(wire)
    bind_port(OTHER_PORT)
    assert Transis in IP(wire)


def test_bytes_behind_the_length_are_shown_as_padding() -> None:
    assert Transis(bytes(CRAFTED) + b"more")[Padding].load == b"more"


@pytest.mark.parametrize(
    ("packet", "line"),
    [
        (
            body(
                acks=[TransisEntry(processor=2, counter=3)],
                content=[
                    TransisBatch(service=2, payloads=[b"ab", b"c"]),
                    TransisFragment(service=3, total=100, offset=0, data=b"xyz"),
                ],
            ),
            "1.0 view 0000000000000000 data 1:5 held 4 acks 2:3 "
            "#1 2 agreed (3 B), safe fragment (0-3 of 100 B)",
        ),
        (body(), "1.0 view 0000000000000000 data 1:5 held 4 acks none #1 no content"),
        (
            Transis(view=0xAB) / TransisHeartbeat(holds=[TransisEntry(processor=1, counter=2)]),
            "0.0 view 00000000000000ab heartbeat holds 1:2",
        ),
        (
            Transis()
            / TransisNack(
                wanted=[
                    TransisRange(processor=1, first=2, many=3),
                    TransisRange(processor=4, first=9),
                ]
            ),
            "0.0 view 0000000000000000 nack wants 1:2-4 4:9",
        ),
    ],
    ids=["content", "no content", "heartbeat", "nack"],
)
def test_the_summary_says_what_is_in_it_in_one_line(packet: Any, line: str) -> None:
    wire = bytes(IP() / UDP() / packet)
    assert IP(wire).summary() == f"IP / UDP / Transis / {line}"


def test_show_names_the_fields() -> None:
    shown = Transis(bytes(CRAFTED)).show(dump=True)
    for line in (
        "kind      = data",
        "counter   = 5",
        "service   = agreed",
        "payloads  = [b'hello', b'']",
    ):
        assert line in shown
