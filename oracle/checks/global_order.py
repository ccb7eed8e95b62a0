"""Global order: no cycle of any length in the delivery order, across components and views.

In the trace's terms: let m precede m' where some node incarnation delivers m before m' (agreed and
safe messages only, whatever the view); this relation, over all nodes together, has no cycle. Where
`start` says `toto`, it is promised within each view only.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from oracle.findings import Findings
from oracle.history import History, in_words
from oracle.records import Identity
from oracle.verdict import Verdict

# What one node says of one step of a cycle: it delivers the first before the second.
Step = tuple[Identity, int, int]


def check(history: History) -> Verdict:
    findings = Findings("global order", history)
    toto = any((start := n.start) and start.agreed == "toto" for n in history.run.incarnations)
    orders = {
        node: [code for _, codes in runs for code in codes]
        for node, runs in history.stretches.items()
    }
    across = _find_cycle(orders)
    if across and toto:
        for view, within in history.order_in_views.items():
            _report(history, _find_cycle(within), findings, f" within view {view}")
        if not findings.violations and not findings.doubtful:
            _report(history, across, findings, "")
            return Verdict(
                findings.guarantee,
                "not promised",
                "Toto orders within a view only; across views there is a cycle",
                findings.evidence,
            )
    else:
        _report(history, across, findings, "")
    few = "ordered messages of fewer than two senders were delivered"
    return findings.verdict(
        holds=f"no cycle in the order of delivery, over {in_words(len(history.order_in_views))}",
        violated="the order of delivery has a cycle",
        not_exercised=None if history.of_several_senders(orders.values()) else few,
    )


def _report(history: History, cycle: Sequence[Step], findings: Findings, where: str) -> None:
    """One piece of evidence, the whole cycle, at the time of its last step."""
    if not cycle:
        return
    words = [
        f"{history.label(node)} delivers {history.coded(before)} before {history.coded(after)}"
        for node, before, after in cycle
    ]
    t = max(_time_of(history, node, after) for node, _, after in cycle)
    findings.violated(t, f"a cycle of {len(cycle)} closes{where}: " + "; ".join(words))


def _time_of(history: History, node: Identity, code: int) -> int:
    sender, number = history.decode(code)
    return next(
        each.t
        for each in history.deliveries[node]
        if each.sender == sender and each.first <= number <= each.last
    )


@dataclass(slots=True)
class _Line:
    """One node's sequence, and how far it has been taken."""

    node: Identity
    codes: list[int]
    taken: int = 0


def _find_cycle(sequences: dict[Identity, list[int]]) -> list[Step]:
    """Merge all sequences into one order, or find a short cycle that forbids it.

    A message can be taken once it is next in every sequence that has it: Kahn's algorithm, with the
    sequences for edges. Repeated deliveries are a matter of integrity: the first one counts.
    """
    longest = max(sequences.values(), key=len, default=[])
    if len(set(longest)) == len(longest) and all(
        longest[: len(codes)] == codes for codes in sequences.values()
    ):
        return []  # the usual case: all are prefixes of one
    lines = [_Line(node, list(dict.fromkeys(codes))) for node, codes in sequences.items()]
    holders: dict[int, int] = {}
    for line in lines:
        for code in line.codes:
            holders[code] = holders.get(code, 0) + 1
    waiting: dict[int, list[_Line]] = {}
    work = lines[::-1]
    while work:
        line = work.pop()
        if line.taken == len(line.codes):
            continue
        code = line.codes[line.taken]
        there = waiting.setdefault(code, [])
        there.append(line)
        if len(there) == holders[code]:
            del waiting[code]
            for each in there:
                each.taken += 1
            work += there
    return _shortest_cycle([line for line in lines if line.taken < len(line.codes)])


def _shortest_cycle(lines: list[_Line]) -> list[Step]:
    """Among sequences none of which can go on, each one's next message waits for another's."""
    heads = dict.fromkeys(line.codes[line.taken] for line in lines)
    after: dict[int, list[Step]] = {head: [] for head in heads}
    for line in lines:
        head, rest = line.codes[line.taken], set(line.codes[line.taken + 1 :])
        after[head] += [(line.node, head, other) for other in heads if other in rest]
    best: list[Step] = []
    for origin in heads:
        cycle = _back_to(origin, after)
        if cycle and (not best or len(cycle) < len(best)):
            best = cycle
    return best


def _back_to(origin: int, after: dict[int, list[Step]]) -> list[Step]:
    """Breadth first from a message until it comes back to itself."""
    paths: dict[int, list[Step]] = {origin: []}
    queue = [origin]
    for code in queue:
        for step in after[code]:
            if step[2] == origin:
                return [*paths[code], step]
            if step[2] not in paths:
                paths[step[2]] = [*paths[code], step]
                queue.append(step[2])
    return []
