"""The command as a process: how it ends when the machine, or somebody, wants it to end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PAIR = Path(__file__).parents[3] / "topologies" / "pair.yaml"
COMMAND = [sys.executable, "-c", "from transis.cli import main; main()"]
LONG_SOAK = [*COMMAND, "soak", "--runs", "100000", "--processes", "2"]
PATIENCE = 60


@contextmanager
def busy_soak(directory: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    """A soak with its workers at work, in a process group of its own."""
    soak = subprocess.Popen(
        LONG_SOAK, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    try:
        workers: list[int] = []
        while len(workers) < 2:
            assert soak.poll() is None
            workers = [pid for pid in children_of(soak.pid) if is_at_work(pid)]
        yield soak, workers
    finally:
        for pid in (soak.pid, *workers):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        soak.communicate()


def children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_at_work(pid: int) -> bool:
    """Whether it has read what to do: by then it has loaded what that takes."""
    return "msgspec" in Path(f"/proc/{pid}/maps").read_text()


def end_of_output(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Everything it and its workers print: this ends only when the last of them has ended."""
    return process.communicate(timeout=PATIENCE)


def test_a_soak_that_is_told_to_end_says_how_far_it_got(tmp_path: Path) -> None:
    with busy_soak(tmp_path) as (soak, _):
        soak.terminate()
        _, complaints = end_of_output(soak)
    assert soak.returncode == 130
    assert b"interrupted after" in complaints
    assert b"Traceback" not in complaints


def test_the_workers_of_a_killed_soak_end_too(tmp_path: Path) -> None:
    with busy_soak(tmp_path) as (soak, _):
        soak.kill()
        end_of_output(soak)
    assert soak.returncode == -signal.SIGKILL


def test_a_soak_without_its_workers_has_no_verdict(tmp_path: Path) -> None:
    with busy_soak(tmp_path) as (soak, workers):
        os.kill(workers[-1], signal.SIGKILL)
        out, complaints = end_of_output(soak)
    assert soak.returncode == 3
    assert b"a worker died after" in complaints
    assert out == b""


def test_a_full_disk_under_the_output_is_no_verdict(tmp_path: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, "engines"], stdout=full, stderr=subprocess.PIPE, cwd=tmp_path, check=False
        )
    assert done.returncode == 3
    assert done.stderr == b"transis: cannot go on: No space left on device\n"


def test_a_reader_that_has_seen_enough_ends_it_quietly(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [*COMMAND, "run", str(PAIR)], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.close()
    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait(PATIENCE) == -signal.SIGPIPE
