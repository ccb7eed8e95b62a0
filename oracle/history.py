"""What the checks share: a run's records, indexed once, and words for what is in them."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from oracle.records import ORDERED, Deliver, Fault, Identity, Send, Service, View
from oracle.trace import Incarnation, Run

# What ends a fault begun by another kind; `unX` ends `X` besides.
_ENDS = {"resume": "pause", "heal": "partition", "restart": "kill", "start": "kill"}


@dataclass(slots=True)
class Sent:
    """The messages one incarnation accepted; message n is at n - 1, except in `ranks`."""

    digests: list[int] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    services: list[Service] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=lambda: [0])
    """ranks[n]: how many of the first n messages are not basic."""

    @property
    def count(self) -> int:
        return len(self.digests)

    def add(self, send: Send) -> None:
        count = len(send.digests)
        self.digests += send.digests
        self.sizes += send.sizes
        self.services += [send.service] * count
        self.times += [send.t] * count
        rank = self.ranks[-1]
        if send.service == "basic":
            self.ranks += [rank] * count
        else:
            self.ranks += range(rank + 1, rank + count + 1)


class History:
    """A run, indexed. Everything in here is in the order of incarnations, then of records."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.incarnations = {each.identity: each for each in run.incarnations}
        self.views: dict[str, View] = {}
        self.sent: dict[Identity, Sent] = {}
        self.installed: dict[Identity, list[View]] = {}
        self.deliveries: dict[Identity, list[Deliver]] = {}
        self.delivered: dict[Identity, dict[Identity, set[int]]] = {}
        self.first_in_last_view: dict[Identity, int] = {}
        """The first number an incarnation accepted in the view it installed last."""
        for each in run.incarnations:
            self._index(each)
        senders = dict.fromkeys(self.incarnations)
        for deliveries in self.deliveries.values():
            senders.update(dict.fromkeys(each.sender for each in deliveries))
        self.senders = sorted(senders)
        self.places = {sender: place for place, sender in enumerate(self.senders)}
        self._processors = {number: node for node, number in run.info.nodes.items()}
        self._active = _active_faults(run.faults)

    def _index(self, incarnation: Incarnation) -> None:
        identity = incarnation.identity
        sent, installed, deliveries = Sent(), list[View](), list[Deliver]()
        delivered: dict[Identity, set[int]] = {}
        first_in_last_view = 1
        for record in incarnation.records:
            kind = type(record)
            if kind is Deliver:
                assert isinstance(record, Deliver)
                deliveries.append(record)
                delivered.setdefault(record.sender, set()).update(
                    range(record.first, record.last + 1)
                )
            elif kind is Send:
                assert isinstance(record, Send)
                sent.add(record)
            elif kind is View:
                assert isinstance(record, View)
                # What was accepted before the first view belongs to that view.
                first_in_last_view = sent.count + 1 if installed else 1
                installed.append(record)
                self.views.setdefault(record.view, record)
        self.sent[identity] = sent
        self.installed[identity] = installed
        self.deliveries[identity] = deliveries
        self.delivered[identity] = delivered
        self.first_in_last_view[identity] = first_in_last_view

    @property
    def unexplained(self) -> list[Incarnation]:
        """Incarnations that neither stopped nor were killed."""
        return [each for each in self.run.incarnations if each.truncated]

    def sent_by(self, sender: Identity) -> Sent:
        return self.sent.get(sender) or Sent()

    def has_delivered(self, node: Identity, sender: Identity, number: int) -> bool:
        return number in self.delivered[node].get(sender, ())

    def last_view(self, node: Identity) -> View | None:
        installed = self.installed[node]
        return installed[-1] if installed else None

    def ends_in(self, node: Identity, view: View) -> bool:
        """Whether a node installed nothing after that view."""
        last = self.last_view(node)
        return last is None or last.view == view.view

    def killed_members(self, view: View | None) -> list[Identity]:
        members = view.members if view else ()
        return [m for m in members if m in self.incarnations and self.incarnations[m].crashed]

    def lost_members(self, view: View | None) -> list[Identity]:
        """Members of which it is not known whether they crashed."""
        members = view.members if view else ()
        return [m for m in members if m not in self.incarnations or self.incarnations[m].truncated]

    def regular(self, view: str) -> bool:
        return view not in self.views or self.views[view].kind == "regular"

    def ordered(self, node: Identity, view: str | None = None) -> list[int]:
        """The agreed and safe messages a node delivered (in one view), in order, as codes."""
        step = len(self.senders)
        codes: list[int] = []
        for each in self.deliveries[node]:
            if each.service in ORDERED and view in (None, each.view):
                place = self.places[each.sender]
                codes += range(each.first * step + place, (each.last + 1) * step + place, step)
        return codes

    def decode(self, code: int) -> tuple[Identity, int]:
        number, place = divmod(code, len(self.senders))
        return self.senders[place], number

    # Words.

    def label(self, identity: Identity) -> str:
        node = self._processors.get(identity[0], f"#{identity[0]}")
        return f"{node}.{identity[1]}"

    def labels(self, identities: Iterable[Identity]) -> str:
        return ", ".join(map(self.label, identities))

    def message(self, sender: Identity, number: int) -> str:
        return f"{self.label(sender)}:{number}"

    def coded(self, code: int) -> str:
        return self.message(*self.decode(code))

    def faults_at(self, t: int) -> str:
        """The faults active at a time, in words."""
        place = bisect_right(self._active, t, key=lambda entry: entry[0])
        return self._active[place - 1][1] if place else "no fault active"


def seconds(t: int) -> str:
    return f"{t / 1e9:.6f} s"


def _active_faults(faults: tuple[Fault, ...]) -> list[tuple[int, str]]:
    """From each time on, which faults are active."""
    active: dict[tuple[str, str | None], int] = {}
    table = []
    for fault in faults:
        ended = _ENDS.get(fault.kind) or fault.kind.removeprefix("un")
        if ended != fault.kind:
            active.pop((ended, fault.node), None)
        else:
            active.setdefault((fault.kind, fault.node), fault.t)
        words = [
            " ".join(filter(None, (kind, node, "since", seconds(since))))
            for (kind, node), since in active.items()
        ]
        table.append((fault.t, "; ".join(words[-3:]) or "no fault active"))
    return table
