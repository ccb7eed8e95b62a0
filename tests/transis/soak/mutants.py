"""Planted protocol bugs: each a tiny patch of one rule, applied in tests only.

A mutant is a function that patches; its docstring says which rule it breaks.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from node import codec
from node.frames import Data, Fragment
from node.lansis import configuration, delivery, repair
from node.lansis.assembly import Assembly, Unfinished
from node.lansis.configuration import Configuration
from node.lansis.dag import Dag, Vertex
from node.lansis.delivery import Delivery
from node.lansis.flow import Window
from node.lansis.order import allack
from node.lansis.order.toto import NEVER, ToTo
from node.lansis.repair import Answers, Requests
from node.lansis.sending import Sending
from node.lansis.stability import Acknowledged

Patch = pytest.MonkeyPatch
Mutant = Callable[[Patch], None]

FAR_AWAY_NS = 1 << 62


def skips_an_ack(patch: Patch) -> None:
    """The last of several leaves is not acknowledged."""
    right = Dag.leaves

    def leaves(self: Dag, me: int) -> list[tuple[int, int]]:
        found = right(self, me)
        return found[:-1] if len(found) > 1 else found

    patch.setattr(Dag, "leaves", leaves)


def enters_before_what_it_follows(patch: Patch) -> None:
    """Only the sender's own earlier frames are waited for, not those it acknowledges."""

    def first_missing(self: Dag, candidate: Any) -> tuple[int, int] | None:
        slot, counter = candidate.follows[0]
        return (slot, counter) if self.tops[slot] < counter else None

    patch.setattr(Dag, "_first_missing", first_missing)


def wakes_one_of_many(patch: Patch) -> None:
    """Of the frames that wait for the same frame, only one goes on."""
    right = Dag._enter

    def enter(self: Dag, candidate: Any) -> Vertex:
        vertex = right(self, candidate)
        blocked = self._blocked.get((vertex.slot, vertex.counter))
        if blocked:
            del blocked[1:]
        return vertex

    patch.setattr(Dag, "_enter", enter)


def forgets_its_own_chain(patch: Patch) -> None:
    """The level of a frame counts what it acknowledges, but not its sender's earlier frames."""

    class Nought(list[int]):
        def __getitem__(self, place: Any) -> Any:
            return 0

    right = Dag.__init__

    def init(self: Dag, expected: tuple[int, ...]) -> None:
        right(self, expected)
        self.levels = Nought(self.levels)

    patch.setattr(Dag, "__init__", init)


def takes_duplicates_for_new(patch: Patch) -> None:
    """Frames that have left the waiting room are taken in again."""

    def holds(self: Dag, slot: int, counter: int) -> bool:
        return counter in self._waiting[slot]

    patch.setattr(Dag, "holds", holds)


def causal_overtakes_ordered(patch: Patch) -> None:
    """A causal message does not wait for the ordered ones that it follows."""
    patch.setattr(Delivery, "_must_wait", lambda self, vertex: False)


def safe_one_ack_short(patch: Patch) -> None:
    """Safe as soon as all members but one have acknowledged."""

    class OneShort:
        def __init__(self, followed: Acknowledged) -> None:
            self._followed = followed

        @property
        def by_all(self) -> list[int]:
            return [sorted(column)[1] for column in zip(*self._followed.rows, strict=True)]

    right = Delivery.__init__

    def init(self: Delivery, view: Any, dag: Dag, followed: Acknowledged, limits: Any) -> None:
        right(self, view, dag, followed, limits)
        if view.size > 1:
            self._followed = OneShort(followed)  # type: ignore[assignment]

    patch.setattr(Delivery, "__init__", init)


def safe_one_frame_early(patch: Patch) -> None:
    """Safe when the sender's frame before it is."""
    patch.setattr(delivery, "is_safe", lambda by_all, slot, counter: by_all[slot] >= counter - 1)


