"""UDP datagrams below any link layer, and out of IP fragments."""

import random
from pathlib import Path

import pytest
from scapy.layers.inet import IP, UDP, fragment
from scapy.layers.inet6 import IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, fragment6
from scapy.layers.l2 import CookedLinux, Dot1Q, Ether
from scapy.packet import Padding, Raw
from sniffing import (
    BEAT,
    DATA,
    ETHERNET,
    IPV4,
    IPV6,
    LARGE,
    capture,
    kinds_in,
    lines_of,
    objects_of,
    udp,
)

from node import codec
from node.frames import Heartbeat
from node.identity import Processor
from transis.wire import DEFAULT_PORT
from transis.wire.datagrams import MAX_INCOMPLETE, REASSEMBLY_NS, Reassembly

STACKS = {
    "Ethernet": lambda load: ETHERNET / IPV4 / load,
    "a VLAN": lambda load: ETHERNET / Dot1Q(vlan=5) / IPV4 / load,
    "a VLAN in a VLAN": lambda load: ETHERNET / Dot1Q(vlan=5) / Dot1Q(vlan=6) / IPV4 / load,
    "IPv6": lambda load: ETHERNET / IPV6 / load,
    "IPv6 with options": lambda load: ETHERNET / IPV6 / IPv6ExtHdrHopByHop() / load,
    "IP options": lambda load: ETHERNET / IP(options=[("NOP")] * 4) / load,
    "no link layer": lambda load: IPV4 / load,
    "the any interface": lambda load: CookedLinux(proto=0x0800) / IPV4 / load,
}


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
@pytest.mark.parametrize("name", STACKS)
def test_whatever_carries_the_datagram(name: str, suffix: str, tmp_path: Path) -> None:
    path = capture(tmp_path / f"c.{suffix}", STACKS[name](udp(BEAT)))
    assert kinds_in(path) == ["heartbeat"]


def test_ethernet_padding_is_not_part_of_the_datagram(tmp_path: Path) -> None:
    short = ETHERNET / IPV4 / udp(Heartbeat(Processor(1, 1), 1, ()))
    assert kinds_in(capture(tmp_path / "c.pcap", short / Padding(bytes(6)))) == ["heartbeat"]


def test_the_length_in_the_udp_header_counts_unless_it_is_nonsense(tmp_path: Path) -> None:
    load = codec.encode(BEAT)
    shorter = UDP(sport=DEFAULT_PORT, dport=DEFAULT_PORT, len=8 + len(load)) / Raw(load + b"more")
    nonsense = UDP(sport=DEFAULT_PORT, dport=DEFAULT_PORT, len=0) / Raw(load)
    path = capture(tmp_path / "c.pcap", ETHERNET / IPV4 / shorter, ETHERNET / IPV4 / nonsense)
    assert kinds_in(path) == ["heartbeat", "heartbeat"]


@pytest.mark.parametrize("shuffle", [False, True], ids=["in order", "out of order"])
@pytest.mark.parametrize("version", [4, 6])
def test_a_datagram_of_many_ip_fragments(version: int, shuffle: bool, tmp_path: Path) -> None:
    if version == 4:
        parts = list(fragment(ETHERNET / IPV4 / udp(LARGE), 1400))
    else:
        parts = fragment6(ETHERNET / IPV6 / IPv6ExtHdrFragment(id=7) / udp(LARGE), 1400)
    assert len(parts) > 40
    if shuffle:
        random.Random(1).shuffle(parts)
    frame, summary = objects_of(capture(tmp_path / "f.pcap", *parts))
    assert frame["content"] == [{"service": "causal", "sizes": [60_000]}]
    assert summary["other_packets"] == summary["incomplete"] == 0


def test_a_lost_ip_fragment_is_reported(tmp_path: Path) -> None:
    parts = list(fragment(ETHERNET / IPV4 / udp(LARGE), 1400))
    del parts[7]
    path = capture(tmp_path / "f.pcap", *parts, ETHERNET / IPV4 / udp(BEAT))
    assert kinds_in(path) == ["heartbeat"]
    assert lines_of(path)[-1] == "besides: 1 incomplete datagram"


def test_a_capture_that_kept_only_the_beginning_of_packets(tmp_path: Path) -> None:
    whole = bytes(ETHERNET / IPV4 / udp(DATA))
    kept = Ether(whole[:100])
    kept.wirelen = len(whole)
    size = len(codec.encode(DATA))
    (line, *_) = lines_of(capture(tmp_path / "s.pcap", kept))
    assert line.endswith(f"only 58 of its {size} bytes were captured ({size} B)")


def test_fragments_that_overlap_make_no_datagram() -> None:
    reassembly = Reassembly()
    assert reassembly.add("key", 0, b"12345678abcdefgh", True, 0) is None
    assert reassembly.add("key", 8, b"ABCDEFGHijklmnop", False, 0) is None
    assert reassembly.incomplete == 1


def test_an_identity_used_again_after_a_while_is_another_datagram() -> None:
    reassembly = Reassembly()
    assert reassembly.add("key", 0, b"old.....", True, 0) is None
    assert reassembly.add("key", 8, b"new", False, REASSEMBLY_NS + 1) is None
    assert reassembly.add("key", 0, b"newer...", True, REASSEMBLY_NS + 1) == b"newer...new"
    assert reassembly.incomplete == 1


def test_what_fragments_occupy_is_bounded() -> None:
    reassembly = Reassembly()
    for key in range(2 * MAX_INCOMPLETE):
        reassembly.add(key, 0, b"12345678", True, 0)
    assert reassembly.abandoned == MAX_INCOMPLETE
    assert reassembly.add(2 * MAX_INCOMPLETE - 1, 8, b"x", False, 0) == b"12345678x"
