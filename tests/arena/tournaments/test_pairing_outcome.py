from itertools import permutations
from random import Random

import pytest

from arena.tournaments.formats.base import Pairing, Result
from arena.tournaments.pairing_outcome import MatchResult, count_matches_needed, decide
from arena.tournaments.settings import Settings

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
