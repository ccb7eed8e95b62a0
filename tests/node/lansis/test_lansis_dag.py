"""The causal graph: what waits, what enters and in which order, who follows whom."""

import random

from node.frames import Data
from node.identity import Processor
from node.lansis.dag import Dag, Vertex

Name = tuple[int, int]


def frame(slot: int, counter: int) -> Data:
    return Data(Processor(slot, 1), 1, slot, counter, 0, (), 1, ())


def offer(dag: Dag, slot: int, counter: int, *acks: Name) -> list[Name]:
    """Offer a frame; returns the names of the vertices that entered."""
    return [named(vertex) for vertex in dag.offer(frame(slot, counter), slot, acks)]


def named(vertex: Vertex) -> Name:
    return vertex.slot, vertex.counter


# -- entering and waiting


def test_a_frame_that_follows_nothing_enters_at_once() -> None:
    dag = Dag((1, 1))

    assert offer(dag, 0, 1) == [(0, 1)]
    assert dag.tops == [1, 0]


def test_counters_go_on_from_what_the_configuration_expects() -> None:
    dag = Dag((5, 9))

    assert offer(dag, 0, 5, (1, 8)) == [(0, 5)]
    assert dag.pasts == [(5, 8), (4, 8)]


def test_a_frame_waits_for_its_senders_previous_one() -> None:
    dag = Dag((1, 1))

    assert offer(dag, 0, 2) == []
    assert dag.tops == [0, 0]
    assert offer(dag, 0, 1) == [(0, 1), (0, 2)]


def test_a_frame_waits_for_all_that_it_acknowledges() -> None:
    dag = Dag((1, 1, 1))

    assert offer(dag, 2, 1, (0, 1), (1, 1)) == []
    assert offer(dag, 0, 1) == [(0, 1)]
    assert offer(dag, 1, 1) == [(1, 1), (2, 1)]


def test_one_frame_may_free_a_chain_through_several_senders() -> None:
    dag = Dag((1, 1, 1))
    offer(dag, 2, 2, (1, 1))
    offer(dag, 2, 1, (1, 1))
    offer(dag, 1, 1, (0, 2))
    offer(dag, 0, 2)

    assert offer(dag, 0, 1) == [(0, 1), (0, 2), (1, 1), (2, 1), (2, 2)]
    assert dag.waiting_count == 0


def test_what_waits_is_held_and_counted_but_not_in_the_graph() -> None:
    dag = Dag((1, 1))
    waiting = frame(0, 2)
    dag.offer(waiting, 0, ())

    assert dag.holds(0, 2)
    assert not dag.holds(0, 1)
    assert dag.count(0) == 1
    assert (dag.waiting_count, dag.vertex_count) == (1, 0)

    offer(dag, 0, 1)
    assert dag.holds(0, 1)
    assert dag.holds(0, 2)
    assert dag.count(0) == 2
    assert (dag.waiting_count, dag.vertex_count) == (0, 2)


def test_frames_are_first_heard_of_once() -> None:
    dag = Dag((1, 4))

    assert list(dag.learn(0, 3)) == [1, 2, 3]
    assert list(dag.learn(0, 2)) == []
    assert list(dag.learn(0, 4)) == [4]
    assert list(dag.learn(1, 3)) == []
    offer(dag, 1, 4)
    assert list(dag.learn(1, 4)) == []


# -- acknowledging


def test_each_leaf_is_acknowledged_once() -> None:
    dag = Dag((1, 1, 1))
    offer(dag, 1, 1)
    offer(dag, 2, 1)
    assert dag.leaves(0) == [(1, 1), (2, 1)]

    offer(dag, 0, 1, (1, 1), (2, 1))
    assert dag.leaves(0) == []
    assert dag.leaves(1) == [(0, 1)]


def test_what_a_leaf_acknowledges_is_no_leaf() -> None:
    dag = Dag((1, 1, 1))
    offer(dag, 1, 1)
    offer(dag, 2, 1, (1, 1))

    assert dag.leaves(0) == [(2, 1)]


def test_of_a_senders_chain_only_the_last_is_a_leaf() -> None:
    dag = Dag((1, 1, 1))
    offer(dag, 1, 1)
    offer(dag, 1, 2)
    offer(dag, 2, 1, (1, 1))  # has not heard of the second

    assert dag.leaves(0) == [(1, 2), (2, 1)]


def test_what_waits_is_not_acknowledged() -> None:
    dag = Dag((1, 1))
    offer(dag, 1, 2)

    assert dag.leaves(0) == []


# -- the past


def test_a_vertex_follows_itself_and_what_its_past_follows() -> None:
    dag = Dag((1, 1, 1))
    (first,) = dag.offer(frame(0, 1), 0, ())
    (second,) = dag.offer(frame(1, 1), 1, ((0, 1),))
    (third,) = dag.offer(frame(2, 1), 2, ((1, 1),))
    (other,) = dag.offer(frame(0, 2), 0, ())

    assert third.follows(third)
    assert third.follows(second)
    assert third.follows(first)
    assert not first.follows(third)
    assert not third.follows(other)
    assert not other.follows(third)
    assert [vertex.level for vertex in (first, second, third, other)] == [1, 2, 3, 2]


