"""Which results of a day become its stories."""

from dataclasses import replace

import pytest

from arena.contests.ladders.showing import ShowableMatch, build_playlist
from arena.contests.stories.services import (
    Climb,
    DuelLeg,
    EntryPair,
    RatedBot,
    RatedDuel,
    choose_climber,
    choose_longest,
    choose_match_of_the_day,
    choose_rivalry,
    choose_upset,
)


def played(match: int, ratings: tuple[float, float], points: tuple[float, float], *decisions: int) -> RatedDuel:
    one, other = (RatedBot(10 * match + n, ratings[n], points[n], 2 * points[n], ratings[n]) for n in (0, 1))
    winners = {(1, 0): [one.entry] * 2, (0, 1): [other.entry] * 2}.get(points, [other.entry, one.entry])
    legs = zip(decisions or (50, 50), winners, strict=True)
    return RatedDuel(match, (one, other), tuple(DuelLeg(number, *leg) for number, leg in enumerate(legs, 1)))


def test_a_day_without_matches_has_no_story():
    assert choose_match_of_the_day([]) is choose_upset([]) is choose_longest([]) is None
    assert choose_rivalry([], []) is choose_climber([]) is None


def test_the_upset_is_the_win_of_the_least_likely():
    small, large = played(1, (1500, 1600), (1, 0)), played(2, (1700, 1300), (0, 1))
    draw, expected = played(3, (1000, 2000), (0.5, 0.5)), played(4, (2000, 1000), (1, 0))
    assert choose_upset([small, draw, large, expected]) is large
    assert large.winner and large.winner.entry == 21 and large.loser.entry == 20
    assert large.upset_chance == pytest.approx(1 / 11)
    assert choose_upset([draw, expected]) is None


def test_among_even_bots_nobody_is_surprised():
    assert choose_upset([played(1, (1500, 1550), (1, 0))]) is None
    assert choose_upset([played(1, (1500, 1551), (1, 0))]) is not None


def test_the_match_of_the_day_is_the_one_that_the_front_page_shows_first():
    high, close = played(1, (2000, 1500), (1, 0)), played(2, (1200, 1200), (1, 0))
    both, same = played(3, (1700, 1690), (0, 1)), played(4, (1690, 1700), (0, 1))
    assert choose_match_of_the_day([high, close, both, same]) is same
    shown = [ShowableMatch(one.match, (1, 2), tuple(side.rating for side in one.sides)) for one in (same, both, close)]
    assert build_playlist(shown, 1)[0].match == same.match


def test_the_longest_is_that_of_the_leg_with_the_most_decisions():
    short, long, as_long = (
        played(n, (1, 1), (1, 0), *moves) for n, moves in ((1, (40, 41)), (2, (90, 9)), (3, (9, 90)))
    )
    assert choose_longest([short, long, as_long]) is long and long.longest_leg.number == 1


def test_of_a_win_a_leg_is_shown_that_was_won():
    drawn, won = played(1, (1, 1), (0.5, 0.5), 40, 60), played(2, (1, 1), (1, 0), 50, 50)
    assert (drawn.told_leg.number, won.told_leg.number) == (2, 1)
    lost_leg = replace(won, legs=(DuelLeg(1, 99, won.sides[1].entry), DuelLeg(2, 9, won.sides[0].entry)))
    assert lost_leg.told_leg.number == 2


def test_a_rivalry_is_old_close_and_went_on_that_day():
    new, lopsided = EntryPair(1, 2, 9, 4.5), EntryPair(3, 4, 60, 32)
    even, older = EntryPair(5, 6, 20, 10), EntryPair(7, 8, 30, 16)
    met = [
        replace(played(1, (1, 1), (1, 0)), sides=(side(one.first), side(one.second))) for one in (new, lopsided, even)
    ]
    assert choose_rivalry([new, lopsided, even, older], met) is even
    met.append(replace(met[0], sides=(side(8), side(7))))
    assert choose_rivalry([new, lopsided, even, older], met) is older
    assert choose_rivalry([new, lopsided], met) is None


def side(entry: int) -> RatedBot:
    return RatedBot(entry, 1500, 1, 2, 1500)


def test_a_climb_of_less_than_ten_points_is_none():
    assert choose_climber([Climb(1, 1500, 1509)]) is None
    assert choose_climber([Climb(1, 1500, 1509), Climb(2, 1400, 1440), Climb(3, 1800, 1700)]) == Climb(2, 1400, 1440)
