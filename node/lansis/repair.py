"""Lost frames (CS91-13, section 3.3 "The Lansis Protocol"; PROTOCOLS notes, section 2).

Whoever misses a frame asks everybody for it, after a random wait; hearing somebody else ask counts
as having asked. Whoever holds it may answer, after a random wait; hearing somebody else answer
counts as having answered. The origin draws from the earliest stretch, since it surely holds
the frame, so the others usually stay silent; but only the first time, because whoever asks again
may be unable to hear the origin.
"""

from collections.abc import Iterable
from heapq import heappop, heappush

from node.contract import Randomness
from node.limits import Timing

Place = tuple[int, int]  # (slot, counter)
Range = tuple[int, int, int]  # (slot, first counter, last counter)


class Requests:
    """The frames this processor misses, and when to ask for them (again)."""

    def __init__(self, timing: Timing, randomness: Randomness) -> None:
        self._timing = timing
        self._randomness = randomness
        self._due: dict[Place, int] = {}
        self._asked: dict[Place, int] = {}
        self._agenda: list[tuple[int, int, int]] = []

    def __len__(self) -> int:
        return len(self._due)

    def miss(self, slot: int, counters: Iterable[int], now_ns: int) -> None:
        """These exist and are not here."""
        at_ns = now_ns + int(self._randomness.random() * self._timing.nack_ns)
        for counter in counters:
            self._asked[slot, counter] = 0
            self._schedule(slot, counter, at_ns)

    def found(self, slot: int, counter: int) -> None:
        if self._due.pop((slot, counter), None) is not None:
            del self._asked[slot, counter]

    def somebody_asked(self, slot: int, counters: Iterable[int], now_ns: int) -> None:
        """Another processor asked for these: those we miss too we need not ask for as well."""
        chance = self._randomness.random()
        for counter in counters:
            if (slot, counter) in self._due:
                self._postpone(slot, counter, now_ns, chance)

    def due(self, now_ns: int, most: int) -> list[Range]:
        """What is to be asked for, as at most `most` ranges."""
        places = _pop_due(self._agenda, self._due, now_ns)
        ranges, left_over = _ranges(sorted(places), most)
        chance = self._randomness.random() if ranges else 0.0  # what is asked together stays so
        for slot, first, last in ranges:
            for counter in range(first, last + 1):
                self._postpone(slot, counter, now_ns, chance)
        for slot, counter in left_over:
            self._schedule(slot, counter, now_ns + self._timing.nack_ns)
        return ranges

    def next_due(self) -> int | None:
        return _next_in(self._agenda, self._due)

    def _postpone(self, slot: int, counter: int, now_ns: int, chance: float) -> None:
        asked = self._asked[slot, counter]
        self._asked[slot, counter] = asked + 1
        wait = min(self._timing.nack_again_ns << min(asked, 16), self._timing.nack_slowest_ns)
        self._schedule(slot, counter, now_ns + int(wait * (0.75 + 0.5 * chance)))

    def _schedule(self, slot: int, counter: int, at_ns: int) -> None:
        self._due[slot, counter] = at_ns
        heappush(self._agenda, (at_ns, slot, counter))


class Answers:
    """The repairs this processor is about to send, unless somebody else is faster."""

    def __init__(self, timing: Timing, randomness: Randomness) -> None:
        self._timing = timing
        self._randomness = randomness
        self._due: dict[Place, int] = {}
        self._agenda: list[tuple[int, int, int]] = []
        self._quiet_until: dict[Place, int] = {}

    def __len__(self) -> int:
        return len(self._due)

    def asked(self, slot: int, counter: int, is_origin: bool, now_ns: int) -> None:
        """Somebody misses a frame that we hold."""
        place = (slot, counter)
        if place in self._due or self._quiet_until.get(place, now_ns) > now_ns:
            return
        chance = self._randomness.random()
        if (
            place in self._quiet_until
        ):  # answered before, in vain: perhaps they cannot hear some of us
            wait = any_holder_delay(self._timing.repair_ns, chance)
        else:
            wait = answer_delay(self._timing.repair_ns, is_origin, chance)
        self._due[place] = now_ns + wait
        heappush(self._agenda, (now_ns + wait, slot, counter))

    def answered(self, slot: int, counter: int, now_ns: int) -> None:
        """The frame was on the wire just now: whoever asked before has heard it, or asks again."""
        place = (slot, counter)
        self._due.pop(place, None)
        self._quiet_until[place] = now_ns + self._timing.repair_ns + self._timing.nack_ns

    def released(self, slot: int, counter: int) -> None:
        """Everybody holds the frame."""
        self._due.pop((slot, counter), None)
        self._quiet_until.pop((slot, counter), None)

    def due(self, now_ns: int) -> list[Place]:
        return _pop_due(self._agenda, self._due, now_ns)

    def next_due(self) -> int | None:
        return _next_in(self._agenda, self._due)


def _next_in(agenda: list[tuple[int, int, int]], due: dict[Place, int]) -> int | None:
    """The earliest entry of the agenda that still stands; others are dropped on the way."""
    while agenda and due.get((agenda[0][1], agenda[0][2])) != agenda[0][0]:
        heappop(agenda)
    return agenda[0][0] if agenda else None


def _pop_due(agenda: list[tuple[int, int, int]], due: dict[Place, int], now_ns: int) -> list[Place]:
    places: list[Place] = []
    while (at_ns := _next_in(agenda, due)) is not None and at_ns <= now_ns:
        _, slot, counter = heappop(agenda)
        if not places or places[-1] != (slot, counter):  # twice for the same time is once
            places.append((slot, counter))
    return places


def answer_delay(repair_ns: int, is_origin: bool, chance: float) -> int:
    """The origin answers within the first stretch, other holders within the three after it."""
    return int(chance * repair_ns) if is_origin else int(repair_ns * (1 + 3 * chance))


def any_holder_delay(repair_ns: int, chance: float) -> int:
    """Nobody first: where the origin is not heard, another must win sometimes."""
    return int(4 * chance * repair_ns)


def _ranges(places: list[Place], most: int) -> tuple[list[Range], list[Place]]:
    """Consecutive counters as ranges; what does not fit into `most` ranges is left over."""
    ranges: list[Range] = []
    for at, (slot, counter) in enumerate(places):
        if ranges and ranges[-1][0] == slot and ranges[-1][2] == counter - 1:
            ranges[-1] = (slot, ranges[-1][1], counter)
        elif len(ranges) == most:
            return ranges, places[at:]
        else:
            ranges.append((slot, counter, counter))
    return ranges, []
