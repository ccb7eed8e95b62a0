"""Who has acknowledged what: the minima kept step by step are those of the whole matrix."""

import random

from node.lansis.stability import Acknowledged, index_of_synchrony, is_safe

START = (3, 0, 7)


def minima(rows: list[list[int]]) -> list[int]:
    return [min(column) for column in zip(*rows, strict=True)]


def test_at_the_start_of_a_configuration_all_have_what_came_before_it() -> None:
    acknowledged = Acknowledged(START)

    assert acknowledged.by_all == [3, 0, 7]


def test_the_minimum_of_a_column_rises_with_the_last_member() -> None:
    acknowledged = Acknowledged(START)

    assert acknowledged.note(0, (4, 2, 7)) == []
    assert acknowledged.note(1, (5, 1, 7)) == []
    assert acknowledged.note(2, (4, 1, 8)) == [0, 1]
    assert acknowledged.by_all == [4, 1, 7]


def test_what_is_known_already_changes_nothing() -> None:
    acknowledged = Acknowledged(START)
    acknowledged.note(0, (5, 5, 9))

    assert acknowledged.note(0, (4, 4, 8)) == []
    assert not acknowledged.raise_one(0, 0, 5)
    assert not acknowledged.raise_column(0, 3)
    assert acknowledged.rows[0] == [5, 5, 9]


def test_rows_do_not_share_what_they_were_made_from() -> None:
    start = [1, 1]
    acknowledged = Acknowledged(start)
    start[0] = 9
    acknowledged.note(0, (2, 2))

    assert acknowledged.rows == [[2, 2], [1, 1]]
    assert acknowledged.by_all == [1, 1]


def test_raising_a_column_raises_those_behind_and_leaves_those_ahead() -> None:
    acknowledged = Acknowledged(START)
    acknowledged.note(1, (9, 0, 7))

    assert acknowledged.raise_column(0, 6)
    assert [row[0] for row in acknowledged.rows] == [6, 9, 6]
    assert acknowledged.by_all == [6, 0, 7]


def test_after_any_history_minima_and_reported_rises_are_those_of_the_whole_matrix() -> None:
    for seed in range(40):
        rng = random.Random(seed)
        members = rng.randint(1, 6)
        start = [rng.randint(0, 5) for _ in range(members)]
        acknowledged = Acknowledged(start)
        rows = [list(start) for _ in range(members)]
        for _ in range(120):
            before = minima(rows)
            member, column = rng.randrange(members), rng.randrange(members)
            counter = before[column] + rng.randint(-1, 3)
            kind = rng.choice(("note", "one", "column"))
            if kind == "note":
                counters = [lowest + rng.randint(-1, 3) for lowest in before]
                rows[member] = list(map(max, rows[member], counters))
                reported = acknowledged.note(member, counters)
            elif kind == "one":
                rows[member][column] = max(rows[member][column], counter)
                reported = [column] if acknowledged.raise_one(member, column, counter) else []
            else:
                for row in rows:
                    row[column] = max(row[column], counter)
                reported = [column] if acknowledged.raise_column(column, counter) else []
            after = minima(rows)
            assert acknowledged.rows == rows
            assert acknowledged.by_all == after
            assert reported == [slot for slot in range(members) if after[slot] > before[slot]]


def test_the_index_of_synchrony_counts_the_members_that_follow() -> None:
    pasts = [(4, 0), (3, 2), (2, 2)]

    assert [index_of_synchrony(pasts, 0, counter) for counter in (2, 3, 4, 5)] == [3, 2, 1, 0]


def test_a_vertex_is_safe_up_to_what_all_follow() -> None:
    assert is_safe((4, 0), 0, 4)
    assert not is_safe((4, 0), 0, 5)
    assert not is_safe((4, 0), 1, 1)
