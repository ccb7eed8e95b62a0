"""Total order: in a view, one order without gaps for agreed and safe messages."""

from oracle_builder import LATER_VIEW, Batch, Story


def test_holds_when_all_deliver_in_one_order() -> None:
    story = Story()
    story.all_deliver(story.sends("b"), story.sends("a", "safe"), story.sends("b", count=2))
    assert story.verdict("total order").status == "holds"


def test_holds_when_a_node_stops_short() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first, second)
    story.delivers("b", first)
    assert story.verdict("total order").status == "holds"


def test_causal_messages_may_come_in_any_order() -> None:
    story = Story()
    story.all_deliver(story.sends("a"), story.sends("b"))
    one, other = story.sends("a", "causal"), story.sends("b", "causal")
    story.delivers("a", one, other)
    story.delivers("b", other, one)
    assert story.verdict("total order").status == "holds"


def test_two_messages_in_two_orders() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b", "safe")
    story.delivers("a", first, second)
    story.fault("pause", "c")
    story.delivers("b", second, first)
    assert story.violated("total order") == (
        "at 0.006000 s b.1 delivers b.1:1 as number 1 of view 00000000000000aa, "
        "where a.1 delivers a.1:1 (pause c since 0.005000 s)",
    )


def test_a_gap() -> None:
    story = Story()
    batches = story.sends("a"), story.sends("b"), story.sends("c")
    story.delivers("a", *batches)
    story.delivers("c", batches[0], batches[2])
    assert story.violated("total order") == (
        "at 0.008000 s c.1 delivers c.1:1 as number 2 of view 00000000000000aa, "
        "where a.1 delivers b.1:1, which c.1 never delivers (no fault active)",
    )


def test_a_message_the_others_never_deliver() -> None:
    story = Story()
    first, second, third = story.sends("a"), story.sends("b"), story.sends("c")
    story.delivers("a", first, third)
    story.delivers("c", second, third, first)
    assert "a.1 delivers a.1:1 as number 1" in story.violated("total order")[0]
    assert "where c.1 delivers b.1:1, which a.1 never delivers" in story.violated("total order")[0]


def test_a_difference_deep_in_a_batch_is_placed_exactly() -> None:
    story = Story()
    first, second = story.sends("a", count=3), story.sends("b", count=2)
    story.delivers("a", first, second)
    story.delivers("b", first)
    story.delivers("b", second, first=2, digests=[98002], sizes=[12])
    assert "at 0.006000 s b.1 delivers b.1:2 as number 4" in story.violated("total order")[0]


def test_an_index_of_none_or_of_more_than_all() -> None:
    story = Story()
    message = story.sends("a")
    story.delivers("a", message, index=0)
    story.delivers("b", message, index=4)
    evidence = story.violated("total order")
    assert "a.1 delivers a.1:1 with index 0 in view 00000000000000aa of 3 members" in evidence[0]
    assert "b.1 delivers a.1:1 with index 4 in view 00000000000000aa of 3 members" in evidence[1]


def test_each_view_has_an_order_of_its_own() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first)
    story.delivers("b", first)
    story.installs(LATER_VIEW, "a", "b", "c")
    story.delivers("a", second)
    story.delivers("b", second)
    assert story.verdict("total order").status == "holds"


def test_a_transitional_view_is_not_compared() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.installs(LATER_VIEW, "a", "b", "c", kind="transitional")
    story.delivers("a", first, second)
    story.delivers("b", second, first)
    assert story.verdict("total order").status == "not exercised"


def test_a_view_that_comes_back_is_one_sequence() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    for node in ("a", "b"):
        story.delivers(node, first)
        story.delivers(node, story.sends("c"), view=LATER_VIEW)
    story.delivers("a", second)
    story.delivers("b", Batch("c", 1, "agreed"))
    assert (
        "b.1 delivers c.1:1 as number 2 of view 00000000000000aa"
        in (story.violated("total order")[-1])
    )


def test_unknown_when_a_trace_is_truncated() -> None:
    story = Story()
    story.all_deliver(story.sends("a"), story.sends("b"))
    story.loses_the_end_of("b")
    verdict = story.verdict("total order")
    assert verdict.status == "unknown"
    assert verdict.summary == ("the trace of b.1 ends at 0.006000 s without a stop or a kill")


def test_not_exercised_with_one_sender() -> None:
    story = Story()
    story.all_deliver(story.sends("a"), story.sends("a", "safe"), story.sends("b", "causal"))
    assert story.verdict("total order").status == "not exercised"


def test_not_exercised_when_one_node_alone_delivers() -> None:
    story = Story()
    story.delivers("a", story.sends("a"), story.sends("b"))
    assert story.verdict("total order").status == "not exercised"
