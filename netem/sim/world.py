"""Runs a schedule in virtual time: hosts, links, faults and programs, until all is delivered.

A run ends as planned when every message that was submitted has been delivered at every node, plus
a while in which nothing more may happen. If a node was killed, a fixed membership cannot deliver
all: then the run ends as planned when nothing has moved for long. Otherwise it is incomplete. An
engine that raises ends the run there, so that what led to it can be read in the traces.
"""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random

from netem.faults import Fault
from netem.schedule import Schedule
from netem.sim.agenda import Agenda
from netem.sim.application import Application
from netem.sim.host import Host
from netem.sim.link import Link
from netem.sim.nemesis import Nemesis
from netem.sim.patience import patience
from node.codec import decode
from node.contract import Deliver, Engine
from node.identity import Processor
from node.lansis.engine import Lansis
from node.limits import MESSAGES_PER_FRAME, Limits, Timing
from node.runtime.pump import Pump
from node.runtime.trace import Trace
from node.views import View, regular_view

SECOND = 1_000_000_000
SETTLE_NS = SECOND // 2  # after the last delivery: time for a mistake to show, and to fall silent
STRETCH_NS = 1_000_000
EVENTS_PER_PAIR = 2000  # of hosts, in such a stretch: more is chatter without end

Progress = Callable[[int, int], object]
MakeEngine = Callable[[Schedule, Processor, View, Random], Engine]
Tap = Callable[[int, int, bytes], object]  # time, processor, datagram: what is on the wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """What a run leaves behind."""

    complete: bool
    traces: dict[str, bytes]  # NODE.INCARNATION to NDJSON
    faults: bytes
    nodes: dict[str, int]  # name to processor number
    accepted: int  # messages
    delivered: int  # deliveries, at all nodes together
    datagrams: int
    wire_bytes: int
    duration_ns: int
    settled_ns: int  # when the last message was accepted or delivered
    measures: dict[str, dict[str, int]]  # per node
    breakdown: str | None = None  # where a node broke down, with what it raised


def lansis(schedule: Schedule, processor: Processor, view: View, randomness: Random) -> Engine:
    lan = schedule.lan
    limits = Limits(
        datagram_bytes=lan.datagram_bytes,
        window_frames=lan.window_frames,
        backlog_messages=schedule.backlog_messages,
        messages_per_frame=MESSAGES_PER_FRAME if lan.packing else 1,
    )
    return Lansis(processor, view, lan.agreed, limits, Timing(), randomness)


