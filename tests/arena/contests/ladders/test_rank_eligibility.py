import pytest

from arena.contests.ladders.rating import is_certain, is_ranked


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
    assert is_ranked(is_certain(deviation, 200), matches, opponents, others) is settled


@pytest.mark.parametrize(
    "deviation, matches, keeps",
    [(60, 20, True), (60.1, 300, False), (20, 19, False)],
)
def test_a_rank_is_kept_until_the_rating_is_no_longer_certain(deviation: float, matches: int, keeps: bool) -> None:
    certain = is_certain(deviation, 200)
    assert is_ranked(certain, matches, opponents=3, others=50, was_ranked=True) is keeps
    assert is_ranked(certain, matches, opponents=3, others=50) is False


def test_where_bots_are_far_apart_a_wider_margin_is_enough() -> None:
    """`careful` had ±135 after 61 matches on a ladder from `random` to `marshal`."""
    assert is_certain(69, spread=450)
    assert not is_certain(69, spread=300)
    assert not is_certain(91, spread=450)


def test_a_sure_place_needs_no_certain_rating() -> None:
    assert is_certain(150, spread=200, has_sure_place=True)
