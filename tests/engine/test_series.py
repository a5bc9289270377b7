"""Series of games (BL-25)."""

from collections.abc import Sequence
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.battalion.game import Battalion
from engine.games.battleline.game import BattleLine
from engine.message import Message
from engine.series import (
    FIRST_SEATING,
    BadSeries,
    SeriesLength,
    add_series_scores,
    check_series,
    next_seating,
    series_points,
)

WON, LOST, DRAWN = ((1, 2), (5, 3)), ((2, 1), (0, 5)), ((1, 1), (2, 2))
"""Places and scores by seat."""
LENGTHS = st.one_of(
    st.integers(1, 15).map(lambda games: SeriesLength(games=games)),
    st.integers(5, 50).map(lambda points: SeriesLength(points=points)),
)
ENDINGS = st.lists(
    st.tuples(st.sampled_from(["first", "second", "drawn"]), st.integers(0, 4)), min_size=23, max_size=23
)
"""Of each game which seat won it, and the flags of the loser, or of each in a draw."""


def test_bl_25_points_of_all_games_are_added_by_player_wherever_it_sat() -> None:
    assert add_series_scores([((0, 1), WON[1])]) == (5, 3)
    assert add_series_scores([((1, 0), WON[1])]) == (3, 5)
    games = [((0, 1), WON[1]), ((0, 1), LOST[1]), ((1, 0), DRAWN[1])]
    assert add_series_scores(games) == (5 + 0 + 2, 3 + 5 + 2)


def test_bl_25_a_series_without_games_has_no_points() -> None:
    assert add_series_scores([]) == (0, 0)
    assert add_series_scores([], players=3) == (0, 0, 0)


@pytest.mark.parametrize(
    ("places", "seating", "following"),
    [
        (WON[0], (0, 1), (0, 1)),
        (WON[0], (1, 0), (1, 0)),
        (LOST[0], (0, 1), (1, 0)),
        (LOST[0], (1, 0), (0, 1)),
        (DRAWN[0], (0, 1), (0, 1)),
        (DRAWN[0], (1, 0), (1, 0)),
    ],
)
def test_bl_25_the_winner_begins_the_next_game_and_after_a_draw_the_same_player(
    places: tuple[int, int], seating: tuple[int, int], following: tuple[int, int]
) -> None:
    assert next_seating(seating, places) == following


def test_the_player_ahead_has_the_point_and_level_players_half_each() -> None:
    assert series_points((15, 11)) == (1, 0)
    assert series_points((11, 15)) == (0, 1)
    assert series_points((12, 12)) == (0.5, 0.5)


def play(length: SeriesLength, endings: Sequence[tuple[str, int]]) -> list[tuple[tuple[int, ...], tuple[int, int]]]:
    """Play by the functions of the engine; return seating and scores of each game."""
    games: list[tuple[tuple[int, ...], tuple[int, int]]] = []
    seating: tuple[int, ...] = FIRST_SEATING
    for winner, flags in endings:
        scores = {"first": (5, flags), "second": (flags, 5), "drawn": (flags, flags)}[winner]
        places = {"first": (1, 2), "second": (2, 1), "drawn": (1, 1)}[winner]
        games.append((seating, scores))
        if length.is_over(len(games), add_series_scores(games)):
            return games
        seating = next_seating(seating, places)
    raise AssertionError("no series is so long")


@given(LENGTHS, ENDINGS)
def test_bl_25_who_starts_and_when_it_ends_follow_from_the_words_of_the_rule(
    length: SeriesLength, endings: list[tuple[str, int]]
) -> None:
    games = play(length, endings)
    points, starter = {"Ana": 0, "Ben": 0}, "Ana"
    for number, (winner, flags) in zip(count(1), endings, strict=False):
        other = "Ben" if starter == "Ana" else "Ana"
        assert ("Ana", "Ben")[games[number - 1][0][0]] == starter
        if winner == "drawn":
            points[starter] += flags
            points[other] += flags
        else:
            won, lost = (starter, other) if winner == "first" else (other, starter)
            points[won] += 5
            points[lost] += flags
            starter = won
        if length.games is not None:
            over = number == length.games
        else:
            needed = length.points or 0
            over = points["Ana"] >= needed or points["Ben"] >= needed or number == length.max_games
        assert over is (number == len(games))
        if over:
            break
    assert add_series_scores(games) == (points["Ana"], points["Ben"])


@given(
    st.integers(5, 50),
    ENDINGS.map(lambda endings: [("first", flags) if w == "drawn" else (w, flags) for w, flags in endings]),
)
def test_without_draws_a_player_reaches_the_points_before_the_games_run_out(
    points: int, endings: list[tuple[str, int]]
) -> None:
    length = SeriesLength(points=points)
    games = play(length, endings)
    assert len(games) < length.max_games
    assert max(add_series_scores(games)) >= points


def test_a_series_of_draws_without_flags_ends_all_the_same() -> None:
    assert len(play(SeriesLength(points=50), [("drawn", 0)] * 23)) == SeriesLength(points=50).max_games == 23
    assert SeriesLength(points=5).max_games == 5
    assert SeriesLength(points=16).max_games == 11
    assert SeriesLength(games=15).max_games == 15


@pytest.mark.parametrize(
    ("games", "points", "sentence"),
    [
        (None, None, "A series ends after a set number of games or at a set score: choose one."),
        (3, 20, "A series ends after a set number of games or at a set score: choose one."),
        (0, None, "A series has 1 to 15 games, not 0."),
        (16, None, "A series has 1 to 15 games, not 16."),
        (None, 4, "The target score of a series is 5 to 50 points, not 4."),
        (None, 51, "The target score of a series is 5 to 50 points, not 51."),
        (True, None, "A series has 1 to 15 games, not True."),
        (None, 7.5, "The target score of a series is 5 to 50 points, not 7.5."),
        ("3", None, "A series has 1 to 15 games, not 3."),
    ],
)
def test_a_length_that_no_series_has_is_refused(games: int | None, points: int | None, sentence: str) -> None:
    with pytest.raises(BadSeries) as refused:
        SeriesLength(games, points)
    assert str(refused.value) == sentence
    assert Message.from_json(refused.value.message.to_json()) == refused.value.message


@given(LENGTHS)
def test_a_length_is_stored_as_json(length: SeriesLength) -> None:
    assert SeriesLength.from_json(length.to_json()) == length
    assert len(length.to_json()) == 1


def test_two_play_battle_line_in_series_and_nobody_else_anything() -> None:
    check_series(BattleLine(), 2)
    with pytest.raises(BadSeries, match="Battle Line can't be played as a series by this number of players: 3"):
        check_series(BattleLine(), 3)
    with pytest.raises(BadSeries, match="Battalion can't be played as a series by this number of players: 2"):
        check_series(Battalion(), 2)
