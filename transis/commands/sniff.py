"""`transis sniff`: the frames of a capture file or of a live interface, one line each.

The node's own codec decides what is a frame; Scapy only fetches packets. It takes long to import,
so this happens when the command runs.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from node import codec
from node.errors import WireError
from node.frames import Frame
from transis.wire import DEFAULT_PORT
from transis.wire.describe import as_values, in_words, is_repair, kind_of

if TYPE_CHECKING:
    from transis.wire.capture import Capture
    from transis.wire.datagrams import Datagram

USAGE = 2
DOMAIN_AT = slice(4, 6)
SECOND_NS = 1_000_000_000


def sniff(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|INTERFACE", help="A pcap or pcapng file, or an interface (as root)."
        ),
    ],
    port: Annotated[
        int, typer.Option(min=1, max=0xFFFF, help="The UDP port of the frames.")
    ] = DEFAULT_PORT,
    domain: Annotated[
        int | None, typer.Option(min=0, max=0xFFFF, help="Only frames of this domain.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many frames, malformed ones included.")
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(min=0, help="Stop after so long; in a file, counted from its first packet."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Show the frames in a capture file or on an interface."""
    from transis.wire.capture import CaptureError, opened

    try:
        with opened(source, seconds) as capture:
            _list_frames(capture, port, domain, count, JsonLines() if as_json else Lines(port))
    except CaptureError as error:
        typer.echo(f"transis sniff: {error}", err=True)
        raise typer.Exit(USAGE) from None


@dataclass(slots=True)
class Tally:
    """What was seen."""

    kinds: Counter[str] = field(default_factory=lambda: Counter(data=0, heartbeat=0, nack=0))
    repairs: int = 0
    bytes: int = 0
    malformed: int = 0
    other_domain: int = 0
    other_packets: int = 0
    incomplete: int = 0

    @property
    def listed(self) -> int:
        return self.kinds.total() + self.malformed

    def add(self, frame: Frame, size: int) -> None:
        self.kinds[kind_of(frame)] += 1
        self.repairs += is_repair(frame)
        self.bytes += size


class Lines:
    """For people: columns that widen as they must."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._start_ns: int | None = None
        self._widths: dict[str, int] = {}

    def frame(self, datagram: "Datagram", frame: Frame) -> None:
        domain = _domain(datagram.payload)
        shared = [f"domain {domain}"] if domain else []
        transmitter = self._column("transmitter", str(frame.transmitter))
        words = [transmitter, *shared, f"view {frame.view:016x}", in_words(frame)]
        self._line(datagram, kind_of(frame), "  ".join(words))

    def malformed(self, datagram: "Datagram", reason: str) -> None:
        self._line(datagram, "malformed", f"{reason} ({datagram.size} B)")

    def end(self, tally: Tally, shortcoming: str | None) -> None:
        kinds = tally.kinds
        repairs = f" ({_number(tally.repairs, 'repair')} by others)" if tally.repairs else ""
        rest = [
            f"{tally.malformed} malformed" if tally.malformed else "",
            f"{tally.other_domain} of other domains" if tally.other_domain else "",
            _number(tally.incomplete, "incomplete datagram") if tally.incomplete else "",
            _number(tally.other_packets, "other packet") if tally.other_packets else "",
        ]
        typer.echo("")
        typer.echo(
            f"{_number(kinds.total(), 'frame')}, {_number(tally.bytes, 'byte')}: "
            f"{kinds['data']} data{repairs}, {_number(kinds['heartbeat'], 'heartbeat')}, "
            f"{_number(kinds['nack'], 'nack')}"
        )
        if any(rest):
            typer.echo(f"besides: {', '.join(filter(None, rest))}")
        if shortcoming:
            typer.echo(f"note: {shortcoming}")

    def _line(self, datagram: "Datagram", kind: str, text: str) -> None:
        if self._start_ns is None:
            self._start_ns = datagram.time_ns
        since = (datagram.time_ns - self._start_ns) / SECOND_NS
        source = self._address(datagram.source, datagram.source_port)
        destination = self._address(datagram.destination, datagram.destination_port)
        route = f"{self._column('source', source)} → {self._column('destination', destination)}"
        typer.echo(f"{since:11.6f}  {route}  {kind:<9}  {text}")

    def _column(self, name: str, text: str) -> str:
        width = self._widths[name] = max(self._widths.get(name, 0), len(text))
        return text.ljust(width)

    def _address(self, host: str, port: int) -> str:
        if port == self._port:
            return host
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class JsonLines:
    """For programs."""

    def frame(self, datagram: "Datagram", frame: Frame) -> None:
        self._line(
            as_values(frame) | {"domain": _domain(datagram.payload)} | self._carrier(datagram)
        )

    def malformed(self, datagram: "Datagram", reason: str) -> None:
        self._line({"kind": "malformed", "reason": reason} | self._carrier(datagram))

    def end(self, tally: Tally, shortcoming: str | None) -> None:
        self._line(
            {
                "kind": "summary",
                "frames": dict(tally.kinds),
                "repairs": tally.repairs,
                "bytes": tally.bytes,
                "malformed": tally.malformed,
                "other_domain": tally.other_domain,
                "incomplete": tally.incomplete,
                "other_packets": tally.other_packets,
                "note": shortcoming,
            }
        )

    def _carrier(self, datagram: "Datagram") -> dict[str, Any]:
        return {
            "time_ns": datagram.time_ns,
            "source": [datagram.source, datagram.source_port],
            "destination": [datagram.destination, datagram.destination_port],
            "bytes": datagram.size,
        }

    def _line(self, values: dict[str, Any]) -> None:
        typer.echo(json.dumps(values, separators=(",", ":")))


def _list_frames(
    capture: "Capture",
    port: int,
    domain: int | None,
    count: int | None,
    listing: Lines | JsonLines,
) -> None:
    from transis.wire.datagrams import Datagrams

    datagrams = Datagrams(port)
    tally = Tally()
    try:
        for packet in capture.packets():
            datagram = datagrams.take(packet)
            if datagram is not None:
                _list_one(datagram, domain, tally, listing)
            if tally.listed == count:
                break
    except KeyboardInterrupt:
        pass  # enough seen
    tally.other_packets = datagrams.others
    tally.incomplete = datagrams.incomplete
    listing.end(tally, capture.shortcoming())


def _list_one(
    datagram: "Datagram", domain: int | None, tally: Tally, listing: Lines | JsonLines
) -> None:
    payload = datagram.payload
    try:
        if len(payload) < datagram.size:
            raise WireError(f"only {len(payload)} of its {datagram.size} bytes were captured")
        frame = codec.decode(payload, _domain(payload))
    except WireError as error:
        tally.malformed += 1
        listing.malformed(datagram, str(error))
        return
    if domain is not None and _domain(payload) != domain:
        tally.other_domain += 1
        return
    tally.add(frame, datagram.size)
    listing.frame(datagram, frame)


def _domain(payload: bytes) -> int:
    return int.from_bytes(payload[DOMAIN_AT], "big")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
