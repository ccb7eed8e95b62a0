"""Safe delivery: delivered safe in a view, every member delivers it unless it crashes."""

from oracle_builder import LATER_VIEW, VIEW, Story


def test_holds_when_every_member_delivers() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "safe", count=2))
    assert story.verdict("safe").status == "holds"


def test_a_member_that_never_delivers() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.fault("pause", "c")
    story.delivers("a", message)
    story.delivers("b", message)
    assert story.violated("safe") == (
        "at 0.003000 s a.1 delivers safe a.1:1 in view 00000000000000aa, which c.1 never delivers "
        "(pause c since 0.002000 s)",
    )


def test_a_killed_member_owes_nothing() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("a", message)
    story.delivers("b", message)
    story.kills("c")
    assert story.verdict("safe").status == "holds"


def test_survivors_owe_what_one_of_them_delivered_though_a_member_was_killed() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.kills("c")
    story.delivers("a", message)
    assert "a.1:1 in view 00000000000000aa, which b.1 never delivers" in story.violated("safe")[0]


def test_survivors_do_not_owe_what_only_the_killed_one_delivered() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("c", message)
    story.kills("c")
    assert story.verdict("safe").status == "holds"


def test_survivors_of_a_new_view_owe_what_the_killed_one_delivered() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("c", message)
    story.kills("c")
    story.installs(LATER_VIEW, "a", "b")
    story.delivers("a", message)
    assert story.violated("safe") == (
        "at 0.002000 s c.1 delivers safe a.1:1 in view 00000000000000aa, "
        "which b.1 never delivers (no fault active)",
        "at 0.004000 s a.1 delivers safe a.1:1 with index 3 in view 00000000000000bb "
        "of 2 members (kill c since 0.003000 s)",
        "at 0.004000 s a.1 delivers safe a.1:1 in view 00000000000000bb, "
        "which b.1 never delivers (kill c since 0.003000 s)",
    )


def test_a_member_of_which_there_is_no_trace() -> None:
    story = Story("a", "b", view=False)
    story.nodes["z"] = 7
    story.installs(VIEW, "a", "b", members=("a", "b", "z"))
    del story.nodes["z"]
    message = story.sends("a", "safe")
    story.delivers("a", message, index=3)
    story.delivers("b", message, index=3)
    verdict = story.verdict("safe")
    assert verdict.status == "unknown"
    assert "which #7.1 never delivers in the trace there is of it" in verdict.summary


def test_an_index_below_the_number_of_members() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("b", message, index=2)
    for node in ("a", "c"):
        story.delivers(node, message)
    assert story.violated("safe") == (
        "at 0.002000 s b.1 delivers safe a.1:1 with index 2 in view 00000000000000aa "
        "of 3 members (no fault active)",
    )


def test_unknown_when_the_missing_delivery_may_be_in_a_lost_part() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("a", message)
    story.delivers("b", message)
    story.loses_the_end_of("c")
    verdict = story.verdict("safe")
    assert verdict.status == "unknown"
    assert "which c.1 never delivers in the trace there is of it" in verdict.evidence[1]


def test_unknown_when_the_run_did_not_finish() -> None:
    story = Story()
    story.delivers("a", story.sends("a", "safe"))
    story.complete = False
    assert story.verdict("safe").status == "unknown"


def test_not_exercised_without_safe_messages() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "agreed"))
    assert story.verdict("safe").status == "not exercised"
