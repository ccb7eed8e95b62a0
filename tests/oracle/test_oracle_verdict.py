"""What verdicts come to together, and how they are written down."""

import json

import pytest

from oracle.verdict import Status, Verdict, as_data, exit_code, overall


def verdicts(*statuses: Status) -> list[Verdict]:
    return [Verdict(f"guarantee {i}", status, "because") for i, status in enumerate(statuses)]


@pytest.mark.parametrize(
    ("statuses", "worst", "code"),
    [
        (("holds", "holds"), "holds", 0),
        (("holds", "not exercised"), "holds", 0),
        (("not promised", "holds"), "holds", 0),
        (("not exercised", "not promised"), "not exercised", 0),
        (("not exercised",), "not exercised", 0),
        ((), "not exercised", 0),
        (("holds", "unknown", "not exercised"), "unknown", 3),
        (("unknown", "violated"), "violated", 1),
        (("violated", "holds", "unknown"), "violated", 1),
    ],
)
def test_the_worst_counts(statuses: tuple[Status, ...], worst: Status, code: int) -> None:
    assert overall(verdicts(*statuses)) == worst
    assert exit_code(verdicts(*statuses)) == code


def test_the_content_of_verdicts_json() -> None:
    given = [Verdict("safe", "violated", "late", ("at 1 s", "at 2 s")), *verdicts("unknown")]
    data = as_data(given)
    assert json.loads(json.dumps(data)) == {
        "schema": 1,
        "overall": "violated",
        "exit_code": 1,
        "verdicts": [
            {
                "guarantee": "safe",
                "status": "violated",
                "summary": "late",
                "evidence": ["at 1 s", "at 2 s"],
            },
            {
                "guarantee": "guarantee 0",
                "status": "unknown",
                "summary": "because",
                "evidence": [],
            },
        ],
    }
