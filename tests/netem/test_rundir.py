"""The run directory: what docs/trace.md says is in it, whole or not at all."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from netem.faults import Kill, Pause
from netem.rundir import RunDirectoryError, check_usable, run_info, trace_hash, write
from netem.schedule import Schedule
from netem.sim.world import Finished, simulate
from netem.topology import Lan
from netem.workload import Flow
from oracle.trace import read_records, read_run

SCHEDULE = Schedule(
    name="trial",
    seed=7,
    lan=Lan(name="lan", nodes=("a", "b", "c")),
    workload=(
        Flow(node="a", service="safe", size=9, count=5, start_ns=0, interval_ns=1_000_000),
        Flow(node="c", service="agreed", size=9, count=5, start_ns=0, interval_ns=1_000_000),
    ),
    faults=(Pause(at_ns=2_000_000, node="b", for_ns=9_000_000), Kill(at_ns=30_000_000, node="c")),
)
FINISHED = simulate(SCHEDULE)
VERDICTS = {"schema": 1, "verdicts": [{"guarantee": "safe", "status": "holds"}]}


def files_of(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def read_json(path: Path) -> Any:
    return json.loads(path.read_bytes())


# -- what is written


def test_the_files_are_those_of_the_documentation(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS, topology=b"name: trial\n")
    assert set(files_of(tmp_path / "run")) == {
        "run.json",
        "topology.yaml",
        "schedule.json",
        "faults.ndjson",
        "traces/a.1.ndjson",
        "traces/b.1.ndjson",
        "traces/c.1.ndjson",
        "verdicts.json",
    }


def test_there_is_no_topology_where_none_was_given(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    assert not (tmp_path / "run" / "topology.yaml").exists()


def test_the_topology_is_kept_as_given(tmp_path: Path) -> None:
    given = b"# with its comments\r\nname: trial\n"
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS, topology=given)
    assert (tmp_path / "run" / "topology.yaml").read_bytes() == given


def test_run_json_says_what_ran(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    info = read_json(tmp_path / "run" / "run.json")
    versions, digest, measures = info.pop("versions"), info.pop("trace_hash"), info.pop("measures")
    assert info == {
        "schema": 1,
        "run": "trial-7",
        "backend": "sim",
        "seed": 7,
        "name": "trial",
        "nodes": {"a": 0, "b": 1, "c": 2},
        "complete": True,
    }
    assert "python" in versions
    assert len(bytes.fromhex(digest)) == 32
    assert set(measures) == {"a", "b", "c"}


def test_the_schedule_is_enough_to_run_it_again(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    again = Schedule.from_dict(read_json(tmp_path / "run" / "schedule.json"))
    assert simulate(again) == FINISHED


def test_the_verdicts_are_kept(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    assert read_json(tmp_path / "run" / "verdicts.json") == VERDICTS


def test_the_oracle_reads_back_what_it_would_have_judged_from_memory(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    kept = read_run(tmp_path / "run")
    assert kept == read_records(run_info(SCHEDULE, FINISHED), FINISHED.traces, FINISHED.faults)
    assert [fault.kind for fault in kept.faults] == ["pause", "resume", "kill"]


def test_parent_directories_are_made(tmp_path: Path) -> None:
    write(tmp_path / "runs" / "today" / "run", SCHEDULE, FINISHED, VERDICTS)
    assert (tmp_path / "runs" / "today" / "run" / "run.json").exists()


# -- the trace hash


def test_the_hash_is_that_of_the_files(tmp_path: Path) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    files = files_of(tmp_path / "run")
    from_files = replace(
        FINISHED,
        faults=files["faults.ndjson"],
        traces={
            name.removeprefix("traces/").removesuffix(".ndjson"): content
            for name, content in reversed(files.items())
            if name.startswith("traces/")
        },
    )
    assert read_json(tmp_path / "run" / "run.json")["trace_hash"] == trace_hash(from_files)


def with_traces(finished: Finished, **traces: bytes) -> Finished:
    return replace(finished, traces=traces)


@pytest.mark.parametrize(
    "other",
    [
        with_traces(FINISHED, a=b"one\n", b=b"two!\n"),
        with_traces(FINISHED, a=b"one\n", c=b"two\n"),
        with_traces(FINISHED, a=b"two\n", b=b"one\n"),
        with_traces(FINISHED, a=b"one\ntwo\n", b=b""),
        with_traces(FINISHED, a=b"one\n"),
        with_traces(FINISHED, a=b"one\ntraces/b.ndjsontwo\n"),
        replace(with_traces(FINISHED, a=b"one\n", b=b"two\n"), faults=b""),
    ],
    ids=["content", "name", "swapped", "moved", "missing", "boundary", "faults"],
)
def test_whatever_differs_in_the_traces_changes_the_hash(other: Finished) -> None:
    one = with_traces(FINISHED, a=b"one\n", b=b"two\n")
    assert trace_hash(other) != trace_hash(one)


def test_nothing_but_the_traces_changes_the_hash() -> None:
    other = replace(FINISHED, complete=False, duration_ns=1, measures={})
    assert trace_hash(other) == trace_hash(FINISHED)


# -- where it may be written


def test_an_empty_directory_may_be_used(tmp_path: Path) -> None:
    write(tmp_path, SCHEDULE, FINISHED, VERDICTS)
    assert (tmp_path / "run.json").exists()


def test_an_earlier_run_is_replaced_as_a_whole(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    write(directory, SCHEDULE, FINISHED, VERDICTS, topology=b"name: trial\n")
    lonely = Schedule(name="lonely", seed=1, lan=Lan(name="lan", nodes=("z",)))
    write(directory, lonely, simulate(lonely), VERDICTS)
    assert set(files_of(directory)) == {
        "run.json", "schedule.json", "faults.ndjson", "traces/z.1.ndjson", "verdicts.json",
    }  # fmt: skip
    assert read_json(directory / "run.json")["run"] == "lonely-1"


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for _ in range(2):
        write(tmp_path / "link", SCHEDULE, FINISHED, VERDICTS)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real" / "run.json").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "real"]


def test_a_directory_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_bytes(b"ten years of work")
    with pytest.raises(RunDirectoryError, match="holds something else than a run; expected a new"):
        write(tmp_path, SCHEDULE, FINISHED, VERDICTS)
    assert files_of(tmp_path) == {"thesis.tex": b"ten years of work"}


def test_a_file_in_the_way_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run").write_bytes(b"a file")
    with pytest.raises(RunDirectoryError, match="is not a directory"):
        write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    assert files_of(tmp_path) == {"run": b"a file"}


def test_usability_can_be_asked_for_before_a_long_run(tmp_path: Path) -> None:
    check_usable(tmp_path / "new")
    (tmp_path / "notes").write_bytes(b"")
    with pytest.raises(RunDirectoryError):
        check_usable(tmp_path)


# -- when writing fails


def disk_full_from(nth: int) -> Callable[[Path, bytes], int]:
    """A write_bytes that leaves half of the n-th file behind and fails, as do all after it."""
    right, written = Path.write_bytes, 0

    def write_bytes(path: Path, content: bytes) -> int:
        nonlocal written
        written += 1
        if written < nth:
            return right(path, content)
        right(path, content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    return write_bytes


FILES = 8
EVERY_FILE = pytest.mark.parametrize("nth", range(1, FILES + 1))


@EVERY_FILE
def test_a_full_disk_leaves_nothing_behind(
    nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "write_bytes", disk_full_from(nth))
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS, topology=b"name: trial\n")
    assert list(tmp_path.iterdir()) == []


@EVERY_FILE
def test_a_full_disk_leaves_the_earlier_run_as_it_was(
    nth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    before = files_of(tmp_path)
    monkeypatch.setattr(Path, "write_bytes", disk_full_from(nth))
    with pytest.raises(OSError, match="No space left"):
        write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS, topology=b"name: trial\n")
    assert files_of(tmp_path) == before


def test_what_a_crash_left_beside_it_is_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crash:
        crash.setattr(Path, "write_bytes", disk_full_from(3))
        crash.setattr("shutil.rmtree", lambda *_, **__: None)  # nobody cleans up after a kill -9
        with pytest.raises(OSError):
            write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    assert any(tmp_path.iterdir())
    write(tmp_path / "run", SCHEDULE, FINISHED, VERDICTS)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert read_run(tmp_path / "run").info.run == "trial-7"
