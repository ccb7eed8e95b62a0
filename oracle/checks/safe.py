"""Safe delivery: delivered safe in a view, every member of that view delivers it unless it crashes.

In the trace's terms: a `deliver` with service safe in view V has an `index` equal to the number of
members of V; each of its messages is in a `deliver` of every member of V that was not killed; and,
where receipts are on, every member has a `receive` with that message by the time of the delivery.
What only killed nodes delivered is not owed while a killed member blocks the view.
"""

from collections.abc import Iterable

from oracle.checks.receipts import Receipts
from oracle.findings import Findings
from oracle.history import History
from oracle.numbers import NONE, Numbers
from oracle.records import Deliver, Identity, View
from oracle.verdict import Verdict

Batches = list[tuple[Identity, Deliver]]
"""Safe deliveries in one view, with the node that made each."""


def check(history: History) -> Verdict:
    findings = Findings("safe", history)
    views: dict[str, Batches] = {}
    for node, deliveries in history.deliveries.items():
        for each in deliveries:
            if each.service == "safe":
                views.setdefault(each.view, []).append((node, each))
    receipts = Receipts(history, findings)
    count = 0
    for view_id, batches in views.items():
        count += sum(len(each.digests) for _, each in batches)
        view = history.views.get(view_id)
        if view is None:
            continue  # a view nobody installed: integrity says so
        _check_indexes(history, view, batches, findings)
        _check_members(history, view, batches, findings)
        receipts.check(view, batches)
    return findings.verdict(
        holds=f"{count} safe deliveries, of messages that every living member delivers",
        violated="safe messages were delivered without all members having or delivering them",
        not_exercised=None if count else "no safe message was delivered",
    )


def _check_indexes(history: History, view: View, batches: Batches, findings: Findings) -> None:
    size = len(view.members)
    for node, each in batches:
        if each.index != size:
            findings.violated(
                each.t,
                f"{history.label(node)} delivers safe {history.message(each.sender, each.first)} "
                f"with index {each.index} in view {view.view} of {size} members",
            )


def _check_members(history: History, view: View, batches: Batches, findings: Findings) -> None:
    anyone = survivors = _numbers(each for _, each in batches)
    if blocked := history.killed_members(view):
        survivors = _numbers(each for node, each in batches if node not in blocked)
    for member in view.members:
        incarnation = history.incarnations.get(member)
        if incarnation is not None and incarnation.crashed:
            continue
        # Without a membership change, what killed nodes alone knew is lost with them.
        stuck = blocked and incarnation and history.ends_in(member, view)
        delivered = history.delivered[member] if incarnation else {}
        for sender, numbers in (survivors if stuck else anyone).items():
            missing = numbers.without(delivered.get(sender, NONE))
            if not missing:
                continue
            node, each, number = _earliest(batches, sender, missing)
            what = (
                f"{history.label(node)} delivers safe {history.message(sender, number)} in view "
                f"{view.view}, which {history.label(member)} never delivers"
            )
            if incarnation is None or incarnation.truncated:
                findings.doubt(f"{what} in the trace there is of it")
            else:
                findings.absent(each.t, what)


def _numbers(deliveries: Iterable[Deliver]) -> dict[Identity, Numbers]:
    numbers: dict[Identity, Numbers] = {}
    # The nodes mostly deliver the same batches: each of these is needed once.
    for sender, first, last in {(each.sender, each.first, each.last): None for each in deliveries}:
        numbers.setdefault(sender, Numbers()).add(first, last)
    return numbers


def _earliest(
    batches: Batches, sender: Identity, missing: Numbers
) -> tuple[Identity, Deliver, int]:
    """The earliest delivery of one of the missing, and which."""
    found = (
        (node, each, numbers[0].start)
        for node, each in batches
        if each.sender == sender and (numbers := missing.common(each.first, each.last))
    )
    return min(found, key=lambda delivery: delivery[1].t)
