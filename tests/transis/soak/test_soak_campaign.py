"""Campaigns: all cores, one result; failures are kept, shrunk and can be run again."""

import json
from pathlib import Path

import pytest
from mutants import only_the_origin_answers, takes_duplicates_for_new, window_never_reopens

from netem.rundir import trace_hash
from transis.judged import run_and_judge
from transis.soak.campaign import (
    MOST_SHRUNK,
    Failure,
    Tally,
    campaign,
    shrink_failures,
    worst_first,
)
from transis.soak.failures import FailureError, read, save
from transis.soak.schedules import everybody_can_be_heard, make_schedule


def ignore(_: Tally) -> None:
    pass


def test_every_run_holds_and_is_counted_once() -> None:
    seen: list[int] = []
    tally = campaign(1, 12, processes=1, done=lambda tally: seen.append(tally.runs))
    assert seen == list(range(1, 13))
    assert tally.failures == []
    assert tally.statuses["termination", "holds"] >= 10


def test_more_processes_find_the_same() -> None:
    alone = campaign(3, 16, processes=1, done=ignore)
    together = campaign(3, 16, processes=2, done=ignore)
    assert together.statuses == alone.statuses


def test_failures_are_shrunk_and_saved_so_that_they_can_be_replayed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    window_never_reopens(monkeypatch)
    tally = campaign(1, 12, processes=1, done=ignore)
    assert len(tally.failures) > MOST_SHRUNK
    assert tally.count("violated") == len(tally.failures)
    tries: list[int] = []
    shrink_failures(tally, tmp_path, progress=lambda _, number: tries.append(number))
    assert tries
    assert [bool(failure.file) for failure in tally.failures[: MOST_SHRUNK + 1]] == [
        *[True] * MOST_SHRUNK,
        False,
    ]
    saved = json.loads(Path(tally.failures[0].file or "").read_text())
    assert "termination" in {v["guarantee"] for v in saved["verdicts"] if v["status"] == "violated"}
    assert read(Path(tally.failures[0].file or "")).trace_hash == saved["trace_hash"]


def test_an_engine_that_breaks_down_is_a_failure_like_any_other(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    takes_duplicates_for_new(monkeypatch)
    tally = campaign(1, 8, processes=1, done=ignore)
    broken = [failure for failure in tally.failures if failure.first.guarantee == "no breakdown"]
    assert broken
    assert "AssertionError" in broken[0].first.summary
    tally.failures = broken[:1]
    shrink_failures(tally, tmp_path)
    saved = read(Path(broken[0].file or ""))
    assert saved.trace_hash == trace_hash(run_and_judge(saved.schedule).finished)
    assert saved.schedule.messages <= 3


def test_a_failure_does_not_shrink_to_one_that_is_no_wonder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of three nodes one is deaf towards another: without the third nothing could be delivered."""
    only_the_origin_answers(monkeypatch)
    verdicts = worst_first(run_and_judge(make_schedule(77, 1248)).verdicts)
    tally = Tally(77, failures=[Failure(1248, verdicts)])
    shrink_failures(tally, tmp_path)
    small = read(tmp_path / "soak-77-1248.json").schedule
    assert everybody_can_be_heard(small)
    assert len(small.lan.nodes) == 3


def test_a_full_disk_leaves_no_half_of_a_failure(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, schedule = tmp_path / "failure.json", make_schedule(1, 1)
    save(path, schedule, [], "the first", "a test")
    right = Path.write_bytes

    def write_half(file: Path, content: bytes) -> int:
        right(file, content[: len(content) // 2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write_half)
    with pytest.raises(OSError, match="No space left"):
        save(path, schedule, [], "the second", "a test")
    assert list(tmp_path.iterdir()) == [path]
    assert read(path).trace_hash == "the first"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "this is no saved schedule"),
        (b"[]", "expected a JSON object"),
        (b'{"schedule": 3, "schema": 1}', "expected a saved failure of schema 1"),
        (b'{"schedule": {}, "schema": 9}', "expected a saved failure of schema 1"),
    ],
)
def test_a_file_that_is_no_failure_is_refused(
    tmp_path: Path, content: bytes, complaint: str
) -> None:
    path = tmp_path / "failure.json"
    path.write_bytes(content)
    with pytest.raises(FailureError, match=complaint):
        read(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FailureError, match="No such file"):
        read(tmp_path / "none.json")
