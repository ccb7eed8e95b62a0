"""Large messages: pieces in, whole messages out. One collector per sender."""

from dataclasses import dataclass, field

from node.frames import Fragment

OVERHEAD = 64  # bytes that a piece costs besides its data


@dataclass(slots=True)
class Unfinished:
    total: int
    left: int
    pieces: dict[int, bytes] = field(default_factory=dict)
    cost: int = 0


class Assembly:
    """Collects the pieces of large messages of one sender, in any order, each piece once.

    What would go beyond the bounds is dropped: only a sender that breaks the rules gets there.
    """

    __slots__ = ("_cost", "_most_bytes", "_most_open", "_open")

    def __init__(self, most_open: int, most_bytes: int) -> None:
        self._most_open = most_open
        self._most_bytes = most_bytes
        self._open: dict[int, Unfinished] = {}
        self._cost = 0

    def add(self, number: int, piece: Fragment) -> bytes | None:
        """Returns the message if this was its last missing piece."""
        message = self._open.get(number)
        if message is None:
            if len(self._open) >= self._most_open:
                return None
            message = self._open[number] = Unfinished(piece.total, piece.total)
        cost = len(piece.data) + OVERHEAD
        if (
            piece.total != message.total
            or piece.offset in message.pieces
            or self._cost + cost > self._most_bytes
        ):
            return None
        message.pieces[piece.offset] = piece.data
        message.left -= len(piece.data)
        message.cost += cost
        self._cost += cost
        if message.left > 0:
            return None
        del self._open[number]
        self._cost -= message.cost
        whole = b"".join(message.pieces[offset] for offset in sorted(message.pieces))
        return whole if len(whole) == message.total else None  # overlapping pieces are garbage
