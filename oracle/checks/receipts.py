"""The part of safe delivery that receipts show: delivered safe only once every member has it.

In the trace's terms: at the time of a safe `deliver` in view V, every member of V has a `receive`
whose range contains the message (the sender too: its own frame is recorded when it is sent). This
goes for killed members as well, as far as their files are known to reach.
"""

from oracle.findings import Findings
from oracle.history import History, seconds
from oracle.records import Deliver, Identity, View
from oracle.trace import Incarnation

_NEVER = 1 << 63

Times = dict[Identity, list[int]]
"""By sender: when its message n was first received."""


class Receipts:
    def __init__(self, history: History, findings: Findings) -> None:
        self._history = history
        self._findings = findings
        self._received: dict[Identity, Times] = {}
        for node in history.run.incarnations:
            start = node.start
            if start is not None and start.receipts:
                self._received[node.identity] = _times(history, node)

    def check(self, view: View, batches: list[tuple[Identity, Deliver]]) -> None:
        """Judge the safe deliveries in one view."""
        if not self._received:
            return
        for member in view.members:
            if member not in self._received:
                self._findings.doubt(f"{self._history.label(member)} wrote no receipts")
        ranges: dict[Identity, tuple[int, int]] = {}
        for _, each in batches:
            first, last = ranges.get(each.sender, (each.first, each.last))
            ranges[each.sender] = min(first, each.first), max(last, each.last)
        # Only what was delivered in this view, lest many views take many times the work.
        everywhere = {
            sender: (first, self._everywhere(view, sender, first, last))
            for sender, (first, last) in ranges.items()
        }
        for node, each in batches:
            offset, times = everywhere[each.sender]
            if max(times[each.first - offset : each.last - offset + 1], default=0) > each.t:
                self._report(view, node, each)

    def _everywhere(self, view: View, sender: Identity, first: int, last: int) -> list[int]:
        """When all members had received messages first … last of a sender."""
        never = [_NEVER] * (self._history.sent_by(sender).count + 1)
        columns = [
            self._received[member].get(sender, never)[first : last + 1]
            for member in view.members
            if member in self._received
        ]
        return list(map(max, zip(*columns, strict=True)))

    def _report(self, view: View, node: Identity, each: Deliver) -> None:
        history = self._history
        for member in view.members:
            if member not in self._received:
                continue
            times = self._received[member].get(each.sender)
            count = history.sent_by(each.sender).count
            for number in range(each.first, min(each.last, count) + 1):
                time = times[number] if times else _NEVER
                if time <= each.t:
                    continue
                when = "never does" if time == _NEVER else f"does at {seconds(time)}"
                what = (
                    f"{history.label(node)} delivers safe {history.message(each.sender, number)} "
                    f"in view {view.view} before {history.label(member)} receives it, which {when}"
                )
                if _reaches(history.incarnations[member], each.t):
                    self._findings.violated(each.t, what)
                else:
                    self._findings.doubt(f"{what} in the trace there is of it")


def _times(history: History, node: Incarnation) -> Times:
    times: Times = {}
    for record in history.receives[node.identity]:
        of_sender = times.get(record.sender)
        if of_sender is None:
            of_sender = [_NEVER] * (history.sent_by(record.sender).count + 1)
            times[record.sender] = of_sender
        for number in range(max(record.first, 1), min(record.last + 1, len(of_sender))):
            if of_sender[number] == _NEVER:
                of_sender[number] = record.t
    return times


def _reaches(node: Incarnation, t: int) -> bool:
    """Whether a receipt by that time would be in the file.

    A killed process loses what it had not written yet; a killed node of the simulator does not,
    unless its file shows that it did.
    """
    start = node.start
    exact = node.crashed and not node.cut and start is not None and start.clock == "virtual"
    return node.complete or t < node.end or exact
