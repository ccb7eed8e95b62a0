"""Large messages: pieces in, whole messages out. One collector per sender."""

from node.frames import Fragment


class Assembly:
    """Collects the pieces of large messages of one sender, in any order, each piece once."""

    __slots__ = ("_left", "_pieces", "_totals")

    def __init__(self) -> None:
        self._pieces: dict[int, dict[int, bytes]] = {}
        self._left: dict[int, int] = {}
        self._totals: dict[int, int] = {}

    def add(self, number: int, piece: Fragment) -> bytes | None:
        """Returns the message if this was its last missing piece."""
        pieces = self._pieces.get(number)
        if pieces is None:
            pieces = self._pieces[number] = {}
            self._left[number] = self._totals[number] = piece.total
        if piece.total != self._totals[number] or piece.offset in pieces:
            return None
        pieces[piece.offset] = piece.data
        self._left[number] -= len(piece.data)
        if self._left[number] > 0:
            return None
        del self._pieces[number], self._left[number], self._totals[number]
        whole = b"".join(pieces[offset] for offset in sorted(pieces))
        return whole if len(whole) == piece.total else None  # overlapping pieces are garbage
