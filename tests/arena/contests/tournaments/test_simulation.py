"""What may still become of a tournament."""

from collections import Counter
from heapq import heapify, heapreplace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.ladders.rating import expected_score
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.formats.swiss import pair_neighbours
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.simulation import (
    DRAWN_LEG_SHARE,
    PLAYING_S_PER_LEG,
    STORING_S_PER_MATCH,
    BotSeconds,
    MatchSlots,
    RoundLeft,
    bound_seconds,
    count_boards_left,
    estimate_seconds_left,
    play_duel,
    play_series,
    play_table,
    simulate,
    summarise_seconds,
)
from arena.contests.tournaments.standings import rank
from arena.runner.program import Limits
from engine.series import SeriesLength
from tests.arena.contests.tournaments.formats.field import better_seed_wins, chance, entrants, fields, outcomes, play
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


def test_uncertain_ratings_bring_chances_closer_together():
    sure = hoped("round-robin", runs=200)
    unsure = hoped("round-robin", runs=200, deviations=dict.fromkeys(RATINGS, 300))
    assert sure[1].win > unsure[1].win > unsure[6].win
    assert sure[6].place > unsure[6].place + 0.2
    assert unsure == hoped("round-robin", runs=200, deviations=dict.fromkeys(RATINGS, 300))


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


# How long a tournament takes, on numbers worked out by hand and against slots that play.

OVERHEAD_S = 2 * PLAYING_S_PER_LEG + STORING_S_PER_MATCH
STEADY = dict.fromkeys(range(1, 9), BotSeconds((10 - OVERHEAD_S) / 4, (10 - OVERHEAD_S) / 4))
"""Eight bots of which any two need ten seconds for a match."""
FOUR = (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("settings", "count", "boards"),
    [
        (Settings(format="round-robin"), 4, [2, 2, 2]),
        (Settings(format="round-robin"), 5, [2, 2, 2, 2, 2]),
        (Settings(rounds=3), 8, [4, 4, 4]),
        (Settings(format="single-elimination"), 8, [4, 2, 1]),
        (Settings(format="single-elimination"), 5, [1, 2, 1]),
        (Settings(format="tables", seats=4, rounds=2), 16, [4, 4]),
        (Settings(format="groups"), 8, [4, 4, 4, 2, 1]),
        (Settings(format="swiss-knockout", rounds=3, third_place_match=True), 9, [4, 4, 4, 2, 2]),
    ],
)
def test_pairings_of_each_round_are_counted(settings, count, boards):
    found = count_boards_left(entrants(count), [], settings)
    assert [left.boards for left in found] == boards
    assert all(len(left.entrants) >= left.boards * settings.seats for left in found)


def test_in_a_bracket_the_better_seeds_are_expected_in_later_rounds():
    found = count_boards_left(entrants(8), [], Settings(format="single-elimination"))
    assert [sorted(left.entrants) for left in found] == [[*range(1, 9)], [1, 2, 3, 4], [1, 2]]


def test_rounds_follow_one_another_and_matches_share_the_slots():
    league = Settings(format="round-robin", matches_per_pairing=3)
    rounds = [RoundLeft(2, False, FOUR)] * 3
    # Six matches of ten seconds in each of three rounds.
    assert estimate_seconds_left(rounds, league, STEADY, MatchSlots(1)) == pytest.approx((180, 180))
    # On four slots 15 seconds at least, and 15 and three quarters of a match at most.
    assert estimate_seconds_left(rounds, league, STEADY, MatchSlots(4)) == pytest.approx((45, 67.5))


def test_a_round_takes_as_long_as_its_slowest_match():
    bots = STEADY | {4: BotSeconds(50, 50)}
    left = [RoundLeft(2, False, FOUR)]
    low, _ = estimate_seconds_left(left, Settings(format="round-robin"), bots, MatchSlots(100))
    assert low > 2 * 50


def test_in_a_best_of_so_many_the_matches_come_one_after_the_other():
    settings = Settings(format="single-elimination", matches_per_pairing=3)
    # Two of three are enough, and at most there are three and half of two tie-break matches.
    low, high = estimate_seconds_left([RoundLeft(1, True, (1, 2))], settings, STEADY, MatchSlots(8))
    assert (low, high) == pytest.approx((20, 40))


def test_matches_that_are_over_take_no_more_time():
    league = Settings(format="round-robin", matches_per_pairing=5)
    left = RoundLeft(2, False, FOUR, matches_over=7)
    assert estimate_seconds_left([left], league, STEADY, MatchSlots(1)) == pytest.approx((30, 30))
    assert estimate_seconds_left([RoundLeft(0, False, ())], league, STEADY, MatchSlots(1)) == (0, 0)


