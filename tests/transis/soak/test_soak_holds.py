"""The promise of the project: hundreds of schedules, nothing violated, nothing unknown."""

from transis.soak.campaign import campaign

RUNS = 500


def test_500_schedules_hold() -> None:
    tally = campaign(seed=1, runs=RUNS, done=lambda _: None)
    assert tally.runs == RUNS
    assert [(failure.number, failure.first) for failure in tally.failures] == []
    exercised = {guarantee for guarantee, status in tally.statuses if status == "holds"}
    assert exercised == {
        "integrity", "self-delivery", "causal", "total order", "global order", "safe",
        "termination", "bounds",
    }  # fmt: skip
    for guarantee in exercised:
        assert tally.statuses[guarantee, "holds"] > RUNS / 2, guarantee