class Group:
    """Members that send over a network that loses order, each with its own graph.

    Who follows whom is kept beside, as sets: a frame follows what its sender had in its graph.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.members = rng.randint(2, 5)
        self.expected = tuple(rng.randint(1, 4) for _ in range(self.members))
        self.dags = [Dag(self.expected) for _ in range(self.members)]
        self.inside: list[list[Name]] = [[] for _ in range(self.members)]
        self.on_the_way: list[list[Name]] = [[] for _ in range(self.members)]
        self.acks: dict[Name, tuple[Name, ...]] = {}
        self.pasts: dict[Name, set[Name]] = {}
        self.vertices: list[dict[Name, Vertex]] = [{} for _ in range(self.members)]

    def send(self, slot: int) -> None:
        dag = self.dags[slot]
        name = slot, dag.tops[slot] + 1
        self.acks[name] = tuple(dag.leaves(slot))
        self.pasts[name] = {name, *self.inside[slot]}
        self.take_in(slot, name)
        for other in range(self.members):
            if other != slot:
                self.on_the_way[other].append(name)

    def arrive(self, slot: int) -> None:
        if waiting := self.on_the_way[slot]:
            self.take_in(slot, waiting.pop(self.rng.randrange(len(waiting))))

    def take_in(self, slot: int, name: Name) -> None:
        for vertex in self.dags[slot].offer(frame(*name), name[0], self.acks[name]):
            self.inside[slot].append(named(vertex))
            self.vertices[slot][named(vertex)] = vertex

    def run(self, steps: int) -> None:
        for _ in range(steps):
            slot = self.rng.randrange(self.members)
            if self.rng.random() < 0.3:
                self.send(slot)
            else:
                self.arrive(slot)


def groups(count: int) -> list[Group]:
    made = []
    for seed in range(count):
        group = Group(random.Random(seed))
        group.run(100)
        made.append(group)
    return made


def test_vertices_enter_after_all_that_they_follow_and_as_soon_as_those_are_there() -> None:
    for group in groups(60):
        for slot in range(group.members):
            entered: set[Name] = set()
            for name in group.inside[slot]:
                assert group.pasts[name] - {name} <= entered
                entered.add(name)
            arrived = set(group.acks) - set(group.on_the_way[slot])
            ready = {name for name in arrived if group.pasts[name] <= arrived}
            assert entered == ready
            assert group.dags[slot].waiting_count == len(arrived - ready)


def test_pasts_and_levels_are_those_of_the_transitive_closure() -> None:
    for group in groups(60):
        for slot in range(group.members):
            levels: dict[Name, int] = {}
            for name, vertex in group.vertices[slot].items():
                past = group.pasts[name]
                for column, first in enumerate(group.expected):
                    followed = [count for sender, count in past if sender == column]
                    assert vertex.past[column] == max(followed, default=first - 1)
                levels[name] = 1 + max((levels[each] for each in past - {name}), default=0)
                assert vertex.level == levels[name]


def test_leaves_are_what_nothing_in_the_graph_follows() -> None:
    for group in groups(60):
        for slot in range(group.members):
            inside = set(group.inside[slot])
            followed = {older for name in inside for older in group.pasts[name] - {name}}
            expected = sorted(name for name in inside - followed if name[0] != slot)
            assert group.dags[slot].leaves(slot) == expected


# -- forgetting


def test_forgetting_gives_the_vertex_back_and_keeps_what_it_stood_for() -> None:
    dag = Dag((1, 1))
    offer(dag, 0, 1)
    offer(dag, 1, 1, (0, 1))

    assert named(dag.forget(0, 1)) == (0, 1)
    assert dag.vertex_count == 1
    assert dag.holds(0, 1)
    assert dag.tops == [1, 1]
    (later,) = dag.offer(frame(0, 2), 0, ((1, 1),))
    assert (later.past, later.level) == ((2, 1), 3)


def test_a_frame_may_acknowledge_what_is_forgotten() -> None:
    dag = Dag((1, 1))
    offer(dag, 0, 1)
    offer(dag, 1, 1, (0, 1))
    dag.forget(0, 1)
    (again,) = dag.offer(frame(1, 2), 1, ((0, 1),))

    assert (again.past, again.level) == ((1, 2), 3)


def test_forgetting_what_all_follow_changes_no_vertex_to_come() -> None:
    forgotten = 0
    for seed in range(60):
        forgetful, thorough = Group(random.Random(seed)), Group(random.Random(seed))
        for _ in range(100):
            forgetful.run(1)
            thorough.run(1)
            forgotten += sum(map(forget_all_possible, forgetful.dags))
        for mine, theirs in zip(forgetful.vertices, thorough.vertices, strict=True):
            assert {name: (vertex.past, vertex.level) for name, vertex in mine.items()} == {
                name: (vertex.past, vertex.level) for name, vertex in theirs.items()
            }
    assert forgotten > 1000


def forget_all_possible(dag: Dag) -> int:
    followed_by_all = [min(column) for column in zip(*dag.pasts, strict=True)]
    old = [
        (slot, counter)
        for slot, upto in enumerate(followed_by_all)
        for counter in dag._vertices[slot]
        if counter <= upto
    ]
    for name in old:
        dag.forget(*name)
    return len(old)
