"""A fixture for every mistake a user can make, with the exact report.

To rewrite the reports after a change of wording, and then review them:
    python tests/netem/topology/test_topology_mistakes.py
"""

from pathlib import Path

import pytest

from netem.topology import TopologyErrors, load

MISTAKES = Path(__file__).parent / "mistakes"
FIXTURES = sorted(MISTAKES.glob("*.yaml"))


def report_of(path: Path) -> str:
    try:
        load(path)
    except TopologyErrors as errors:
        return str(errors).replace(f"{path.parent}/", "") + "\n"
    return "no mistake\n"


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_the_report_says_what_is_wrong_and_what_was_expected(path: Path) -> None:
    assert report_of(path) == path.with_suffix(".expected").read_text(encoding="utf-8")


def test_every_fixture_has_a_report_and_every_report_a_fixture() -> None:
    reports = {path.stem for path in MISTAKES.glob("*.expected")}
    assert reports == {path.stem for path in FIXTURES}


def test_no_fixture_is_free_of_mistakes() -> None:
    assert [path.stem for path in FIXTURES if report_of(path) == "no mistake\n"] == []


def test_a_missing_file(tmp_path: Path) -> None:
    assert report_of(tmp_path / "none.yaml") == (
        "none.yaml: there is no such file; "
        "expected a topology file, such as topologies/one-lan.yaml\n"
    )


def test_a_directory(tmp_path: Path) -> None:
    (tmp_path / "lans.yaml").mkdir()
    assert report_of(tmp_path / "lans.yaml") == (
        "lans.yaml: this is a directory; expected a topology file\n"
    )


def test_an_unreadable_file(tmp_path: Path) -> None:
    # Root may read anything, but not a file below a file.
    (tmp_path / "file").write_text("")
    assert report_of(tmp_path / "file" / "t.yaml") == (
        "t.yaml: cannot read the file: Not a directory; expected a readable file\n"
    )


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text("#" * (2 * 2**20 + 1))
    assert report_of(path) == "t.yaml: the file is too large; expected at most 2097152 bytes\n"


@pytest.mark.parametrize("text", ["[" * 100_000, "a: " + "{b: " * 20 + "1" + "}" * 20])
def test_a_file_that_is_too_deep(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(text)
    assert report_of(path) == (
        "t.yaml:1: values are nested too deeply; expected at most 12 levels\n"
    )


def test_aliases_cannot_make_a_small_file_a_huge_one(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    levels = [f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]" for i in range(1, 8)]
    path.write_text("\n".join(["l0: &l0 [1, 2, 3]", *levels]))
    assert "the file has too many values; expected at most 500000" in report_of(path)


def test_mistakes_are_values_in_the_order_of_the_lines() -> None:
    path = MISTAKES / "many-mistakes.yaml"
    with pytest.raises(TopologyErrors) as caught:
        load(path)
    lines = [mistake.line for mistake in caught.value.mistakes]
    assert lines == [1, 2, 6, 7, 8, 10, 12, 12, 12, 13, 16, 17]
    assert caught.value.mistakes[2].file == str(path)
    assert caught.value.mistakes[2].message == "agreed: 'totto' is unknown"
    assert caught.value.mistakes[2].expected == "one of allack, toto (did you mean toto?)"


if __name__ == "__main__":
    for fixture in FIXTURES:
        fixture.with_suffix(".expected").write_text(report_of(fixture), encoding="utf-8")
