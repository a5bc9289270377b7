"""Standings against cases worked out by hand, and against what must hold of any."""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, make_bye
from arena.contests.tournaments.queries import list_after
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from arena.contests.tournaments.standings import (
    TIE_BREAKS,
    FewestFaults,
    MatchResult,
    Meeting,
    Standing,
    build_crosstable,
    count_matches_needed,
    decide,
    draw_lots,
    find_fewest_faults,
    find_upset,
    rank,
)
from tests.arena.contests.tournaments.formats.field import better_seed_wins, entrants, fields, outcomes, play
from tests.full import examples

SETTINGS = Settings(seed="heron")
THIRD = 1 / 3


class League(Format):
    """Whatever was played was played; `struck` are struck out."""

    key = "league"
    title = "A league"
    struck: frozenset[int] = frozenset()

    def count_rounds(self, entrants, settings):
        return 9

    def pair(self, field, rounds, settings):
        return None

    def find_struck_out(self, field, rounds, settings):
        return self.struck


def met(one, other, points, scores=(0.0, 0.0)):
    return Result(Pairing((one, other)), (points, 1 - points), scores)


def rests(number):
    return Result(make_bye(number), (1.0,), (0.0,), played=False)


def table(numbers, points):
    return Result(Pairing(numbers), points, points)


def ranked(count, rounds, settings=SETTINGS, format=None):
    return {line.number: line for line in rank(format or League(), entrants(count), rounds, settings)}


def of(standings, key):
    return {number: getattr(line, key) for number, line in standings.items()}


SWISS = [
    [met(1, 4, 1.0), met(2, 5, 0.5), met(3, 6, 1.0)],
    [met(1, 3, 0.5), met(2, 6, 1.0), met(5, 4, 1.0)],
    [met(1, 2, 0.5), met(3, 5, 0.0), met(4, 6, 1.0)],
]
"""Six, three rounds. The scores are
1: 1 + ½ + ½ = 2, 2: ½ + 1 + ½ = 2, 3: 1 + ½ + 0 = 1½, 4: 0 + 0 + 1 = 1, 5: ½ + 1 + 1 = 2½, 6: 0."""


def test_a_swiss_tournament_worked_out_by_hand():
    found = ranked(6, SWISS)
    assert of(found, "score") == {5: 2.5, 2: 2, 1: 2, 3: 1.5, 4: 1, 6: 0}
    # 1 met 4, 3, 2: 1 + 1½ + 2; 2 met 5, 6, 1: 2½ + 0 + 2; 3 met 6, 1, 5: 0 + 2 + 2½; 4 met 1, 5, 6: 2 + 2½ + 0;
    # 5 met 2, 4, 3: 2 + 1 + 1½; 6 met 3, 2, 4: 1½ + 2 + 1.
    assert of(found, "buchholz") == {5: 4.5, 2: 4.5, 1: 4.5, 3: 4.5, 4: 4.5, 6: 4.5}
    # Without the least of the three: 1 without 4, 2 without 6, 3 without 6, 4 without 6, 5 without 4, 6 without 4.
    assert of(found, "buchholz_cut_1") == {5: 3.5, 2: 4.5, 1: 3.5, 3: 4.5, 4: 4.5, 6: 3.5}
    # 1 beat 4, drew with 3 and 2: 1 + ¾ + 1; 2 beat 6, drew with 5 and 1: 0 + 1¼ + 1; 3 beat 6, drew with 1: 0 + 1;
    # 4 beat 6: 0; 5 beat 4 and 3, drew with 2: 1 + 1½ + 1.
    assert of(found, "sonneborn_berger") == {5: 3.5, 2: 2.25, 1: 2.75, 3: 1, 4: 0, 6: 0}
    # Only 1 and 2 are tied; they met and drew.
    assert of(found, "direct") == {5: None, 2: 0.5, 1: 0.5, 3: None, 4: None, 6: None}
    # So 2 comes before 1 by the cut, though 1 has more Sonneborn-Berger.
    assert list(found) == [5, 2, 1, 3, 4, 6]
    assert of(found, "place") == {5: 1, 2: 2, 1: 3, 3: 4, 4: 5, 6: 6}
    assert (found[1].wins, found[1].draws, found[1].losses, found[1].played, found[1].byes) == (1, 2, 0, 3, 0)


