"""Integrity: delivered at most once, only if sent, only among members, payload intact.

In the trace's terms: every `deliver` names messages of a `send` in the sender's file, with the same
service, digests and sizes, not earlier than that `send`; in the view the node installed last, of
which sender and receiver are members; no message twice at one node incarnation.
"""

from oracle.findings import Findings
from oracle.history import History, seconds
from oracle.records import Deliver, Identity, Send, View
from oracle.trace import Incarnation
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("integrity", history)
    count = 0
    for node in history.run.incarnations:
        count += _check_node(history, node, findings)
    return findings.verdict(
        holds=f"{count} deliveries, each of a sent message, once, intact, among members",
        violated="messages were delivered that should not have been, or not like this",
        not_exercised=None if count else "nothing was delivered",
    )


def _check_node(history: History, node: Incarnation, findings: Findings) -> int:
    current: View | None = None
    seen: dict[Identity, set[int]] = {}
    accepted = count = 0
    for record in node.records:
        if isinstance(record, Deliver):
            count += len(record.digests)
            _check_view(history, node, record, current, findings)
            _check_sent(history, node, record, accepted, findings)
            numbers = range(record.first, record.last + 1)
            before = seen.setdefault(record.sender, set())
            if not before.isdisjoint(numbers):
                for number in filter(before.__contains__, numbers):
                    message = history.message(record.sender, number)
                    findings.violated(record.t, f"{node.label} delivers {message} again")
            before.update(numbers)
        elif isinstance(record, Send):
            accepted += len(record.digests)
        elif isinstance(record, View):
            current = record
    return count


def _check_view(
    history: History, node: Incarnation, record: Deliver, current: View | None, findings: Findings
) -> None:
    view = current
    if current is None or record.view != current.view:
        has = f"its view is {current.view}" if current else "it has installed no view"
        message = history.message(record.sender, record.first)
        findings.violated(
            record.t, f"{node.label} delivers {message} in view {record.view}, but {has}"
        )
        view = history.views.get(record.view)
    for who, identity in (("sender", record.sender), ("receiver", node.identity)):
        if view is not None and identity not in view.members:
            message = history.message(record.sender, record.first)
            findings.violated(
                record.t,
                f"{node.label} delivers {message} in view {record.view}, "
                f"but the {who} {history.label(identity)} is not a member of it",
            )


def _check_sent(
    history: History, node: Incarnation, record: Deliver, accepted: int, findings: Findings
) -> None:
    """`accepted`: how many messages the receiver itself had sent by then."""
    sent = history.sent_by(record.sender)
    first, last = record.first - 1, min(record.last, sent.count)
    if record.last > sent.count:
        _never_sent(history, node, record, max(record.first, sent.count + 1), findings)
    count = last - first
    if count <= 0:
        return
    own = record.sender == node.identity
    for number in range(record.first, last + 1) if own and last > accepted else ():
        if number > accepted:
            message = history.message(record.sender, number)
            findings.violated(record.t, f"{node.label} delivers {message} before it sends it")
    if not own and sent.times[last - 1] > record.t:
        message = history.message(record.sender, last)
        findings.violated(
            record.t,
            f"{node.label} delivers {message}, "
            f"which is sent only at {seconds(sent.times[last - 1])}",
        )
    same = (
        tuple(sent.digests[first:last]) == record.digests[:count]
        and tuple(sent.sizes[first:last]) == record.sizes[:count]
        and sent.services[first:last].count(record.service) == count
    )
    if same:
        return
    for place in range(count):
        number = first + place
        for what, was, now in (
            ("service", sent.services[number], record.service),
            ("digest", sent.digests[number], record.digests[place]),
            ("size", sent.sizes[number], record.sizes[place]),
        ):
            if was != now:
                message = history.message(record.sender, number + 1)
                findings.violated(
                    record.t, f"{node.label} delivers {message} with {what} {now}, sent with {was}"
                )


def _never_sent(
    history: History, node: Incarnation, record: Deliver, number: int, findings: Findings
) -> None:
    message = history.message(record.sender, number)
    sender = history.incarnations.get(record.sender)
    if sender is None or sender.complete:
        findings.violated(record.t, f"{node.label} delivers {message}, which was never sent")
    else:
        findings.doubt(
            f"at {seconds(record.t)} {node.label} delivers {message}, beyond the last send "
            f"in the trace of {sender.label}, which ends early"
        )
