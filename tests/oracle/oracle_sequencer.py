"""A tiny reference group for the oracle's tests: whatever it does is right by construction.

Every message gets its place in one log when it is sent. A node delivers what it has received, after
what it follows; agreed and safe messages in the order of the log; safe ones only once every node
has received them.
"""

from dataclasses import dataclass
from random import Random

from oracle_builder import Batch, Story

SERVICES = ("basic", "causal", "agreed", "safe")


@dataclass(frozen=True)
class Message:
    node: str
    number: int
    service: str
    past: frozenset[int]
    """Places in the log of what its sender had sent or delivered before it."""

    @property
    def ordered(self) -> bool:
        return self.service in ("agreed", "safe")


class Sequencer:
    def __init__(self, rng: Random, *nodes: str) -> None:
        self.rng = rng
        agreed = rng.choice(("allack", "toto"))
        self.story = Story(*nodes, receipts=True, agreed=agreed)
        self.story.measures = {"peak_store": 1, "bound_store": 2}
        self.log: list[Message] = []
        self.received: dict[str, set[int]] = {node: set() for node in nodes}
        self.delivered: dict[str, set[int]] = {node: set() for node in nodes}
        self.alive = list(nodes)

    def send(self, node: str, service: str) -> None:
        batch = self.story.sends(node, service, self.rng.randint(1, 3))
        for number in batch.numbers:
            past = {i for i, m in enumerate(self.log) if m.node == node} | self.delivered[node]
            binding = frozenset(i for i in past if self.log[i].service != "basic")
            self.log.append(Message(node, number, service, binding))
            self.receive(node, len(self.log) - 1)

    def receive(self, node: str, place: int) -> None:
        message = self.log[place]
        self.received[node].add(place)
        self.story.receives(node, Batch(message.node, message.number, message.service))

    def deliver(self, node: str) -> bool:
        """Deliver something, if there is anything to deliver."""
        ready = [place for place in self.received[node] if self._ready(node, place)]
        if not ready:
            return False
        place = self.rng.choice(sorted(ready))
        first = self.log[place]
        count = 0
        # Messages sent together have places side by side, and may be delivered together.
        while place + count < len(self.log) and (count == 0 or self.rng.random() < 0.7):
            each = self.log[place + count]
            same = (each.node, each.service) == (first.node, first.service)
            if not same or not self._ready(node, place + count):
                break
            self.delivered[node].add(place + count)
            count += 1
        size = len(self.story.nodes)
        index = size if first.service == "safe" else self.rng.randint(1, size)
        batch = Batch(first.node, first.number, first.service, count)
        self.story.delivers(node, batch, index=index)
        return True

    def _ready(self, node: str, place: int) -> bool:
        message, delivered = self.log[place], self.delivered[node]
        if place in delivered or place not in self.received[node]:
            return False
        if message.service != "basic" and not message.past <= delivered:
            return False
        if message.ordered and any(
            each.ordered and i not in delivered for i, each in enumerate(self.log[:place])
        ):
            return False
        return message.service != "safe" or all(place in known for known in self.received.values())

    def step(self) -> None:
        node = self.rng.choice(self.alive)
        act = self.rng.random()
        missing = [i for i in range(len(self.log)) if i not in self.received[node]]
        if act < 0.25:
            self.send(node, self.rng.choice(SERVICES))
        elif act < 0.6 and missing:
            self.receive(node, self.rng.choice(missing))
        else:
            self.deliver(node)

    def kill(self, node: str) -> None:
        self.alive.remove(node)
        self.story.kills(node)

    def finish(self) -> None:
        """The living tell each other all they have, and deliver all they can."""
        known = sorted(set().union(*(self.received[node] for node in self.alive)))
        for node in self.alive:
            for place in known:
                if place not in self.received[node]:
                    self.receive(node, place)
        busy = list(self.alive)
        while busy:
            node = self.rng.choice(busy)
            if not self.deliver(node):
                busy.remove(node)


def good_run(seed: int, size: int, steps: int, *, with_a_kill: bool = False) -> Sequencer:
    rng = Random(seed)
    group = Sequencer(rng, *"abcde"[:size])
    for node in group.alive[:2]:  # so that every guarantee is put to the test
        for service in SERVICES:
            group.send(node, service)
    for _ in range(steps):
        group.step()
    if with_a_kill:
        group.kill(rng.choice(group.alive))
        for _ in range(steps // 2):
            group.step()
    group.finish()
    return group
