"""Causal order: no message before one it follows (basic messages take no part).

In the trace's terms: m' follows m if its sender sent m, or delivered m, before it sent m' (record
order in the sender's file), and so on through others. Who delivers m' in a view has delivered m
before, if m was sent in that view (a transitional view counts with the regular one before it).

No clocks are needed. Because a sender's messages follow each other, the past of a message is one
number per sender: how many of its non-basic messages ("rank") are in it. The files are walked
together, a delivery waiting until its send was reached.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import gt

from oracle.findings import Findings
from oracle.history import History, seconds
from oracle.records import Deliver, Identity, Send, View
from oracle.trace import Incarnation
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("causal", history)
    walk = _Walk(history, findings)
    walk.run()
    return findings.verdict(
        holds=f"{walk.pairs} deliveries with a past, none before its past",
        violated="messages were delivered before messages they follow",
        not_exercised=None if walk.pairs else "no message delivered follows another",
    )


@dataclass(slots=True, eq=False, kw_only=True)
class _Node:
    """How far one file was walked, and what its node knew by then; lists are by sender."""

    incarnation: Incarnation
    place: int
    events: list[View | Send | Deliver]
    ranks: Sequence[int]
    """As in `Sent`."""
    ranks_before: dict[str, int]
    """How many ranks this node had sent when it installed a view."""
    known: list[int]
    """Ranks in the past of what this node sends next."""
    delivered: list[int]
    """Ranks up to which nothing is missing here."""
    ahead: dict[int, set[int]] = field(default_factory=dict)
    """Ranks delivered beyond a gap."""
    view: str = ""
    """The regular view it installed last."""
    at: int = 0
    pasts: list[Sequence[int]] = field(default_factory=list)
    """The past of message n, at n - 1, without the sender's own messages."""
    waiters: list["_Node"] = field(default_factory=list)

    @property
    def identity(self) -> Identity:
        return self.incarnation.identity

    def sent_of(self, batch: Deliver) -> int:
        """The last message of a batch of this sender's that it ever sends."""
        return min(batch.last, len(self.ranks) - 1)


