"""Which results of a day become its stories."""

import pytest

from arena.contests.stories.services import (
    Climb,
    EntryPair,
    RatedBot,
    RatedDuel,
    choose_climber,
    choose_longest,
    choose_match_of_the_day,
    choose_rivalry,
    choose_upset,
)


def played(match: int, ratings: tuple[float, float], points: tuple[float, float], decisions: int = 50) -> RatedDuel:
    sides = (RatedBot(10 * match, ratings[0], points[0]), RatedBot(10 * match + 1, ratings[1], points[1]))
    return RatedDuel(match, sides, 1, decisions)


def test_a_day_without_matches_has_no_story():
    assert choose_match_of_the_day([]) is choose_upset([]) is choose_longest([]) is None
    assert choose_rivalry([]) is choose_climber([]) is None


def test_the_upset_is_the_win_of_the_least_likely():
    small, large = played(1, (1500, 1600), (1, 0)), played(2, (1700, 1300), (0, 1))
    draw, expected = played(3, (1000, 2000), (0.5, 0.5)), played(4, (2000, 1000), (1, 0))
    assert choose_upset([small, draw, large, expected]) is large
    assert large.winner and large.winner.entry == 21 and large.loser.entry == 20
    assert large.upset_chance == pytest.approx(1 / 11)
    assert choose_upset([draw, expected]) is None


def test_the_match_of_the_day_is_high_and_close():
    high, close = played(1, (2000, 1500), (1, 0)), played(2, (1200, 1200), (1, 0))
    both = played(3, (1700, 1690), (0, 1))
    assert choose_match_of_the_day([high, close, both]) is both


def test_the_longest_is_that_of_the_most_decisions():
    short, long = played(1, (1, 1), (1, 0), 40), played(2, (1, 1), (1, 0), 90)
    assert choose_longest([short, long]) is long


def test_a_rivalry_is_old_and_undecided():
    new, lopsided = EntryPair(1, 2, 9, 4.5), EntryPair(3, 4, 60, 40)
    even, older = EntryPair(5, 6, 20, 10), EntryPair(7, 8, 30, 17)
    assert choose_rivalry([new, lopsided, even, older]) is older
    assert choose_rivalry([new, lopsided]) is None


def test_a_climb_of_less_than_ten_points_is_none():
    assert choose_climber([Climb(1, 1500, 1509)]) is None
    assert choose_climber([Climb(1, 1500, 1509), Climb(2, 1400, 1440), Climb(3, 1800, 1700)]) == Climb(2, 1400, 1440)
