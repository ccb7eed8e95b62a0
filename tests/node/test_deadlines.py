"""Named deadlines: one time per name, and which comes first."""

from node.deadlines import Deadlines


def test_an_empty_table_wakes_nobody() -> None:
    assert Deadlines().earliest() is None


def test_the_earliest_of_several_is_armed() -> None:
    deadlines = Deadlines()
    deadlines.set("heartbeat", 30)
    deadlines.set("payload", 10)
    deadlines.set("acknowledge", 20)

    assert deadlines.earliest() == 10


def test_a_name_has_one_time_and_the_last_one_set_counts() -> None:
    deadlines = Deadlines()
    deadlines.set("payload", 10)
    deadlines.set("payload", 40)

    assert deadlines.get("payload") == 40
    assert deadlines.earliest() == 40


def test_set_if_unset_leaves_a_time_that_stands() -> None:
    deadlines = Deadlines()
    deadlines.set_if_unset("acknowledge", 10)
    deadlines.set_if_unset("acknowledge", 5)

    assert deadlines.get("acknowledge") == 10


def test_a_cleared_deadline_is_gone_and_can_be_set_anew() -> None:
    deadlines = Deadlines()
    deadlines.set("payload", 10)
    deadlines.clear("payload")

    assert deadlines.get("payload") is None
    assert deadlines.earliest() is None

    deadlines.set_if_unset("payload", 20)
    assert deadlines.get("payload") == 20


def test_setting_none_is_clearing() -> None:
    deadlines = Deadlines()
    deadlines.set("payload", 10)
    deadlines.set("payload", None)

    assert deadlines.earliest() is None


def test_clearing_what_was_never_set_is_no_mistake() -> None:
    deadlines = Deadlines()
    deadlines.set("heartbeat", 7)
    deadlines.clear("payload")
    deadlines.set("payload", None)

    assert deadlines.earliest() == 7


def test_a_deadline_has_passed_from_its_very_moment_on() -> None:
    deadlines = Deadlines()
    deadlines.set("payload", 10)

    assert [deadlines.passed("payload", now_ns) for now_ns in (9, 10, 11)] == [False, True, True]


def test_what_is_not_set_never_passes() -> None:
    assert not Deadlines().passed("payload", 10**18)


def test_a_passed_deadline_stands_until_it_is_cleared() -> None:
    deadlines = Deadlines()
    deadlines.set("payload", 10)
    deadlines.passed("payload", 99)

    assert deadlines.earliest() == 10
