"""Hand-made runs for the oracle's tests: every call is one record, one millisecond after the last.

The nodes are complete and share one view unless the test says otherwise.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from oracle.judge import judge
from oracle.trace import Run, read_records
from oracle.verdict import Verdict

VIEW = "00000000000000aa"
LATER_VIEW = "00000000000000bb"
MILLISECOND = 1_000_000


@dataclass(frozen=True)
class Batch:
    """Messages first … first+count-1 of one node."""

    node: str
    first: int
    service: str
    count: int = 1

    @property
    def numbers(self) -> range:
        return range(self.first, self.first + self.count)


class Story:
    def __init__(
        self,
        *nodes: str,
        view: bool = True,
        agreed: str = "allack",
        receipts: bool = False,
        clock: str = "virtual",
    ) -> None:
        self.nodes = {node: place for place, node in enumerate(nodes or ("a", "b", "c"))}
        self.now = 0
        self.complete = True
        self.traces: dict[str, list[dict[str, Any]]] = {}
        self.faults: list[dict[str, Any]] = []
        self.sent = dict.fromkeys(self.nodes, 0)
        self.views: dict[str, str] = {}
        self.unstopped: dict[str, None] = {}
        self.measures: dict[str, int] = {}
        for node in self.nodes:
            self.traces[node] = [
                {
                    "e": "start", "t": 0, "schema": 1, "clock": clock, "run": "r1",
                    "node": node, "processor": self.nodes[node], "incarnation": 1,
                    "engine": "lansis", "agreed": agreed, "receipts": receipts,
                }
            ]  # fmt: skip
        if view:
            self.installs(VIEW, *self.nodes)

    def installs(
        self, view: str, *nodes: str, members: Iterable[str] = (), kind: str = "regular"
    ) -> None:
        """The nodes install a view, of themselves unless members are given."""
        of = [[self.nodes[member], 1] for member in members or nodes]
        for node in nodes:
            self.views[node] = view
            self._write(node, {"e": "view", "view": view, "kind": kind, "members": of})

    def sends(self, node: str, service: str = "agreed", count: int = 1) -> Batch:
        self._tick()
        batch = Batch(node, self.sent[node] + 1, service, count)
        self.sent[node] += count
        self._write(
            node, {"e": "send", "first": batch.first, "service": service, **_payload(batch)}
        )
        return batch

    def delivers(self, node: str, *batches: Batch, **changed: Any) -> None:
        """Each batch one record; `changed` replaces fields, e.g. digests=[1]."""
        for batch in batches:
            self._tick()
            record = {
                "e": "deliver", "from": [self.nodes[batch.node], 1], "first": batch.first,
                "service": batch.service, "view": self.views.get(node, VIEW),
                "index": len(self.nodes), **_payload(batch),
            }  # fmt: skip
            self._write(node, record | changed)

    def all_deliver(self, *batches: Batch) -> None:
        for node in self.nodes:
            self.delivers(node, *batches)

    def receives(self, node: str, batch: Batch) -> None:
        self._tick()
        record = {"e": "receive", "from": [self.nodes[batch.node], 1], "counter": 1}
        self._write(node, record | {"first": batch.first, "last": batch.numbers[-1]})

    def all_receive(self, batch: Batch) -> None:
        for node in self.nodes:
            self.receives(node, batch)

    def fault(self, kind: str, node: str) -> None:
        self._tick()
        self.faults.append({"e": "fault", "t": self.now, "kind": kind, "node": node})

    def kills(self, node: str) -> None:
        self.fault("kill", node)
        self.unstopped[node] = None

    def loses_the_end_of(self, node: str) -> None:
        self.unstopped[node] = None

    def run(self) -> Run:
        stop: dict[str, Any] = {"e": "stop", "t": self.now + MILLISECOND, "reason": "done"}
        stop["measures"] = self.measures
        traces = {
            f"{node}.1": records if node in self.unstopped else [*records, stop]
            for node, records in self.traces.items()
        }
        return read_records(self.info(), traces, self.faults)

    def info(self) -> dict[str, Any]:
        return {"schema": 1, "run": "r1", "backend": "sim", "seed": 1, "nodes": self.nodes} | {
            "complete": self.complete
        }

    def verdict(self, guarantee: str) -> Verdict:
        return next(each for each in judge(self.run()) if each.guarantee == guarantee)

    def violated(self, guarantee: str) -> tuple[str, ...]:
        """The evidence of a violation, which there must be."""
        verdict = self.verdict(guarantee)
        assert verdict.status == "violated", verdict
        return verdict.evidence

    def _tick(self) -> None:
        self.now += MILLISECOND

    def _write(self, node: str, record: dict[str, Any]) -> None:
        self.traces[node].append({**record, "t": self.now})


def _payload(batch: Batch) -> dict[str, list[int]]:
    """Every message has contents of its own."""
    return {
        "digests": [1000 * ord(batch.node[0]) + number for number in batch.numbers],
        "sizes": [10 + number for number in batch.numbers],
    }
