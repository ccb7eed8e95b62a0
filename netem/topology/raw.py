"""The raw topology: the YAML tree as written, with line numbers and without interpretation.

`yaml.compose` stops before values are made of scalars, so the text stays as the user typed it
(`5%`, `1ms`, `on`) and every node knows its line.
"""

from dataclasses import dataclass
from pathlib import Path

import yaml

from netem.topology.errors import Report, quoted

# The largest file worth reading: 128 nodes with an impairment for every pair is half of it.
MAX_FILE_BYTES = 2 * 2**20
# Aliases of aliases can make a short file a huge tree, or an endless one.
MAX_VALUES = 500_000
MAX_DEPTH = 12

_TAG = "tag:yaml.org,2002:"
_SCALAR_KINDS = {
    f"{_TAG}str": "text",
    f"{_TAG}int": "a number",
    f"{_TAG}float": "a number",
    f"{_TAG}bool": "a boolean",
    f"{_TAG}null": "nothing",
    f"{_TAG}timestamp": "a date",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RawScalar:
    line: int
    text: str
    kind: str  # what YAML takes it for: text, a number, a boolean, nothing, ...


@dataclass(frozen=True, kw_only=True, slots=True)
class RawList:
    line: int
    items: "tuple[RawValue, ...]"
    kind: str = "a list"


@dataclass(frozen=True, kw_only=True, slots=True)
class RawMap:
    line: int
    entries: "tuple[tuple[RawScalar, RawValue], ...]"
    kind: str = "a mapping"


RawValue = RawScalar | RawList | RawMap


def read(path: Path, report: Report) -> RawValue | None:
    """The tree of a file, or None when the report says why there is none."""
    text = _read_text(path, report)
    if text is None:
        return None
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        reason = ", ".join(part for part in (error.context, error.problem) if part)
        report.add(mark.line + 1 if mark else 1, f"not YAML: {reason}", "a YAML document")
        return None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        report.add(line, "not YAML: a character that cannot be printed", "plain text")
        return None
    except RecursionError:
        _report_too_deep(1, report)
        return None
    if root is None:
        report.add(1, "the file is empty", "a topology: name, lans, workload, scenarios")
        return None
    try:
        return _Converter(report).convert(root, depth=0)
    except _TooMuch:
        return None


def _read_text(path: Path, report: Report) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        report.add(
            None, "there is no such file", "a topology file, such as topologies/one-lan.yaml"
        )
        return None
    except IsADirectoryError:
        report.add(None, "this is a directory", "a topology file")
        return None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        report.add(None, f"cannot read the file: {reason}", "a readable file")
        return None
    if len(data) > MAX_FILE_BYTES:
        report.add(None, "the file is too large", f"at most {MAX_FILE_BYTES} bytes")
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report.add(line, f"byte 0x{data[error.start]:02x} is not UTF-8", "text in UTF-8")
        return None


def _report_too_deep(line: int, report: Report) -> None:
    report.add(line, "values are nested too deeply", f"at most {MAX_DEPTH} levels")


class _TooMuch(Exception):  # noqa: N818 (a way out of the recursion)
    """The tree is too deep or too large; the report says so."""


class _Converter:
    """From PyYAML's nodes to ours."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._values = 0

    def convert(self, node: yaml.Node, depth: int) -> RawValue:
        line = node.start_mark.line + 1
        self._values += 1
        if self._values > MAX_VALUES:
            self._report.add(line, "the file has too many values", f"at most {MAX_VALUES}")
            raise _TooMuch
        if depth > MAX_DEPTH:
            _report_too_deep(line, self._report)
            raise _TooMuch
        if isinstance(node, yaml.ScalarNode):
            kind = _SCALAR_KINDS.get(node.tag, f"special in YAML ({node.tag.removeprefix(_TAG)})")
            return RawScalar(line=line, text=node.value, kind=kind)
        if isinstance(node, yaml.SequenceNode):
            items = tuple(self.convert(item, depth + 1) for item in node.value)
            return RawList(line=line, items=items)
        assert isinstance(node, yaml.MappingNode)
        return RawMap(line=line, entries=self._entries(node, depth))

    def _entries(
        self, node: yaml.MappingNode, depth: int
    ) -> tuple[tuple[RawScalar, RawValue], ...]:
        entries: dict[str, tuple[RawScalar, RawValue]] = {}
        for key_node, value_node in node.value:
            key = self.convert(key_node, depth + 1)
            value = self.convert(value_node, depth + 1)
            if not isinstance(key, RawScalar):
                self._report.add(key.line, f"a key is {key.kind}", "text")
            elif key.text in entries:
                first = entries[key.text][0].line
                self._report.add(
                    key.line,
                    f"the key {quoted(key.text)} is given again, after line {first}",
                    "each key once",
                )
            else:
                entries[key.text] = (key, value)
        return tuple(entries.values())
