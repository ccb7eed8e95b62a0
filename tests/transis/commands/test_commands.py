"""The command line as a user or a program meets it: what it prints, and its exit codes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from node.lansis.order import allack
from transis.cli import app

TOPOLOGIES = Path(__file__).parents[3] / "topologies"
PAIR = str(TOPOLOGIES / "pair.yaml")
ONE_LAN = str(TOPOLOGIES / "one-lan.yaml")


def transis(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments), catch_exceptions=False)


def printed(result: Result) -> Any:
    return json.loads(result.stdout)


@pytest.fixture
def broken_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allack, "tie_break", lambda vertex: 0)


@pytest.fixture
def breakdown(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(vertex: object) -> int:
        raise AssertionError("this cannot be")

    monkeypatch.setattr(allack, "tie_break", break_down)


@pytest.mark.parametrize("command", ["run", "soak", "replay", "check", "engines", "sniff"])
def test_every_command_explains_itself(command: str) -> None:
    result = transis(command, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout
    assert command in transis("--help").stdout


def test_the_version() -> None:
    assert transis("--version").stdout.strip().count(".") == 2


# -- run


def test_run_prints_a_verdict_for_every_guarantee(tmp_path: Path) -> None:
    result = transis("run", PAIR, "--out", str(tmp_path / "run"))
    assert result.exit_code == 0
    for word in ("integrity", "total order", "termination", "holds", "per message", "index, safe"):
        assert word in result.stdout


def test_run_writes_all_that_it_takes_to_judge_and_to_run_again(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    result = transis("run", ONE_LAN, "--scenario", "slow-one", "--out", str(directory), "--json")
    data = printed(result)
    assert sorted(path.name for path in directory.iterdir()) == [
        "faults.ndjson", "run.json", "schedule.json", "topology.yaml", "traces", "verdicts.json",
    ]  # fmt: skip
    assert (directory / "topology.yaml").read_text() == Path(ONE_LAN).read_text()
    assert json.loads((directory / "run.json").read_text())["trace_hash"] == data["trace_hash"]
    assert json.loads((directory / "verdicts.json").read_text())["verdicts"] == data["verdicts"]
    assert {verdict["status"] for verdict in data["verdicts"]} == {"holds"}
    assert data["summary"]["complete"] is True

    again = transis("check", str(directory), "--json")
    assert again.exit_code == 0
    assert printed(again)["verdicts"] == data["verdicts"]

    replayed = printed(transis("replay", str(directory), "--json"))
    assert replayed["reproduced"] is True
    assert replayed["trace_hash"] == data["trace_hash"]


def test_run_goes_by_the_seed(tmp_path: Path) -> None:
    def trace_hash(seed: str) -> str:
        result = transis("run", ONE_LAN, "--seed", seed, "--out", str(tmp_path / "run"), "--json")
        return str(printed(result)["trace_hash"])

    assert trace_hash("5") == trace_hash("5") != trace_hash("6")


def test_run_says_violated_with_exit_code_1(tmp_path: Path, broken_order: None) -> None:
    result = transis("run", PAIR, "--out", str(tmp_path / "run"))
    assert result.exit_code == 1
    assert "total order: violated" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["none.yaml"], "none.yaml: there is no such file; expected a topology file"),
        ([PAIR, "--scenario", "storm"], "unknown scenario 'storm'"),
        ([PAIR, "--seed", "-1"], "--seed"),
        ([PAIR, "--seed", str(2**63)], "--seed"),
        ([PAIR, "--backend", "moon"], "moon"),
        ([], "TOPOLOGY"),
    ],
)
def test_run_tells_mistakes_with_exit_code_2(arguments: list[str], complaint: str) -> None:
    result = transis("run", *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stdout == ""


def test_a_program_gets_mistakes_as_data(tmp_path: Path) -> None:
    topology = tmp_path / "my.yaml"
    topology.write_text("name: my\nlans: 3\n")
    result = transis("run", str(topology), "--json")
    assert result.exit_code == 2
    (mistake,) = printed(result)["error"]["mistakes"]
    assert (mistake["file"], mistake["line"]) == (str(topology), 2)
    assert "mapping" in mistake["expected"]


def test_a_node_that_breaks_down_is_a_violation_with_traces_to_look_into(
    tmp_path: Path, breakdown: None
) -> None:
    directory = tmp_path / "run"
    result = transis("run", PAIR, "--out", str(directory), "--json")
    assert result.exit_code == 1
    data = printed(result)
    assert data["verdicts"][0]["guarantee"] == "no breakdown"
    assert data["verdicts"][0]["summary"] == "AssertionError: this cannot be"
    assert "break_down" in data["verdicts"][0]["evidence"][0]
    assert '"e":"send"' in (directory / "traces" / "a.1.ndjson").read_text()
    again = transis("replay", str(directory), "--json")
    assert again.exit_code == 1
    assert printed(again)["reproduced"] is True


def test_run_does_not_touch_a_directory_that_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    result = transis("run", PAIR, "--out", str(tmp_path))
    assert result.exit_code == 2
    assert "holds something else than a run" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_run_records_the_wire_for_sniff(tmp_path: Path) -> None:
    pcap = tmp_path / "wire.pcap"
    ran = printed(
        transis("run", ONE_LAN, "--out", str(tmp_path / "run"), "--pcap", str(pcap), "--json")
    )
    lines = [json.loads(line) for line in transis("sniff", str(pcap), "--json").stdout.splitlines()]
    frames = [line for line in lines if line["kind"] != "summary"]
    assert len(frames) == ran["summary"]["datagrams"]
    assert sum(frame["bytes"] for frame in frames) == ran["summary"]["wire_bytes"]


def test_run_says_when_the_capture_cannot_be_written(tmp_path: Path) -> None:
    pcap = str(tmp_path / "none" / "wire.pcap")
    result = transis("run", PAIR, "--out", str(tmp_path / "run"), "--pcap", pcap)
    assert result.exit_code == 2
    assert f"cannot write {pcap}" in result.stderr


def test_run_says_when_the_capture_cannot_be_finished(tmp_path: Path) -> None:
    result = transis("run", PAIR, "--out", str(tmp_path / "run"), "--pcap", "/dev/full")
    assert result.exit_code == 2
    assert "cannot write /dev/full: No space left on device" in result.stderr


# -- check


@pytest.fixture
def pair_run(tmp_path: Path) -> Path:
    transis("run", PAIR, "--out", str(tmp_path / "run"))
    return tmp_path / "run"


def test_check_says_unknown_with_exit_code_3(pair_run: Path) -> None:
    trace = pair_run / "traces" / "a.1.ndjson"
    trace.write_bytes(trace.read_bytes()[:-50])
    result = transis("check", str(pair_run))
    assert result.exit_code == 3
    assert "unknown" in result.stdout


def test_check_says_violated_when_a_delivery_is_missing(pair_run: Path) -> None:
    trace = pair_run / "traces" / "a.1.ndjson"
    lines = trace.read_bytes().splitlines(keepends=True)
    lines.remove(next(line for line in lines if b'"deliver"' in line))
    trace.write_bytes(b"".join(lines))
    assert transis("check", str(pair_run)).exit_code == 1


def test_check_of_something_else_is_a_mistake(tmp_path: Path) -> None:
    result = transis("check", str(tmp_path))
    assert result.exit_code == 2
    assert "run.json: cannot be read" in result.stderr
    assert "expected a run directory" in result.stderr


def test_check_names_the_line_that_is_damaged(pair_run: Path) -> None:
    trace = pair_run / "traces" / "a.1.ndjson"
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join([*lines[:3], b"{damaged\n", *lines[4:]]))
    result = transis("check", str(pair_run))
    assert result.exit_code == 2
    assert f"{trace}:4: " in result.stderr
    assert "expected a run directory" not in result.stderr


# -- soak and replay


def test_soak_holds(tmp_path: Path) -> None:
    result = transis("soak", "--runs", "6", "--processes", "1", "--out", str(tmp_path), "--json")
    data = printed(result)
    assert result.exit_code == 0
    assert (data["runs"], data["violated"], data["unknown"]) == (6, 0, 0)
    assert sum(data["guarantees"]["integrity"].values()) == 6
    assert set(data["guarantees"]["integrity"]) <= {"holds", "not exercised"}
    assert list(tmp_path.iterdir()) == []


def test_soak_saves_what_fails_and_replay_shows_it_again(
    tmp_path: Path, broken_order: None
) -> None:
    arguments = ["--runs", "10", "--processes", "1", "--out", str(tmp_path)]
    result = transis("soak", *arguments)
    assert result.exit_code == 1
    files = sorted(tmp_path.iterdir())
    assert files
    assert f"transis replay {files[0]}" in result.stdout.replace("\n", "")
    replayed = transis("replay", str(files[0]), "--out", str(tmp_path / "run"))
    assert replayed.exit_code == 1
    assert "the trace is the same as the saved one" in replayed.stdout
    assert (tmp_path / "run" / "traces").is_dir()


def test_replay_of_a_mended_bug_holds(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(allack, "tie_break", lambda vertex: 0)
        transis("soak", "--runs", "10", "--processes", "1", "--out", str(tmp_path))
    file = min(tmp_path.iterdir())
    assert transis("replay", str(file), "--json").exit_code == 0


def test_replay_of_something_else_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "note.json").write_text('{"schema": 1, "name": "x"}')
    result = transis("replay", str(tmp_path / "note.json"))
    assert result.exit_code == 2
    assert f"transis replay: {tmp_path / 'note.json'}: " in result.stderr
    result = transis("replay", str(tmp_path))
    assert result.exit_code == 2
    assert "expected a run directory" in result.stderr


def test_soak_tells_its_verdict_also_when_failures_cannot_be_saved(
    tmp_path: Path, broken_order: None
) -> None:
    (tmp_path / "file").write_text("in the way")
    arguments = ["--runs", "4", "--processes", "1", "--out", str(tmp_path / "file")]
    result = transis("soak", *arguments)
    assert result.exit_code == 1
    assert "cannot save failures" in result.stderr
    assert "not saved" in result.stdout


@pytest.mark.parametrize("command", [["run", PAIR], ["soak", "--runs", "3", "--processes", "1"]])
def test_an_interruption_is_no_verdict(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(vertex: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(allack, "tie_break", interrupt)
    result = transis(*command, "--out", str(tmp_path / "out"))
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert list(tmp_path.iterdir()) == []


# -- engines


def test_engines_promise_what_figure_3_says() -> None:
    promises = printed(transis("engines", "--json"))["engines"]
    toto = {each["service"]: each["index"] for each in promises if each["agreed"] == "toto"}
    assert toto == {"basic": "1", "causal": "1", "agreed": "⌊n/2⌋+1", "safe": "n"}
    across = {(each["agreed"], each["service"]): each["across_partitions"] for each in promises}
    assert across["allack", "agreed"] == "one order, also between components"
    assert across["toto", "agreed"] == "one order within a component only"


def test_engines_prints_a_table() -> None:
    assert "⌊n/2⌋+1" in transis("engines").stdout


# -- the real command


def test_the_installed_command_gives_its_exit_code_to_the_shell(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from transis.cli import main; main()", "run", "none.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("none.yaml: there is no such file")
    assert "Traceback" not in done.stderr
