"""What the checks share: a run's records, indexed once, and words for what is in them."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice

from oracle.numbers import NONE, Numbers
from oracle.records import ORDERED, Deliver, Fault, Identity, Receive, Send, Service, View
from oracle.trace import Incarnation, Run

# What ends a fault begun by another kind; `unX` ends `X` besides.
_ENDS = {"resume": "pause", "heal": "partition", "restart": "kill", "start": "kill"}

MOST_FAULTS = 3  # the latest ones explain most


@dataclass(slots=True, frozen=True, kw_only=True)
class Sent:
    """The messages one incarnation accepted; message n is at n - 1, except in `ranks`."""

    digests: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()
    services: Sequence[Service] = ()
    times: Sequence[int] = ()
    ranks: Sequence[int] = (0,)
    """ranks[n]: how many of the first n messages are not basic."""

    @property
    def count(self) -> int:
        return len(self.digests)


NOTHING_SENT = Sent()


class History:
    """A run, indexed. Everything in here is in the order of incarnations, then of records."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.incarnations = {each.identity: each for each in run.incarnations}
        self.views: dict[str, View] = {}
        self.sent: dict[Identity, Sent] = {}
        self.installed: dict[Identity, list[View]] = {}
        self.events: dict[Identity, list[View | Send | Deliver]] = {}
        self.deliveries: dict[Identity, list[Deliver]] = {}
        self.receives: dict[Identity, list[Receive]] = {}
        self.delivered: dict[Identity, dict[Identity, Numbers]] = {}
        self.repeated: dict[Identity, list[tuple[Deliver, list[range]]]] = {}
        """By node: deliveries of what it had delivered before, and what of them."""
        self.first_in_view: dict[Identity, dict[str, int]] = {}
        """The first number an incarnation accepts, or would have, in each view it installs."""
        for each in run.incarnations:
            self._index(each)
        senders = dict.fromkeys(self.incarnations)
        for delivered in self.delivered.values():
            senders.update(dict.fromkeys(delivered))
        self.senders = sorted(senders)
        self.places = {sender: place for place, sender in enumerate(self.senders)}
        self._processors = {number: node for node, number in run.info.nodes.items()}
        self._active = _active_faults(run.faults)

    def _index(self, incarnation: Incarnation) -> None:
        events, receives = list[View | Send | Deliver](), list[Receive]()
        sends, installed, deliveries = list[Send](), list[View](), list[Deliver]()
        delivered: dict[Identity, Numbers] = {}
        repeated: list[tuple[Deliver, list[range]]] = []
        firsts: dict[str, int] = {}
        accepted = 0
        for record in incarnation.records:
            if isinstance(record, Receive):
                receives.append(record)
            elif isinstance(record, Deliver):
                events.append(record)
                deliveries.append(record)
                first, last = record.first, record.last
                numbers = delivered.get(record.sender)
                if numbers is None:
                    delivered[record.sender] = Numbers(first, last)
                elif not numbers.follow(first, last):
                    if again := numbers.common(first, last):
                        repeated.append((record, again))
                    numbers.add(first, last)
            elif isinstance(record, Send):
                events.append(record)
                sends.append(record)
                accepted += len(record.digests)
            elif isinstance(record, View):
                events.append(record)
                # What was accepted before the first view belongs to that view.
                firsts.setdefault(record.view, accepted + 1 if installed else 1)
                installed.append(record)
                self.views.setdefault(record.view, record)
        identity = incarnation.identity
        self.sent[identity] = _sent(sends)
        self.installed[identity] = installed
        self.events[identity] = events
        self.deliveries[identity] = deliveries
        self.receives[identity] = receives
        self.delivered[identity] = delivered
        self.repeated[identity] = repeated
        self.first_in_view[identity] = firsts

    @property
    def unexplained(self) -> list[Incarnation]:
        """Incarnations that neither stopped nor were killed."""
        return [each for each in self.run.incarnations if each.truncated]

    def sent_by(self, sender: Identity) -> Sent:
        return self.sent.get(sender, NOTHING_SENT)

    def delivered_of(self, node: Identity, sender: Identity) -> Numbers:
        """What a node delivered of a sender's messages."""
        return self.delivered[node].get(sender, NONE)

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

    @cached_property
    def stretches(self) -> dict[Identity, list[tuple[str, list[int]]]]:
        """By node: its agreed and safe deliveries in order, as codes, with the view of each run."""
        step, places = len(self.senders), self.places
        stretches: dict[Identity, list[tuple[str, list[int]]]] = {}
        for node, deliveries in self.deliveries.items():
            runs: list[tuple[str, list[int]]] = []
            view, codes = "", list[int]()
            for each in deliveries:
                if each.service not in ORDERED:
                    continue
                if each.view != view:
                    view, codes = each.view, []
                    runs.append((view, codes))
                code = each.first * step + places[each.sender]
                codes += range(code, code + len(each.digests) * step, step)
            stretches[node] = runs
        return stretches

    @cached_property
    def order_in_views(self) -> dict[str, dict[Identity, list[int]]]:
        """By view and node: the agreed and safe messages it delivered there, in order."""
        views: dict[str, dict[Identity, list[int]]] = {}
        for node, runs in self.stretches.items():
            for view, codes in runs:
                views.setdefault(view, {}).setdefault(node, []).extend(codes)
        return views

    def of_several_senders(self, sequences: Iterable[list[int]]) -> bool:
        step = len(self.senders)
        places = (code % step for codes in sequences for code in codes)
        first = next(places, None)
        return any(place != first for place in places)

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


def _sent(sends: list[Send]) -> Sent:
    ranks = [0]
    for send in sends:
        rank, count = ranks[-1], len(send.digests)
        ranks += [rank] * count if send.service == "basic" else range(rank + 1, rank + count + 1)
    return Sent(
        digests=tuple(chain.from_iterable(send.digests for send in sends)),
        sizes=tuple(chain.from_iterable(send.sizes for send in sends)),
        services=[send.service for send in sends for _ in send.digests],
        times=[send.t for send in sends for _ in send.digests],
        ranks=ranks,
    )


def in_words(views: int) -> str:
    return "1 view" if views == 1 else f"{views} views"


def seconds(t: int) -> str:
    return f"{t / 1e9:.6f} s"


def _active_faults(faults: tuple[Fault, ...]) -> list[tuple[int, str]]:
    """From each time on, which faults are active."""
    active: dict[tuple[str, str | None], list[int]] = {}  # since when, if several times at once
    table = []
    for fault in faults:
        ended = _ENDS.get(fault.kind) or fault.kind.removeprefix("un")
        if ended == fault.kind:
            active.setdefault((fault.kind, fault.node), []).append(fault.t)
        elif since := active.get((ended, fault.node)):
            del since[0]
            if not since:
                del active[ended, fault.node]
        words = [
            " ".join(filter(None, (kind, node, "since", seconds(since[0]))))
            for (kind, node), since in islice(reversed(active.items()), MOST_FAULTS)
        ]
        table.append((fault.t, "; ".join(reversed(words)) or "no fault active"))
    return table