def safe_by_heartbeat(patch: Patch) -> None:
    """Safe when all hold the frame, as heartbeats tell, not when all follow it."""
    right = Configuration.__init__

    def init(self: Configuration, *arguments: Any) -> None:
        right(self, *arguments)
        self._delivery._followed = self._held

    patch.setattr(Configuration, "__init__", init)


def breaks_ties_by_arrival(patch: Patch) -> None:
    """Frames of one level go in the order in which they happened to come."""
    patch.setattr(allack, "tie_break", lambda vertex: 0)


def ignores_the_slowest(patch: Patch) -> None:
    """All-ack does not wait for the member that lags most."""

    def lowest_level(reached: list[int]) -> int:
        return sorted(reached)[1] if len(reached) > 1 else reached[0]

    patch.setattr(allack, "lowest_level", lowest_level)


def majority_one_short(patch: Patch) -> None:
    """ToTo's threshold is off by one."""

    def beats(self: ToTo, members: int) -> bool:
        return 2 * (members + 1) > self._threshold_doubled

    patch.setattr(ToTo, "_beats", beats)


def decides_while_open(patch: Patch) -> None:
    """ToTo takes a candidate for chosen although another may still beat it."""
    right = ToTo._judge

    def judge(self: ToTo, *arguments: Any) -> bool | None:
        return right(self, *arguments) is not False

    patch.setattr(ToTo, "_judge", judge)


def forgets_old_votes(patch: Patch) -> None:
    """A candidate that was nominated late starts without the votes already cast for it."""

    def votes_for(self: ToTo, vertex: Vertex) -> list[int]:
        votes = [NEVER] * self._members
        votes[vertex.slot] = vertex.counter
        return votes

    patch.setattr(ToTo, "_votes_for", votes_for)


def never_answers(patch: Patch) -> None:
    """Repairs are lost before they are sent."""

    def repairs(self: Configuration, now_ns: int) -> list[Data]:
        for slot, counter in self._answers.due(now_ns):
            self._answers.answered(slot, counter, now_ns)
        return []

    patch.setattr(Configuration, "repairs", repairs)


def only_the_origin_answers(patch: Patch) -> None:
    """Other holders of a frame stay silent."""
    right = Answers.asked

    def asked(self: Answers, slot: int, counter: int, is_origin: bool, now_ns: int) -> None:
        if is_origin:
            right(self, slot, counter, is_origin, now_ns)

    patch.setattr(Answers, "asked", asked)


def the_origin_is_always_first(patch: Patch) -> None:
    """The origin keeps its privilege however often it answered in vain."""
    patch.setattr(repair, "any_holder_delay", lambda repair_ns, chance: int(3 * repair_ns))
    right = Answers.asked

    def asked(self: Answers, slot: int, counter: int, is_origin: bool, now_ns: int) -> None:
        if is_origin:
            kept = self._quiet_until.pop((slot, counter), 0)
            if kept > now_ns:
                self._quiet_until[slot, counter] = kept
        right(self, slot, counter, is_origin, now_ns)

    patch.setattr(Answers, "asked", asked)


def repairs_without_acks(patch: Patch) -> None:
    """A repaired frame does not say what it follows."""
    right = Configuration.repairs

    def repairs(self: Configuration, now_ns: int) -> list[Data]:
        return [replace(frame, acks=()) for frame in right(self, now_ns)]

    patch.setattr(Configuration, "repairs", repairs)


def asks_only_once(patch: Patch) -> None:
    """A request that is not answered is never repeated."""

    def postpone(self: Requests, slot: int, counter: int, now_ns: int, chance: float) -> None:
        self._schedule(slot, counter, FAR_AWAY_NS)

    patch.setattr(Requests, "_postpone", postpone)


