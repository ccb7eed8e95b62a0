"""Termination: messages are delivered (fixed membership: one view, nobody is ever removed).

In the trace's terms: take each view that is the last one of a file ending in `stop`, and those of
its members whose files end so (the survivors). If no member was killed, each survivor delivers
every message a survivor accepted in that view. If one was, each delivers what any survivor
delivered in it. A run that did not come to its planned end though all its nodes ended is a
violation in itself.
"""

from oracle.findings import Findings
from oracle.history import History
from oracle.numbers import Numbers
from oracle.records import Identity, View
from oracle.verdict import Verdict

Due = dict[Identity, Numbers]
"""By sender: the messages that every survivor owes."""


def check(history: History) -> Verdict:
    findings = Findings("termination", history)
    finals: dict[str, View] = {}
    for node in history.run.incarnations:
        view = history.last_view(node.identity)
        if node.complete and view is not None:
            finals.setdefault(view.view, view)
    owed = missing = 0
    for view in finals.values():
        more_owed, more_missing = _check_view(history, view, findings)
        owed += more_owed
        missing += more_missing
    if not history.run.info.complete:
        end = max((node.end for node in history.run.incarnations), default=0)
        _unfinished(history, end, missing, findings)
    return findings.verdict(
        holds=f"{owed} deliveries owed, all made",
        violated=f"{missing} owed deliveries are missing at the end",
        not_exercised=None if owed else "no delivery was owed",
    )


def _check_view(history: History, view: View, findings: Findings) -> tuple[int, int]:
    """How many deliveries were owed in a last view, and how many of them are missing."""
    survivors = [
        member
        for member in view.members
        if member in history.incarnations
        and history.incarnations[member].complete
        and history.ends_in(member, view)
    ]
    killed = history.killed_members(view)
    lost = history.lost_members(view)
    due = _delivered(history, survivors, view) if killed else _accepted(history, survivors, view)
    owed = absent = 0
    for node in survivors:
        for sender, numbers in due.items():
            missing = numbers.without(history.delivered_of(node, sender))
            owed += len(numbers)
            absent += len(missing)
            if not missing:
                continue
            what = (
                f"{history.label(node)} ends in view {view.view} without having delivered "
                f"{history.message(sender, missing.first)}"
            )
            if len(missing) > 1:
                what += f" and {len(missing) - 1} more of {history.label(sender)}"
            if lost:
                findings.doubt(f"{what}, and whether {history.label(lost[0])} crashed is not known")
            else:
                findings.violated(history.incarnations[node].end, what)
    return owed, absent


def _accepted(history: History, survivors: list[Identity], view: View) -> Due:
    firsts = {node: history.first_in_view[node].get(view.view, 1) for node in survivors}
    return {node: Numbers(first, history.sent_by(node).count) for node, first in firsts.items()}


def _delivered(history: History, survivors: list[Identity], view: View) -> Due:
    due: Due = {}
    for node in survivors:
        for each in history.deliveries[node]:
            if each.view == view.view:
                due.setdefault(each.sender, Numbers()).add(each.first, each.last)
    return due


def _unfinished(history: History, end: int, missing: int, findings: Findings) -> None:
    what = f"the run did not come to its planned end, {missing} owed deliveries missing"
    if history.unexplained:
        findings.doubt(what)
    else:
        findings.violated(end, what)
