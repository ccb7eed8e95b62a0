"""The soak finds every planted bug: a campaign that cannot fail proves nothing."""

import pytest
from mutants import MUTANTS

from transis.judged import run_and_judge
from transis.soak.campaign import worst_first
from transis.soak.schedules import make_schedule

RUNS = 200


@pytest.mark.parametrize("mutant", MUTANTS)
def test_a_planted_bug_is_found(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    MUTANTS[mutant](monkeypatch)
    assert any(
        verdict.status == "violated"
        for number in range(RUNS)
        for verdict in worst_first(run_and_judge(make_schedule(seed=1, number=number)).verdicts)
    ), f"{RUNS} runs and nothing seen of: {MUTANTS[mutant].__doc__}"


def test_there_are_enough_of_them_and_each_says_which_rule_it_breaks() -> None:
    assert len(MUTANTS) >= 15
    assert all(mutant.__doc__ for mutant in MUTANTS.values())
