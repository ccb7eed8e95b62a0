"""Bounds: what a node says at its end of what it ever held."""

from oracle_builder import Story

from oracle.verdict import Verdict


def bounds(measures: dict[str, int]) -> Verdict:
    story = Story("a", "b")
    story.measures = measures
    return story.verdict("bounds")


def test_a_peak_at_its_bound_is_fine() -> None:
    assert bounds({"peak_store": 7, "bound_store": 7, "frames": 1000}).status == "holds"


def test_a_peak_above_its_bound_is_not() -> None:
    verdict = bounds({"peak_store": 8, "bound_store": 7})
    assert verdict.status == "violated"
    assert "a.1 ends having had 8 in its store, where 7 is the bound" in verdict.evidence[0]


def test_a_peak_without_a_bound_promises_nothing() -> None:
    assert bounds({"peak_store": 8}).status == "not exercised"
