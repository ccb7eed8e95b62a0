"""The records of a trace, as docs/trace.md names them: typed, frozen, one class per `e`."""

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct, field

SCHEMA = 1

Identity: TypeAlias = tuple[int, int]
"""A node incarnation: (processor, incarnation)."""

Service: TypeAlias = Literal["basic", "causal", "agreed", "safe"]
Nanoseconds: TypeAlias = Annotated[int, Meta(ge=0)]
Number: TypeAlias = Annotated[int, Meta(ge=1)]
ViewId: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]

ORDERED = ("agreed", "safe")


class Timed(Struct, frozen=True, gc=False, tag_field="e", tag="timed"):
    """What every record has."""

    t: Nanoseconds


class Start(Timed, frozen=True, gc=False, tag="start"):
    schema: int
    clock: Literal["virtual", "monotonic"]
    run: str
    node: str
    processor: int
    incarnation: int
    engine: str
    agreed: Literal["allack", "toto"]
    receipts: bool = False


class View(Timed, frozen=True, gc=False, tag="view"):
    view: ViewId
    kind: Literal["regular", "transitional"]
    members: tuple[Identity, ...]


class Send(Timed, frozen=True, gc=False, tag="send"):
    first: Number
    service: Service
    digests: tuple[int, ...]
    sizes: tuple[int, ...]


class Receive(Timed, frozen=True, gc=False, tag="receive"):
    """No bounds on the numbers: a frame that ends no message has an empty range."""

    sender: Identity = field(name="from")
    first: int
    last: int


class Deliver(Timed, frozen=True, gc=False, tag="deliver"):
    """No bounds on the index: whether it makes sense is for the checks to say."""

    sender: Identity = field(name="from")
    first: Number
    service: Service
    view: str
    index: int
    digests: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.digests) - 1


class Stop(Timed, frozen=True, tag="stop"):
    reason: str
    measures: dict[str, int | float] = field(default_factory=dict)


# No guarantee speaks of these three: only their place in time is kept.
class Refuse(Timed, frozen=True, gc=False, tag="refuse"):
    pass


class Reject(Timed, frozen=True, gc=False, tag="reject"):
    pass


class Transition(Timed, frozen=True, gc=False, tag="transition"):
    pass


Record: TypeAlias = (
    Start | View | Send | Receive | Deliver | Stop | Refuse | Reject | Transition
)  # fmt: skip

KNOWN = frozenset(
    ("start", "view", "send", "receive", "deliver", "stop", "refuse", "reject", "transition")
)


class Fault(Timed, frozen=True, gc=False, tag="fault"):
    """What the backend did; `node` is absent for faults of a network."""

    kind: str
    node: str | None = None
    incarnation: int | None = None


class RunInfo(Struct, frozen=True):
    """run.json, as far as a judge cares."""

    schema: int
    run: str
    nodes: dict[str, int]
    complete: bool
