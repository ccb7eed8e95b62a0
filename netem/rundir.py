"""The run directory (docs/trace.md): written whole or not at all, named by what ran."""

import hashlib
import platform
import shutil
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import msgspec

from netem.schedule import Schedule
from netem.sim.world import Finished

SCHEMA = 1
PACKAGES = ("transis-testbed", "msgspec", "pyyaml")


class RunDirectoryError(Exception):
    """The directory cannot be used, and why."""


def run_info(schedule: Schedule, finished: Finished) -> dict[str, Any]:
    """The content of run.json."""
    return {
        "schema": SCHEMA,
        "run": schedule.run,
        "backend": "sim",
        "seed": schedule.seed,
        "name": schedule.name,
        "nodes": finished.nodes,
        "versions": versions(),
        "complete": finished.complete,
        "trace_hash": trace_hash(finished),
        "measures": finished.measures,
    }


def trace_hash(finished: Finished) -> str:
    """SHA-256 over the names and contents of the trace files, in name order."""
    digest = hashlib.sha256()
    files = {f"traces/{name}.ndjson": lines for name, lines in finished.traces.items()}
    files["faults.ndjson"] = finished.faults
    for name in sorted(files):
        digest.update(f"{name}\0{len(files[name])}\0".encode())
        digest.update(files[name])
    return digest.hexdigest()


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def check_usable(directory: Path) -> None:
    """Only a missing or empty directory, or the one of an earlier run, may be written to."""
    directory = directory.resolve()
    if directory.exists() and not directory.is_dir():
        raise RunDirectoryError(f"{directory} is not a directory")
    if directory.exists() and any(directory.iterdir()) and not _is_run(directory):
        raise RunDirectoryError(f"{directory} holds something else than a run; expected a new name")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        probe = directory.with_name(f".{directory.name}.probe")
        probe.mkdir(exist_ok=True)
        probe.rmdir()
    except OSError as error:
        raise RunDirectoryError(f"cannot write {directory}: {error.strerror}") from None


def write(
    directory: Path,
    schedule: Schedule,
    finished: Finished,
    verdicts: Mapping[str, Any],
    topology: bytes | None = None,
) -> None:
    """Written beside and then moved into place, so that a half-written run is never seen."""
    check_usable(directory)
    directory = directory.resolve()  # a link stays a link; what it points to is replaced
    fresh = directory.with_name(f".{directory.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    (fresh / "traces").mkdir(parents=True)
    try:
        for name, lines in finished.traces.items():
            (fresh / "traces" / f"{name}.ndjson").write_bytes(lines)
        (fresh / "faults.ndjson").write_bytes(finished.faults)
        _write_json(fresh / "schedule.json", schedule.to_dict())
        _write_json(fresh / "verdicts.json", verdicts)
        _write_json(fresh / "run.json", run_info(schedule, finished))
        if topology is not None:
            (fresh / "topology.yaml").write_bytes(topology)
        _replace(directory, fresh)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def _is_run(directory: Path) -> bool:
    try:
        info = msgspec.json.decode((directory / "run.json").read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(info, dict) and "trace_hash" in info and (directory / "traces").is_dir()


def _replace(directory: Path, fresh: Path) -> None:
    """The earlier run is there until the new one is."""
    if not directory.exists():
        fresh.rename(directory)
        return
    earlier = directory.with_name(f".{directory.name}.old")
    shutil.rmtree(earlier, ignore_errors=True)
    directory.rename(earlier)
    try:
        fresh.rename(directory)
    except BaseException:
        earlier.rename(directory)
        raise
    shutil.rmtree(earlier)


def _write_json(path: Path, value: Mapping[str, Any]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
