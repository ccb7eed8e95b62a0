"""Causal order: no message before one it follows."""

import pytest
from oracle_builder import LATER_VIEW, Batch, Story


@pytest.mark.parametrize("service", ["causal", "agreed", "safe"])
def test_holds_when_an_answer_comes_after_its_question(service: str) -> None:
    story = Story()
    question = story.sends("a", service)
    story.delivers("b", question)
    answer = story.sends("b", service)
    story.delivers("b", answer)
    for node in ("a", "c"):
        story.delivers(node, question, answer)
    assert story.verdict("causal").status == "holds"


def test_an_answer_before_its_question() -> None:
    story = Story()
    question = story.sends("a", "causal")
    story.delivers("b", question)
    answer = story.sends("b", "causal")
    story.delivers("c", answer, question)
    assert story.violated("causal") == (
        "at 0.004000 s c.1 delivers b.1:1 before a.1:1, which it follows (no fault active)",
    )


def test_an_answer_without_its_question() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.delivers("c", story.sends("b", "safe"))
    assert story.violated("causal") == (
        "at 0.004000 s c.1 delivers b.1:1 without a.1:1, which it follows (no fault active)",
    )


def test_what_a_message_follows_through_others_counts() -> None:
    story = Story("a", "b", "c", "d")
    first = story.sends("a", "causal")
    story.delivers("b", first)
    second = story.sends("b", "causal")
    story.delivers("c", first, second)
    third = story.sends("c", "causal")
    story.delivers("d", third, second, first)
    assert story.violated("causal") == (
        "at 0.007000 s d.1 delivers c.1:1 before a.1:1, which it follows (no fault active)",
        "at 0.007000 s d.1 delivers c.1:1 before b.1:1, which it follows (no fault active)",
    )


def test_the_past_reaches_a_batch_that_spans_several_sends() -> None:
    story = Story()
    early = story.sends("b", "causal", count=2)
    question = story.sends("a", "causal")
    story.delivers("b", question)
    story.sends("b", "causal", count=2)
    story.delivers("c", Batch("b", early.first, "causal", count=4))
    assert "c.1 delivers b.1:3 without a.1:1, which it follows" in story.violated("causal")[0]


def test_a_nodes_own_earlier_message_is_part_of_the_past() -> None:
    story = Story()
    question = story.sends("a", "causal")
    story.delivers("b", question)
    answer = story.sends("b", "causal")
    story.delivers("a", answer, question)
    assert "a.1 delivers b.1:1 before a.1:1, which it follows" in story.violated("causal")[0]


def test_one_senders_messages_out_of_order() -> None:
    story = Story()
    first, second = story.sends("a", "causal"), story.sends("a", "agreed")
    story.delivers("c", second, first)
    assert story.violated("causal") == (
        "at 0.003000 s c.1 delivers a.1:2 before a.1:1, sent earlier by the same node "
        "(no fault active)",
    )


def test_a_gap_among_one_senders_messages_is_reported_once() -> None:
    story = Story()
    story.sends("a", "causal")
    for _ in range(3):
        story.delivers("c", story.sends("a", "causal"))
    assert story.violated("causal") == (
        "at 0.003000 s c.1 delivers a.1:2 without a.1:1, sent earlier by the same node "
        "(no fault active)",
    )


def test_basic_messages_take_no_part() -> None:
    story = Story()
    basic = story.sends("a", "basic")
    story.delivers("b", basic)
    causal = story.sends("b", "causal")
    later = story.sends("b", "causal")
    story.delivers("c", causal, later, basic)
    story.delivers("a", causal, later, basic)
    assert story.verdict("causal").status == "holds"


def test_a_message_never_sent_does_not_hang() -> None:
    story = Story()
    story.delivers("b", Batch("a", 1, "causal"))
    assert story.violated("causal") == (
        "at 0.001000 s b.1 delivers a.1:1, which was never sent (no fault active)",
    )


def test_a_basic_message_never_sent_is_no_matter_of_causality() -> None:
    story = Story()
    story.delivers("b", Batch("a", 1, "basic"))
    assert story.verdict("causal").status == "not exercised"


def test_a_second_gap_after_the_first_has_closed() -> None:
    story = Story()
    first, second, _, fourth, fifth = (story.sends("a", "causal") for _ in range(5))
    story.delivers("c", second, first, fourth, fifth)
    assert [each.partition(" s ")[2] for each in story.violated("causal")] == [
        "c.1 delivers a.1:2 before a.1:1, sent earlier by the same node (no fault active)",
        "c.1 delivers a.1:4 without a.1:3, sent earlier by the same node (no fault active)",
    ]


