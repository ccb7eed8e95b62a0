"""The wire format as Scapy layers: to dissect what was captured, and to craft what no node sends.

`Transis() / TransisData(...)` fills in lengths, counts and checksum when it is built; whatever is
given explicitly is kept, so that a wrong one can be crafted. The layout is docs/wire.md, its
reference implementation `node.codec`: here the same format is written down a second time, field by
field, and the tests hold the two against each other.

    from transis.wire.layer import Transis, TransisBatch, TransisData
    Transis(transmitter=1, incarnation=1) / TransisData(
        origin=1, counter=1, lag=1, first=1, content=[TransisBatch(payloads=[b"hello"])]
    )
"""

from typing import Any

from scapy.base_classes import BasePacket
from scapy.fields import (
    BitEnumField,
    BitField,
    ByteEnumField,
    ByteField,
    Field,
    FieldLenField,
    FieldListField,
    IntField,
    PacketListField,
    ShortField,
    StrLenField,
    XIntField,
    XLongField,
    XShortField,
)
from scapy.layers.inet import UDP
from scapy.packet import Packet, bind_bottom_up, bind_layers

from node import codec
from node.frames import Batch, Data, Fragment, Frame, Heartbeat, Service
from transis.wire import DEFAULT_PORT

SERVICES = {int(service): service.label for service in Service}
MOST = 0xFFFF  # Scapy refuses lists of more than 100 unless told; no count of ours has more bits
LENGTH_AT = 6
LENGTH_END = LENGTH_AT + 2
CRC_END = codec.CRC_AT + 4


class Part(Packet):
    """A piece of a list: what follows it belongs to the next piece."""

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes]:
        return b"", s


class TransisEntry(Part):
    """A frame by its origin and counter: an acknowledgement, or the last one held."""

    name = "Transis entry"
    fields_desc = [  # noqa: RUF012
        ShortField("processor", 0),
        BitField("counter", 0, 48),
    ]

    def __str__(self) -> str:
        return f"{self.processor}:{self.counter}"


class TransisRange(Part):
    """Frames that a NACK asks for."""

    name = "Transis range"
    fields_desc = [  # noqa: RUF012
        ShortField("processor", 0),
        BitField("first", 1, 48),
        ShortField("many", 1),
    ]

    def __str__(self) -> str:
        last = self.first + self.many - 1
        return f"{self.processor}:{self.first}" + (f"-{last}" if self.many != 1 else "")


class LengthsField(FieldListField):
    """The lengths of the payloads that follow, unless others are given."""

    def __init__(self, name: str) -> None:
        super().__init__(
            name, [], ShortField("", 0), count_from=lambda batch: batch.count, max_count=MOST
        )
        self.default = None

    def addfield(self, pkt: Any, s: bytes, val: list[int] | None) -> bytes:
        lengths = [len(payload) for payload in pkt.payloads] if val is None else val
        return s + b"".join(length.to_bytes(2, "big") for length in lengths)

    def i2repr(self, _pkt: Any, x: list[int] | None) -> str:
        return repr(x)


class PayloadsField(Field[list[bytes], bytes]):
    """Byte strings one after the other, cut by the lengths before them."""

    islist = 1

    def i2count(self, _pkt: Any, x: list[bytes]) -> int:
        return len(x)

    def i2repr(self, _pkt: Any, x: list[bytes]) -> str:
        return repr(x)

    def any2i(self, _pkt: Any, x: Any) -> Any:
        return [x] if isinstance(x, bytes) else x

    def addfield(self, _pkt: Any, s: bytes, val: list[bytes] | None) -> bytes:
        return s + b"".join(val or [])

    def getfield(self, pkt: Any, s: bytes) -> tuple[bytes, list[bytes]]:
        payloads = []
        at = 0
        for length in pkt.lengths:
            payloads.append(s[at : at + length])
            at += length
        return s[at:], payloads


class TransisBatch(Part):
    """Whole messages of one service."""

    name = "Transis batch"
    fields_desc = [  # noqa: RUF012
        BitField("fragment", 0, 1),
        BitEnumField("service", 0, 7, SERVICES),
        FieldLenField("count", None, fmt="H", count_of="payloads"),
        LengthsField("lengths"),
        PayloadsField("payloads", []),
    ]

    def __str__(self) -> str:
        size = sum(map(len, self.payloads))
        return f"{len(self.payloads)} {_service(self)} ({size} B)"


class TransisFragment(Part):
    """A piece of one large message."""

    name = "Transis fragment"
    fields_desc = [  # noqa: RUF012
        BitField("fragment", 1, 1),
        BitEnumField("service", 0, 7, SERVICES),
        IntField("total", 0),
        IntField("offset", 0),
        FieldLenField("length", None, fmt="H", length_of="data"),
        StrLenField("data", b"", length_from=lambda piece: piece.length),
    ]

    def __str__(self) -> str:
        end = self.offset + len(self.data)
        return f"{_service(self)} fragment ({self.offset}-{end} of {self.total} B)"


