"""Named deadlines in one table; the pump arms only the earliest, so there is nothing to cancel."""


class Deadlines:
    """At most one time per name."""

    __slots__ = ("_due",)

    def __init__(self) -> None:
        self._due: dict[str, int] = {}

    def set(self, name: str, at_ns: int | None) -> None:
        """Put the deadline at this time; None means there is none."""
        if at_ns is None:
            self._due.pop(name, None)
        else:
            self._due[name] = at_ns

    def set_if_unset(self, name: str, at_ns: int) -> None:
        self._due.setdefault(name, at_ns)

    def clear(self, name: str) -> None:
        self._due.pop(name, None)

    def get(self, name: str) -> int | None:
        return self._due.get(name)

    def passed(self, name: str, now_ns: int) -> bool:
        due = self._due.get(name)
        return due is not None and due <= now_ns

    def earliest(self) -> int | None:
        return min(self._due.values(), default=None)
