"""Receipts: delivered safe only once every member has the message."""

from oracle_builder import LATER_VIEW, MILLISECOND, Batch, Story


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
    assert story.violated("safe") == (
        "at 0.004000 s b.1 delivers safe a.1:1 in view 00000000000000aa "
        "before c.1 receives it, which does at 0.005000 s (no fault active)",
    )


def test_the_sender_needs_a_receipt_of_its_own() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    story.receives("b", message)
    story.receives("c", message)
    story.all_deliver(message)
    assert "before a.1 receives it, which never does" in story.violated("safe")[0]


def delivered_without_a_receipt_of_the_killed(clock: str) -> Story:
    story = Story(receipts=True, clock=clock)
    message = story.sends("a", "safe")
    story.kills("c")
    for node in ("a", "b"):
        story.receives(node, message)
    for node in ("a", "b"):
        story.delivers(node, message)
    return story


def test_a_killed_member_must_have_received_too() -> None:
    story = delivered_without_a_receipt_of_the_killed("virtual")
    assert "before c.1 receives it, which never does (kill c since" in story.violated("safe")[0]


def test_unknown_when_a_killed_process_may_have_lost_the_receipt() -> None:
    verdict = delivered_without_a_receipt_of_the_killed("monotonic").verdict("safe")
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


def test_each_message_of_a_batch_needs_its_receipts() -> None:
    story = Story(receipts=True)
    batch = story.sends("a", "safe", count=3)
    for node in ("a", "b"):
        story.receives(node, batch)
    story.receives("c", Batch("a", 1, "safe", count=2))
    story.all_deliver(batch)
    evidence = story.violated("safe")
    assert len(evidence) == 3
    assert all("delivers safe a.1:3" in each and "before c.1" in each for each in evidence)


def test_a_receipt_at_the_time_of_the_delivery_is_in_time() -> None:
    story = Story(receipts=True)
    batch = story.sends("a", "safe", count=2)
    for node in ("a", "b"):
        story.receives(node, batch)
    story.delivers("a", batch)
    story.now -= MILLISECOND
    story.receives("c", Batch("a", 1, "safe"))
    for node in ("b", "c"):
        story.delivers(node, batch)
    evidence = story.violated("safe")
    assert len(evidence) == 3
    assert all("delivers safe a.1:2" in each for each in evidence)


def test_the_first_receipt_counts_not_a_duplicate() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    story.all_receive(message)
    story.delivers("a", message)
    story.all_receive(message)
    for node in ("b", "c"):
        story.delivers(node, message)
    assert story.verdict("safe").status == "holds"


def test_receipts_count_in_later_views_too() -> None:
    story = Story(receipts=True)
    first = story.sends("a", "safe", count=2)
    story.all_receive(first)
    story.all_deliver(first)
    story.installs(LATER_VIEW, "a", "b", "c")
    second = story.sends("a", "safe", count=2)
    for node in ("a", "c"):
        story.receives(node, second)
    story.all_deliver(second)
    evidence = story.violated("safe")
    assert "a.1 delivers safe a.1:3 in view 00000000000000bb before b.1" in evidence[0]
    assert "a.1 delivers safe a.1:4 in view 00000000000000bb before b.1" in evidence[1]


def test_unknown_when_the_receipt_may_be_in_a_lost_part() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    for node in ("a", "b"):
        story.receives(node, message)
    story.all_deliver(message)
    story.traces["c"].pop()
    story.loses_the_end_of("c")
    verdict = story.verdict("safe")
    assert verdict.status == "unknown"
    assert any(
        "c.1 receives it, which never does in the trace" in each for each in verdict.evidence
    )


def test_a_truncated_trace_is_believed_up_to_its_end() -> None:
    story = Story(receipts=True)
    message = story.sends("a", "safe")
    for node in ("a", "b"):
        story.receives(node, message)
    for node in ("a", "b"):
        story.delivers(node, message)
    story.delivers("c", story.sends("b"))
    story.loses_the_end_of("c")
    assert "before c.1 receives it, which never does" in story.violated("safe")[0]