def test_a_direct_encounter_comes_before_buchholz():
    rounds = [
        [met(1, 2, 0.0), met(3, 4, 1.0)],
        [met(1, 3, 1.0), met(2, 4, 0.0)],
        [met(3, 5, 1.0), met(4, 6, 0.5)],
    ]
    found = ranked(6, rounds)
    assert of(found, "score") == {3: 2, 4: 1.5, 2: 1, 1: 1, 6: 0.5, 5: 0}
    # 2 beat 1, though 1 met 2 and 3, so 1 + 2, and 2 met 1 and 4, so 1 + 1½.
    assert (found[1].buchholz, found[2].buchholz) == (3, 2.5)
    assert (found[1].direct, found[2].direct, found[3].direct) == (0, 1, None)
    assert list(found) == [3, 4, 2, 1, 6, 5]


def test_where_not_all_of_the_tied_have_met_there_is_no_direct_encounter():
    found = ranked(4, [[met(1, 2, 0.5), met(3, 4, 0.5)]])
    assert set(of(found, "score").values()) == {0.5}
    assert set(of(found, "direct").values()) == {None}
    walkover = Result(Pairing((1, 2)), (1.0, 0.0), (0.0, 0.0), played=False)
    found = ranked(2, [[walkover], [rests(2)]])
    assert of(found, "score") == {1: 1, 2: 1} and of(found, "direct") == {1: None, 2: None}


def test_an_unplayed_round_counts_as_one_against_an_equal():
    # Three, each won once, lost once and rested once: all have 2, so all is even and the lot decides.
    rounds = [[met(1, 2, 1.0), rests(3)], [met(3, 1, 1.0), rests(2)], [met(2, 3, 1.0), rests(1)]]
    found = ranked(3, rounds)
    for line in found.values():
        # Two opponents with 2, and itself: 6, and 4 without one; it beat one with 2, and its like.
        assert (line.score, line.buchholz, line.buchholz_cut_1, line.sonneborn_berger) == (2, 6, 4, 4)
        assert (line.direct, line.wins, line.losses, line.byes, line.played) == (1, 1, 1, 1, 2)
    assert [line.lot for line in found.values()] == [1, 2, 3] == [line.place for line in found.values()]


def test_series_scores_count_first_where_the_terms_say_so_and_resting_is_worth_ones_mean():
    rounds = [
        [met(1, 2, 1.0, (10.0, 7.0)), met(3, 4, 1.0, (8.0, 7.0))],
        [met(1, 3, 0.5, (6.0, 6.0)), rests(2), rests(4)],
    ]
    by_series, by_wins = ranked(4, rounds, Settings(seed="heron", scoring=GAME_POINTS)), ranked(4, rounds)
    assert of(by_series, "score") == {1: 16, 2: 14, 3: 14, 4: 14} == of(by_wins, "game_points")
    assert of(by_wins, "score") == {1: 1.5, 3: 1.5, 2: 1, 4: 1} == of(by_series, "points")
    assert by_series[1].buchholz == 14 + 14


def test_at_a_larger_table_each_of_the_others_is_a_part_of_a_round():
    # Two rounds of four. Scores: 1: 1 + ½, 2: ⅔ + 1, 3: ⅓ + 0, 4: 0 + ½; in all 4.
    rounds = [[table((1, 2, 3, 4), (1.0, 2 * THIRD, THIRD, 0.0))], [table((2, 1, 4, 3), (1.0, 0.5, 0.5, 0.0))]]
    found = ranked(4, rounds)
    assert of(found, "score") == pytest.approx({2: 5 / 3, 1: 1.5, 4: 0.5, 3: THIRD}, abs=1e-6)
    # Of 1 both rounds: the mean of 5/3, 1/3 and 1/2, which is 5/6.
    assert found[1].buchholz == pytest.approx(5 / 3, abs=1e-6)
    assert found[1].buchholz_cut_1 == pytest.approx(5 / 6, abs=1e-6)
    # In the first it left all behind: 5/6. In the second 2 was ahead, 4 beside, 3 behind: (0 + ½ · ½ + ⅓) / 3 = 7/36.
    assert found[1].sonneborn_berger == pytest.approx(5 / 6 + 7 / 36, abs=1e-6)
    assert (found[1].wins, found[1].draws, found[1].losses) == (1, 0, 1)
    assert list(found) == [2, 1, 4, 3]


