"""The trace: what happened at one node, as NDJSON (docs/trace.md). Only the pump writes it."""

import zlib
from collections.abc import Callable, Sequence

import msgspec

from node.contract import Deliver, Transition
from node.frames import Service
from node.identity import Processor
from node.views import View

SCHEMA = 1

Identity = tuple[int, int]


class _Record(msgspec.Struct, tag_field="e", gc=False):
    t: int


class _Start(_Record, tag="start"):
    schema: int
    clock: str
    run: str
    node: str
    processor: int
    incarnation: int
    engine: str
    agreed: str
    receipts: bool


class _View(_Record, tag="view"):
    view: str
    kind: str
    members: tuple[Identity, ...]


class _Send(_Record, tag="send"):
    first: int
    service: str
    digests: list[int]
    sizes: list[int]


class _Refuse(_Record, tag="refuse"):
    reason: str
    count: int


class _Receive(_Record, tag="receive"):
    origin: Identity = msgspec.field(name="from")
    counter: int
    first: int
    last: int


class _Deliver(_Record, tag="deliver"):
    sender: Identity = msgspec.field(name="from")
    first: int
    service: str
    view: str
    index: int
    digests: list[int]
    sizes: list[int]


class _Reject(_Record, tag="reject"):
    reason: str
    count: int


class _Transition(_Record, tag="transition"):
    machine: str
    before: str
    after: str
    reason: str


class _Stop(_Record, tag="stop"):
    reason: str
    measures: dict[str, int]


class Trace:
    """Turns events into lines and hands them to `write`, one line a call."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._encode = msgspec.json.Encoder().encode

    def start(
        self,
        now_ns: int,
        *,
        clock: str,
        run: str,
        node: str,
        processor: Processor,
        engine: str,
        agreed: str,
        receipts: bool,
    ) -> None:
        number, incarnation = processor
        self._put(
            _Start(now_ns, SCHEMA, clock, run, node, number, incarnation, engine, agreed, receipts)
        )

    def view(self, now_ns: int, view: View) -> None:
        self._put(_View(now_ns, view_name(view.id), view.kind.value, view.members))

    def send(self, now_ns: int, first: int, service: Service, payloads: Sequence[bytes]) -> None:
        self._put(_Send(now_ns, first, service.label, *_described(payloads)))

    def refuse(self, now_ns: int, reason: str, count: int) -> None:
        self._put(_Refuse(now_ns, reason, count))

    def receive(self, now_ns: int, origin: Processor, counter: int, ended: tuple[int, int]) -> None:
        self._put(_Receive(now_ns, origin, counter, *ended))

    def deliver(self, now_ns: int, delivery: Deliver) -> None:
        self._put(
            _Deliver(
                now_ns,
                delivery.sender,
                delivery.first,
                delivery.service.label,
                view_name(delivery.view),
                delivery.index,
                *_described(delivery.payloads),
            )
        )

    def reject(self, now_ns: int, reason: str) -> None:
        self._put(_Reject(now_ns, reason, 1))

    def transition(self, now_ns: int, moved: Transition) -> None:
        self._put(_Transition(now_ns, moved.machine, moved.before, moved.after, moved.reason))

    def stop(self, now_ns: int, reason: str, measures: dict[str, int]) -> None:
        self._put(_Stop(now_ns, reason, measures))

    def _put(self, record: _Record) -> None:
        self._write(self._encode(record) + b"\n")


def view_name(view: int) -> str:
    return f"{view:016x}"


def _described(payloads: Sequence[bytes]) -> tuple[list[int], list[int]]:
    """Digests and sizes."""
    return [zlib.crc32(payload) for payload in payloads], [len(payload) for payload in payloads]
