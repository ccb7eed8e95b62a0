"""Global order: no cycle of any length in the order of delivery, whatever the views."""

from oracle_builder import LATER_VIEW, VIEW, Story

THIRD_VIEW = "00000000000000cc"


def two_views_that_disagree(agreed: str) -> Story:
    """What a.1 delivers in its one view, c.1 delivers the other way round over two views."""
    story = Story(agreed=agreed)
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first, second)
    story.delivers("c", second)
    story.installs(LATER_VIEW, "c")
    story.delivers("c", first)
    return story


def test_holds_when_all_orders_fit_together() -> None:
    story = Story()
    one, two, three = story.sends("a"), story.sends("b"), story.sends("c")
    story.delivers("a", one, two)
    story.delivers("b", two, three)
    story.delivers("c", one, three)
    assert story.verdict("global order").status == "holds"


def test_two_nodes_that_disagree() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first, second)
    story.delivers("b", second, first)
    verdict = story.verdict("global order")
    assert verdict.status == "violated"
    assert verdict.evidence == (
        "at 0.006000 s a cycle of 2 closes: a.1 delivers a.1:1 before b.1:1; "
        "b.1 delivers b.1:1 before a.1:1 (no fault active)",
    )


def test_a_cycle_of_three_that_no_two_nodes_see() -> None:
    story = Story()
    one, two, three = story.sends("a"), story.sends("b"), story.sends("c")
    story.delivers("a", one, two)
    story.delivers("b", two, three)
    story.delivers("c", three, one)
    verdict = story.verdict("global order")
    assert verdict.status == "violated"
    assert "a cycle of 3 closes" in verdict.evidence[0]
    assert "c.1 delivers c.1:1 before a.1:1" in verdict.evidence[0]


def test_the_cycle_shown_is_a_short_one() -> None:
    story = Story()
    one, two, three = story.sends("a"), story.sends("b"), story.sends("c")
    story.delivers("a", one, two, three)
    story.delivers("b", two, three, one)
    story.delivers("c", three, one, two)
    assert "a cycle of 2 closes" in story.verdict("global order").evidence[0]


def test_a_cycle_across_views() -> None:
    verdict = two_views_that_disagree("allack").verdict("global order")
    assert verdict.status == "violated"
    assert "a.1 delivers a.1:1 before b.1:1; c.1 delivers b.1:1 before a.1:1" in verdict.evidence[0]


def test_toto_does_not_promise_it_across_views() -> None:
    verdict = two_views_that_disagree("toto").verdict("global order")
    assert verdict.status == "not promised"
    assert "a cycle of 2 closes: a.1 delivers a.1:1 before b.1:1" in verdict.evidence[0]


def test_what_toto_does_not_promise_is_unknown_when_a_trace_is_truncated() -> None:
    story = two_views_that_disagree("toto")
    story.loses_the_end_of("b")
    assert story.verdict("global order").status == "unknown"


def test_toto_promises_it_within_a_view() -> None:
    story = Story(agreed="toto")
    first, second = story.sends("a"), story.sends("b")
    story.installs(LATER_VIEW, "a", "b", "c")
    story.delivers("a", first, second)
    story.delivers("b", second, first)
    verdict = story.verdict("global order")
    assert verdict.status == "violated"
    assert f"a cycle of 2 closes within view {LATER_VIEW}" in verdict.evidence[0]


def test_toto_holds_where_views_fit_together() -> None:
    story = Story(agreed="toto")
    story.all_deliver(story.sends("a"))
    story.installs(THIRD_VIEW, "a", "b", "c")
    story.all_deliver(story.sends("b"))
    assert story.verdict("global order").status == "holds"


def test_a_repeated_delivery_is_no_cycle() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first, second, first)
    assert story.verdict("global order").status == "holds"


def test_unknown_when_a_trace_is_truncated() -> None:
    story = Story()
    story.all_deliver(story.sends("a"), story.sends("b"))
    story.loses_the_end_of("a")
    assert story.verdict("global order").status == "unknown"


def test_not_exercised_with_one_sender() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "safe"))
    assert VIEW in story.views["a"]
    assert story.verdict("global order").status == "not exercised"
