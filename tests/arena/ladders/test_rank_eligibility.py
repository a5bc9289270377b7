import pytest

from arena.ladders.rank_eligibility import is_ranked


@pytest.mark.parametrize(
    "deviation, matches, opponents, others, settled",
    [
        (60, 20, 8, 30, True),
        (60.1, 20, 8, 30, False),
        (20, 19, 8, 30, False),
        (20, 20, 7, 30, False),
        (20, 20, 5, 5, True),
        (20, 59, 5, 30, False),
        (20, 60, 5, 30, True),
        (61, 300, 30, 30, False),
    ],
)
def test_settled_is_who_is_known_well_and_has_met_many(
    deviation: float, matches: int, opponents: int, others: int, settled: bool
) -> None:
    assert is_ranked(deviation, matches, opponents, others) is settled
