"""From NDJSON bytes, or dicts in memory, to typed records: fast when all is well, exact when not.

The fast path decodes a whole file at once. Only when it fails, or when lines must be skipped, is
the file read again line by line, to name the line and what was expected there.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

R = TypeVar("R")

Source = bytes | Sequence[dict[str, Any]]


class TraceError(Exception):
    """The trace cannot be judged: which file, which line, what was expected."""

    def __init__(self, file: str, line: int | None, expected: str) -> None:
        super().__init__(f"{file}: {expected}" if line is None else f"{file}:{line}: {expected}")
        self.file = file
        self.line = line
        self.expected = expected


class Decoded(NamedTuple, Generic[R]):
    """Records with the line each came from; `cut` when the last line just ends."""

    records: list[R]
    lines: Sequence[int]
    cut: bool


class Reader(Generic[R]):
    """Reads records of one type; a line whose `e` is not in `known` is passed over."""

    def __init__(self, record: Any, known: frozenset[str]) -> None:
        self._record = record
        self._known = known
        self._decoder: msgspec.json.Decoder[R] = msgspec.json.Decoder(record)

    def read(self, file: str, source: Source) -> Decoded[R]:
        if isinstance(source, bytes):
            return self._read_bytes(file, source)
        try:
            records = msgspec.convert(source, list[self._record])  # type: ignore[name-defined]
        except msgspec.MsgspecError:
            return self._one_by_one(file, enumerate(source, 1), cut=False)
        return Decoded(records, range(1, len(records) + 1), cut=False)

    def _read_bytes(self, file: str, data: bytes) -> Decoded[R]:
        end = data.rfind(b"\n") + 1
        cut = not _is_json(data[end:])
        whole = data[:end] if cut else data
        try:
            records = self._decoder.decode_lines(whole)
            # With empty lines, or two records in one, the line numbers would be off.
            if len(records) - (not whole.endswith(b"\n")) == whole.count(b"\n"):
                return Decoded(records, range(1, len(records) + 1), cut)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            pass
        numbered = ((i, line) for i, line in enumerate(whole.split(b"\n"), 1) if line.strip())
        return self._one_by_one(file, numbered, cut)

    def _one_by_one(
        self,
        file: str,
        numbered: Iterator[tuple[int, bytes]] | Iterator[tuple[int, Any]],
        cut: bool,
    ) -> Decoded[R]:
        records: list[R] = []
        lines: list[int] = []
        for number, line in numbered:
            try:
                item = msgspec.json.decode(line) if isinstance(line, bytes) else line
            except (msgspec.MsgspecError, UnicodeDecodeError) as problem:
                raise TraceError(
                    file, number, f"expected one JSON object per line: {problem}"
                ) from None
            if not isinstance(item, dict) or not isinstance(item.get("e"), str):
                raise TraceError(file, number, "expected an object with a string `e`")
            if item["e"] not in self._known:
                continue
            try:
                records.append(msgspec.convert(item, self._record))
            except msgspec.MsgspecError as problem:
                raise TraceError(file, number, f"not a `{item['e']}` record: {problem}") from None
            lines.append(number)
        return Decoded(records, lines, cut)


def _is_json(tail: bytes) -> bool:
    """Whether what follows the last newline is whole (nothing at all is)."""
    if not tail.strip():
        return True
    try:
        return isinstance(msgspec.json.decode(tail), dict)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False
