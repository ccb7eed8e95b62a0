"""A run, indexed."""

from oracle_builder import LATER_VIEW, MILLISECOND, VIEW, Batch, Story

from oracle.history import History

A, B, C = (0, 1), (1, 1), (2, 1)


def test_what_was_sent_by_number() -> None:
    story = Story()
    story.sends("a", "causal", count=2)
    story.sends("a", "basic")
    story.sends("a", "safe")
    sent = History(story.run()).sent_by(A)
    assert sent.count == 4
    assert sent.digests == (97001, 97002, 97003, 97004)
    assert sent.sizes == (11, 12, 13, 14)
    assert list(sent.services) == ["causal", "causal", "basic", "safe"]
    assert [t // MILLISECOND for t in sent.times] == [1, 1, 2, 3]
    assert list(sent.ranks) == [0, 1, 2, 2, 3]


def test_an_unknown_sender_sent_nothing() -> None:
    assert History(Story().run()).sent_by((9, 9)).count == 0


def test_what_was_delivered_and_what_of_it_again() -> None:
    story = Story()
    story.sends("a", count=5)
    story.delivers("b", Batch("a", 1, "agreed", 2), Batch("a", 4, "agreed", 2))
    story.delivers("b", Batch("a", 2, "agreed", 3))
    history = History(story.run())
    assert list(history.delivered_of(B, A)) == [1, 2, 3, 4, 5]
    assert list(history.delivered_of(B, C)) == []
    assert [again for _, again in history.repeated[B]] == [[range(2, 3), range(4, 5)]]
    assert history.repeated[A] == []


def test_the_first_number_of_each_view() -> None:
    story = Story(view=False)
    story.sends("a", count=2)
    story.installs(VIEW, "a", "b", "c")
    story.sends("a")
    story.installs(LATER_VIEW, "a")
    history = History(story.run())
    assert history.first_in_view[A] == {VIEW: 1, LATER_VIEW: 4}
    last = history.last_view(A)
    assert last is not None
    assert last.view == LATER_VIEW
    assert not history.ends_in(A, history.views[VIEW])
    assert history.ends_in(B, history.views[VIEW])


def test_a_node_without_a_view() -> None:
    story = Story(view=False)
    story.installs(VIEW, "a", "b")
    history = History(story.run())
    assert history.last_view(C) is None
    assert history.ends_in(C, history.views[VIEW])
    assert history.killed_members(None) == history.lost_members(None) == []


def test_killed_and_lost_members() -> None:
    story = Story("a", "b", "c", "d")
    story.kills("b")
    story.loses_the_end_of("c")
    history = History(story.run())
    view = history.views[VIEW]
    assert history.labels(history.killed_members(view)) == "b.1"
    assert history.labels(history.lost_members(view)) == "c.1"
    assert [each.label for each in history.unexplained] == ["c.1"]


def test_ordered_deliveries_by_node_and_view() -> None:
    story = Story()
    one, two, basic = story.sends("a", count=2), story.sends("b", "safe"), story.sends("c", "basic")
    story.delivers("a", one, basic)
    story.installs(LATER_VIEW, "a")
    story.delivers("a", two)
    story.delivers("a", Batch("a", 3, "agreed"), view=VIEW)
    history = History(story.run())
    in_words = {
        view: [history.coded(code) for code in nodes.get(A, [])]
        for view, nodes in history.order_in_views.items()
    }
    assert in_words == {VIEW: ["a.1:1", "a.1:2", "a.1:3"], LATER_VIEW: ["b.1:1"]}
    assert [view for view, _ in history.stretches[A]] == [VIEW, LATER_VIEW, VIEW]
    assert history.stretches[B] == []


def test_codes_tell_senders_apart() -> None:
    story = Story()
    story.delivers("a", *(story.sends(node, count=3) for node in "cab"))
    history = History(story.run())
    codes = history.order_in_views[VIEW][A]
    assert [history.decode(code) for code in codes] == [
        (sender, number) for sender in (C, A, B) for number in (1, 2, 3)
    ]
    assert history.of_several_senders([codes])
    assert history.of_several_senders([codes[:3], codes[3:]])
    assert not history.of_several_senders([codes[:3]])
    assert not history.of_several_senders([])


def test_words_for_nodes_and_messages() -> None:
    history = History(Story("a", "b").run())
    assert history.message(B, 7) == "b.1:7"
    assert history.labels([(0, 3), (5, 1)]) == "a.3, #5.1"


def test_faults_are_active_from_their_beginning_to_their_end() -> None:
    story = Story()
    for kind, node in [
        ("pause", "a"), ("slow", "b"), ("resume", "a"), ("unslow", "b"), ("kill", "c")
    ]:  # fmt: skip
        story.fault(kind, node)
    history = History(story.run())
    assert [history.faults_at(ms * MILLISECOND) for ms in range(6)] == [
        "no fault active",
        "pause a since 0.001000 s",
        "pause a since 0.001000 s; slow b since 0.002000 s",
        "slow b since 0.002000 s",
        "no fault active",
        "kill c since 0.005000 s",
    ]


def test_of_many_faults_the_latest_three_are_named() -> None:
    story = Story("a", "b", "c", "d")
    for node in "abcd":
        story.fault("slow", node)
    words = History(story.run()).faults_at(story.now)
    assert [fault.split()[1] for fault in words.split("; ")] == ["b", "c", "d"]


def test_a_fault_that_began_twice_ends_twice() -> None:
    story = Story()
    for kind in ("impair", "impair", "unimpair", "unimpair", "unimpair"):
        story.fault(kind, "a")
    history = History(story.run())
    assert [history.faults_at(ms * MILLISECOND) for ms in range(1, 6)] == [
        "impair a since 0.001000 s",
        "impair a since 0.001000 s",
        "impair a since 0.002000 s",
        "no fault active",
        "no fault active",
    ]