class World:
    def __init__(
        self, schedule: Schedule, make_engine: MakeEngine = lansis, tap: Tap | None = None
    ) -> None:
        self._schedule = schedule
        self._tap = tap
        self._agenda = Agenda()
        self._decode = lru_cache(maxsize=1024)(decode)  # a broadcast is decoded once, not n times
        self._hosts: dict[str, Host] = {}
        self._applications: dict[str, Application] = {}
        self._traces: dict[str, list[bytes]] = {}
        self._engines: dict[str, Engine] = {}
        self._pumps: dict[str, Pump] = {}
        self._links: dict[str, list[tuple[str, Host, Link]]] = {}
        self._accepted = self._delivered = self._datagrams = self._wire_bytes = 0
        self._moved_ns = self._advanced_ns = self._payload_frames = 0
        self._moved = False
        nodes = schedule.lan.nodes
        self._processors = {name: Processor(number, 1) for number, name in enumerate(nodes)}
        for name in nodes:
            self._hosts[name] = Host(name, self._agenda)
        for name in nodes:
            self._links[name] = [
                (other, self._hosts[other], Link(schedule.lan.impairment_of(name, other), stream))
                for other in nodes
                if other != name
                for stream in [Random(f"{schedule.seed}/link/{name}/{other}")]
            ]
        view = regular_view(list(self._processors.values()))
        for name in nodes:
            self._boot(name, view, make_engine)
        for number, flow in enumerate(schedule.workload):
            self._applications[flow.node].begin(f"{flow.node}/{number}", flow)
        self._nemesis = Nemesis(self._agenda, schedule.lan, self._hosts, self._links)
        self._nemesis.schedule(schedule.faults)

    def run(self, progress: Progress | None = None) -> Finished:
        """To the end; `progress` gets (deliveries so far, deliveries expected)."""
        try:
            return self._finish(self._run(progress))
        except (OSError, MemoryError):
            raise  # the machine's trouble, not a node's
        except Exception as error:
            return self._finish(False, "".join(traceback.format_exception(error, limit=-3)).strip())

    def _run(self, progress: Progress | None) -> bool:
        """Returns whether it ended as planned."""
        complete = False
        agenda = self._agenda
        expected = self._schedule.messages * len(self._hosts)
        stretch_ends_ns = events = 0
        patience_ns = patience(self._schedule)
        most_events = EVENTS_PER_PAIR * len(self._hosts) ** 2
        faults_over_ns = max(map(_end_of, self._schedule.faults), default=0)
        while (next_ns := agenda.next_time()) is not None:
            quiet_since_ns = max(self._moved_ns, self._advanced_ns, faults_over_ns)
            if self._all_delivered():
                if next_ns > quiet_since_ns + SETTLE_NS:
                    complete = True
                    break
            elif next_ns > quiet_since_ns + patience_ns and not self._is_busy(next_ns):
                complete = self._nemesis.killed
                break
            if next_ns >= stretch_ends_ns:
                stretch_ends_ns = next_ns + STRETCH_NS
                events = 0
            events += 1
            if events > most_events:
                break
            self._moved = False
            agenda.advance()
            if progress is not None and self._moved:
                progress(self._delivered, expected)
        else:
            complete = self._nemesis.killed or self._all_delivered()  # nobody has anything to do
        return complete

    # -- setting up

    def _boot(self, name: str, view: View, make_engine: MakeEngine) -> None:
        schedule, host, processor = self._schedule, self._hosts[name], self._processors[name]
        lines: list[bytes] = []
        self._traces[f"{name}.{processor.incarnation}"] = lines
        trace = Trace(lines.append)
        trace.start(
            self._agenda.now_ns,
            clock="virtual",
            run=schedule.run,
            node=name,
            processor=processor,
            engine="lansis",
            agreed=schedule.lan.agreed,
            receipts=schedule.receipts,
        )
        application = Application(host, self._agenda, schedule.backlog_messages, self._on_accepted)
        engine = make_engine(schedule, processor, view, Random(f"{schedule.seed}/node/{name}"))
        pump = Pump(
            engine,
            processor,
            trace,
            transmit=lambda datagram: self._transmit(name, datagram),
            deliver=self._on_delivered,
            writable=application.writable,
            receipts=schedule.receipts,
            decode_frame=self._decode,
        )
        self._applications[name] = application
        self._engines[name] = engine
        self._pumps[name] = pump
        self._agenda.at(0, lambda: host.boot(pump))

    # -- what happens

    def _transmit(self, source: str, datagram: bytes) -> None:
        self._datagrams += 1
        self._wire_bytes += len(datagram)
        now_ns, at = self._agenda.now_ns, self._agenda.at
        if self._tap is not None:
            self._tap(now_ns, self._processors[source].number, datagram)
        for _, host, link in self._links[source]:
            for arrives_ns, arriving in link.carry(datagram, now_ns):
                at(arrives_ns, partial(host.receive, arriving))

    def _on_accepted(self, messages: int) -> None:
        self._accepted += messages
        self._has_moved()

    def _on_delivered(self, delivery: Deliver) -> None:
        self._delivered += len(delivery.payloads)
        self._has_moved()

    def _has_moved(self) -> None:
        self._moved_ns = self._agenda.now_ns
        self._moved = True

    # -- the end

    def _owed(self) -> int:
        return self._accepted * len(self._hosts)

    def _all_delivered(self) -> bool:
        return (
            not self._nemesis.killed
            and self._delivered >= self._owed()
            and all(program.unsubmitted == 0 for program in self._applications.values())
        )

    def _is_busy(self, now_ns: int) -> bool:
        """Whether it is no wonder that nothing was delivered for long: the workload has a gap, or
        frames of a large message are under way."""
        if any(flow.end_ns >= now_ns for flow in self._schedule.workload):
            return True
        frames = sum(
            engine.measures().get("payload_frames", 0) for engine in self._engines.values()
        )
        advanced = frames > self._payload_frames
        self._payload_frames = frames
        if advanced:
            self._advanced_ns = now_ns
        return advanced

    def _finish(self, complete: bool, breakdown: str | None = None) -> Finished:
        now_ns = self._agenda.now_ns
        reason = "the run ended" if breakdown is None else "a node broke down"
        for name, host in self._hosts.items():
            if host.alive:
                self._pumps[name].stop(reason, now_ns)
        return Finished(
            complete=complete,
            traces={name: b"".join(lines) for name, lines in self._traces.items()},
            faults=self._nemesis.record(),
            nodes={name: processor.number for name, processor in self._processors.items()},
            accepted=self._accepted,
            delivered=self._delivered,
            datagrams=self._datagrams,
            wire_bytes=self._wire_bytes,
            duration_ns=now_ns,
            settled_ns=self._moved_ns,
            measures={
                name: engine.measures() | {"overflows": self._hosts[name].overflows}
                for name, engine in self._engines.items()
            },
            breakdown=breakdown,
        )


def simulate(
    schedule: Schedule,
    *,
    progress: Progress | None = None,
    make_engine: MakeEngine = lansis,
    tap: Tap | None = None,
) -> Finished:
    return World(schedule, make_engine, tap).run(progress)


def _end_of(fault: Fault) -> int:
    lasting = getattr(fault, "for_ns", None)
    return fault.at_ns + (lasting or 0)
