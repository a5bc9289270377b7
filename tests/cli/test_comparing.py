"""What `pennant compare` says of a comparison."""

from typing import Any

import pytest

from arena.cli.submitting import _describe_comparison, _describe_evidence

LUCK = {"llr": 1.6, "estimate": {"elo": 85.1, "low": 41.9, "high": 131.0}, "is_suspended": False}
COMPARISON: dict[str, Any] = {
    "version": {"bot": "kingfisher", "version": 4},
    "baseline": {"bot": "kingfisher", "version": 3},
    "state": "running",
    "state_reason": "",
    "llr": 1.3,
    "llr_bound": 2.944439,
    "pairs": 96,
    "estimate": {"elo": 88.7, "low": 39.5, "high": 141.5},
    "luck": LUCK,
    "promoted_at": None,
    "html_url": "https://arena.example.org/comparisons/12/",
}
BOUNDS = "(+2.94 means better, -2.94 not better)"


@pytest.mark.parametrize(
    ("luck", "evidence", "elo"),
    [
        (LUCK, f"evidence +1.60 {BOUNDS}, +1.30 with luck", "+85 Elo, from +42 to +131"),
        (
            LUCK | {"is_suspended": True},
            f"evidence +1.30 {BOUNDS}",
            "+89 Elo, from +40 to +142",
        ),
        (None, f"evidence +1.30 {BOUNDS}", "+89 Elo, from +40 to +142"),
    ],
)
def test_results_less_luck_are_told_where_they_decide(luck: Any, evidence: str, elo: str) -> None:
    comparison = COMPARISON | {"luck": luck}
    assert _describe_evidence(comparison) == f"96 pairs, {evidence}"
    assert elo in _describe_comparison(comparison).splitlines()


def test_an_older_arena_that_tells_nothing_of_luck_is_understood() -> None:
    older = {name: value for name, value in COMPARISON.items() if name != "luck"}
    assert _describe_evidence(older) == f"96 pairs, evidence +1.30 {BOUNDS}"