def test_results_of_who_is_struck_out_count_for_nobody():
    format = League()
    format.struck = frozenset({2})
    rounds = [[met(1, 2, 0.0), met(3, 4, 0.5)], [met(2, 3, 1.0), met(1, 4, 1.0)]]
    found = ranked(4, rounds, format=format)
    assert list(found) == [1, 3, 4, 2] or list(found) == [1, 4, 3, 2]
    assert of(found, "score") == {1: 1, 3: 0.5, 4: 0.5, 2: 0}
    assert (found[2].played, found[2].place, found[1].losses) == (0, 4, 0)


def test_who_left_stands_where_its_results_put_it():
    field = [Entrant(1, left_in_round=2), Entrant(2)]
    found = rank(League(), field, [[met(1, 2, 1.0)], [rests(2)]], SETTINGS)
    assert {line.number: line.is_out for line in found} == {1: True, 2: False}
    assert found[0].score == found[1].score == 1 and found[0].number == 1


def test_in_a_knockout_who_came_as_far_shares_a_place():
    for key, places in (("single-elimination", [1, 2, 3, 3, 5, 5, 5, 5]), ("groups", [1, 2, 3, 3, 5, 6, 7, 8])):
        field, format = entrants(8), FORMATS[key]
        rounds = play(format, field, SETTINGS, better_seed_wins)
        found = rank(format, field, rounds, SETTINGS)
        assert [line.place for line in found] == places
        assert found[0].number == 1


def test_lots_hang_on_the_seed_and_on_nothing_played():
    lots = draw_lots(entrants(40), "heron")
    assert sorted(lots.values()) == list(range(1, 41))
    assert draw_lots(entrants(40), "heron") == lots != draw_lots(entrants(40), "egret")
    fewer = draw_lots(entrants(39), "heron")
    assert sorted(fewer, key=fewer.__getitem__) == [
        number for number in sorted(lots, key=lots.__getitem__) if number < 40
    ]


def test_every_tie_break_is_a_value_of_a_standing():
    assert {key for key, _, _ in TIE_BREAKS} <= set(Standing.__slots__)
    assert all(title and sentence.endswith(".") for _, title, sentence in TIE_BREAKS)


def test_the_crosstable_tells_every_meeting_from_both_sides():
    walkover = Result(Pairing((1, 3)), (1.0, 0.0), (0.0, 0.0), played=False)
    found = build_crosstable(entrants(4), [[met(1, 2, 0.5), rests(3)], [walkover], [met(2, 1, 1.0)]])
    assert found == {
        (1, 2): [Meeting(1, 0.5, True), Meeting(3, 0.0, True)],
        (2, 1): [Meeting(1, 0.5, True), Meeting(3, 1.0, True)],
        (1, 3): [Meeting(2, 1.0, False)],
        (3, 1): [Meeting(2, 0.0, False)],
    }
    at_table = build_crosstable(entrants(3), [[table((3, 1, 2), (1.0, 0.25, 0.25))]])
    assert (at_table[3, 1][0].points, at_table[1, 2][0].points, at_table[2, 3][0].points) == (1, 0.5, 0)


@given(st.sampled_from(sorted(FORMATS)), fields(least=4, most=20, leaving=4), outcomes())
@examples(18, 60)
def test_everybody_stands_somewhere_and_every_point_is_somebodys(key, field, outcome):
    format = FORMATS[key]
    rounds = play(format, field, SETTINGS, outcome)
    found = rank(format, field, rounds, SETTINGS)
    assert sorted(line.number for line in found) == [entrant.number for entrant in field]
    places = [line.place for line in found]
    assert places == sorted(places)
    assert format.is_bracket or places == list(range(1, len(field) + 1))
    assert all(line.played == line.wins + line.draws + line.losses for line in found)
    struck = format.find_struck_out(field, rounds, SETTINGS)
    counting = [result for results in rounds for result in results if not struck & set(result.pairing.entrants)]
    assert sum(line.points for line in found) == pytest.approx(sum(sum(result.points) for result in counting))
    if key != "tables":
        assert sum(line.points for line in found) <= len(counting)
    if not any(entrant.left_in_round for entrant in field) and key != "tables":
        assert sum(line.points for line in found) == len(counting)


