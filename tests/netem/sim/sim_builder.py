"""Small schedules for tests of the simulator, a tap on the wire, and engines without a protocol."""

from collections.abc import Iterable
from random import Random
from typing import Any

from netem.faults import Fault
from netem.schedule import Schedule
from netem.sim.world import lansis, simulate
from netem.topology import Lan
from netem.workload import Flow
from node.contract import (
    Accepted,
    Broadcast,
    DeadlinePassed,
    Effect,
    Engine,
    Input,
    Received,
    Submit,
)
from node.frames import Data, Frame, Heartbeat, Nack
from node.identity import Processor
from node.views import View

MICROSECOND = 1_000
MILLISECOND = 1_000_000
SECOND = 1_000_000_000


def names(count: int) -> tuple[str, ...]:
    return tuple("abcdefgh"[:count])


def flow(node: str, **fields: Any) -> Flow:
    """Ten agreed messages, one every millisecond, unless told otherwise."""
    usual: dict[str, Any] = {
        "service": "agreed", "size": 40, "count": 10, "start_ns": 0, "interval_ns": MILLISECOND
    }  # fmt: skip
    return Flow(node=node, **(usual | fields))


def schedule(
    nodes: int = 3,
    *,
    workload: Iterable[Flow] = (),
    faults: Iterable[Fault] = (),
    seed: int = 1,
    receipts: bool = False,
    backlog_messages: int = 1000,
    **lan: Any,
) -> Schedule:
    return Schedule(
        name="test",
        seed=seed,
        lan=Lan(name="lan", nodes=names(nodes), **lan),
        workload=tuple(workload),
        faults=tuple(faults),
        receipts=receipts,
        backlog_messages=backlog_messages,
    )


class Tap:
    """Makes Lansis engines and notes what they put on the wire: (time, transmitter, frame)."""

    def __init__(self) -> None:
        self.frames: list[tuple[int, Processor, Frame]] = []

    def make_engine(
        self, schedule: Schedule, processor: Processor, view: View, randomness: Random
    ) -> Engine:
        return _Tapped(lansis(schedule, processor, view, randomness), processor, self)

    def sent(self, start_ns: int = 0) -> list[Frame]:
        return [frame for time_ns, _, frame in self.frames if time_ns >= start_ns]


class _Tapped:
    def __init__(self, engine: Engine, processor: Processor, tap: Tap) -> None:
        self._engine, self._processor, self._tap = engine, processor, tap

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        effects = self._engine.step(event, now_ns)
        self._tap.frames += [
            (now_ns, self._processor, effect.frame)
            for effect in effects
            if isinstance(effect, Broadcast)
        ]
        return effects

    def next_deadline(self) -> int | None:
        return self._engine.next_deadline()

    def measures(self) -> dict[str, int]:
        return self._engine.measures()


def is_payload(frame: Frame) -> bool:
    return isinstance(frame, Data) and bool(frame.content)


def is_acknowledgement(frame: Frame) -> bool:
    return isinstance(frame, Data) and not frame.content


def is_repair(frame: Frame, transmitter: Processor) -> bool:
    """As far as it shows: sent by somebody else than its origin."""
    return isinstance(frame, Data) and frame.origin != transmitter.number


def is_request(frame: Frame) -> bool:
    return isinstance(frame, Nack)


class Puppet:
    """An engine without a protocol: it notes its inputs, and does what a test makes it do."""

    def __init__(self) -> None:
        self.inputs: list[tuple[int, Input]] = []
        self.deadline_ns: int | None = None

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        self.inputs.append((now_ns, event))
        return [Accepted(1)] if isinstance(event, Submit) else []

    def next_deadline(self) -> int | None:
        return self.deadline_ns

    def measures(self) -> dict[str, int]:
        return {"payload_frames": 0}

    def numbers_received(self) -> list[tuple[int, int]]:
        """(time, number) of every frame made by `numbered` that arrived."""
        return [
            (now_ns, event.frame.view)
            for now_ns, event in self.inputs
            if isinstance(event, Received)
        ]


def numbered(number: int, transmitter: int = 9) -> Heartbeat:
    """A frame that carries a number, for a puppet."""
    return Heartbeat(Processor(transmitter, 1), number, ())


class Beacon(Puppet):
    """Broadcasts the numbers from 0 on, one a millisecond, and answers nothing."""

    def __init__(self, me: Processor, count: int) -> None:
        super().__init__()
        self.me, self.count, self.sent = me, count, 0
        self.deadline_ns = 0 if count else None

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        super().step(event, now_ns)
        if not isinstance(event, DeadlinePassed):
            return []
        self.sent += 1
        self.deadline_ns = now_ns + MILLISECOND if self.sent < self.count else None
        return [Broadcast(numbered(self.sent - 1, transmitter=self.me.number))]


def numbers_heard(played: Schedule, *counts: int) -> dict[str, list[int]]:
    """Each node is a beacon of so many numbers. By "ab": the numbers of a that b got at once."""
    beacons: list[Beacon] = []

    def make_engine(_: Schedule, me: Processor, view: View, randomness: Random) -> Engine:
        beacons.append(Beacon(me, counts[me.number]))
        return beacons[-1]

    simulate(played, make_engine=make_engine)
    heard: dict[str, list[int]] = {
        source + target: []
        for source in played.lan.nodes
        for target in played.lan.nodes
        if source != target
    }
    for target, beacon in zip(played.lan.nodes, beacons, strict=True):
        for now_ns, event in beacon.inputs:
            if isinstance(event, Received) and now_ns == event.frame.view * MILLISECOND:
                source = played.lan.nodes[event.frame.transmitter.number]
                heard[source + target].append(event.frame.view)
    return heard
