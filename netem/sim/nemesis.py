"""What happens to hosts and links in the course of a run, and the record of it."""

from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from netem.faults import Fault, Impair, Kill, Pause, SlowReceiver
from netem.sim.agenda import Agenda
from netem.sim.host import Host
from netem.sim.link import Link
from netem.topology.resolved import Lan

Links = Mapping[str, list[tuple[str, Host, Link]]]  # by source: target's name, target, link


class Nemesis:
    """Inflicts a schedule of faults. Faults of one kind may overlap: each ends for itself."""

    def __init__(self, agenda: Agenda, lan: Lan, hosts: Mapping[str, Host], links: Links) -> None:
        self.killed = False
        self._agenda = agenda
        self._lan = lan
        self._hosts = hosts
        self._links = links
        self._impairs: list[Impair] = []
        self._lines: list[bytes] = []

    def schedule(self, faults: tuple[Fault, ...]) -> None:
        for fault in faults:
            self._agenda.at(fault.at_ns, partial(self._inflict, fault))

    def record(self) -> bytes:
        """The content of faults.ndjson."""
        return b"".join(self._lines)

    def _inflict(self, fault: Fault) -> None:
        if isinstance(fault, Impair):
            self._note(fault, fault.kind)
            self._impairs.append(fault)
            self._set_impairments()
            if fault.for_ns is not None:
                self._agenda.at(self._agenda.now_ns + fault.for_ns, partial(self._mend, fault))
            return
        host = self._hosts[fault.node]
        if not host.alive:
            return
        self._note(fault, fault.kind)
        if isinstance(fault, Kill):
            self.killed = True
            host.kill()
        elif isinstance(fault, Pause):
            host.pause()
            self._later(fault, fault.for_ns, "resume", host, host.resume)
        elif isinstance(fault, SlowReceiver):
            host.slow_down(fault.per_frame_ns)
            end = partial(host.speed_up, fault.per_frame_ns)
            self._later(fault, fault.for_ns, "unslow", host, end)

    def _later(
        self, fault: Fault, after_ns: int, kind: str, host: Host, end: Callable[[], object]
    ) -> None:
        def happen() -> None:
            if host.alive:
                self._note(fault, kind)
                end()

        self._agenda.at(self._agenda.now_ns + after_ns, happen)

    def _mend(self, fault: Impair) -> None:
        self._note(fault, "unimpair")
        self._impairs.remove(fault)
        self._set_impairments()

    def _set_impairments(self) -> None:
        for source, links in self._links.items():
            for target, _, link in links:
                link.impairment = self._lan.impairment_of(source, target)
                for fault in self._impairs:
                    if fault.matches(source, target):
                        link.impairment = fault.impairment

    def _note(self, fault: Fault, kind: str) -> None:
        details = {key: value for key, value in fault.to_dict().items() if key != "at_ns"}
        record = {"e": "fault", "t": self._agenda.now_ns} | details | {"kind": kind}
        self._lines.append(msgspec.json.encode(record) + b"\n")