class Transis(Packet):
    """The header of every frame."""

    name = "Transis"
    fields_desc = [  # noqa: RUF012
        XShortField("magic", codec.MAGIC),
        ByteField("version", codec.VERSION),
        ByteEnumField("kind", codec.DATA, codec.KIND_NAMES),
        ShortField("domain", 0),
        ShortField("length", None),
        XIntField("crc", None),
        ShortField("transmitter", 0),
        IntField("incarnation", 0),
        XLongField("view", 0),
    ]

    def post_build(self, pkt: bytes, pay: bytes) -> bytes:
        datagram = pkt + pay
        if self.length is None:
            length = len(datagram) & 0xFFFF
            datagram = datagram[:LENGTH_AT] + length.to_bytes(2, "big") + datagram[LENGTH_END:]
        if self.crc is None:
            crc = codec.checksum(datagram).to_bytes(4, "big")
            datagram = datagram[: codec.CRC_AT] + crc + datagram[CRC_END:]
        return datagram

    def extract_padding(self, s: bytes) -> tuple[bytes, bytes | None]:
        size = (self.length or 0) - codec.HEADER.size
        return (s[:size], s[size:]) if 0 <= size < len(s) else (s, None)

    def mysummary(self) -> str:
        return f"Transis {_sender_of(self)} kind {self.kind}"


def _next_item(
    data: Any, before: list[BasePacket], last: Packet | None, rest: bytes
) -> type[Packet] | None:
    if not rest or len(before) + (last is not None) >= data.items:
        return None
    return TransisFragment if rest[0] & codec.FRAGMENT else TransisBatch


class TransisData(Packet):
    """A vertex of the DAG."""

    name = "Transis data"
    fields_desc = [  # noqa: RUF012
        ShortField("origin", 0),
        FieldLenField("ack_count", None, fmt="B", count_of="acks"),
        FieldLenField("items", None, fmt="B", count_of="content"),
        BitField("counter", 1, 48),
        ShortField("lag", 1),
        BitField("first", 0, 48),
        PacketListField(
            "acks", [], TransisEntry, count_from=lambda data: data.ack_count, max_count=MOST
        ),
        PacketListField("content", [], next_cls_cb=_next_item, max_count=MOST),
    ]

    def mysummary(self) -> str:
        acks = " ".join(map(str, self.acks)) or "none"
        content = ", ".join(map(str, self.content)) or "no content"
        held = self.counter - self.lag
        return (
            f"{_sender(self)} data {self.origin}:{self.counter} held {held} acks {acks} "
            f"#{self.first} {content}"
        )


class TransisHeartbeat(Packet):
    """What its sender holds."""

    name = "Transis heartbeat"
    fields_desc = [  # noqa: RUF012
        FieldLenField("count", None, fmt="H", count_of="holds"),
        PacketListField(
            "holds", [], TransisEntry, count_from=lambda beat: beat.count, max_count=MOST
        ),
    ]

    def mysummary(self) -> str:
        return f"{_sender(self)} heartbeat holds {' '.join(map(str, self.holds)) or 'nothing'}"


class TransisNack(Packet):
    """What its sender misses."""

    name = "Transis nack"
    fields_desc = [  # noqa: RUF012
        FieldLenField("count", None, fmt="H", count_of="wanted"),
        PacketListField(
            "wanted", [], TransisRange, count_from=lambda nack: nack.count, max_count=MOST
        ),
    ]

    def mysummary(self) -> str:
        return f"{_sender(self)} nack wants {' '.join(map(str, self.wanted)) or 'nothing'}"


bind_layers(Transis, TransisData, kind=codec.DATA)
bind_layers(Transis, TransisHeartbeat, kind=codec.HEARTBEAT)
bind_layers(Transis, TransisNack, kind=codec.NACK)


def bind_port(port: int) -> None:
    """From here on Scapy takes UDP datagrams from or to this port for Transis frames."""
    bind_bottom_up(UDP, Transis, sport=port)
    bind_bottom_up(UDP, Transis, dport=port)


bind_layers(UDP, Transis, sport=DEFAULT_PORT, dport=DEFAULT_PORT)
bind_port(DEFAULT_PORT)


def from_frame(frame: Frame, domain: int = 0) -> Packet:
    """The packet for a frame, e.g. to spoil one of its fields."""
    number, incarnation = frame.transmitter
    header = Transis(domain=domain, transmitter=number, incarnation=incarnation, view=frame.view)
    if isinstance(frame, Data):
        return header / TransisData(
            origin=frame.origin,
            counter=frame.counter,
            lag=frame.counter - frame.held,
            first=frame.first,
            acks=_entries(frame.acks),
            content=[_item(item) for item in frame.content],
        )
    if isinstance(frame, Heartbeat):
        return header / TransisHeartbeat(holds=_entries(frame.holds))
    return header / TransisNack(
        wanted=[
            TransisRange(processor=who, first=first, many=last - first + 1)
            for who, first, last in frame.wanted
        ]
    )


def _entries(entries: tuple[tuple[int, int], ...]) -> list[Packet]:
    return [TransisEntry(processor=who, counter=counter) for who, counter in entries]


def _item(item: Batch | Fragment) -> Packet:
    if isinstance(item, Batch):
        return TransisBatch(service=int(item.service), payloads=list(item.payloads))
    return TransisFragment(
        service=int(item.service), total=item.total, offset=item.offset, data=item.data
    )


def _sender(body: Packet) -> str:
    header = body.underlayer
    return _sender_of(header) if isinstance(header, Transis) else "?"


def _sender_of(header: Transis) -> str:
    return f"{header.transmitter}.{header.incarnation} view {header.view:016x}"


def _service(item: Any) -> str:
    return SERVICES.get(item.service, f"service {item.service}")