def test_who_is_struck_out_of_a_group_comes_last_though_nobody_could_take_its_seat_in_the_knockout():
    leaving = {1: 2, 2: 1, 3: 1, 4: None}
    field = [replace(entrant, left_in_round=leaving[entrant.number]) for entrant in entrants(4)]
    rounds = play(FORMATS["groups"], field, SETTINGS, better_seed_wins)
    found = rank(FORMATS["groups"], field, rounds, SETTINGS)
    assert [line.place for line in found] == [1, 2, 3, 4]
    assert {line.number for line in found[2:]} == {2, 3}


@given(
    st.sampled_from([key for key in FORMATS if not FORMATS[key].is_bracket]),
    fields(4, 16, 2),
    outcomes(),
    st.integers(),
)
@examples(12, 40)
def test_the_order_in_which_results_come_changes_nothing(key, field, outcome, seed):
    format = FORMATS[key]
    rounds = play(format, field, SETTINGS, outcome)
    rng = Random(seed)
    mixed = [rng.sample(results, len(results)) for results in rounds]
    assert rank(format, field, mixed, SETTINGS) == rank(format, field, rounds, SETTINGS)


LEAGUE = Pairing((3, 7))
KNOCKOUT = Pairing((3, 7), "W1.1", must_decide=True)
WON, LOST = MatchResult((1.0, 0.0), (10.0, 6.0)), MatchResult((0.0, 1.0), (6.0, 10.0))
EVEN = MatchResult((0.5, 0.5), (8.0, 8.0))
AHEAD, BEHIND = MatchResult((0.75, 0.25), (9.0, 7.0)), MatchResult((0.25, 0.75), (7.0, 9.0))
"""One leg won, the other drawn."""


class TestOfALeague:
    @pytest.mark.parametrize("pairs", [1, 2, 5])
    def test_all_its_matches_are_wanted_at_once_and_all_are_played(self, pairs: int) -> None:
        settings = Settings(matches_per_pairing=pairs)
        for over in range(pairs):
            assert count_matches_needed(LEAGUE, [WON] * over, settings) == pairs - over
            assert decide(LEAGUE, [WON] * over, settings) is None
        assert count_matches_needed(LEAGUE, [WON] * pairs, settings) == 0
        assert decide(LEAGUE, [WON] * pairs, settings) == Result(LEAGUE, (1.0, 0.0), (10.0 * pairs, 6.0 * pairs))

    @pytest.mark.parametrize(
        ("matches", "points"),
        [
            ([WON, LOST], (0.5, 0.5)),
            ([EVEN, EVEN], (0.5, 0.5)),
            ([WON, BEHIND], (1.0, 0.0)),
            ([LOST, EVEN], (0.0, 1.0)),
            ([AHEAD, BEHIND], (0.5, 0.5)),
        ],
    )
    def test_more_points_win_and_as_many_are_a_draw_whatever_the_scores(
        self, matches: list[MatchResult], points: tuple[float, ...]
    ) -> None:
        result = decide(LEAGUE, matches, Settings(matches_per_pairing=2))
        assert result is not None and result.points == points and result.played

    def test_no_more_are_played_where_it_is_even(self) -> None:
        assert count_matches_needed(LEAGUE, [EVEN], Settings(matches_per_pairing=1, max_tiebreak_matches=2)) == 0

    def test_scores_are_summed(self) -> None:
        result = decide(LEAGUE, [WON, AHEAD, LOST], Settings(matches_per_pairing=3))
        assert result is not None and result.game_points == (25.0, 23.0)


