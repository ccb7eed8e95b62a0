"""Shrinking: from a schedule that fails to a small one that fails in the same way.

Greedy: of ever finer simplifications, the first that still fails is kept, until none does. Every
try is a whole run, so the number of tries is bounded.
"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace

from netem.faults import PERFECT, Fault, Impairment
from netem.schedule import DEFAULT_BACKLOG, Schedule
from netem.topology.resolved import DEFAULT_DATAGRAM_BYTES, DEFAULT_WINDOW_FRAMES, Lan
from netem.workload import Flow

MOST_TRIES = 1500
OTHER_SEEDS = (1, 2, 3, 4)

Fails = Callable[[Schedule], bool]
Progress = Callable[[int], object]


def shrink(
    schedule: Schedule,
    fails: Fails,
    most_tries: int = MOST_TRIES,
    progress: Progress | None = None,
) -> Schedule:
    """The smallest schedule found for which `fails` is still true."""
    tries = 0
    improved = True
    while improved:
        improved = False
        for candidate in _with_other_luck(schedule):
            if tries == most_tries:
                return schedule
            tries += 1
            if progress is not None:
                progress(tries)
            if fails(candidate):
                schedule = candidate
                improved = True
                break
    return schedule


def _with_other_luck(schedule: Schedule) -> Iterator[Schedule]:
    """Each simplification as it is, then with other seeds: what is lost when changes with it."""
    yield from simpler(schedule)
    for seed in OTHER_SEEDS:
        for candidate in simpler(schedule):
            yield replace(candidate, seed=seed)


def simpler(schedule: Schedule) -> Iterator[Schedule]:
    """Simplifications, the boldest first. Each is smaller by some measure, so there is an end."""
    yield from _less_workload(schedule)
    yield from _fewer_faults(schedule)
    yield from _fewer_nodes(schedule)
    yield from _better_network(schedule)
    yield from _plainer_settings(schedule)
    yield from _smaller_flows(schedule)


def _less_workload(schedule: Schedule) -> Iterator[Schedule]:
    flows = schedule.workload
    size = len(flows) // 2
    while size:
        for start in range(0, len(flows), size):
            yield replace(schedule, workload=flows[:start] + flows[start + size :])
        size //= 2


def _fewer_faults(schedule: Schedule) -> Iterator[Schedule]:
    if schedule.faults:
        yield replace(schedule, faults=())
    for place in range(len(schedule.faults)):
        yield replace(schedule, faults=_without(schedule.faults, place))


def _without(faults: tuple[Fault, ...], place: int) -> tuple[Fault, ...]:
    return faults[:place] + faults[place + 1 :]


def _fewer_nodes(schedule: Schedule) -> Iterator[Schedule]:
    lan = schedule.lan
    if len(lan.nodes) <= 2:
        return
    for node in reversed(lan.nodes):
        pairs = tuple(pair for pair in lan.pairs if node not in (pair.source, pair.target))
        nodes = tuple(name for name in lan.nodes if name != node)
        yield replace(
            schedule,
            lan=replace(lan, nodes=nodes, pairs=pairs),
            workload=tuple(flow for flow in schedule.workload if flow.node != node),
            faults=tuple(fault for fault in schedule.faults if node not in fault.nodes),
        )


def _better_network(schedule: Schedule) -> Iterator[Schedule]:
    lan = schedule.lan
    if lan.pairs:
        yield replace(schedule, lan=replace(lan, pairs=()))
    for place in range(len(lan.pairs)):
        pairs = lan.pairs[:place] + lan.pairs[place + 1 :]
        yield replace(schedule, lan=replace(lan, pairs=pairs))
    if lan.impairment != PERFECT:
        yield replace(schedule, lan=replace(lan, impairment=PERFECT))
    for impairment in _milder(lan.impairment):
        yield replace(schedule, lan=replace(lan, impairment=impairment))


def _milder(impairment: Impairment) -> Iterator[Impairment]:
    """One kind of trouble less."""
    for field in fields(impairment):
        value = getattr(PERFECT, field.name)
        if getattr(impairment, field.name) != value and field.name != "delay_ns":
            yield replace(impairment, **{field.name: value})
    if impairment.delay_ns:
        yield replace(impairment, delay_ns=0, jitter_ns=0, reorder=0.0)


def _plainer_settings(schedule: Schedule) -> Iterator[Schedule]:
    plain: dict[str, object] = {
        "packing": True,
        "window_frames": DEFAULT_WINDOW_FRAMES,
        "datagram_bytes": DEFAULT_DATAGRAM_BYTES,
    }
    for name, value in plain.items():
        if getattr(schedule.lan, name) != value:
            lan: Lan = replace(schedule.lan, **{name: value})  # type: ignore[arg-type]
            yield replace(schedule, lan=lan)
    if schedule.backlog_messages != DEFAULT_BACKLOG:
        yield replace(schedule, backlog_messages=DEFAULT_BACKLOG)


def _smaller_flows(schedule: Schedule) -> Iterator[Schedule]:
    """First all alike, because it often takes messages that meet; then one by one."""
    flows = schedule.workload
    together = [
        tuple(replace(flow, count=(flow.count + 1) // 2) for flow in flows),
        tuple(replace(flow, start_ns=0) for flow in flows),
        tuple(replace(flow, interval_ns=0) for flow in flows),
        tuple(replace(flow, size=1) for flow in flows),
        tuple(replace(flow, count=1, start_ns=0) for flow in flows),
    ]
    for changed in together:
        if changed != flows:
            yield replace(schedule, workload=changed)
    for place, flow in enumerate(schedule.workload):
        for smaller in _smaller(flow):
            flows = (*schedule.workload[:place], smaller, *schedule.workload[place + 1 :])
            yield replace(schedule, workload=flows)


def _smaller(flow: Flow) -> Iterator[Flow]:
    if flow.count > 1:
        yield replace(flow, count=flow.count // 2)
        yield replace(flow, count=flow.count - 1)
    if flow.size > 1:
        yield replace(flow, size=flow.size // 2)
    if flow.batch > 1:
        yield replace(flow, batch=1)
    if flow.start_ns:
        yield replace(flow, start_ns=0)
    if flow.interval_ns:
        yield replace(flow, interval_ns=0)