def stable_too_early(patch: Patch) -> None:
    """Frames leave the buffers when all members but one hold them."""
    right = Configuration.__init__

    class OneShort(Acknowledged):
        def _raise_minimum(self, column: int) -> bool:
            lowest = sorted(row[column] for row in self.rows)[1 if len(self.rows) > 1 else 0]
            if lowest <= self.by_all[column]:
                return False
            self.by_all[column] = lowest
            return True

    def init(self: Configuration, *arguments: Any) -> None:
        right(self, *arguments)
        self._held = OneShort(self._dag.tops)

    patch.setattr(Configuration, "__init__", init)


def claims_what_it_only_heard_of(patch: Patch) -> None:
    """A heartbeat says that its sender holds every frame it knows to exist."""

    def holds(self: Configuration) -> tuple[tuple[int, int], ...]:
        members = self.view.members
        return tuple((m.number, known) for m, known in zip(members, self._dag.known, strict=True))

    patch.setattr(Configuration, "holds", holds)


def hides_its_last_frame(patch: Patch) -> None:
    """A heartbeat does not tell its sender's own last frame."""
    right = Configuration.holds

    def holds(self: Configuration) -> tuple[tuple[int, int], ...]:
        return tuple(entry for entry in right(self) if entry[0] != self._me.number)

    patch.setattr(Configuration, "holds", holds)


def window_never_reopens(patch: Patch) -> None:
    """Frames that are followed by all stay in the window."""
    patch.setattr(Window, "leave", lambda self, slot: None)


def owes_no_acks(patch: Patch) -> None:
    """Acknowledgements travel on payload only."""
    patch.setattr(Sending, "_must_acknowledge", lambda self, *arguments: False)


def joins_pieces_as_they_come(patch: Patch) -> None:
    """The pieces of a large message are joined in the order of their arrival."""

    def add(self: Assembly, number: int, piece: Fragment) -> bytes | None:
        message = self._open.setdefault(number, Unfinished(piece.total, piece.total))
        message.pieces[piece.offset] = piece.data
        if sum(map(len, message.pieces.values())) < piece.total:
            return None
        del self._open[number]
        return b"".join(message.pieces.values())

    patch.setattr(Assembly, "add", add)


def trusts_corrupted_frames(patch: Patch) -> None:
    """The checksum is not verified."""
    at = codec.CRC_AT
    patch.setattr(codec, "checksum", lambda datagram: int.from_bytes(datagram[at : at + 4], "big"))


def decides_for_the_first_candidate(patch: Patch) -> None:
    """ToTo delivers a set of candidates in the order in which they became candidates."""
    right = ToTo._decide

    def decide(self: ToTo) -> list[int]:
        chosen = right(self)
        return [slot for slot in self._candidates if slot in chosen]

    patch.setattr(ToTo, "_decide", decide)


def calls_everything_ordered_once(patch: Patch) -> None:
    """A frame that carries causal messages first is not given a turn for its agreed ones."""
    patch.setattr(
        configuration,
        "is_ordered",
        lambda frame: bool(frame.content) and frame.content[0].service >= 2,
    )


MUTANTS: dict[str, Mutant] = {
    mutant.__name__: mutant
    for mutant in (
        skips_an_ack,
        enters_before_what_it_follows,
        wakes_one_of_many,
        forgets_its_own_chain,
        takes_duplicates_for_new,
        causal_overtakes_ordered,
        safe_one_ack_short,
        safe_one_frame_early,
        safe_by_heartbeat,
        breaks_ties_by_arrival,
        ignores_the_slowest,
        majority_one_short,
        decides_while_open,
        decides_for_the_first_candidate,
        forgets_old_votes,
        never_answers,
        only_the_origin_answers,
        the_origin_is_always_first,
        repairs_without_acks,
        asks_only_once,
        stable_too_early,
        claims_what_it_only_heard_of,
        hides_its_last_frame,
        window_never_reopens,
        owes_no_acks,
        joins_pieces_as_they_come,
        trusts_corrupted_frames,
        calls_everything_ordered_once,
    )
}
