"""What may still become of a tournament."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ladders.rating.elo import expected_score
from arena.tournaments.formats import FORMATS
from arena.tournaments.formats.neighbours import pair_neighbours
from arena.tournaments.settings import Settings
from arena.tournaments.simulation import DRAWN_LEG_SHARE, play_duel, play_series, play_table, simulate
from arena.tournaments.standings import rank
from engine.series import SeriesLength
from tests.arena.tournaments.formats.field import better_seed_wins, chance, entrants, fields, outcomes, play
from tests.full import examples

RATINGS = {1: 2400, 2: 1700, 3: 1600, 4: 1500, 5: 1400, 6: 1300}
SIX = entrants(6)
SETTINGS = Settings(rounds=3, seed="heron", seats=3)


def hoped(key, field=SIX, rounds=(), ratings=RATINGS, **drawing):
    return simulate(FORMATS[key], field, rounds, SETTINGS, ratings, **{"runs": 30, "seed": "egret", **drawing})


@pytest.mark.parametrize("key", FORMATS)
def test_before_the_start_the_strongest_is_the_likeliest(key):
    found = hoped(key)
    assert set(found) == set(RATINGS)
    assert found[1].win > 0.9 and found[1].place < 1.5
    assert sum(one.win for one in found.values()) == pytest.approx(1)
    assert all(0 <= one.win <= one.podium <= 1 <= one.place <= 6 for one in found.values())
    assert found[6].place > found[2].place
    assert sum(one.podium for one in found.values()) >= 3 - 1e-9


@pytest.mark.parametrize("key", FORMATS)
def test_the_same_seed_gives_the_same_chances(key):
    even = dict.fromkeys(RATINGS, 1500)
    assert hoped(key, ratings=even, runs=5) == hoped(key, ratings=even, runs=5)
    assert hoped(key, ratings=even, runs=5) != hoped(key, ratings=even, runs=5, seed="crane")


@pytest.mark.parametrize("key", FORMATS)
def test_at_the_end_nothing_is_left_to_chance(key):
    rounds = play(FORMATS[key], entrants(6), SETTINGS, better_seed_wins)
    places = {line.number: line.place for line in rank(FORMATS[key], entrants(6), rounds, SETTINGS)}
    found = hoped(key, rounds=rounds, ratings={6: 3000})
    assert {number: one.place for number, one in found.items()} == places
    assert {number for number, one in found.items() if one.win} == {1} and found[1].win == 1


def test_what_was_played_counts():
    rounds = play(FORMATS["single-elimination"], entrants(6), SETTINGS, better_seed_wins)
    found = hoped("single-elimination", rounds=rounds[:1], ratings={})
    out = {result.pairing.entrants[1] for result in rounds[0] if result.played}
    assert out and all(found[number].win == 0 for number in out)
    assert all(found[number].win > 0 for number in set(RATINGS) - out)


def test_who_left_wins_no_more():
    found = hoped("single-elimination", entrants(6, {1: 1}))
    assert found[1].win == 0 and found[2].win > 0


def test_who_has_no_rating_is_as_good_as_a_newcomer():
    found = hoped("swiss", entrants(2), ratings={2: 3000})
    assert found[2].win > 0.9


@pytest.mark.parametrize("difference", [0, 150, -300])
def test_a_leg_brings_the_points_that_are_expected(difference):
    rng = Random(7)
    legs = [play_duel((1500 + difference, 1500), rng) for _ in range(20000)]
    assert sum(points[0] for points, _ in legs) / len(legs) == pytest.approx(expected_score(difference), abs=0.015)
    assert sum(points[0] == 0.5 for points, _ in legs) / len(legs) == pytest.approx(DRAWN_LEG_SHARE, abs=0.004)
    assert all(scores[points.index(1)] == 5 > scores[points.index(0)] >= 0 for points, scores in legs if 1 in points)


def test_at_a_table_the_first_place_goes_by_strength():
    rng = Random(7)
    ratings = (1700, 1500, 1500, 1300)
    strengths = [10 ** (rating / 400) for rating in ratings]
    legs = [play_table(ratings, rng) for _ in range(20000)]
    firsts = Counter(list(points).index(1) for points, _ in legs)
    for seat, strength in enumerate(strengths):
        assert firsts[seat] / len(legs) == pytest.approx(strength / sum(strengths), abs=0.015)
    assert all(sorted(scores) == [0, 1, 2, 3] for _, scores in legs)


def test_neighbours_by_score_meet():
    first = pair_neighbours(range(1, 6), [])
    assert [pairing.entrants for pairing in first] == [(1, 2), (3, 4), (5,)]
    rounds = play(Given(first), entrants(5), SETTINGS, better_seed_wins)
    # 1, 3 and 5 have a point, 2 and 4 none; 5 rested.
    assert [pairing.entrants for pairing in pair_neighbours(range(1, 6), rounds)] == [(1, 3), (5, 2), (4,)]


@given(fields(least=6, most=30, leaving=2), outcomes(), st.integers(1, 3))
@examples(9, 30)
def test_in_a_simple_round_everybody_who_is_there_plays_or_rests_once(field, outcome, count):
    rounds = play(FORMATS["swiss"], field, Settings(rounds=count, seed="heron"), outcome)
    there = [entrant.number for entrant in field if entrant.is_in(count + 1)]
    pairings = pair_neighbours(there, rounds)
    assert sorted(number for pairing in pairings for number in pairing.entrants) == there
    rested = {result.pairing.entrants[0] for results in rounds for result in results if result.pairing.is_bye}
    assert not any(pairing.is_bye and pairing.entrants[0] in rested for pairing in pairings)


def test_simple_rounds_repeat_hardly_any_meeting():
    rounds = []
    met = Counter()
    for number in range(1, 8):
        pairings = pair_neighbours(range(1, 33), rounds)
        met.update(frozenset(pairing.entrants) for pairing in pairings)
        rounds += play(Given(pairings), entrants(32), SETTINGS, chance(number))
    assert sum(count - 1 for count in met.values()) <= 3


class Given:
    """Only these pairings."""

    def __init__(self, pairings):
        self.pairings = pairings

    def pair(self, field, rounds, settings):
        return None if rounds else self.pairings


@pytest.mark.parametrize("length", [SeriesLength(games=5), SeriesLength(points=20)])
def test_bl_25_series_are_simulated_as_they_are_played(length):
    rng = Random(1)
    played = [play_series([1700, 1500], length, rng) for _ in range(500)]
    for result in played:
        assert sum(result.points) == 1 and (result.points[0] > 0.5) is (result.game_points[0] > result.game_points[1])
        assert length.games or max(result.game_points) >= 20
    won = sum(result.points[0] for result in played) / len(played)
    assert won > expected_score(200) + 0.05


def test_the_stronger_gains_by_series():
    chances = [
        simulate(FORMATS["round-robin"], entrants(3), (), Settings(series=series), {1: 1700, 2: 1500, 3: 1500}, **run)
        for run in [{"runs": 400, "seed": "egret"}]
        for series in (None, SeriesLength(games=15))
    ]
    assert chances[1][1].win > chances[0][1].win
