"""Collects what a check finds and makes the verdict of it: violated, unknown, then the rest."""

from oracle.history import History, seconds
from oracle.verdict import MOST_EVIDENCE, Verdict


class Findings:
    def __init__(self, guarantee: str, history: History) -> None:
        self.guarantee = guarantee
        self.violations = 0
        self._history = history
        self._earliest: list[tuple[int, int, str]] = []
        self._doubts: dict[str, None] = {}
        for each in history.unexplained:
            self.doubt(
                f"the trace of {each.label} ends at {seconds(each.end)} without a stop or a kill"
            )
        if history.run.faults_cut:
            self.doubt("faults.ndjson ends in the middle of a line: a kill may be missing")

    def violated(self, t: int, what: str) -> None:
        """A violation at a time; the earliest few become the evidence."""
        self.violations += 1
        kept = self._earliest
        if len(kept) == MOST_EVIDENCE and t >= kept[-1][0]:
            return
        text = f"at {seconds(t)} {what} ({self._history.faults_at(t)})"
        kept.append((t, self.violations, text))
        kept.sort()
        del kept[MOST_EVIDENCE:]

    def doubt(self, reason: str) -> None:
        """A reason why the verdict cannot be known."""
        self._doubts[reason] = None

    def absent(self, t: int, what: str) -> None:
        """Something owed is not there: a violation only if the run came to its planned end."""
        if self._history.run.info.complete:
            self.violated(t, what)
        else:
            self.doubt(f"the run did not come to its planned end: {what}")

    @property
    def doubtful(self) -> bool:
        return bool(self._doubts)

    @property
    def evidence(self) -> tuple[str, ...]:
        return tuple(text for _, _, text in self._earliest)

    def verdict(self, *, holds: str, violated: str, not_exercised: str | None) -> Verdict:
        """`not_exercised` says why there was nothing to judge, if so."""
        if self.violations:
            summary = f"{violated}; {_counted(self.violations)}"
            return Verdict(self.guarantee, "violated", summary, self.evidence)
        if self._doubts:
            doubts = list(self._doubts)
            more = f" (and {len(doubts) - 1} more reasons)" if len(doubts) > 1 else ""
            return Verdict(
                self.guarantee, "unknown", doubts[0] + more, tuple(doubts[:MOST_EVIDENCE])
            )
        if not_exercised:
            return Verdict(self.guarantee, "not exercised", not_exercised)
        return Verdict(self.guarantee, "holds", holds)


def _counted(findings: int) -> str:
    return "1 finding" if findings == 1 else f"{findings} findings, the earliest are told"
