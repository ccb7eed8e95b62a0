"""What the README shows is what the command prints."""

import re
from pathlib import Path

from typer.testing import CliRunner

from transis.cli import app

ROOT = Path(__file__).parents[3]


def test_the_first_look_is_true(tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"\$ \.venv/bin/transis (run .*)\n((?:.+\n)+?)```", readme)
    assert shown is not None
    arguments = shown.group(1).replace("topologies/", f"{ROOT}/topologies/").split()
    result = CliRunner().invoke(
        app, [*arguments, "--out", str(tmp_path / "run")], env={"COLUMNS": "200"}
    )
    printed = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in shown.group(2).splitlines():
        assert line == "…" or " ".join(line.split()) in printed


def test_every_command_is_in_the_table_and_every_page_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = {
        command.callback.__name__ for command in app.registered_commands if command.callback
    }
    assert set(re.findall(r"^\| `transis (\w+)", readme, re.MULTILINE)) == commands
    for page in re.findall(r"\]\(([^)]+)\)", readme):
        assert (ROOT / page).exists(), page