def test_a_sender_that_never_was_does_not_hide_the_rest() -> None:
    story = Story()
    story.delivers("c", Batch("a", 1, "causal"), **{"from": [7, 1]})
    story.delivers("b", story.sends("a", "causal"))
    story.delivers("c", story.sends("b", "causal"))
    assert [each.partition(" s ")[2] for each in story.violated("causal")] == [
        "c.1 delivers #7.1:1, which was never sent (no fault active)",
        "c.1 delivers b.1:1 without a.1:1, which it follows (no fault active)",
    ]


def test_a_causal_cycle_does_not_hang() -> None:
    story = Story()
    story.delivers("a", Batch("b", 1, "causal"))
    story.sends("a", "causal")
    story.delivers("b", Batch("a", 1, "causal"))
    story.sends("b", "causal")
    story.delivers("c", Batch("a", 1, "causal"))
    assert story.violated("causal")[0] == (
        "at 0.001000 s a.1 delivers b.1:1, whose sending follows this very delivery "
        "(no fault active)"
    )


def test_a_nodes_own_message_before_it_is_sent_does_not_hang() -> None:
    story = Story()
    story.delivers("a", Batch("a", 1, "causal"))
    story.sends("a", "causal")
    assert (
        "a.1 delivers a.1:1, whose sending follows this very delivery"
        in story.violated("causal")[0]
    )


def test_the_blame_is_with_the_cycle_not_with_those_who_wait_for_it() -> None:
    story = Story()
    story.delivers("c", Batch("a", 1, "causal"))
    story.delivers("a", Batch("b", 1, "causal"))
    story.sends("a", "causal")
    story.delivers("b", Batch("a", 1, "causal"))
    story.sends("b", "causal")
    evidence = story.violated("causal")
    # c.1 does deliver a message without its past, but is no part of the cycle.
    assert "c.1 delivers a.1:1 without b.1:1, which it follows" in evidence[0]
    in_cycle = [each for each in evidence if "whose sending follows this very delivery" in each]
    assert len(in_cycle) == 1
    assert "a.1 delivers b.1:1" in in_cycle[0]


def answers_without_their_question_after_a_new_view(kind: str) -> Story:
    """The question is sent before the new view, two answers after it."""
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.installs(LATER_VIEW, "a", "b", "c", kind=kind)
    story.delivers("c", story.sends("b", "causal"), story.sends("b", "causal"))
    return story


def test_what_was_sent_in_an_earlier_view_is_not_owed() -> None:
    story = answers_without_their_question_after_a_new_view("regular")
    assert story.verdict("causal").status == "holds"


def test_a_transitional_view_counts_with_the_one_before_it() -> None:
    story = answers_without_their_question_after_a_new_view("transitional")
    assert "c.1 delivers b.1:1 without a.1:1, which it follows" in story.violated("causal")[0]


def test_what_was_sent_in_the_new_view_is_owed_there() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.installs(LATER_VIEW, "a", "b", "c")
    story.delivers("b", story.sends("a", "causal"))
    story.delivers("c", story.sends("b", "causal"))
    assert story.violated("causal") == (
        "at 0.006000 s c.1 delivers b.1:1 without a.1:2, which it follows (no fault active)",
    )


def test_nothing_is_owed_of_a_node_left_behind() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.installs(LATER_VIEW, "b", "c")
    story.delivers("c", story.sends("b", "causal"), story.sends("b", "causal"))
    assert story.verdict("causal").status == "holds"


def test_a_view_nobody_installed_excuses_nothing() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.delivers("c", story.sends("b", "causal"), view=LATER_VIEW)
    assert "c.1 delivers b.1:1 without a.1:1" in story.violated("causal")[0]


def test_a_gap_that_closes_is_forgotten() -> None:
    story = Story()
    first, second, third = (story.sends("a", "causal") for _ in range(3))
    story.delivers("c", second, third, first)
    story.delivers("c", story.sends("a", "causal"))
    assert len(story.violated("causal")) == 1


def test_unknown_when_the_send_was_lost_with_its_sender() -> None:
    story = Story()
    story.delivers("b", story.sends("a", "causal"))
    story.kills("a")
    story.delivers("b", Batch("a", 2, "causal"))
    verdict = story.verdict("causal")
    assert verdict.status == "unknown"
    assert "b.1 delivers a.1:2, whose send is not in the trace of a.1" in verdict.summary


def test_not_exercised_when_nothing_follows_anything() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "causal"), story.sends("b", "causal"))
    assert story.verdict("causal").status == "not exercised"
