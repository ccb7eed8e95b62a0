"""The frames of the wire as values. `node.codec` turns them into bytes and back.

A frame is the unit of the protocol: ordering, acknowledging and flow control work per frame. A
payload frame packs many application messages (`Batch`), or pieces of large ones (`Fragment`).
"""

from dataclasses import dataclass
from enum import IntEnum

from node.identity import Processor


class Service(IntEnum):
    """The services of CS91-13, figure 3, weakest first."""

    BASIC = 0
    CAUSAL = 1
    AGREED = 2
    SAFE = 3

    @property
    def label(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Batch:
    """Whole application messages of one service, numbered consecutively."""

    service: Service
    payloads: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of one large application message. All but the last piece end their frame."""

    service: Service
    total: int
    offset: int
    data: bytes

    @property
    def ends_message(self) -> bool:
        return self.offset + len(self.data) == self.total


Content = Batch | Fragment


@dataclass(frozen=True, slots=True)
class Data:
    """A vertex of the DAG. Without content it only acknowledges: "I am alive"."""

    transmitter: Processor  # who put it on the wire: the origin, or a holder that repairs
    view: int
    origin: int
    counter: int
    held: int  # the origin knows that every member holds its frames up to this counter
    acks: tuple[tuple[int, int], ...]  # (processor, counter): the leaves of the origin's DAG
    first: int  # number of the first application message in content
    content: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Outside the DAG, may be lost: what its sender holds. Reveals losses, releases buffers."""

    transmitter: Processor
    view: int
    holds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Nack:
    """Outside the DAG, may be lost: please send these again, whoever has them."""

    transmitter: Processor
    view: int
    wanted: tuple[tuple[int, int, int], ...]  # (processor, first counter, last counter)


Frame = Data | Heartbeat | Nack


def messages_ended(frame: Data) -> tuple[int, int] | None:
    """The numbers of the first and last application message whose last byte is in this frame."""
    count = 0
    for item in frame.content:
        if isinstance(item, Batch):
            count += len(item.payloads)
        elif item.ends_message:
            count += 1
    return (frame.first, frame.first + count - 1) if count else None
