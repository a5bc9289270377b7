"""What `pennant compare` says of a comparison."""

from typing import Any

import pytest

from arena.api.schema import EXAMPLE_COMPARISON
from arena.cli.submitting import _describe_comparison, _describe_evidence

LUCK: dict[str, Any] = EXAMPLE_COMPARISON["luck"]


@pytest.mark.parametrize(
    ("luck", "evidence", "elo"),
    [
        (LUCK, "evidence +1.60 of ±2.94, +1.30 with luck", "+85 Elo, from +42 to +131"),
        (LUCK | {"is_suspended": True}, "evidence +1.30 of ±2.94", "+89 Elo, from +40 to +142"),
        (None, "evidence +1.30 of ±2.94", "+89 Elo, from +40 to +142"),
    ],
)
def test_results_less_luck_are_told_where_they_decide(luck: Any, evidence: str, elo: str) -> None:
    comparison = EXAMPLE_COMPARISON | {"luck": luck}
    assert _describe_evidence(comparison) == f"96 pairs, {evidence}"
    assert elo in _describe_comparison(comparison).splitlines()


def test_an_older_arena_that_tells_nothing_of_luck_is_understood() -> None:
    older = {name: value for name, value in EXAMPLE_COMPARISON.items() if name != "luck"}
    assert _describe_evidence(older) == "96 pairs, evidence +1.30 of ±2.94"
