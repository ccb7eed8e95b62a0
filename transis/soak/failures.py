"""A failure as a file: the schedule that shows it, what was seen, and the hash of its trace."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from netem.schedule import Schedule, ScheduleError
from oracle.verdict import Verdict

SCHEMA = 1


class FailureError(Exception):
    """A file that holds no schedule, and what was expected."""


@dataclass(frozen=True, slots=True)
class Saved:
    schedule: Schedule
    trace_hash: str | None


def save(
    path: Path, schedule: Schedule, verdicts: Sequence[Verdict], trace_hash: str | None, found: str
) -> None:
    """Written beside and then moved into place, so that half a failure is never seen."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "schema": SCHEMA,
        "found_by": found,
        "trace_hash": trace_hash,
        "verdicts": [msgspec.to_builtins(verdict) for verdict in verdicts],
        "schedule": schedule.to_dict(),
    }
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def read(path: Path) -> Saved:
    """A saved failure, a schedule, or the schedule of a run directory."""
    if path.is_dir():
        if not (path / "run.json").is_file():
            raise FailureError(f"{path}: expected a run directory, such as runs/NAME-SEED")
        trace_hash = _json(path / "run.json").get("trace_hash")
        return Saved(_schedule(path / "schedule.json", _json(path / "schedule.json")), trace_hash)
    content = _json(path)
    if "schedule" in content:
        if content.get("schema") != SCHEMA or not isinstance(content["schedule"], dict):
            raise FailureError(f"{path}: expected a saved failure of schema {SCHEMA}")
        return Saved(_schedule(path, content["schedule"]), content.get("trace_hash"))
    return Saved(_schedule(path, content), None)


def _schedule(path: Path, content: dict[str, Any]) -> Schedule:
    try:
        return Schedule.from_dict(content)
    except ScheduleError as error:
        raise FailureError(f"{path}: {error}") from None


def _json(path: Path) -> dict[str, Any]:
    try:
        content = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise FailureError(f"{path}: {error.strerror}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        problem = f"this is no saved schedule ({error}); for a topology use `transis run`"
        raise FailureError(f"{path}: {problem}") from None
    if not isinstance(content, dict):
        raise FailureError(f"{path}: expected a JSON object")
    return content
