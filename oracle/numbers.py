"""Sets of message numbers. They are mostly consecutive, so they are kept as runs."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator


class Numbers:
    """A set of whole numbers as sorted runs that neither overlap nor touch.

    What comes next is added at once; what comes in between costs a move of the runs behind it.
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, first: int = 1, last: int = 0) -> None:
        """The numbers first … last; none unless they are given."""
        self._starts = [first] if first <= last else []
        self._ends = [last] if first <= last else []

    def follow(self, first: int, last: int) -> bool:
        """Add first … last if they come right after the largest; whether they do."""
        ends = self._ends
        if ends and first == ends[-1] + 1:
            ends[-1] = last
            return True
        return False

    def add(self, first: int, last: int) -> None:
        """Add first … last, wherever they belong."""
        if self.follow(first, last):
            return
        starts, ends = self._starts, self._ends
        low = bisect_left(ends, first - 1)  # the first run that overlaps or touches
        high = bisect_right(starts, last + 1)  # the first one behind
        if low < high:
            first, last = min(first, starts[low]), max(last, ends[high - 1])
        starts[low:high] = [first]
        ends[low:high] = [last]

    def common(self, first: int, last: int) -> list[range]:
        """The runs of first … last that are in the set."""
        found = []
        for place in range(bisect_left(self._ends, first), bisect_right(self._starts, last)):
            start, end = max(first, self._starts[place]), min(last, self._ends[place])
            found.append(range(start, end + 1))
        return found

    def without(self, other: "Numbers") -> "Numbers":
        """What is in this set and not in the other."""
        rest = Numbers()
        for first, last in zip(self._starts, self._ends, strict=True):
            begin = first
            for known in other.common(first, last):
                if begin < known.start:
                    rest.add(begin, known.start - 1)
                begin = known.stop
            if begin <= last:
                rest.add(begin, last)
        return rest

    @property
    def first(self) -> int:
        """The smallest; there must be one."""
        return self._starts[0]

    def __contains__(self, number: int) -> bool:
        place = bisect_left(self._ends, number)
        return place < len(self._ends) and self._starts[place] <= number

    def __iter__(self) -> Iterator[int]:
        for first, last in zip(self._starts, self._ends, strict=True):
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(self._ends) - sum(self._starts) + len(self._ends)


NONE = Numbers()
"""No numbers at all; not to be added to."""
