"""`transis sniff`: what it lists of a file, and of the loopback interface."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from scapy.config import conf
from scapy.layers.inet import UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from sniffing import (
    BEAT,
    DATA,
    ETHERNET,
    IPV4,
    IPV6,
    NACK,
    VIEW,
    capture,
    failure_of,
    kinds_in,
    lines_of,
    objects_of,
    run,
    udp,
)

from node import codec
from node.frames import Data, Fragment, Service
from node.identity import Processor
from node.limits import MAX_DATAGRAM
from transis.wire import DEFAULT_PORT
from transis.wire.layer import TransisHeartbeat


def test_a_line_for_every_frame_and_a_summary(all_sorts: Path) -> None:
    route = "10.0.0.1 → 10.0.0.255"
    view = "view 0000000000abcdef"
    assert lines_of(all_sorts) == [
        f"   0.000000  {route}  data       1.4  {view}  1:17 held 12  acks 2:9 3:4"
        "  from message 33: 20 agreed (1280 B), safe fragment (0-300 of 5000 B)",
        f"   0.001000  {route}  data       3.1  {view}  1:16 held 12  repair"
        "  acks none  no content",
        f"   0.003000  {route}  heartbeat  2.1  {view}  holds 1:17 2:0",
        f"   0.004000  {route}  malformed  checksum mismatch (44 B)",
        f"   0.006000  {route}  nack       12.1  {view}  wants 1:5 2:6-9",
        f"   0.009000  {route}  malformed  shorter than a header (3 B)",
        f"   0.010000  {route}  data       3.1   domain 5  {view}  1:16 held 12  repair"
        "  acks none  no content",
        "",
        "5 frames, 1874 bytes: 3 data (2 repairs by others), 1 heartbeat, 1 nack",
        "besides: 2 malformed, 4 other packets",
    ]


def test_json_says_all_of_it(all_sorts: Path) -> None:
    carrier = {
        "domain": 0,
        "source": ["10.0.0.1", DEFAULT_PORT],
        "destination": ["10.0.0.255", DEFAULT_PORT],
    }
    data, repair, beat, spoiled, nack, short, other, summary = objects_of(all_sorts)
    assert data == carrier | {
        "kind": "data",
        "time_ns": 1_700_000_000_000_000_000,
        "bytes": len(codec.encode(DATA)),
        "transmitter": [1, 4],
        "view": "0000000000abcdef",
        "origin": 1,
        "counter": 17,
        "held": 12,
        "repair": False,
        "acks": [[2, 9], [3, 4]],
        "first": 33,
        "content": [
            {"service": "agreed", "sizes": [64] * 20},
            {"service": "safe", "total": 5000, "offset": 0, "size": 300},
        ],
    }
    assert (repair["repair"], repair["transmitter"], repair["content"]) == (True, [3, 1], [])
    assert beat["holds"] == [[1, 17], [2, 0]]
    assert nack["wanted"] == [[1, 5, 5], [2, 6, 9]]
    assert nack["time_ns"] == 1_700_000_000_006_000_000
    assert (spoiled["kind"], spoiled["reason"]) == ("malformed", "checksum mismatch")
    assert (short["reason"], short["bytes"]) == ("shorter than a header", 3)
    assert other["domain"] == 5
    assert summary == {
        "kind": "summary",
        "frames": {"data": 3, "heartbeat": 1, "nack": 1},
        "repairs": 2,
        "bytes": 1874,
        "malformed": 2,
        "other_domain": 0,
        "incomplete": 0,
        "other_packets": 4,
        "note": None,
    }


def test_only_one_domain(all_sorts: Path) -> None:
    assert kinds_in(all_sorts, "--domain", 5) == ["malformed", "malformed", "data"]
    assert "4 of other domains" in lines_of(all_sorts, "--domain", 5)[-1]


def test_count_ends_the_listing_early(all_sorts: Path) -> None:
    assert kinds_in(all_sorts, "--count", 4) == ["data", "data", "heartbeat", "malformed"]


def test_seconds_count_from_the_first_packet_of_a_file(all_sorts: Path) -> None:
    assert kinds_in(all_sorts, "--seconds", 0.003) == ["data", "data", "heartbeat"]


def test_another_port(tmp_path: Path) -> None:
    path = capture(
        tmp_path / "p.pcap", ETHERNET / IPV4 / udp(BEAT, 9000), ETHERNET / IPV4 / udp(NACK)
    )
    assert kinds_in(path, "--port", 9000) == ["heartbeat"]


def test_a_port_other_than_ours_is_named(tmp_path: Path) -> None:
    load = Raw(codec.encode(BEAT))
    path = capture(
        tmp_path / "p.pcap",
        ETHERNET / IPV4 / UDP(sport=40000, dport=DEFAULT_PORT) / load,
        ETHERNET / IPV6 / UDP(sport=DEFAULT_PORT, dport=40000) / load,
    )
    first, second = lines_of(path)[:2]
    assert "10.0.0.1:40000 → 10.0.0.255  heartbeat" in first
    assert "fe80::1        → [ff02::1]:40000  heartbeat" in second


@pytest.mark.parametrize("arguments", [["--port", 0], ["--port", 65536], ["--count", 0], ["--no"]])
def test_wrong_usage(arguments: list[object], all_sorts: Path) -> None:
    assert run(all_sorts, *arguments).exit_code == 2


def test_scapy_dissects_everything_again_afterwards(all_sorts: Path) -> None:
    run(all_sorts)
    assert not conf.layers.filtered
    assert TransisHeartbeat in Ether(bytes(ETHERNET / IPV4 / udp(BEAT)))


def test_help_does_not_wait_for_scapy() -> None:
    check = "import sys, transis.commands.sniff; sys.exit('scapy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


# -- live


def may_capture() -> bool:
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close()
    except PermissionError:
        return False
    return True


@contextmanager
def talking(port: int, *datagrams: bytes) -> Iterator[None]:
    """Somebody sends these to the loopback, over and over."""
    ended = threading.Event()

    def talk() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            while not ended.wait(0.02):
                for datagram in datagrams:
                    sender.sendto(datagram, ("127.0.0.1", port))

    talker = threading.Thread(target=talk)
    talker.start()
    try:
        yield
    finally:
        ended.set()
        talker.join()


@pytest.fixture
def port() -> Iterator[int]:
    """A port that nobody else uses meanwhile, and where nothing bounces."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        yield receiver.getsockname()[1]


