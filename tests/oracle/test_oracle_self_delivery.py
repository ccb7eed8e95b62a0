"""Self-delivery: a node delivers its own messages unless it crashes."""

import pytest
from oracle_builder import Story


def test_holds_when_everyone_delivers_their_own() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "causal"), story.sends("b", "safe", count=2))
    verdict = story.verdict("self-delivery")
    assert (verdict.status, verdict.summary) == ("holds", "3 own messages delivered")


def test_a_node_that_never_delivers_its_own() -> None:
    story = Story()
    batch = story.sends("a", count=3)
    story.delivers("b", batch)
    story.fault("slow", "a")
    verdict = story.verdict("self-delivery")
    assert verdict.status == "violated"
    assert verdict.evidence == (
        "at 0.004000 s a.1 ends without having delivered its own a.1:1 and 2 more "
        "(slow a since 0.003000 s)",
    )


@pytest.mark.parametrize(("count", "more"), [(1, ""), (2, " and 1 more")])
def test_how_many_are_missing(count: int, more: str) -> None:
    story = Story()
    story.sends("b", count=count)
    assert f"delivered its own b.1:1{more} (no fault" in story.violated("self-delivery")[0]


def test_a_killed_node_owes_nothing() -> None:
    story = Story()
    story.sends("a")
    story.kills("a")
    verdict = story.verdict("self-delivery")
    assert verdict.status == "not exercised"
    assert verdict.summary == "no node that ended sent anything"


def test_what_a_killed_member_blocks_is_not_owed() -> None:
    story = Story()
    story.kills("c")
    story.sends("a")
    verdict = story.verdict("self-delivery")
    assert verdict.status == "not exercised"
    assert "1 not owed: a member was killed and the view never changed" in verdict.summary


def test_what_was_delivered_before_the_kill_counts() -> None:
    story = Story()
    story.all_deliver(story.sends("a"))
    story.kills("c")
    story.sends("a")
    verdict = story.verdict("self-delivery")
    assert verdict.status == "holds"
    assert verdict.summary.startswith("1 own messages delivered; 1 not owed")


def test_unknown_when_the_run_did_not_finish() -> None:
    story = Story()
    story.sends("a")
    story.complete = False
    verdict = story.verdict("self-delivery")
    assert verdict.status == "unknown"
    assert verdict.summary == (
        "the run did not come to its planned end: a.1 ends without having delivered its own a.1:1"
    )


def test_unknown_when_another_member_may_have_crashed() -> None:
    story = Story()
    story.sends("a")
    story.loses_the_end_of("c")
    verdict = story.verdict("self-delivery")
    assert verdict.status == "unknown"
    assert "whether c.1 crashed is not known" in verdict.evidence[1]


def test_not_exercised_when_nobody_sends() -> None:
    assert Story().verdict("self-delivery").status == "not exercised"