class _Walk:
    def __init__(self, history: History, findings: Findings) -> None:
        self.pairs = 0
        self._history = history
        self._findings = findings
        self._reported: set[tuple[Identity, int, int]] = set()
        self._nodes = [_node(history, each) for each in history.run.incarnations]
        self._by_sender = {node.identity: node for node in self._nodes}
        self._by_place = {node.place: node for node in self._nodes}

    def run(self) -> None:
        work = self._nodes[::-1]
        while True:
            while work:
                self._advance(work.pop(), work)
            stuck = [node for node in self._nodes if node.at < len(node.events)]
            if not stuck:
                return
            work = [self._break_cycle(stuck)]

    def _advance(self, node: _Node, work: list[_Node]) -> None:
        """Walk on until the end, or until a delivery whose send was not reached yet."""
        for place in range(node.at, len(node.events)):
            event = node.events[place]
            if isinstance(event, Deliver):
                sender = self._by_sender.get(event.sender)
                if sender is None:
                    self._never_sent(node, event, 0)
                    continue
                last = sender.sent_of(event)
                if last > len(sender.pasts):
                    sender.waiters.append(node)
                    node.at = place
                    return
                past = sender.pasts[last - 1] if last >= event.first else None
                self._deliver(node, event, sender, last, past)
            elif isinstance(event, Send):
                self._send(node, event)
                work += node.waiters[::-1]
                node.waiters.clear()
            elif event.kind == "regular":
                self._enter(node, event.view)
        node.at = len(node.events)

    def _send(self, node: _Node, send: Send) -> None:
        known = node.known.copy()
        known[node.place] = 0
        node.pasts += [known] * len(send.digests)
        node.known[node.place] = node.ranks[len(node.pasts)]

    def _deliver(
        self, node: _Node, event: Deliver, sender: _Node, last: int, past: Sequence[int] | None
    ) -> None:
        """`last` is the last one of the batch that is known to be sent, `past` its past."""
        if event.last > last:
            self._never_sent(node, event, last)
        if last < event.first:
            return
        before, upto = sender.ranks[event.first - 1], sender.ranks[last]
        if before == upto:
            return  # basic only
        # The pasts of one sender's messages only grow: the last one of a batch speaks for all.
        if past is not None:
            self.pairs += upto - (before if before or any(past) else 1)
            if any(map(gt, past, node.delivered)):
                self._missing_past(node, event, last)
                node.known = list(map(max, node.known, past))
        place = sender.place
        if node.delivered[place] < before:
            self._gap(node, event, place)
            node.ahead.setdefault(place, set()).update(range(before + 1, upto + 1))
        elif node.delivered[place] < upto:
            node.delivered[place] = upto
            if node.ahead:
                self._close_gap(node, place)
        node.known[place] = max(node.known[place], upto)

    def _enter(self, node: _Node, view: str) -> None:
        """In a new view, nothing is owed any more of what was sent before it."""
        node.view = view
        for sender in self._nodes:
            before = sender.ranks_before.get(view, 0)
            if node.delivered[sender.place] < before:
                node.delivered[sender.place] = before
                self._close_gap(node, sender.place)

    def _missing_past(self, node: _Node, event: Deliver, last: int) -> None:
        pasts = self._by_sender[event.sender].pasts
        for number in range(event.first, last + 1):
            for place, rank in enumerate(pasts[number - 1]):
                if rank > node.delivered[place] and self._in_view(place, node.view):
                    self._report(node, event, number, place, "which it follows")

    def _in_view(self, place: int, view: str) -> bool:
        """Whether the sender at a place ever installed that view (none yet: all count)."""
        return not view or view in self._by_place[place].ranks_before

    def _gap(self, node: _Node, event: Deliver, place: int) -> None:
        if node.delivered[place] + 1 not in node.ahead.get(place, ()):
            self._report(node, event, event.first, place, "sent earlier by the same node")

    def _close_gap(self, node: _Node, place: int) -> None:
        ahead = node.ahead.get(place)
        while ahead and node.delivered[place] + 1 in ahead:
            node.delivered[place] += 1
            ahead.discard(node.delivered[place])

    def _report(self, node: _Node, event: Deliver, number: int, place: int, why: str) -> None:
        """The first message of the sender at `place` that is missing; each only once."""
        rank = node.delivered[place] + 1
        key = (node.identity, place, rank)
        if key in self._reported:
            return
        self._reported.add(key)
        sender = self._history.senders[place]
        missing = bisect_left(self._by_place[place].ranks, rank)
        late = missing in self._history.delivered_of(node.identity, sender)
        self._findings.violated(
            event.t,
            f"{node.incarnation.label} delivers {self._history.message(event.sender, number)} "
            f"{'before' if late else 'without'} {self._history.message(sender, missing)}, {why}",
        )

    def _never_sent(self, node: _Node, event: Deliver, last: int) -> None:
        if event.service == "basic":
            return
        number = max(event.first, last + 1)
        message = self._history.message(event.sender, number)
        sender = self._history.incarnations.get(event.sender)
        if sender is None or sender.complete:
            self._findings.violated(
                event.t, f"{node.incarnation.label} delivers {message}, which was never sent"
            )
        else:
            self._findings.doubt(
                f"at {seconds(event.t)} {node.incarnation.label} delivers {message}, whose send "
                f"is not in the trace of {sender.label}: what it follows is not known"
            )

    def _break_cycle(self, stuck: list[_Node]) -> _Node:
        """Every file left waits for another: follow them round, and let the earliest go on."""
        node, path = stuck[0], list[_Node]()
        while node not in path:
            path.append(node)
            node = self._waits_for(node)[0]
        cycle = path[path.index(node) :]
        node = min(cycle, key=lambda each: each.events[each.at].t)
        sender, event = self._waits_for(node)
        number = max(event.first, len(sender.pasts) + 1)
        self._findings.violated(
            event.t,
            f"{node.incarnation.label} delivers {self._history.message(event.sender, number)}, "
            "whose sending follows this very delivery",
        )
        sender.waiters.remove(node)
        self._deliver(node, event, sender, sender.sent_of(event), None)
        node.at += 1
        return node

    def _waits_for(self, node: _Node) -> tuple[_Node, Deliver]:
        event = node.events[node.at]
        assert isinstance(event, Deliver), "only deliveries wait"
        return self._by_sender[event.sender], event


def _node(history: History, incarnation: Incarnation) -> _Node:
    width = len(history.senders)
    ranks = history.sent_by(incarnation.identity).ranks
    firsts = history.first_in_view[incarnation.identity]
    return _Node(
        incarnation=incarnation,
        place=history.places[incarnation.identity],
        events=history.events[incarnation.identity],
        ranks=ranks,
        ranks_before={view: ranks[first - 1] for view, first in firsts.items()},
        known=[0] * width,
        delivered=[0] * width,
    )
