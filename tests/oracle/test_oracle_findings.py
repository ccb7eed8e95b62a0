"""From what a check finds to its verdict."""

from oracle_builder import MILLISECOND, Story

from oracle.findings import Findings
from oracle.history import History
from oracle.verdict import MOST_EVIDENCE, Verdict


def findings_in(story: Story) -> Findings:
    return Findings("honesty", History(story.run()))


def verdict_of(findings: Findings, not_exercised: str | None = None) -> Verdict:
    return findings.verdict(holds="all well", violated="not so", not_exercised=not_exercised)


def test_nothing_found_holds() -> None:
    assert verdict_of(findings_in(Story())) == Verdict("honesty", "holds", "all well")


def test_nothing_to_judge_is_not_exercised() -> None:
    verdict = verdict_of(findings_in(Story()), "nobody spoke")
    assert verdict == Verdict("honesty", "not exercised", "nobody spoke")


def test_a_violation_comes_before_doubts_and_idleness() -> None:
    findings = findings_in(Story())
    findings.doubt("who knows")
    findings.violated(1, "a lie")
    verdict = verdict_of(findings, "nobody spoke")
    assert verdict.status == "violated"
    assert verdict.summary == "not so; 1 finding"
    assert verdict.evidence == ("at 0.000000 s a lie (no fault active)",)


def test_doubts_come_before_idleness_and_are_counted_once_each() -> None:
    findings = findings_in(Story())
    assert not findings.doubtful
    for reason in ("one", "two", "one", "three"):
        findings.doubt(reason)
    assert findings.doubtful
    assert verdict_of(findings, "nobody spoke") == Verdict(
        "honesty", "unknown", "one (and 2 more reasons)", ("one", "two", "three")
    )


def test_the_earliest_violations_are_the_evidence_and_all_are_counted() -> None:
    findings = findings_in(Story())
    for t in (9, 3, 7, 1, 8, 2, 6, 1):
        findings.violated(t * MILLISECOND, f"lie {t}")
    verdict = verdict_of(findings)
    assert [each[3:14] for each in verdict.evidence] == [
        "0.001000 s ", "0.001000 s ", "0.002000 s ", "0.003000 s ", "0.006000 s "
    ]  # fmt: skip
    assert len(verdict.evidence) == MOST_EVIDENCE
    assert verdict.summary == "not so; 8 findings, the earliest are told"


def test_of_violations_at_one_time_the_first_found_comes_first() -> None:
    findings = findings_in(Story())
    for word in "zyxwvut":
        findings.violated(5, word)
    assert [each.split()[3] for each in findings.evidence] == list("zyxwv")


def test_what_is_absent_is_a_violation_only_at_the_planned_end() -> None:
    story = Story()
    findings = findings_in(story)
    findings.absent(0, "no word")
    assert verdict_of(findings).status == "violated"
    story.complete = False
    findings = findings_in(story)
    findings.absent(0, "no word")
    assert verdict_of(findings).summary == "the run did not come to its planned end: no word"


def test_a_trace_that_just_ends_is_a_doubt() -> None:
    story = Story()
    story.sends("a")
    story.loses_the_end_of("a")
    assert verdict_of(findings_in(story)).summary == (
        "the trace of a.1 ends at 0.001000 s without a stop or a kill"
    )


def test_evidence_names_the_faults_of_its_time() -> None:
    story = Story()
    story.fault("slow", "b")
    findings = findings_in(story)
    findings.violated(story.now, "a lie")
    assert findings.evidence == ("at 0.001000 s a lie (slow b since 0.001000 s)",)
