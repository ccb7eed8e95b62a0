"""The one contract of every engine: `step(input, now_ns) -> effects`, and when to be called again.

Inputs and effects are data. The engine holds no reference outward; time and randomness are
arguments. One pump (`node.runtime.pump`) drives engines everywhere.
"""

from dataclasses import dataclass
from typing import Protocol

from node.frames import Frame, Service
from node.identity import Processor
from node.views import View


class Randomness(Protocol):
    """What engines need of a seeded `random.Random`."""

    def random(self) -> float: ...


# -- inputs


@dataclass(frozen=True, slots=True)
class Started:
    """The node is up: the first input, once."""


@dataclass(frozen=True, slots=True)
class Received:
    """A valid frame arrived."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Submit:
    """The application hands over messages of one service: all are accepted, or none."""

    service: Service
    payloads: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class DeadlinePassed:
    """The time that `next_deadline` named has come."""


Input = Started | Received | Submit | DeadlinePassed


# -- effects


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Put this frame on the wire for everybody."""

    frame: Frame


@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand messages first, first+1, … of the sender to the application."""

    sender: Processor
    first: int
    service: Service
    payloads: tuple[bytes, ...]
    view: int
    index: int  # of synchrony: members whose messages follow the frame, as far as seen here


@dataclass(frozen=True, slots=True)
class InstallView:
    view: View


@dataclass(frozen=True, slots=True)
class Accepted:
    """The submitted messages got the numbers first, first+1, …; their delivery is owed."""

    first: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The submitted messages were not taken; `Writable` follows when it is worth trying again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Writable:
    """There is room again after a refusal."""


@dataclass(frozen=True, slots=True)
class Reject:
    """A frame was not acted upon."""

    reason: str


@dataclass(frozen=True, slots=True)
class Transition:
    """A state machine moved, and why."""

    machine: str
    before: str
    after: str
    reason: str


Effect = Broadcast | Deliver | InstallView | Accepted | Refused | Writable | Reject | Transition


class Engine(Protocol):
    """What the pump drives."""

    def step(self, event: Input, now_ns: int) -> list[Effect]: ...

    def next_deadline(self) -> int | None: ...

    def measures(self) -> dict[str, int]: ...
