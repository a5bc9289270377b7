import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating.elo import expected_score, find_upset_chance


@pytest.mark.parametrize("lead, share", [(0, 0.5), (100, 0.640065), (400, 0.909091), (700, 0.982528)])
def test_expectation_is_that_of_the_published_curve(lead: float, share: float) -> None:
    assert expected_score(lead) == pytest.approx(share, abs=1e-6)


def test_a_tournament_is_expected_as_in_the_textbook() -> None:
    """The worked example of the Elo article: 1613 against five opponents."""
    assert sum(expected_score(1613 - other) for other in (1609, 1477, 1388, 1586, 1720)) == pytest.approx(
        2.8666, abs=1e-4
    )


@given(st.floats(-5000, 5000))
def test_both_shares_make_a_whole(lead: float) -> None:
    assert expected_score(lead) + expected_score(-lead) == pytest.approx(1)


def test_only_the_win_of_the_weaker_is_an_upset() -> None:
    assert find_upset_chance(1500, 1600) == pytest.approx(0.359935, abs=1e-6)
    assert find_upset_chance(1600, 1500) is None and find_upset_chance(1500, 1500) is None
