"""The node names of a topology while it is being resolved, and reading what refers to them."""

from dataclasses import dataclass

from netem.topology.errors import Wrong, one_of, quoted
from netem.topology.fields import described
from netem.topology.raw import RawScalar, RawValue


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownNodes:
    names: tuple[str, ...]
    # Listed under a LAN, but reported there: what refers to them is no further mistake.
    excused: frozenset[str] = frozenset()
    # Whether the lists of all LANs could be read; otherwise no name can be called unknown.
    complete: bool = True

    def read(self, raw: RawValue) -> str:
        """A reader (see fields.py) of one node name."""
        expected = self._expected()
        if not isinstance(raw, RawScalar) or raw.kind == "nothing":
            raise Wrong(f"this is {described(raw)}", expected)
        if self.complete and raw.text not in self.names and raw.text not in self.excused:
            raise Wrong(f"there is no node {quoted(raw.text)}", self._expected(raw.text))
        return raw.text

    def _expected(self, found: str | None = None) -> str:
        return one_of(self.names, found) if self.names else "a node"
