"""Self-delivery: a node delivers its own messages unless it crashes.

In the trace's terms: in every file that ends in `stop`, each message of a `send` is also in a
`deliver`. Where a member of the node's last view was killed, that view can finish nothing any
more: what is then undelivered is not owed.
"""

from oracle.findings import Findings
from oracle.history import History
from oracle.numbers import Numbers
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("self-delivery", history)
    owed = excused = 0
    for node in history.run.incarnations:
        if not node.complete:
            continue
        accepted = history.sent_by(node.identity).count
        own = history.delivered_of(node.identity, node.identity)
        missing = Numbers(1, accepted).without(own)
        owed += accepted
        if not missing:
            continue
        view = history.last_view(node.identity)
        first = history.message(node.identity, missing.first)
        what = f"{node.label} ends without having delivered its own {first}"
        if len(missing) > 1:
            what += f" and {len(missing) - 1} more"
        if history.killed_members(view):
            excused += len(missing)
            owed -= len(missing)
        elif lost := history.lost_members(view):
            findings.doubt(f"{what}, and whether {history.label(lost[0])} crashed is not known")
        else:
            findings.absent(node.end, what)
    because = f"{excused} not owed: a member was killed and the view never changed"
    return findings.verdict(
        holds=f"{owed} own messages delivered" + (f"; {because}" if excused else ""),
        violated="nodes that did not crash never delivered messages of their own",
        not_exercised=None if owed else because if excused else "no node that ended sent anything",
    )
