"""Frames and members for the tests of Lansis. Numbers differ from slots, to catch mix-ups."""

from node.frames import Batch, Content, Data, Service
from node.identity import Processor
from node.views import View, regular_view

A, B, C = MEMBERS = Processor(10, 1), Processor(20, 1), Processor(30, 1)
VIEW = regular_view(MEMBERS)
MS = 1_000_000


class Chance:
    """Randomness that a test decides: these values, the last one for ever."""

    def __init__(self, *values: float) -> None:
        self._values = list(values)

    def random(self) -> float:
        return self._values.pop(0) if len(self._values) > 1 else self._values[0]


def batch(service: Service, *texts: str) -> Batch:
    return Batch(service, tuple(text.encode() for text in texts))


def basic(*texts: str) -> Batch:
    return batch(Service.BASIC, *texts)


def causal(*texts: str) -> Batch:
    return batch(Service.CAUSAL, *texts)


def agreed(*texts: str) -> Batch:
    return batch(Service.AGREED, *texts)


def safe(*texts: str) -> Batch:
    return batch(Service.SAFE, *texts)


def data(
    origin: Processor,
    counter: int,
    *content: Content,
    acks: tuple[tuple[Processor, int], ...] = (),
    held: int = 0,
    first: int = 1,
    by: Processor | None = None,
    view: View = VIEW,
) -> Data:
    """Frame `counter` of `origin`, put on the wire by `by` (the origin, if nobody else)."""
    return Data(
        transmitter=by if by is not None else origin,
        view=view.id,
        origin=origin.number,
        counter=counter,
        held=held,
        acks=tuple((member.number, count) for member, count in acks),
        first=first,
        content=content,
    )
