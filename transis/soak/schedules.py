"""Made-up schedules: from a seed and a number, always the same one.

Sizes are drawn so that a run takes a fraction of a second and yet reaches the corners: windows that
block, messages that span frames, links that differ, faults that overlap.
"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import get_args

from netem.faults import Fault, Impair, Impairment, Kill, Pause, SlowReceiver
from netem.schedule import DEFAULT_BACKLOG, Schedule
from netem.topology.resolved import Agreed, Lan, PairImpairment
from netem.workload import Flow, Service

MICROSECOND = 1_000
MILLISECOND = 1_000_000
MOST_LOSS = 0.30
DEAF = Impairment(loss=1.0)
AGREED: tuple[Agreed, ...] = get_args(Agreed)
SERVICES: tuple[Service, ...] = get_args(Service)


def make_schedule(seed: int, number: int) -> Schedule:
    """Schedule `number` of the soak with this seed."""
    chance = Random(f"soak/{seed}/{number}")
    nodes = tuple(f"n{place}" for place in range(1, chance.randint(2, 9) + 1))
    lan = Lan(
        name="lan",
        nodes=nodes,
        agreed=chance.choice(AGREED),
        datagram_bytes=chance.choice((576, 1472, 1472, 1472, 9000, 61440)),
        window_frames=chance.choice((2, 8, 16, 64, 64)),
        packing=chance.random() < 0.6,
        impairment=_impairment(chance),
        pairs=_pairs(chance, nodes),
    )
    schedule = Schedule(
        name=f"soak-{number}",
        seed=chance.randrange(2**32),
        lan=lan,
        workload=_workload(chance, nodes),
        faults=_faults(chance, nodes),
        receipts=True,
        backlog_messages=chance.choice((20, DEFAULT_BACKLOG)),
    )
    if not everybody_can_be_heard(schedule):
        survivable = tuple(fault for fault in schedule.faults if not isinstance(fault, Kill))
        schedule = replace(schedule, faults=survivable)
    return schedule


def everybody_can_be_heard(schedule: Schedule) -> bool:
    """Whether termination can be asked for: where one never hears another, somebody must live to
    repeat what the other says."""
    killed = {fault.node for fault in schedule.faults if isinstance(fault, Kill)}
    alive = set(schedule.lan.nodes) - killed
    return all(
        alive - {pair.source, pair.target}
        for pair in schedule.lan.pairs
        if pair.impairment.loss >= 1
    )


def _impairment(chance: Random) -> Impairment:
    delay_ns = int(chance.choice((0, 50, 500, 3_000)) * MICROSECOND * (0.5 + chance.random()))
    return Impairment(
        loss=_sometimes(chance, 0.7, MOST_LOSS),
        delay_ns=delay_ns,
        jitter_ns=int(delay_ns * chance.choice((0, 0.3, 1))),
        duplicate=_sometimes(chance, 0.3, 0.2),
        reorder=_sometimes(chance, 0.5, 0.3) if delay_ns else 0.0,
        corrupt=_sometimes(chance, 0.3, 0.1),
        rate_bps=chance.choice((None, None, None, 10_000_000, 100_000_000)),
    )


def _sometimes(chance: Random, how_often: float, most: float) -> float:
    return round(chance.random() * most, 3) if chance.random() < how_often else 0.0


def _pairs(chance: Random, nodes: Sequence[str]) -> tuple[PairImpairment, ...]:
    if chance.random() < 0.5:
        return ()
    pairs = [(source, target) for source in nodes for target in nodes if source != target]
    chosen = chance.sample(pairs, chance.randint(1, min(4, len(pairs))))
    impairments = [_impairment(chance) for _ in chosen]
    if len(nodes) > 2 and chance.random() < 0.3:  # a node that cannot hear another at all
        impairments[0] = DEAF
    return tuple(
        PairImpairment(source=source, target=target, impairment=impairment)
        for (source, target), impairment in zip(chosen, impairments, strict=True)
    )


def _workload(chance: Random, nodes: Sequence[str]) -> tuple[Flow, ...]:
    some = chance.sample(SERVICES, chance.randint(1, len(SERVICES)))
    allowed = SERVICES if chance.random() < 0.75 else some
    senders = chance.sample(nodes, chance.choice((1, *[chance.randint(2, len(nodes))] * 5)))
    pace_ns = int(chance.choice((0, 0.1, 1, 5)) * MILLISECOND)
    flows = []
    for node in senders:
        for _ in range(chance.randint(1, 3)):
            large = chance.random() < 0.03
            flows.append(
                Flow(
                    node=node,
                    service=chance.choice(allowed),
                    size=chance.randint(10_000, 80_000) if large else _size(chance),
                    count=chance.randint(1, 3) if large else chance.randint(1, 60),
                    start_ns=int(chance.random() * 50 * MILLISECOND),
                    interval_ns=int(pace_ns * (0.5 + chance.random())),
                    batch=chance.choice((1, 1, 1, 4, 15)),
                )
            )
    return tuple(flows)


def _size(chance: Random) -> int:
    """Mostly small, sometimes more than a frame."""
    return int(2 ** (chance.random() * 11)) if chance.random() < 0.95 else chance.randint(1, 4000)


def _faults(chance: Random, nodes: Sequence[str]) -> tuple[Fault, ...]:
    faults: list[Fault] = []
    for _ in range(chance.choice((0, 0, 1, 2, 3))):
        at_ns = int(chance.random() * 100 * MILLISECOND)
        for_ns = int((1 + chance.random() * 150) * MILLISECOND)
        node = chance.choice(nodes)
        kind = chance.random()
        if kind < 0.35:
            faults.append(Pause(at_ns=at_ns, node=node, for_ns=for_ns))
        elif kind < 0.65:
            per_frame_ns = int((0.05 + 2 * chance.random()) * MILLISECOND)
            faults.append(
                SlowReceiver(at_ns=at_ns, node=node, per_frame_ns=per_frame_ns, for_ns=for_ns)
            )
        elif kind < 0.9:
            blackout = Impairment(loss=chance.choice((0.5, 1.0)))
            source = chance.choice((node, None))
            faults.append(Impair(at_ns=at_ns, for_ns=for_ns, source=source, impairment=blackout))
        else:
            faults.append(Kill(at_ns=at_ns, node=node))
    return tuple(sorted(faults, key=lambda fault: fault.at_ns))
