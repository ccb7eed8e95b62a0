"""A simulated wire as a capture file, for `transis sniff`, tcpdump and their like.

The frames are real, the IP and UDP headers are made up: processor 0 is 10.0.0.1, and so on.
"""

from pathlib import Path

from scapy.layers.inet import IP, UDP
from scapy.utils import EDecimal, PcapWriter

from transis.wire import DEFAULT_PORT

RAW_IPV4 = 228  # the capture's link type: packets begin with an IPv4 header
BROADCAST = "10.0.255.255"
SECOND_NS = 1_000_000_000


class WireRecorder:
    """Writes every datagram put on the wire, once, at its virtual time."""

    def __init__(self, path: Path) -> None:
        self._writer = PcapWriter(str(path), linktype=RAW_IPV4, nano=True)

    def __call__(self, now_ns: int, processor: int, datagram: bytes) -> None:
        source = f"10.0.{(processor + 1) // 256}.{(processor + 1) % 256}"
        packet = IP(src=source, dst=BROADCAST) / UDP(sport=DEFAULT_PORT, dport=DEFAULT_PORT)
        packet /= datagram
        packet.time = EDecimal(now_ns) / SECOND_NS
        self._writer.write(packet)

    def close(self) -> None:
        self._writer.close()