def test_the_queue_makes_the_upper_end_later():
    league, left = Settings(format="round-robin"), [RoundLeft(2, False, FOUR)]
    alone = estimate_seconds_left(left, league, STEADY, MatchSlots(2))
    shared = estimate_seconds_left(left, league, STEADY, MatchSlots(2, share=0.5, ahead_s=60))
    assert shared.low == alone.low and shared.high == pytest.approx(2 * alone.high + 30)
    assert shared.middle == pytest.approx((shared.low + shared.high) / 2)


def test_the_upper_quartile_of_a_bot_is_what_most_of_its_matches_stay_below():
    assert summarise_seconds([1, 2, 3, 4, 10]) == BotSeconds(4, 4)
    assert summarise_seconds([1, 1, 1, 1, 21]) == BotSeconds(5, 5), "never below the mean"
    assert summarise_seconds([2, 4, 6, 8]) == BotSeconds(5, 6.5)
    assert summarise_seconds([3]) == BotSeconds(3, 3)


def play_rounds(settings, bots, count, slots, rng):
    """Return how long it takes when each slot takes the next match as soon as is free."""
    total = 0.0
    for left in count_boards_left(entrants(count), [], settings):
        numbers = list(left.entrants)
        rng.shuffle(numbers)
        free = [0.0] * slots
        heapify(free)
        pairs = [numbers[index : index + 2] for index in range(0, 2 * left.boards, 2)]
        waiting = [pair for pair in pairs for _ in range(1 if left.is_knockout else settings.matches_per_pairing)]
        for pair in waiting:
            took = OVERHEAD_S + sum(2 * bots[number].mean * rng.uniform(0.7, 1.3) for number in pair)
            if left.is_knockout and rng.random() < 0.4:
                took *= 2  # a tie-break match
            heapreplace(free, free[0] + took)
        total += max(free)
    return total


@pytest.mark.parametrize("slots", [1, 2, 8])
@pytest.mark.parametrize("key", ["round-robin", "swiss", "single-elimination", "double-elimination"])
def test_the_range_holds_what_slots_need_that_take_one_match_after_the_other(key, slots):
    rng, inside = Random(f"{key} {slots}"), 0
    for _ in range(40):
        count = rng.randint(6, 44)
        means = {number: rng.lognormvariate(-2, 1.2) for number in range(1, count + 1)}
        bots = {number: BotSeconds(mean, 1.15 * mean) for number, mean in means.items()}
        settings = Settings(format=key, rounds=5 if key == "swiss" else None)
        took = play_rounds(settings, bots, count, slots, rng)
        low, high = estimate_seconds_left(
            count_boards_left(entrants(count), [], settings), settings, bots, MatchSlots(slots)
        )
        inside += low * 0.95 <= took <= high * 1.05
        assert low / 1.5 <= took <= high * 1.5
    assert inside >= 30, "three of four"


def test_the_whole_clock_of_every_bot_is_the_bound():
    limits = Limits(start_ms=1000, bank_ms=9000)  # 16 seconds of elapsed time
    bound = {"limits": limits, "max_plies": 100, "slots": 1}
    leg_s = 2 * 16 + 100 * 0.02 + PLAYING_S_PER_LEG
    match_s = 2 * leg_s + STORING_S_PER_MATCH
    league = Settings(format="round-robin")
    rounds = count_boards_left(entrants(4), [], league)
    assert bound_seconds(rounds, league, entrants=4, **bound) == pytest.approx(6 * match_s)
    cup = Settings(format="single-elimination", matches_per_pairing=1, max_tiebreak_matches=2)
    rounds = count_boards_left(entrants(4), [], cup)
    assert bound_seconds(rounds, cup, entrants=4, **bound) == pytest.approx(9 * match_s), "with all tie-breaks"
    assert bound_seconds(rounds, cup, entrants=4, **(bound | {"slots": 2})) >= 6 * match_s


def test_the_bound_has_the_second_final_and_the_longest_series():
    bound = {"limits": Limits(start_ms=1000, bank_ms=9000), "max_plies": 0, "slots": 1}
    double = Settings(format="double-elimination", max_tiebreak_matches=0)
    rounds = count_boards_left(entrants(4), [], double)
    pairings = sum(left.boards for left in rounds)
    match_s = 2 * (32 + PLAYING_S_PER_LEG) + STORING_S_PER_MATCH
    assert bound_seconds(rounds, double, entrants=4, **bound) == pytest.approx((pairings + 1) * match_s)
    series = Settings(format="round-robin", series=SeriesLength(games=15))
    rounds = count_boards_left(entrants(2), [], series)
    assert bound_seconds(rounds, series, entrants=2, **bound) == pytest.approx(
        15 * (32 + PLAYING_S_PER_LEG) + STORING_S_PER_MATCH
    )
