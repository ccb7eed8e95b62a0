"""Capture files to sniff at, and the command that does."""

import json
from pathlib import Path
from typing import Any

import typer
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw
from scapy.utils import wrpcap, wrpcapng
from typer.testing import CliRunner, Result

from node import codec
from node.frames import Batch, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import Processor
from transis.commands.sniff import sniff
from transis.wire import DEFAULT_PORT

VIEW = 0xABCDEF
DATA = Data(
    Processor(1, 4),
    VIEW,
    origin=1,
    counter=17,
    held=12,
    acks=((2, 9), (3, 4)),
    first=33,
    content=(
        Batch(Service.AGREED, (bytes(64),) * 20),
        Fragment(Service.SAFE, 5000, 0, bytes(300)),
    ),
)
REPAIR = Data(Processor(3, 1), VIEW, 1, 16, 12, (), 1, ())
BEAT = Heartbeat(Processor(2, 1), VIEW, ((1, 17), (2, 0)))
NACK = Nack(Processor(12, 1), VIEW, ((1, 5, 5), (2, 6, 9)))
LARGE = Data(Processor(1, 1), VIEW, 1, 18, 17, (), 1, (Batch(Service.CAUSAL, (bytes(60_000),)),))

ETHERNET = Ether(src="02:00:00:00:00:01", dst="ff:ff:ff:ff:ff:ff")
IPV4 = IP(src="10.0.0.1", dst="10.0.0.255", id=7)
IPV6 = IPv6(src="fe80::1", dst="ff02::1")

app = typer.Typer()
app.command("sniff")(sniff)
app.command("other")(lambda: None)  # or Typer would do without the name of the only command


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["sniff", *map(str, arguments)])


def lines_of(*arguments: object) -> list[str]:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()


def objects_of(*arguments: object) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of(*arguments, "--json")]


def udp(content: Frame | bytes, port: int = DEFAULT_PORT, domain: int = 0) -> Any:
    load = content if isinstance(content, bytes) else codec.encode(content, domain)
    return UDP(sport=port, dport=port) / Raw(load)


def capture(path: Path, *packets: Any) -> Path:
    """A capture file of these packets, a millisecond apart."""
    for place, packet in enumerate(packets):
        packet.time = 1_700_000_000 + place / 1000
    (wrpcapng if path.suffix == ".pcapng" else wrpcap)(str(path), list(packets))
    return path


def kinds_in(*arguments: object) -> list[str]:
    return [item["kind"] for item in objects_of(*arguments)][:-1]


def failure_of(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr


def all_sorts(path: Path) -> Path:
    """A capture file with every kind of frame, and more."""
    return capture(
        path,
        ETHERNET / IPV4 / udp(DATA),
        ETHERNET / IPV4 / udp(REPAIR),
        ETHERNET / ARP(),
        ETHERNET / IPV4 / udp(BEAT),
        ETHERNET / IPV4 / udp(codec.encode(BEAT)[:-1] + b"\xff"),
        ETHERNET / IPV4 / udp(b"", port=53),
        ETHERNET / IPV4 / udp(NACK),
        ETHERNET / IPV4 / TCP(dport=DEFAULT_PORT),
        ETHERNET / IPV4 / ICMP(),
        ETHERNET / IPV4 / udp(b"abc"),
        ETHERNET / IPV4 / udp(REPAIR, domain=5),
    )
