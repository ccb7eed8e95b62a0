"""Capture files that are not what they should be."""

import gzip
import random
from pathlib import Path

import pytest
from sniffing import (
    BEAT,
    ETHERNET,
    IPV4,
    NACK,
    capture,
    failure_of,
    kinds_in,
    lines_of,
    objects_of,
    run,
    udp,
)


def test_neither_a_file_nor_an_interface() -> None:
    assert failure_of("none.pcap").startswith(
        "transis sniff: none.pcap: there is no such file or interface; "
        "expected a capture file or one of lo"
    )


def test_a_directory(tmp_path: Path) -> None:
    assert failure_of(tmp_path) == (
        f"transis sniff: {tmp_path}: cannot read the file: Is a directory\n"
    )


@pytest.mark.parametrize(
    "content", [b"", b"x", b"no capture at all", b"\xd4\xc3\xb2\xa1short", b"\x1f\x8bno gzip"]
)
def test_no_capture_file(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "c.pcap"
    path.write_bytes(content)
    assert failure_of(path).startswith(f"transis sniff: {path}: not a pcap or pcapng file: ")


def test_a_gzipped_file(all_sorts: Path, tmp_path: Path) -> None:
    path = tmp_path / "all.pcap.gz"
    path.write_bytes(gzip.compress(all_sorts.read_bytes()))
    assert lines_of(path) == lines_of(all_sorts)
    path.write_bytes(path.read_bytes()[:-20])
    assert lines_of(path)[-1].startswith("note: the capture file is cut short or damaged after")


@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_a_file_cut_short_anywhere(suffix: str, tmp_path: Path) -> None:
    whole = capture(
        tmp_path / f"whole.{suffix}", ETHERNET / IPV4 / udp(BEAT), ETHERNET / IPV4 / udp(NACK)
    ).read_bytes()
    one = capture(tmp_path / f"one.{suffix}", ETHERNET / IPV4 / udp(BEAT)).read_bytes()
    cut = tmp_path / f"cut.{suffix}"
    for size in range(len(one) + 1, len(whole)):
        cut.write_bytes(whole[:size])
        *frames, summary = objects_of(cut)
        assert frames[0]["kind"] == "heartbeat"
        assert all(frame["kind"] == "malformed" for frame in frames[1:])
        assert summary["note"].startswith("the capture file is cut short or damaged after"), size
    for content in (one, whole):
        cut.write_bytes(content)
        assert objects_of(cut)[-1]["note"] is None


@pytest.mark.parametrize("zipped", [False, True], ids=["plain", "gzipped"])
@pytest.mark.parametrize("suffix", ["pcap", "pcapng"])
def test_a_damaged_file_never_breaks_the_command(suffix: str, zipped: bool, tmp_path: Path) -> None:
    packets = [ETHERNET / IPV4 / udp(BEAT) for _ in range(3)]
    whole = capture(tmp_path / f"whole.{suffix}", *packets).read_bytes()
    if suffix == "pcapng":
        whole += whole  # which is two sections
    if zipped:
        whole = gzip.compress(whole)
    chance = random.Random(1)
    path = tmp_path / f"damaged.{suffix}"
    for _ in range(200):
        damaged = bytearray(whole)
        for _ in range(2):
            damaged[chance.randrange(4, len(damaged))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
        path.write_bytes(damaged)
        result = run(path)
        assert result.exit_code in (0, 2), result.output
        assert result.exit_code == 2 or "frame" in result.stdout


def test_a_second_section_with_a_cut_header(tmp_path: Path) -> None:
    section = capture(tmp_path / "one.pcapng", ETHERNET / IPV4 / udp(BEAT)).read_bytes()
    path = tmp_path / "two.pcapng"
    header = section[:4] + (99).to_bytes(4, "little") + section[8:28]
    path.write_bytes(section + header)
    assert kinds_in(path) == ["heartbeat"]
    assert "damaged after 1 packets" in lines_of(path)[-1]
