"""Safe delivery: delivered safe in a view, every member delivers it unless it crashes."""

from oracle_builder import Batch, Story


def violated(story: Story) -> tuple[str, ...]:
    verdict = story.verdict("safe")
    assert verdict.status == "violated"
    return verdict.evidence


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
    assert violated(story) == (
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
    assert "a.1:1 in view 00000000000000aa, which b.1 never delivers" in violated(story)[0]


def test_survivors_do_not_owe_what_only_the_killed_one_delivered() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("c", message)
    story.kills("c")
    assert story.verdict("safe").status == "holds"


def test_an_index_below_the_number_of_members() -> None:
    story = Story()
    message = story.sends("a", "safe")
    story.delivers("b", message, index=2)
    for node in ("a", "c"):
        story.delivers(node, message)
    assert violated(story) == (
        "at 0.002000 s b.1 delivers safe a.1:1 with index 2 in view 00000000000000aa "
        "of 3 members (no fault active)",
    )


def test_holds_when_receipts_come_first() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe", count=2)
    story.all_receive(message)
    story.all_receive(message)
    story.all_deliver(message)
    assert story.verdict("safe").status == "holds"


def test_delivered_before_a_member_has_received() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    story.receives("a", message)
    story.receives("b", message)
    story.delivers("b", message)
    story.receives("c", message)
    story.delivers("a", message)
    story.delivers("c", message)
    assert violated(story) == (
        "at 0.004000 s b.1 delivers safe a.1:1 in view 00000000000000aa "
        "before c.1 receives it, which does at 0.005000 s (no fault active)",
    )


def test_the_sender_needs_a_receipt_of_its_own() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    story.receives("b", message)
    story.receives("c", message)
    story.all_deliver(message)
    assert "before a.1 receives it, which never does" in violated(story)[0]


def test_a_killed_member_must_have_received_too() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    story.kills("c")
    for node in ("a", "b"):
        story.receives(node, message)
    for node in ("a", "b"):
        story.delivers(node, message)
    assert "before c.1 receives it, which never does (kill c since" in violated(story)[0]


def test_unknown_when_a_killed_process_may_have_lost_the_receipt() -> None:
    story = Story(receipts=True)
    for records in story.traces.values():
        records[0]["clock"] = "monotonic"
    message = story.sends("a", "safe")
    story.kills("c")
    for node in ("a", "b"):
        story.receives(node, message)
    for node in ("a", "b"):
        story.delivers(node, message)
    verdict = story.verdict("safe")
    assert verdict.status == "unknown"
    assert "before c.1 receives it, which never does in the trace there is" in verdict.summary


def test_a_receipt_range_however_wide_is_no_burden() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    for node in story.nodes:
        story.receives(node, Batch("a", 1, "safe", count=10**12))
    story.all_deliver(message)
    assert story.verdict("safe").status == "holds"


def test_unknown_when_a_member_wrote_no_receipts() -> None:
    story = Story(receipts=True)
    story.traces["c"][0]["receipts"] = False
    message = story.sends("a", "safe")
    story.receives("a", message)
    story.receives("b", message)
    story.all_deliver(message)
    verdict = story.verdict("safe")
    assert (verdict.status, verdict.summary) == ("unknown", "c.1 wrote no receipts")


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
