"""Where packets come from: a capture file, read as a stream, or a live interface.

Only what is needed is dissected (`transis.wire.datagrams.LAYERS`), which the capture arranges while
it is open and undoes when it is closed.
"""

import gzip
import logging
import select
import socket
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol, cast

from scapy.config import conf
from scapy.error import Scapy_Exception
from scapy.interfaces import resolve_iface
from scapy.packet import Packet
from scapy.utils import PcapReader

from node.errors import TransisError
from transis.wire.datagrams import LAYERS

GZIP_MAGIC = b"\x1f\x8b"
RECEIVE_BUFFER = 16 * 1024 * 1024  # bytes: some 10,000 full frames while the terminal scrolls
LOOK_UP_S = 0.2  # how often a silent capture looks at the clock

SO_RCVBUFFORCE = 33  # from Linux' socket.h and if_packet.h; Python does not name them
SOL_PACKET = 263
PACKET_STATISTICS = 6
PACKET_IGNORE_OUTGOING = 23


class CaptureError(TransisError):
    """There is nothing to read packets from."""


class Capture(Protocol):
    """An open source of packets."""

    def packets(self) -> Iterator[Packet]: ...

    def shortcoming(self) -> str | None:
        """Once the packets have ended: why there may have been more."""


@contextmanager
def opened(source: str, seconds: float | None) -> Iterator[Capture]:
    """The capture file or interface of this name, for so many seconds of its own clock."""
    with _dissecting_little():
        if Path(source).exists():
            with _opened_file(Path(source), seconds) as file:
                yield file
        elif source in (names := [name for _, name in socket.if_nameindex()]):
            with _opened_interface(source, seconds) as interface:
                yield interface
        else:
            raise CaptureError(
                f"{source}: there is no such file or interface; "
                f"expected a capture file or one of {', '.join(names) or 'no interfaces'}"
            )


@contextmanager
def _dissecting_little() -> Iterator[None]:
    conf.layers.filter(LAYERS)
    try:
        yield
    finally:
        conf.layers.unfilter()


# -- files


class _Stream:
    """A file that remembers whether it ended in the middle of what was asked for."""

    def __init__(self, file: BinaryIO | gzip.GzipFile) -> None:
        self._file = file
        self.cut = False

    def read(self, size: int) -> bytes:
        try:
            data = self._file.read(size)
        except (OSError, zlib.error) as error:  # gzip's ways to say that there is no more
            raise EOFError(str(error)) from None
        self.cut |= 0 < len(data) < size
        return data


class _Complaints(logging.Filter):
    """Keeps Scapy's warnings from the terminal and notes that there were some."""

    def __init__(self) -> None:
        super().__init__()
        self.heard = False

    def filter(self, _record: logging.LogRecord) -> bool:
        self.heard = True
        return False


@contextmanager
def _overhearing() -> Iterator[_Complaints]:
    complaints = _Complaints()
    scapy_log = logging.getLogger("scapy.runtime")
    scapy_log.addFilter(complaints)
    try:
        yield complaints
    finally:
        scapy_log.removeFilter(complaints)


class CaptureFile:
    def __init__(
        self, stream: _Stream, reader: Any, complaints: _Complaints, seconds: float | None
    ) -> None:
        self._stream = stream
        self._reader = reader
        self._complaints = complaints
        self._seconds = seconds
        self._read = 0
        self._damaged = False

    def packets(self) -> Iterator[Packet]:
        end = None
        try:
            while True:
                packet = self._reader.read_packet()
                self._read += 1
                if end is None and self._seconds is not None:
                    end = packet.time + self._seconds
                if end is not None and packet.time > end:
                    return
                yield packet
        except EOFError as error:  # with a text when it came unexpectedly
            self._damaged = bool(str(error)) or self._stream.cut or self._complaints.heard
        except Scapy_Exception:
            self._damaged = True

    def shortcoming(self) -> str | None:
        if not self._damaged:
            return None
        return f"the capture file is cut short or damaged after {self._read} packets"


@contextmanager
def _opened_file(path: Path, seconds: float | None) -> Iterator[CaptureFile]:
    try:
        file = path.open("rb")
    except OSError as error:
        raise CaptureError(f"{path}: cannot read the file: {error.strerror}") from None
    with file, _overhearing() as complaints:
        zipped = file.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC)
        stream = _Stream(gzip.GzipFile(fileobj=file) if zipped else file)
        try:
            reader = PcapReader(cast(Any, stream))
        except (Scapy_Exception, EOFError) as error:
            raise CaptureError(f"{path}: not a pcap or pcapng file: {error}") from None
        complaints.heard = False  # an unknown link layer is no damage
        yield CaptureFile(stream, reader, complaints, seconds)


# -- interfaces


class LiveCapture:
    def __init__(self, listener: Any, seconds: float | None) -> None:
        self._listener = listener
        self._seconds = seconds
        self._ended: str | None = None

    def packets(self) -> Iterator[Packet]:
        end = None if self._seconds is None else time.monotonic() + self._seconds
        while end is None or time.monotonic() < end:
            wait = LOOK_UP_S if end is None else min(LOOK_UP_S, max(0, end - time.monotonic()))
            if not select.select([self._listener.ins], [], [], wait)[0]:
                continue
            try:
                packet = self._listener.recv()
            except OSError as error:
                self._ended = f"the interface stopped: {error.strerror}"
                return
            if packet is not None:
                yield packet

    def shortcoming(self) -> str | None:
        counts = self._listener.ins.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8)
        _, dropped = struct.unpack("II", counts)
        lost = f"{dropped} packets came too fast and were lost to the capture" if dropped else None
        return self._ended or lost


@contextmanager
def _opened_interface(name: str, seconds: float | None) -> Iterator[LiveCapture]:
    try:
        listener = resolve_iface(name).l2listen()(iface=name)
    except PermissionError:
        raise CaptureError(
            f"{name}: capturing on an interface needs root (or CAP_NET_RAW)"
        ) from None
    except OSError as error:
        raise CaptureError(f"{name}: cannot capture: {error.strerror or error}") from None
    try:
        _prepare(listener.ins, loopback=name == conf.loopback_name)
        yield LiveCapture(listener, seconds)
    finally:
        listener.close()


def _prepare(raw: socket.socket, loopback: bool) -> None:
    try:
        raw.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER)
    except PermissionError:  # as much as the system allows, then
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    if loopback:  # where every packet is seen leaving and arriving
        with suppress(OSError):  # a kernel before 4.20 shows them twice
            raw.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
