"""Integrity: delivered at most once, only if sent, only among members, payload intact.

In the trace's terms: every `deliver` names messages of a `send` in the sender's file, with the same
service, digests and sizes, not earlier than that `send`; in the view the node installed last, of
which sender and receiver are members; no message twice at one node incarnation. A view has the same
members wherever it is installed.
"""

from oracle.findings import Findings
from oracle.history import History, Sent, seconds
from oracle.records import Deliver, Identity, Send, View
from oracle.trace import Incarnation
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("integrity", history)
    count = 0
    for node in history.run.incarnations:
        count += _check_node(history, node, findings)
        for record, again in history.repeated[node.identity]:
            for number in (number for numbers in again for number in numbers):
                message = history.message(record.sender, number)
                findings.violated(record.t, f"{node.label} delivers {message} again")
    return findings.verdict(
        holds=f"{count} deliveries, each of a sent message, once, intact, among members",
        violated="messages were delivered that should not have been, or not like this",
        not_exercised=None if count else "nothing was delivered",
    )


def _check_node(history: History, node: Incarnation, findings: Findings) -> int:
    current: View | None = None
    senders: frozenset[Identity] = frozenset()
    """Whose messages may be delivered in the current view."""
    accepted = count = 0
    for record in history.events[node.identity]:
        if isinstance(record, Deliver):
            count += len(record.digests)
            if record.sender not in senders or current is None or record.view != current.view:
                _explain_view(history, node, record, current, findings)
            sent = history.sent_by(record.sender)
            if not _as_sent(record, sent):
                _explain_sent(history, node, record, sent, findings)
            if record.sender == node.identity and record.last > accepted:
                for number in range(max(record.first, accepted + 1), record.last + 1):
                    message = history.message(record.sender, number)
                    findings.violated(
                        record.t, f"{node.label} delivers {message} before it sends it"
                    )
        elif isinstance(record, Send):
            accepted += len(record.digests)
        else:
            current = record
            members = frozenset(record.members)
            senders = members if node.identity in members else frozenset()
            _check_members(history, node, record, findings)
    return count


def _check_members(history: History, node: Incarnation, record: View, findings: Findings) -> None:
    first = history.views[record.view]
    if set(first.members) != set(record.members) or first.kind != record.kind:
        findings.violated(
            record.t,
            f"{node.label} installs view {record.view} ({record.kind}) of "
            f"{history.labels(record.members)}, which elsewhere is {first.kind} and of "
            f"{history.labels(first.members)}",
        )


def _explain_view(
    history: History, node: Incarnation, record: Deliver, current: View | None, findings: Findings
) -> None:
    view = current
    message = history.message(record.sender, record.first)
    what = f"{node.label} delivers {message} in view {record.view}, but"
    if current is None or record.view != current.view:
        has = f"its view is {current.view}" if current else "it has installed no view"
        findings.violated(record.t, f"{what} {has}")
        view = history.views.get(record.view)
    for who, identity in (("sender", record.sender), ("receiver", node.identity)):
        if view is not None and identity not in view.members:
            findings.violated(
                record.t, f"{what} the {who} {history.label(identity)} is not a member of it"
            )


def _as_sent(record: Deliver, sent: Sent) -> bool:
    """Whether all messages of a batch were sent by then, and like this."""
    first, last = record.first - 1, record.last
    return (
        last <= sent.count
        and sent.times[last - 1] <= record.t
        and sent.digests[first:last] == record.digests
        and sent.sizes[first:last] == record.sizes
        and sent.services[first:last].count(record.service) == last - first
    )


def _explain_sent(
    history: History, node: Incarnation, record: Deliver, sent: Sent, findings: Findings
) -> None:
    """What `_as_sent` objects to, message by message."""
    if record.last > sent.count:
        _never_sent(history, node, record, max(record.first, sent.count + 1), findings)
    last = min(record.last, sent.count)
    if last < record.first:
        return
    if record.sender != node.identity and sent.times[last - 1] > record.t:
        when = seconds(sent.times[last - 1])
        message = history.message(record.sender, last)
        findings.violated(
            record.t, f"{node.label} delivers {message}, which is sent only at {when}"
        )
    for place in range(last - record.first + 1):
        number = record.first + place
        for what, was, now in (
            ("service", sent.services[number - 1], record.service),
            ("digest", sent.digests[number - 1], record.digests[place]),
            ("size", sent.sizes[number - 1], record.sizes[place]),
        ):
            if was != now:
                message = history.message(record.sender, number)
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