def large_frame() -> bytes:
    """The largest datagram there is."""
    room = MAX_DATAGRAM - codec.data_overhead(0) - codec.FRAGMENT_HEAD.size
    piece = Fragment(Service.SAFE, 2**24, 0, bytes(room))
    return codec.encode(Data(Processor(1, 1), VIEW, 1, 1, 0, (), 1, (piece,)))


def test_live_on_the_loopback(port: int) -> None:
    arguments = ["lo", "--port", port, "--count", 6, "--seconds", 20]
    if not may_capture():
        assert "capturing on an interface needs root" in failure_of(*arguments)
        return
    with talking(port, codec.encode(BEAT), b"nonsense", large_frame()):
        *frames, summary = objects_of(*arguments)
    kinds = [frame["kind"] for frame in frames]
    turn = kinds.index("heartbeat")
    assert kinds[turn:] + kinds[:turn] == ["heartbeat", "malformed", "data"] * 2
    assert summary["frames"] == {"data": 2, "heartbeat": 2, "nack": 0}
    assert all(frame["destination"] == ["127.0.0.1", port] for frame in frames)


def test_live_for_some_seconds(port: int) -> None:
    arguments = ["lo", "--port", port, "--seconds", 0.3]
    if not may_capture():
        assert "capturing on an interface needs root" in failure_of(*arguments)
        return
    start = time.monotonic()
    assert "0 frames, 0 bytes: 0 data, 0 heartbeats, 0 nacks" in lines_of(*arguments)
    assert time.monotonic() - start >= 0.3


def test_an_interrupt_ends_a_live_capture_with_the_summary(port: int) -> None:
    script = "import typer; from transis.commands.sniff import sniff; typer.run(sniff)"
    command = [sys.executable, "-c", script, "lo", "--port", str(port), "--json"]
    with (
        talking(port, codec.encode(BEAT)),
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process,
    ):
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest, complaint = process.communicate(timeout=20)
    if not may_capture():
        assert (process.returncode, first) == (2, b"")
        assert b"capturing on an interface needs root" in complaint
        return
    assert json.loads(first)["kind"] == "heartbeat"
    assert json.loads(rest.splitlines()[-1])["kind"] == "summary"
    assert (process.returncode, complaint) == (0, b"")


def test_without_the_right_to_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = socket.socket

    def forbidden(family: int = -1, *rest: Any, **options: Any) -> socket.socket:
        if family == socket.AF_PACKET:
            raise PermissionError(1, os.strerror(1))
        return genuine(family, *rest, **options)

    monkeypatch.setattr(socket, "socket", forbidden)
    assert failure_of("lo", "--seconds", 1) == (
        "transis sniff: lo: capturing on an interface needs root (or CAP_NET_RAW)\n"
    )