class TestOfALargerTable:
    @pytest.mark.parametrize(
        ("points", "shares"),
        [
            ((1.0, 0.5, 0.0), (1.0, 0.5, 0.0)),
            ((0.2, 0.9, 0.4), (0.0, 1.0, 0.5)),
            ((0.75, 0.75, 0.0), (0.75, 0.75, 0.0)),
            ((1.0, 0.25, 0.25), (1.0, 0.25, 0.25)),
            ((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),
            ((0.9, 0.6, 0.3, 0.2), (1.0, 2 / 3, 1 / 3, 0.0)),
            ((0.6, 0.6, 0.8, 0.0), (0.5, 0.5, 1.0, 0.0)),
            ((0.7, 0.1, 0.1, 0.1), (1.0, 1 / 3, 1 / 3, 1 / 3)),
        ],
    )
    def test_a_place_is_the_share_of_the_others_that_were_left_behind(
        self, points: tuple[float, ...], shares: tuple[float, ...]
    ) -> None:
        table = Pairing(tuple(range(1, len(points) + 1)))
        result = decide(table, [MatchResult(points, (0.0,) * len(points))], Settings(seats=len(points)))
        assert result is not None and result.points == pytest.approx(shares)

    def test_what_was_won_in_another_order_is_as_much(self) -> None:
        """Of thirds, sums differ in their last digits."""
        legs = [*permutations((0.0, 1 / 3, 2 / 3, 1.0))]
        rng = Random(1)
        for _ in range(50):
            order = rng.sample(legs, len(legs))
            points = tuple(sum(column) / len(legs) for column in zip(*order, strict=True))
            result = decide(Pairing((1, 2, 3, 4)), [MatchResult(points, (0.0,) * 4)], Settings(seats=4))
            assert result is not None and result.points == (0.5,) * 4

    def test_points_of_all_matches_are_summed(self) -> None:
        matches = [MatchResult((1.0, 0.5, 0.0), (12.0, 8.0, 4.0)), MatchResult((0.0, 0.75, 0.75), (3.0, 9.0, 9.0))]
        result = decide(Pairing((1, 2, 3)), matches, Settings(matches_per_pairing=2, seats=3))
        assert result is not None and result.points == (0.5, 1.0, 0.0) and result.game_points == (15.0, 17.0, 13.0)


class TestOfAKnockout:
    @pytest.mark.parametrize(
        ("pairs", "matches"),
        [
            (1, [WON]),
            (1, [AHEAD]),
            (2, [WON, EVEN]),
            (2, [WON, AHEAD]),
            (3, [WON, WON]),
            (3, [WON, LOST, AHEAD]),
            (3, [AHEAD, WON]),
            (5, [WON, WON, WON]),
            (5, [WON, WON, EVEN, EVEN]),
            (5, [LOST, WON, WON, EVEN, EVEN]),
        ],
    )
    def test_it_ends_as_soon_as_it_cannot_be_turned(self, pairs: int, matches: list[MatchResult]) -> None:
        settings = Settings(matches_per_pairing=pairs)
        for over in range(len(matches)):
            assert count_matches_needed(KNOCKOUT, matches[:over], settings) == 1
            assert decide(KNOCKOUT, matches[:over], settings) is None
        assert count_matches_needed(KNOCKOUT, matches, settings) == 0
        result = decide(KNOCKOUT, matches, settings)
        assert result is not None and result.winner == 3 and result.points == (1.0, 0.0)
        mirrored = decide(
            KNOCKOUT, [MatchResult(match.points[::-1], match.game_points[::-1]) for match in matches], settings
        )
        assert mirrored is not None and mirrored.winner == 7 and mirrored.game_points == result.game_points[::-1]

    @pytest.mark.parametrize(
        ("pairs", "matches"),
        [(2, [WON]), (3, [AHEAD, AHEAD]), (3, [WON, EVEN]), (5, [WON, WON, EVEN]), (5, [WON, WON])],
    )
    def test_it_goes_on_as_long_as_the_rest_could_make_it_even(self, pairs: int, matches: list[MatchResult]) -> None:
        assert count_matches_needed(KNOCKOUT, matches, Settings(matches_per_pairing=pairs)) == 1

    @pytest.mark.parametrize("matches", [[EVEN], [EVEN, EVEN]])
    def test_where_it_is_even_the_next_decides(self, matches: list[MatchResult]) -> None:
        settings = Settings(matches_per_pairing=1, max_tiebreak_matches=2)
        assert count_matches_needed(KNOCKOUT, matches, settings) == 1 and decide(KNOCKOUT, matches, settings) is None
        result = decide(KNOCKOUT, [*matches, BEHIND], settings)
        assert result is not None and result.winner == 7

    def test_after_the_last_the_higher_score_goes_on(self) -> None:
        matches = [EVEN, EVEN, MatchResult((0.5, 0.5), (7.0, 8.0))]
        result = decide(KNOCKOUT, matches, Settings(matches_per_pairing=1, max_tiebreak_matches=2))
        assert result is not None and result.points == (0.0, 1.0) and result.game_points == (23.0, 24.0)

    @pytest.mark.parametrize("extra", [0, 2])
    @pytest.mark.parametrize("entrants", [(3, 7), (7, 3)])
    @pytest.mark.parametrize("is_separate", [True, False])
    def test_and_if_all_is_even_the_better_seed(self, entrants: tuple[int, int], extra: int, is_separate: bool) -> None:
        """In a knockout the seed has the first seat; in older tournaments it was the lower number."""
        result = decide(
            Pairing(entrants, "W1.1", must_decide=True),
            [WON, LOST, *[EVEN] * extra],
            Settings(matches_per_pairing=2, max_tiebreak_matches=extra, separate_phases=is_separate),
        )
        assert result is not None and result.winner == (entrants[0] if is_separate else 3)

    def test_scores_of_all_matches_count_not_of_the_extra_ones_alone(self) -> None:
        matches = [
            MatchResult((1.0, 0.0), (10.0, 2.0)),
            MatchResult((0.0, 1.0), (8.0, 10.0)),
            MatchResult((0.5, 0.5), (8.0, 9.0)),
        ]
        result = decide(KNOCKOUT, matches, Settings(matches_per_pairing=2, max_tiebreak_matches=1))
        assert result is not None and result.winner == 3 and result.game_points == (26.0, 21.0)


def result(first: int, second: int, points: tuple[float, float], *, played: bool = True) -> Result:
    return Result(Pairing((first, second)), points, points, played)


def test_the_most_improbable_win_is_that_of_the_smallest_chance() -> None:
    ratings = {1: 1900.0, 2: 1700.0, 3: 1500.0, 4: None}
    rounds = [
        [result(1, 2, (0, 1)), result(3, 4, (1, 0))],
        [result(1, 3, (0, 1)), result(2, 4, (0, 1))],
        [result(2, 3, (1, 0)), result(1, 4, (0.5, 0.5))],
    ]
    found = find_upset(rounds, ratings)
    assert found is not None and (found.round, found.winner, found.loser) == (2, 3, 1)
    assert found.chance == pytest.approx(1 / 11)
    assert find_upset([[result(1, 3, (0, 1), played=False)], [result(1, 2, (1, 0))]], ratings) is None


def standing(number: int, place: int, *, is_out: bool = False, played: int = 3) -> Standing:
    return Standing(number, 0, 0, 0, played, 0, 0, 0, 0, 0, 0, 0, place=place, is_out=is_out)


def test_the_fewest_faults_are_those_of_who_is_placed_best_among_equals() -> None:
    lines = [standing(4, 1), standing(2, 2), standing(1, 3), standing(3, 4, is_out=True), standing(5, 5, played=0)]
    assert find_fewest_faults(lines, [4, 4, 1]) == FewestFaults(2, 0)
    assert find_fewest_faults(lines, [4, 2, 1, 1]) == FewestFaults(4, 1)
    assert find_fewest_faults([], []) is None


def test_the_board_goes_round() -> None:
    assert [list_after([3, 5, 8], shown)[0] for shown in (None, 3, 5, 8, 99)] == [3, 5, 8, 3, 3]
    assert list_after([3, 5, 8], 3) == [5, 8, 3] and list_after([], 3) == [] and list_after([3], 3) == [3]
