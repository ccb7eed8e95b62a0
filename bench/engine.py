"""The engine alone: messages per second through one core.

Records everything that one node of five takes in during a busy run without losses, then feeds it to
a fresh engine as fast as it goes: no network, no simulator, one core. `with codec` also decodes
every frame received and encodes every frame sent, as a node does.

    python -m bench.engine [--json] [--profile]
"""

import argparse
import cProfile
import io
import json
import platform
import pstats
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, get_args

from netem.faults import Impairment
from netem.schedule import Schedule
from netem.sim.world import lansis, simulate
from netem.topology.resolved import Agreed, Lan
from netem.workload import Flow
from node.codec import decode, encode
from node.contract import Broadcast, Deliver, Effect, Engine, Input, Received
from node.identity import Processor
from node.views import View

NODES = 5
SIZES = (64, 1024)
MESSAGES = 20_000  # of all nodes together, in the shortest of three runs
REPEATS = 5
ORDERS: tuple[Agreed, ...] = get_args(Agreed)


@dataclass(frozen=True)
class Recording:
    """What one node took in, and how to make its engine again."""

    schedule: Schedule
    processor: Processor
    view: View
    inputs: list[tuple[Input, int]]

    def engine(self) -> Engine:
        return lansis(self.schedule, self.processor, self.view, Random(1))


class _Recorder:
    """Passes everything on to the engine and keeps a copy."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.inputs: list[tuple[Input, int]] = []
        self.next_deadline = engine.next_deadline
        self.measures = engine.measures

    def step(self, event: Input, now_ns: int) -> list[Effect]:
        self.inputs.append((event, now_ns))
        return self._engine.step(event, now_ns)


def record(size: int, messages: int, agreed: Agreed) -> Recording:
    """A busy LAN: every node submits its share all the time."""
    nodes = tuple(f"n{place}" for place in range(1, NODES + 1))
    lan = Lan(
        name="lan",
        nodes=nodes,
        agreed=agreed,
        impairment=Impairment(delay_ns=100_000, jitter_ns=20_000),
    )
    flows = tuple(
        Flow(
            node=node,
            service="agreed",
            size=size,
            count=messages // NODES,
            start_ns=0,
            interval_ns=1_000_000,
            batch=20,
        )
        for node in nodes
    )
    schedule = Schedule(name="bench", seed=1, lan=lan, workload=flows)
    kept: list[tuple[_Recorder, Processor, View]] = []

    def make(of: Schedule, processor: Processor, view: View, _: Random) -> Engine:
        recorder = _Recorder(lansis(of, processor, view, Random(1)))
        kept.append((recorder, processor, view))
        return recorder

    finished = simulate(schedule, make_engine=make)
    assert finished.complete, "the recording is of a run that delivered everything"
    recorder, processor, view = kept[0]
    return Recording(schedule, processor, view, recorder.inputs)


def feed(recording: Recording) -> int:
    """Play the recording to a fresh engine; returns how many messages it delivered."""
    step = recording.engine().step
    delivered = 0
    for event, now_ns in recording.inputs:
        for effect in step(event, now_ns):
            if type(effect) is Deliver:
                delivered += len(effect.payloads)
    return delivered


def feed_bytes(recording: Recording, datagrams: list[bytes | None]) -> int:
    """The same through the codec, in and out."""
    step = recording.engine().step
    delivered = 0
    for (event, now_ns), datagram in zip(recording.inputs, datagrams, strict=True):
        given = event if datagram is None else Received(decode(datagram))
        for effect in step(given, now_ns):
            if type(effect) is Deliver:
                delivered += len(effect.payloads)
            elif type(effect) is Broadcast:
                encode(effect.frame)
    return delivered


def measure(size: int, messages: int, agreed: Agreed) -> dict[str, Any]:
    recording = record(size, messages, agreed)
    datagrams = [
        encode(event.frame) if isinstance(event, Received) else None
        for event, _ in recording.inputs
    ]
    alone = _seconds(lambda: feed(recording), messages)
    with_codec = _seconds(lambda: feed_bytes(recording, datagrams), messages)
    return {
        "size": size,
        "messages": messages,
        "frames": sum(1 for datagram in datagrams if datagram is not None),
        "seconds": alone,
        "messages_per_second": messages / alone,
        "messages_per_second_with_codec": messages / with_codec,
    }


def _seconds(play: Callable[[], int], messages: int) -> float:
    """The quickest of some repeats: noise only ever adds."""
    times = []
    for _ in range(REPEATS):
        before = time.process_time()
        delivered = play()
        times.append(time.process_time() - before)
        assert delivered == messages, "every message of every node is delivered"
    return min(times)


def profile(size: int, agreed: Agreed) -> str:
    recording = record(size, 2 * MESSAGES, agreed)
    profiler = cProfile.Profile()
    profiler.runcall(feed, recording)
    text = io.StringIO()
    pstats.Stats(profiler, stream=text).sort_stats("tottime").print_stats(18)
    return text.getvalue()


def table(rows: list[dict[str, Any]]) -> str:
    titles = f"{'messages':>9} {'frames':>7} {'msg/s':>9} {'with codec':>11}  time"
    lines = [f"{'order':6} {'size':>6} {titles}"]
    for row in rows:
        first = next(r for r in rows if (r["agreed"], r["size"]) == (row["agreed"], row["size"]))
        lines.append(
            f"{row['agreed']:6} {row['size']:>4} B {row['messages']:>9,} {row['frames']:>7,} "
            f"{row['messages_per_second']:>9,.0f} {row['messages_per_second_with_codec']:>11,.0f}"
            f"  {row['seconds'] / first['seconds']:.2f} ×"
        )
    return "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description="The engine alone: messages per second.")
    options.add_argument("--json", action="store_true", help="print JSON")
    options.add_argument("--profile", action="store_true", help="print where the time goes")
    given = options.parse_args()
    if given.profile:
        for size in SIZES:
            print(f"-- {size} B, allack\n{profile(size, 'allack')}")
        return
    rows = []
    for agreed in ORDERS:
        for size in SIZES:
            for factor in (1, 2, 4):
                messages = factor * MESSAGES
                print(f"measuring {agreed}, {size} B, {messages} messages …", file=sys.stderr)
                rows.append({"agreed": agreed} | measure(size, messages, agreed))
    machine = f"Python {platform.python_version()}, {platform.machine()}"
    if given.json:
        print(json.dumps({"machine": machine, "nodes": NODES, "rows": rows}, indent=2))
    else:
        print(f"one engine of {NODES}, one core; {machine}\n{table(rows)}")


if __name__ == "__main__":
    main()
