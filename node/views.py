"""Configurations (views): who is in agreement, and from which frame of each on.

The id is derived from the agreed facts alone — the members and the *Expected* vector of the
membership paper (section 3) — so equal ids mean equal views, and the same members meeting again
get a new id because their counters have moved on.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from node.errors import MisuseError
from node.identity import MAX_COUNTER, MAX_INCARNATION, MAX_PROCESSOR, Processor

MAX_EXPECTED = MAX_COUNTER // 2  # so that a view never runs out of counters
MAX_MEMBERS = 128  # the ACKs of a frame must fit beside some payload in a 1500-byte packet


class ViewKind(Enum):
    REGULAR = "regular"
    TRANSITIONAL = "transitional"


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An installed configuration. Members are in processor order; a member's place is its slot."""

    id: int
    members: tuple[Processor, ...]
    expected: tuple[int, ...]  # per slot: counter of the first frame that belongs to this view
    kind: ViewKind = ViewKind.REGULAR

    @property
    def size(self) -> int:
        return len(self.members)

    def slots(self) -> dict[int, int]:
        """Processor number to slot."""
        return {member.number: slot for slot, member in enumerate(self.members)}


def regular_view(members: Sequence[Processor], expected: Sequence[int] | None = None) -> View:
    """The view that these members form, each continuing with its expected frame (default 1)."""
    if not members:
        raise MisuseError("a view needs at least one member")
    if len(members) > MAX_MEMBERS:
        raise MisuseError(f"a view has at most {MAX_MEMBERS} members, not {len(members)}")
    if len({member.number for member in members}) != len(members):
        raise MisuseError("a processor is in a view once, in one incarnation")
    counters = tuple(expected) if expected is not None else (1,) * len(members)
    if len(counters) != len(members):
        raise MisuseError("one expected counter per member")
    if not all(1 <= counter <= MAX_EXPECTED for counter in counters):
        raise MisuseError(f"expected counters between 1 and {MAX_EXPECTED}, not {counters}")
    for number, incarnation in members:
        if not (0 <= number <= MAX_PROCESSOR and 0 <= incarnation <= MAX_INCARNATION):
            raise MisuseError(f"processor {number}.{incarnation} does not fit the wire format")
    order = sorted(range(len(members)), key=lambda place: members[place])
    ordered = tuple(members[place] for place in order)
    starts = tuple(counters[place] for place in order)
    return View(id=_identify(ordered, starts), members=ordered, expected=starts)


def _identify(members: tuple[Processor, ...], expected: tuple[int, ...]) -> int:
    facts = ";".join(
        f"{member.number}.{member.incarnation}:{counter}"
        for member, counter in zip(members, expected, strict=True)
    )
    return int.from_bytes(hashlib.blake2b(facts.encode(), digest_size=8).digest(), "big")
