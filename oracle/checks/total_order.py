"""Total order: messages delivered in a view are delivered in one order, without gaps.

In the trace's terms: take the agreed and safe messages (one order for both) that each node delivers
in a regular view, in record order; of any two nodes' sequences, one is a prefix of the other. The
index of synchrony of each is at least 1 and at most the number of members.
"""

from oracle.findings import Findings
from oracle.history import History, in_words
from oracle.records import ORDERED, Identity
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("total order", history)
    views = {
        view: sequences
        for view, sequences in history.order_in_views.items()
        if history.regular(view)
    }
    for view, sequences in views.items():
        _compare(history, view, sequences, findings)
    shared = [each for each in views.values() if len(each) > 1]
    compared = sum(len(codes) for sequences in shared for codes in sequences.values())
    several = history.of_several_senders(
        codes for sequences in shared for codes in sequences.values()
    )
    _check_indexes(history, findings)
    few = "ordered messages of fewer than two senders were delivered in common"
    return findings.verdict(
        holds=f"{compared} ordered deliveries in {in_words(len(views))}, one order in each",
        violated="nodes of one view do not deliver its ordered messages in one order without gaps",
        not_exercised=None if several else few,
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
        if _never(history, node, there):
            what += f", which {history.label(node)} never delivers"
        elif _never(history, longest, here):
            what += f"; {history.label(longest)} never delivers {history.coded(here)}"
        findings.violated(_time_of(history, node, view, place), what)


def _never(history: History, node: Identity, code: int) -> bool:
    sender, number = history.decode(code)
    return number not in history.delivered_of(node, sender)


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
