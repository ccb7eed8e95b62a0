"""Total order: messages delivered in a view are delivered in one order, without gaps.

In the trace's terms: take the agreed and safe messages (one order for both) that each node delivers
in a regular view, in record order; of any two nodes' sequences, one is a prefix of the other. The
index of synchrony of each is at least 1 and at most the number of members.
"""

from oracle.findings import Findings
from oracle.history import History
from oracle.records import ORDERED, Identity
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("total order", history)
    views: dict[str, dict[Identity, None]] = {}
    for node, deliveries in history.deliveries.items():
        for each in deliveries:
            if each.service in ORDERED and history.regular(each.view):
                views.setdefault(each.view, {})[node] = None
    compared = 0
    senders: dict[Identity, None] = {}
    for view, nodes in views.items():
        sequences = {node: history.ordered(node, view) for node in nodes}
        _compare(history, view, sequences, findings)
        if len(nodes) > 1:
            compared += sum(map(len, sequences.values()))
            for node in nodes:
                here = (e for e in history.deliveries[node] if e.view == view)
                senders.update(dict.fromkeys(e.sender for e in here if e.service in ORDERED))
    _check_indexes(history, findings)
    few = "ordered messages of fewer than two senders were delivered in common"
    return findings.verdict(
        holds=f"{compared} ordered deliveries in {len(views)} views, one order in each",
        violated="nodes of one view do not deliver its ordered messages in one order without gaps",
        not_exercised=None if len(senders) > 1 else few,
    )


def _compare(
    history: History, view: str, sequences: dict[Identity, list[int]], findings: Findings
) -> None:
    """All are prefixes of the longest, or else some pair is not compatible."""
    longest = max(sequences, key=lambda node: len(sequences[node]))
    reference = sequences[longest]
    for node, sequence in sequences.items():
        if reference[: len(sequence)] == sequence:
            continue
        place = next(i for i, code in enumerate(sequence) if code != reference[i])
        here, there = sequence[place], reference[place]
        what = (
            f"{history.label(node)} delivers {history.coded(here)} as number {place + 1} of view "
            f"{view}, where {history.label(longest)} delivers {history.coded(there)}"
        )
        if not history.has_delivered(node, *history.decode(there)):
            what += f", which {history.label(node)} never delivers"
        elif not history.has_delivered(longest, *history.decode(here)):
            what += f"; {history.label(longest)} never delivers {history.coded(here)}"
        findings.violated(_time_of(history, node, view, place), what)


def _time_of(history: History, node: Identity, view: str, place: int) -> int:
    """When a node delivered the message at a place of its sequence in a view."""
    for each in history.deliveries[node]:
        if each.service in ORDERED and each.view == view:
            if place < len(each.digests):
                return each.t
            place -= len(each.digests)
    raise AssertionError("the place is within the sequence")


def _check_indexes(history: History, findings: Findings) -> None:
    sizes = {view: len(record.members) for view, record in history.views.items()}
    for node, deliveries in history.deliveries.items():
        for each in deliveries:
            size = sizes.get(each.view)
            if each.service in ORDERED and size is not None and not 1 <= each.index <= size:
                findings.violated(
                    each.t,
                    f"{history.label(node)} delivers {history.message(each.sender, each.first)} "
                    f"with index {each.index} in view {each.view} of {size} members",
                )
