"""Integrity: once, only if sent, only among members, payload intact."""

from oracle_builder import LATER_VIEW, VIEW, Batch, Story


def test_holds_when_every_message_arrives_once_and_intact() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "basic", count=3), story.sends("b", "safe"))
    verdict = story.verdict("integrity")
    assert verdict.status == "holds"
    assert verdict.summary.startswith("12 deliveries")


def test_a_message_nobody_sent() -> None:
    story = Story()
    story.delivers("b", Batch("a", 1, "agreed"))
    assert story.violated("integrity") == (
        "at 0.001000 s b.1 delivers a.1:1, which was never sent (no fault active)",
    )


def test_a_message_of_an_incarnation_that_never_was() -> None:
    story = Story()
    story.delivers("b", story.sends("a"), **{"from": [7, 2]})
    assert any(
        "b.1 delivers #7.2:1, which was never sent" in each for each in story.violated("integrity")
    )


def test_a_batch_that_goes_beyond_what_was_sent() -> None:
    story = Story()
    story.sends("a", count=2)
    story.delivers("b", Batch("a", 1, "agreed", count=3))
    assert story.violated("integrity") == (
        "at 0.002000 s b.1 delivers a.1:3, which was never sent (no fault active)",
    )


def test_a_message_delivered_again() -> None:
    story = Story()
    batch = story.sends("a", count=3)
    story.delivers("c", batch)
    story.fault("pause", "b")
    story.delivers("c", Batch("a", 3, "agreed"))
    assert story.violated("integrity") == (
        "at 0.004000 s c.1 delivers a.1:3 again (pause b since 0.003000 s)",
    )


def test_a_changed_payload() -> None:
    story = Story()
    batch = story.sends("a", count=2)
    story.delivers("b", batch, digests=[97001, 5])
    assert story.violated("integrity") == (
        "at 0.002000 s b.1 delivers a.1:2 with digest 5, sent with 97002 (no fault active)",
    )


def test_a_changed_size() -> None:
    story = Story()
    story.delivers("b", story.sends("a"), sizes=[9])
    assert "b.1 delivers a.1:1 with size 9, sent with 11" in story.violated("integrity")[0]


def test_a_changed_service() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "safe"), service="agreed")
    assert (
        "b.1 delivers a.1:1 with service agreed, sent with safe" in story.violated("integrity")[0]
    )


def test_a_sender_outside_the_view() -> None:
    story = Story(view=False)
    story.installs(VIEW, "a", "b")
    story.delivers("b", story.sends("c"))
    assert story.violated("integrity")[0] == (
        "at 0.002000 s b.1 delivers c.1:1 in view 00000000000000aa, "
        "but the sender c.1 is not a member of it (no fault active)"
    )


def test_a_receiver_outside_the_view() -> None:
    story = Story(view=False)
    story.installs(VIEW, "a", "b", "c", members=("a", "b"))
    story.delivers("c", story.sends("a"))
    assert "but the receiver c.1 is not a member of it" in story.violated("integrity")[0]


def test_a_view_that_is_not_installed_any_more() -> None:
    story = Story()
    story.installs(LATER_VIEW, "a", "b", "c")
    story.delivers("c", story.sends("a"), view=VIEW)
    assert (
        "c.1 delivers a.1:1 in view 00000000000000aa, but its view is 00000000000000bb"
        in (story.violated("integrity")[0])
    )


def test_no_view_at_all() -> None:
    story = Story(view=False)
    story.delivers("c", story.sends("a"))
    assert (
        "in view 00000000000000aa, but it has installed no view" in story.violated("integrity")[0]
    )


def test_a_view_with_other_members_elsewhere() -> None:
    story = Story(view=False)
    story.installs(VIEW, "a", "b", "c")
    story.installs(LATER_VIEW, "a", members=("a", "b"))
    story.installs(LATER_VIEW, "b", members=("b", "c"))
    assert story.violated("integrity") == (
        "at 0.000000 s b.1 installs view 00000000000000bb (regular) of b.1, c.1, "
        "which elsewhere is regular and of a.1, b.1 (no fault active)",
    )


def test_the_members_of_a_view_may_come_in_any_order() -> None:
    story = Story(view=False)
    story.installs(VIEW, "a", "b", members=("a", "b", "c"))
    story.installs(VIEW, "c", members=("c", "b", "a"))
    story.all_deliver(story.sends("a"))
    assert story.verdict("integrity").status == "holds"


def test_a_delivery_before_the_send_on_the_shared_clock() -> None:
    story = Story()
    story.delivers("b", Batch("a", 1, "agreed"))
    story.sends("a")
    assert story.violated("integrity") == (
        "at 0.001000 s b.1 delivers a.1:1, which is sent only at 0.002000 s (no fault active)",
    )


def test_a_batch_of_which_only_a_part_was_sent_by_then() -> None:
    story = Story()
    story.sends("a")
    story.delivers("b", Batch("a", 1, "agreed", count=2))
    story.sends("a")
    assert story.violated("integrity") == (
        "at 0.002000 s b.1 delivers a.1:2, which is sent only at 0.003000 s (no fault active)",
    )


def test_a_nodes_own_message_before_it_sends_it() -> None:
    story = Story()
    story.delivers("a", Batch("a", 1, "agreed"))
    story.sends("a")
    assert "a.1 delivers a.1:1 before it sends it" in story.violated("integrity")[0]


def test_only_the_five_earliest_are_shown() -> None:
    story = Story()
    for number in range(1, 9):
        story.delivers("b", Batch("a", number, "basic"))
    verdict = story.verdict("integrity")
    assert [each.split()[5] for each in verdict.evidence] == [f"a.1:{n}," for n in range(1, 6)]
    assert "8 findings" in verdict.summary


def test_unknown_when_the_sender_was_killed_and_its_last_send_may_be_lost() -> None:
    story = Story()
    story.kills("a")
    story.delivers("b", Batch("a", 1, "agreed"))
    verdict = story.verdict("integrity")
    assert verdict.status == "unknown"
    assert verdict.evidence == (
        "at 0.002000 s b.1 delivers a.1:1, beyond the last send in the trace of a.1, "
        "which ends early",
    )


def test_a_violation_stays_one_though_a_trace_is_truncated() -> None:
    story = Story()
    batch = story.sends("a")
    story.delivers("b", batch, batch)
    story.loses_the_end_of("b")
    assert "b.1 delivers a.1:1 again" in story.violated("integrity")[0]


def test_not_exercised_without_deliveries() -> None:
    assert Story().verdict("integrity").status == "not exercised"
