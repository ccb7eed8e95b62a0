"""From captured packets to UDP datagrams: IPv4 and IPv6, below any link layer that Scapy knows.

Datagrams larger than the MTU travel as IP fragments. They are put together here rather than by
Scapy's `IPSession`, which wants the last fragment last, knows no IPv6 and forgets nothing.
"""

import struct
from dataclasses import dataclass, field
from typing import Any

from scapy.layers.inet import IP
from scapy.layers.inet6 import (
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
)
from scapy.layers.l2 import Dot1AD, Dot1Q
from scapy.packet import Packet

UDP_HEAD = struct.Struct(">HHHH")  # source port, destination port, length, checksum
UDP_PROTOCOL = 17
MAX_INCOMPLETE = 256  # × 64 KiB: what fragments may occupy; the oldest datagram makes room
REASSEMBLY_NS = 30_000_000_000  # as Linux: later fragments belong to another datagram
SECOND_NS = 1_000_000_000
EXTENSIONS = (IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment)
LAYERS = [Dot1Q, Dot1AD, IP, IPv6, *EXTENSIONS]
"""All that needs to be dissected: with the rest, Scapy would be many times slower."""


@dataclass(frozen=True, slots=True)
class Datagram:
    """A UDP datagram as it was captured."""

    time_ns: int
    source: str
    source_port: int
    destination: str
    destination_port: int
    payload: bytes
    size: int
    """Of the payload on the wire: a capture may have kept less."""


@dataclass(slots=True)
class _Pieces:
    started_ns: int
    by_offset: dict[int, bytes] = field(default_factory=dict)
    total: int | None = None


class Reassembly:
    """IP fragments in any order to whole IP payloads."""

    def __init__(self) -> None:
        self._incomplete: dict[Any, _Pieces] = {}
        self.abandoned = 0

    @property
    def incomplete(self) -> int:
        """Datagrams whose fragments did not all come."""
        return self.abandoned + len(self._incomplete)

    def add(self, key: Any, offset: int, data: bytes, more: bool, now_ns: int) -> bytes | None:
        """Returns the payload if this was its last missing fragment."""
        pieces = self._incomplete.get(key)
        if pieces is not None and now_ns - pieces.started_ns > REASSEMBLY_NS:
            self._abandon(key)
            pieces = None
        if pieces is None:
            if len(self._incomplete) >= MAX_INCOMPLETE:
                self._abandon(next(iter(self._incomplete)))
            pieces = self._incomplete[key] = _Pieces(now_ns)
        pieces.by_offset.setdefault(offset, data)
        if not more:
            pieces.total = offset + len(data)
        if pieces.total is None or sum(map(len, pieces.by_offset.values())) < pieces.total:
            return None
        if not _adjoin(pieces.by_offset):
            self._abandon(key)
            return None
        del self._incomplete[key]
        return b"".join(pieces.by_offset[at] for at in sorted(pieces.by_offset))

    def _abandon(self, key: Any) -> None:
        del self._incomplete[key]
        self.abandoned += 1


def _adjoin(pieces: dict[int, bytes]) -> bool:
    """Whether each piece begins where the one before ends: none overlap."""
    end = 0
    for offset in sorted(pieces):
        if offset != end:
            return False
        end += len(pieces[offset])
    return True


class Datagrams:
    """Picks the UDP datagrams from or to one port out of captured packets."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reassembly = Reassembly()
        self.others = 0
        """Packets that are something else."""

    @property
    def incomplete(self) -> int:
        return self._reassembly.incomplete

    def take(self, packet: Packet) -> Datagram | None:
        """The datagram that this packet is, or completes."""
        time_ns = int(packet.time * SECOND_NS)
        ip = packet.getlayer(IP) or packet.getlayer(IPv6)
        if ip is None:
            self.others += 1
            return None
        carried, protocol, identity, offset, more = _inside(ip)
        if protocol != UDP_PROTOCOL:
            self.others += 1
            return None
        if offset or more:
            key = (ip.src, ip.dst, identity)
            whole = self._reassembly.add(key, offset, carried, more, time_ns)
            if whole is None:
                return None
            carried = whole
        return self._datagram(carried, ip.src, ip.dst, time_ns)

    def _datagram(
        self, carried: bytes, source: str, destination: str, time_ns: int
    ) -> Datagram | None:
        if len(carried) < UDP_HEAD.size:
            self.others += 1
            return None
        source_port, destination_port, length, _ = UDP_HEAD.unpack_from(carried)
        if self._port not in (source_port, destination_port):
            self.others += 1
            return None
        if length < UDP_HEAD.size:  # nonsense: believe IP
            length = len(carried)
        return Datagram(
            time_ns=time_ns,
            source=source,
            source_port=source_port,
            destination=destination,
            destination_port=destination_port,
            payload=carried[UDP_HEAD.size : length],
            size=length - UDP_HEAD.size,
        )


def _inside(ip: Packet) -> tuple[bytes, int, int, int, bool]:
    """What IP carries, its protocol; and as a fragment: of which datagram, where, more to come."""
    if isinstance(ip, IP):
        return _carried(ip), ip.proto, ip.id, 8 * ip.frag, bool(ip.flags.MF)
    last = ip
    identity, offset, more = 0, 0, False
    while isinstance(last.payload, EXTENSIONS):
        last = last.payload
        if isinstance(last, IPv6ExtHdrFragment):
            identity, offset, more = last.id, 8 * last.offset, bool(last.m)
    return _carried(last), last.nh, identity, offset, more


def _carried(layer: Packet) -> bytes:
    """The bytes above this layer as captured, without the padding of short Ethernet frames."""
    return bytes(layer.payload.original) if layer.payload else b""
