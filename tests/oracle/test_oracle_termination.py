"""Termination: what was accepted is delivered, as far as the living can."""

from oracle_builder import LATER_VIEW, VIEW, Story


def test_holds_when_everything_is_delivered_everywhere() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "basic", count=2), story.sends("b", "safe"))
    verdict = story.verdict("termination")
    assert (verdict.status, verdict.summary) == ("holds", "9 deliveries owed, all made")


def test_a_node_that_misses_messages() -> None:
    story = Story()
    batch = story.sends("a", count=3)
    story.delivers("a", batch)
    story.delivers("b", batch)
    verdict = story.verdict("termination")
    assert verdict.status == "violated"
    assert verdict.summary.startswith("3 owed deliveries are missing at the end")
    assert verdict.evidence == (
        "at 0.004000 s c.1 ends in view 00000000000000aa without having delivered a.1:1 "
        "and 2 more of a.1 (no fault active)",
    )


def test_a_killed_member_excuses_what_nobody_delivered() -> None:
    story = Story()
    story.all_deliver(story.sends("a"))
    story.kills("c")
    story.sends("b")
    assert story.verdict("termination").status == "holds"


def test_a_killed_member_does_not_excuse_what_a_survivor_delivered() -> None:
    story = Story()
    message = story.sends("a")
    story.kills("c")
    story.delivers("a", message)
    verdict = story.verdict("termination")
    assert verdict.status == "violated"
    assert (
        "b.1 ends in view 00000000000000aa without having delivered a.1:1" in (verdict.evidence[0])
    )
    assert "(kill c since 0.002000 s)" in verdict.evidence[0]


def test_survivors_agree_on_what_they_delivered_of_the_killed() -> None:
    story = Story()
    message = story.sends("c", "basic")
    story.delivers("a", message)
    story.kills("c")
    verdict = story.verdict("termination")
    assert verdict.status == "violated"
    assert "b.1 ends in view 00000000000000aa without having delivered c.1:1" in verdict.evidence[0]


def test_what_the_killed_alone_delivered_is_not_owed() -> None:
    story = Story()
    story.all_deliver(story.sends("a"))
    story.delivers("c", story.sends("c"))
    story.kills("c")
    verdict = story.verdict("termination")
    assert (verdict.status, verdict.summary) == ("holds", "2 deliveries owed, all made")


def test_a_node_outside_the_last_view_owes_nothing_in_it() -> None:
    story = Story()
    story.all_deliver(story.sends("a"))
    story.installs(LATER_VIEW, "a", "b")
    message = story.sends("a")
    story.delivers("a", message)
    story.delivers("b", message)
    verdict = story.verdict("termination")
    # One message each in the later view; in the first one, c.1 is alone and sent nothing.
    assert (verdict.status, verdict.summary) == ("holds", "2 deliveries owed, all made")


def test_what_was_accepted_before_the_first_view_is_owed_in_it() -> None:
    story = Story(view=False)
    early = story.sends("a", count=2)
    story.installs(VIEW, "a", "b", "c")
    story.delivers("a", early)
    story.delivers("b", early)
    assert (
        "c.1 ends in view 00000000000000aa without having delivered a.1:1 and 1 more"
        in (story.violated("termination")[0])
    )


def test_a_run_that_reached_its_bound() -> None:
    story = Story()
    story.sends("a")
    story.complete = False
    verdict = story.verdict("termination")
    assert verdict.status == "violated"
    assert any(
        "the run did not come to its planned end, 3 owed deliveries missing" in each
        for each in verdict.evidence
    )


def test_unknown_when_a_node_just_ended() -> None:
    story = Story()
    story.sends("a")
    story.loses_the_end_of("c")
    story.complete = False
    verdict = story.verdict("termination")
    assert verdict.status == "unknown"
    assert verdict.summary.startswith(
        "the trace of c.1 ends at 0.000000 s without a stop or a kill"
    )


def test_not_exercised_when_nobody_sends() -> None:
    assert Story().verdict("termination").status == "not exercised"
