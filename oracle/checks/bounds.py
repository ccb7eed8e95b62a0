"""Bounds: nothing that can grow grows beyond what was promised.

In the trace's terms: in the `measures` of every `stop` record, each `peak_x` is at most `bound_x`.
"""

from oracle.findings import Findings
from oracle.history import History
from oracle.records import Stop
from oracle.verdict import Verdict


def check(history: History) -> Verdict:
    findings = Findings("bounds", history)
    count = 0
    for node in history.run.incarnations:
        stop = node.records[-1] if node.records else None
        if not isinstance(stop, Stop):
            continue
        for name, bound in stop.measures.items():
            if not name.startswith("bound_"):
                continue
            what = name.removeprefix("bound_")
            peak = stop.measures.get(f"peak_{what}", 0)
            count += 1
            if peak > bound:
                findings.violated(
                    stop.t,
                    f"{node.label} ends having had {peak} in its {what.replace('_', ' ')}, "
                    f"where {bound} is the bound",
                )
    return findings.verdict(
        holds=f"{count} peaks within their bounds",
        violated="buffers grew beyond their bounds",
        not_exercised=None if count else "no node that ended told its peaks and bounds",
    )
