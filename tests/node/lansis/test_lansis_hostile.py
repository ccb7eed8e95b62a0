"""Members that break every rule: valid frames with senseless contents never stop this node, and
what it keeps stays bounded."""

import random

import pytest

from node.codec import decode, encode
from node.contract import Broadcast, DeadlinePassed, Received, Started, Submit
from node.errors import WireError
from node.frames import Batch, Content, Data, Fragment, Frame, Heartbeat, Nack, Service
from node.identity import Processor
from node.lansis.engine import Agreed, Lansis
from node.limits import Limits, Timing
from node.views import regular_view

MS = 1_000_000
STEPS = 1500


class Muddler:
    """Makes up frames of all members, around what the victim may believe."""

    def __init__(self, rng: random.Random, members: int, unheld: int, view: int) -> None:
        self._rng = rng
        self._members = members
        self._unheld = unheld
        self._view = view
        self._tops = [0] * members

    def frame(self) -> Frame:
        transmitter = Processor(self._rng.randrange(self._members), 1)
        kind = self._rng.random()
        if kind < 0.7:
            return self._data(transmitter)
        if kind < 0.85:
            holds = tuple((slot, self._near(slot)) for slot in range(self._members))
            return Heartbeat(transmitter, self._view, holds)
        slot = self._rng.randrange(self._members)
        first = self._near(slot)
        last = first + self._rng.randrange(2 * self._unheld)
        return Nack(transmitter, self._view, ((slot, first, last),))

    def _near(self, slot: int) -> int:
        steps = (-2, 0, 1, 1, 1, 2, self._unheld, self._unheld + 1)
        counter = max(1, self._tops[slot] + self._rng.choice(steps))
        if counter == self._tops[slot] + 1:
            self._tops[slot] = counter
        return counter

    def _data(self, transmitter: Processor) -> Data:
        rng = self._rng
        origin = rng.randrange(self._members)
        counter = self._near(origin)
        lag = rng.choice((1, 1, rng.randrange(1, 2 * self._unheld + 2)))
        others = [slot for slot in range(self._members) if slot != origin and rng.random() < 0.4]
        return Data(
            transmitter=transmitter,
            view=self._view,
            origin=origin,
            counter=counter,
            held=counter - min(lag, counter),
            acks=tuple((slot, self._near(slot)) for slot in others),
            first=rng.choice((1, counter, 2**48 - 1)),
            content=self._content(),
        )

    def _content(self) -> tuple[Content, ...]:
        rng = self._rng
        service = Service(rng.randrange(4))
        kind = rng.random()
        if kind < 0.4:
            return (Batch(service, (b"x",) * rng.randrange(1, 4)),)
        if kind < 0.6:
            offset = rng.randrange(100)
            return (Fragment(service, 300, offset, bytes(rng.randrange(1, 200))),)
        return ()


@pytest.mark.parametrize("agreed", ["allack", "toto"])
@pytest.mark.parametrize("seed", range(15))
def test_senseless_frames_are_survived(seed: int, agreed: Agreed) -> None:
    rng = random.Random(seed)
    size = rng.randint(2, 5)
    members = [Processor(number, 1) for number in range(size)]
    view = regular_view(members)
    limits = Limits(window_frames=rng.choice((1, 2, 8)), backlog_messages=50)
    engine = Lansis(members[0], view, agreed, limits, Timing(), random.Random(seed))
    engine.step(Started(), 0)
    muddler = Muddler(rng, size, limits.unheld_frames, view.id)
    now_ns = 0
    for _ in range(STEPS):
        now_ns += rng.choice((0, 1000, 2 * MS, 30 * MS))
        kind = rng.random()
        if kind < 0.1:
            effects = engine.step(Submit(Service(rng.randrange(4)), (bytes(2000),)), now_ns)
        elif kind < 0.2:
            effects = engine.step(DeadlinePassed(), now_ns)
        else:
            effects = engine.step(Received(decode(encode(muddler.frame()))), now_ns)
        for effect in effects:
            if isinstance(effect, Broadcast):
                assert decode(encode(effect.frame)) == effect.frame
    measures = engine.measures()
    for name, bound in measures.items():
        if name.startswith("bound_"):
            assert measures[name.replace("bound", "peak")] <= bound, name


def test_a_sender_that_ignores_the_window_is_not_kept_in_memory() -> None:
    """It says that all hold what it sends, and sends on."""
    members = [Processor(number, 1) for number in range(3)]
    view = regular_view(members)
    limits = Limits(window_frames=4)
    engine = Lansis(members[0], view, "allack", limits, Timing(), random.Random(1))
    engine.step(Started(), 0)
    for counter in range(1, 1000):
        content = (Fragment(Service.AGREED, 1000, 0, b"never finished"),)
        frame = Data(members[1], view.id, 1, counter, counter - 1, (), counter, content)
        engine.step(Received(frame), counter * MS)
    measures = engine.measures()
    for what in ("vertices", "window", "undelivered"):
        assert 0 < measures[f"peak_{what}"] <= measures[f"bound_{what}"], what


def test_a_request_cannot_name_a_frame_twice() -> None:
    with pytest.raises(WireError, match="overlap"):
        decode(encode(Nack(Processor(1, 1), 7, ((2, 5, 6), (2, 5, 6)))))
