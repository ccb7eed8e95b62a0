"""A run judged as a whole."""

from oracle_builder import Story

from oracle.judge import judge
from oracle.verdict import exit_code, overall

GUARANTEES = [
    "integrity",
    "self-delivery",
    "causal",
    "total order",
    "global order",
    "safe",
    "termination",
    "bounds",
]


def test_every_guarantee_has_its_verdict_in_order() -> None:
    assert [verdict.guarantee for verdict in judge(Story().run())] == GUARANTEES


def test_a_good_run_holds_in_everything() -> None:
    story = Story(receipts=True)
    story.measures = {"peak_store": 1, "bound_store": 2}
    question = story.sends("a", "safe")
    story.all_receive(question)
    story.all_deliver(question)
    answer = story.sends("b", "agreed")
    story.all_receive(answer)
    story.all_deliver(answer)
    verdicts = judge(story.run())
    assert {verdict.status for verdict in verdicts} == {"holds"}
    assert (overall(verdicts), exit_code(verdicts)) == ("holds", 0)


def test_a_run_in_which_nothing_happens_exercises_nothing() -> None:
    verdicts = judge(Story().run())
    assert {verdict.status for verdict in verdicts} == {"not exercised"}
    assert (overall(verdicts), exit_code(verdicts)) == ("not exercised", 0)


def test_a_run_without_nodes() -> None:
    story = Story("a")
    story.traces, story.nodes = {}, {}
    assert overall(judge(story.run())) == "not exercised"


def test_one_lost_trace_leaves_nothing_certain() -> None:
    story = Story()
    story.all_deliver(story.sends("a", "safe"), story.sends("b", "safe"))
    story.loses_the_end_of("b")
    verdicts = judge(story.run())
    assert {verdict.status for verdict in verdicts} == {"unknown"}
    assert exit_code(verdicts) == 3


def test_one_repeated_delivery_is_enough() -> None:
    story = Story()
    message = story.sends("a", "basic")
    story.all_deliver(message)
    story.delivers("b", message)
    verdicts = judge(story.run())
    assert [verdict.guarantee for verdict in verdicts if verdict.status == "violated"] == [
        "integrity"
    ]
    assert exit_code(verdicts) == 1


def test_judging_twice_says_the_same() -> None:
    story = Story()
    first, second = story.sends("a"), story.sends("b")
    story.delivers("a", first, second)
    story.delivers("b", second, first)
    assert judge(story.run()) == judge(story.run())
