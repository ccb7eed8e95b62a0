"""Whatever is right by construction holds, and each way of spoiling it is found by its check."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle_sequencer import Sequencer, good_run

from oracle.judge import judge

Record = dict[str, Any]

SEEDS = st.integers(0, 2**32)
SIZES = st.integers(2, 5)
STEPS = st.integers(0, 80)


def statuses(group: Sequencer) -> dict[str, str]:
    return {verdict.guarantee: verdict.status for verdict in judge(group.story.run())}


@settings(derandomize=True, max_examples=150, deadline=None)
@given(SEEDS, SIZES, STEPS)
def test_a_good_run_holds(seed: int, size: int, steps: int) -> None:
    assert set(statuses(good_run(seed, size, steps)).values()) == {"holds"}


@settings(derandomize=True, max_examples=150, deadline=None)
@given(SEEDS, SIZES, STEPS)
def test_a_good_run_with_a_killed_node_is_not_blamed(seed: int, size: int, steps: int) -> None:
    found = statuses(good_run(seed, size, steps, with_a_kill=True))
    assert set(found.values()) <= {"holds", "not exercised"}


# Each of these spoils a good run in one place.


def deliveries(group: Sequencer, *services: str) -> list[tuple[str, int, Record]]:
    """Node, place in its trace, record."""
    return [
        (node, place, record)
        for node, records in group.story.traces.items()
        for place, record in enumerate(records)
        if record["e"] == "deliver" and (not services or record["service"] in services)
    ]


def any_delivery(group: Sequencer, *services: str) -> tuple[str, int, Record]:
    return group.rng.choice(deliveries(group, *services))


def drop(group: Sequencer) -> None:
    node, place, _ = any_delivery(group)
    del group.story.traces[node][place]


def drop_a_safe_one(group: Sequencer) -> None:
    node, place, _ = any_delivery(group, "safe")
    del group.story.traces[node][place]


def drop_an_own_one(group: Sequencer) -> None:
    nodes = group.story.nodes
    own = [d for d in deliveries(group) if d[2]["from"][0] == nodes[d[0]]]
    node, place, _ = group.rng.choice(own)
    del group.story.traces[node][place]


def repeat(group: Sequencer) -> None:
    node, place, record = any_delivery(group)
    group.story.traces[node].insert(place + 1, dict(record))


def alter(field: str) -> Callable[[Sequencer], None]:
    def spoil(group: Sequencer) -> None:
        _, _, record = any_delivery(group)
        values = list(record[field])
        values[group.rng.randrange(len(values))] += 1
        record[field] = values

    return spoil


def alter_the_service(group: Sequencer) -> None:
    _, _, record = any_delivery(group, "agreed")
    record["service"] = "safe"
    record["index"] = len(group.story.nodes)


def invent(group: Sequencer) -> None:
    node, _, record = any_delivery(group)
    place = len(group.story.traces[node])
    beyond = group.story.sent["abcde"[record["from"][0]]] + 1
    unheard_of = {**record, "first": beyond, "t": group.story.now}
    group.story.traces[node].insert(place, unheard_of)


def deliver_in_another_view(group: Sequencer) -> None:
    any_delivery(group)[2]["view"] = "00000000000000ff"


def come_from_an_outsider(group: Sequencer) -> None:
    _, _, record = any_delivery(group)
    record["from"] = [record["from"][0], 2]


def exchange(one: Record, other: Record) -> None:
    """Two records change places, but for their times."""
    times = one["t"], other["t"]
    kept = dict(one)
    one.update(other)
    other.update(kept)
    one["t"], other["t"] = times


def swap_two_ordered(group: Sequencer) -> None:
    ordered = deliveries(group, "agreed", "safe")
    pairs = [
        (one, other)
        for (node, _, one), (next_node, _, other) in pairwise(ordered)
        if node == next_node and one["from"] != other["from"]
    ]
    assume(pairs)
    exchange(*group.rng.choice(pairs))


def deliver_before_the_cause(group: Sequencer) -> None:
    """A node that did not send it delivers a message before one that it follows."""
    where = {
        (node, "abcde"[record["from"][0]], number): record
        for node, _, record in deliveries(group, "causal", "agreed", "safe")
        for number in range(record["first"], record["first"] + len(record["digests"]))
    }
    found = [
        (where[node, cause.node, cause.number], where[node, message.node, message.number])
        for message in group.log
        if message.service != "basic"
        for cause in (group.log[place] for place in message.past)
        for node in group.story.nodes
        if node != message.node
    ]
    pairs = [(cause, message) for cause, message in found if cause is not message]
    exchange(*group.rng.choice(pairs))


def lose_a_receipt(group: Sequencer) -> None:
    """Then a safe message was delivered before that node had it."""
    _, _, record = any_delivery(group, "safe")
    node = group.rng.choice(list(group.story.nodes))
    group.story.traces[node] = [
        each
        for each in group.story.traces[node]
        if (each["e"], each.get("from"), each.get("first"))
        != ("receive", record["from"], record["first"])
    ]


def deliver_safe_too_early(group: Sequencer) -> None:
    """A safe delivery is moved to before the last receipt it waited for."""
    node, place, record = any_delivery(group, "safe")
    receipts = [
        each["t"]
        for records in group.story.traces.values()
        for each in records
        if (each["e"], each.get("from"), each.get("first"))
        == ("receive", record["from"], record["first"])
    ]
    trace = group.story.traces[node]
    del trace[place]
    early = max(receipts) - 1
    before = sum(each["t"] <= early for each in trace)
    trace.insert(before, {**record, "t": early})


def count_one_acknowledgement_less(group: Sequencer) -> None:
    any_delivery(group, "safe")[2]["index"] -= 1


def count_no_acknowledgement(group: Sequencer) -> None:
    any_delivery(group, "agreed")[2]["index"] = 0


SPOILED: list[tuple[Callable[[Sequencer], None], str]] = [
    (drop, "termination"),
    (drop_a_safe_one, "safe"),
    (drop_an_own_one, "self-delivery"),
    (repeat, "integrity"),
    (alter("digests"), "integrity"),
    (alter("sizes"), "integrity"),
    (alter_the_service, "integrity"),
    (invent, "integrity"),
    (deliver_in_another_view, "integrity"),
    (come_from_an_outsider, "integrity"),
    (swap_two_ordered, "total order"),
    (swap_two_ordered, "global order"),
    (deliver_before_the_cause, "causal"),
    (lose_a_receipt, "safe"),
    (deliver_safe_too_early, "safe"),
    (count_one_acknowledgement_less, "safe"),
    (count_no_acknowledgement, "total order"),
]


@pytest.mark.parametrize(
    ("spoil", "guarantee"), SPOILED, ids=lambda value: getattr(value, "__name__", str(value))
)
@settings(derandomize=True, max_examples=40, deadline=None)
@given(seed=SEEDS, size=SIZES, steps=STEPS)
def test_a_spoiled_run_is_violated(
    spoil: Callable[[Sequencer], None], guarantee: str, seed: int, size: int, steps: int
) -> None:
    group = good_run(seed, size, steps)
    spoil(group)
    assert statuses(group)[guarantee] == "violated"


@settings(derandomize=True, max_examples=40, deadline=None)
@given(SEEDS, st.integers(3, 5), STEPS)
def test_survivors_that_disagree_are_violated(seed: int, size: int, steps: int) -> None:
    group = good_run(seed, size, steps, with_a_kill=True)
    survivors = [each for each in deliveries(group) if each[0] in group.alive]
    assume(survivors)
    node, place, _ = group.rng.choice(survivors)
    del group.story.traces[node][place]
    assert statuses(group)["termination"] == "violated"
