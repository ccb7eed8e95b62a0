"""The agenda: virtual time, in which everything happens in one order."""

from netem.sim.agenda import Agenda


def run(agenda: Agenda) -> None:
    while agenda.next_time() is not None:
        agenda.advance()


def test_it_begins_at_zero_with_nothing_to_do() -> None:
    agenda = Agenda()
    assert agenda.now_ns == 0
    assert agenda.next_time() is None


def test_events_happen_in_the_order_of_their_times() -> None:
    agenda, happened = Agenda(), list[int]()
    for time_ns in (30, 10, 20):
        agenda.at(time_ns, lambda: happened.append(agenda.now_ns))
    run(agenda)
    assert happened == [10, 20, 30]


def test_events_at_the_same_time_happen_in_the_order_of_their_making() -> None:
    agenda, happened = Agenda(), list[str]()
    for letter in "virtual":
        agenda.at(5, lambda letter=letter: happened.append(letter))  # type: ignore[misc]
    run(agenda)
    assert "".join(happened) == "virtual"


def test_what_is_made_now_comes_after_what_was_made_before_for_now() -> None:
    agenda, happened = Agenda(), list[str]()

    def first() -> None:
        happened.append("first")
        agenda.at(5, lambda: happened.append("third"))

    agenda.at(5, first)
    agenda.at(5, lambda: happened.append("second"))
    run(agenda)
    assert happened == ["first", "second", "third"]


def test_what_is_overdue_happens_at_once_and_time_does_not_go_back() -> None:
    agenda, happened = Agenda(), list[int]()
    agenda.at(50, lambda: agenda.at(20, lambda: happened.append(agenda.now_ns)))
    run(agenda)
    assert happened == [50]


def test_the_next_time_is_that_of_the_earliest_event() -> None:
    agenda = Agenda()
    agenda.at(30, lambda: None)
    agenda.at(10, lambda: None)
    assert agenda.next_time() == 10


def test_one_event_happens_at_a_time() -> None:
    agenda, happened = Agenda(), list[int]()
    agenda.at(10, lambda: happened.append(10))
    agenda.at(10, lambda: happened.append(10))
    agenda.advance()
    assert happened == [10]
    assert agenda.next_time() == 10
