"""Scoring a series of games (BL-25)."""

import pytest

from engine.core import Outcome
from engine.games.battleline.series import next_first_player, series_score

WON = Outcome((1, 2), (5, 3), "breakthrough")
LOST = Outcome((2, 1), (0, 5), "envelopment")
DRAWN = Outcome((1, 1), (2, 2), "passes")


def test_bl_25_points_of_all_games_are_added_by_player_wherever_it_sat() -> None:
    assert series_score([(WON, (0, 1))]) == [5, 3]
    assert series_score([(WON, (1, 0))]) == [3, 5]
    assert series_score([(WON, (0, 1)), (LOST, (0, 1)), (DRAWN, (1, 0))]) == [5 + 0 + 2, 3 + 5 + 2]


def test_bl_25_a_series_without_games_has_no_points() -> None:
    assert series_score([]) == [0, 0]
    assert series_score([], players=3) == [0, 0, 0]


def test_bl_25_scoring_takes_what_it_is_given_and_changes_none_of_it() -> None:
    games = [(WON, [0, 1]), (DRAWN, [1, 0])]
    assert series_score(games) == series_score(games) == [7, 5]
    assert games == [(WON, [0, 1]), (DRAWN, [1, 0])]


@pytest.mark.parametrize(
    ("outcome", "seating", "first"),
    [(WON, (0, 1), 0), (WON, (1, 0), 1), (LOST, (0, 1), 1), (LOST, (1, 0), 0), (DRAWN, (0, 1), 0), (DRAWN, (1, 0), 1)],
)
def test_bl_25_the_winner_begins_the_next_game_and_after_a_draw_the_same_player(
    outcome: Outcome, seating: tuple[int, int], first: int
) -> None:
    assert next_first_player(outcome, seating) == first
