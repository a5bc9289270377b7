"""How long a tournament takes, on numbers worked out by hand."""

import pytest

from arena.tournaments.estimate import RoundLeft, count_boards_left, estimate_seconds_left
from arena.tournaments.settings import Settings
from tests.arena.tournaments.formats.field import entrants


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
    assert [left.boards for left in count_boards_left(entrants(count), [], settings)] == boards


def test_rounds_follow_one_another_and_matches_share_the_machines():
    league = Settings(format="round-robin", matches_per_pairing=3)
    # Two boards of three matches: six, four at a time, are two turns; three rounds of them.
    assert estimate_seconds_left([RoundLeft(2, False)] * 3, league, match_seconds=10, parallel_matches=4) == 60
    assert estimate_seconds_left([RoundLeft(2, False)] * 3, league, match_seconds=10, parallel_matches=1) == 180


def test_in_a_best_of_so_many_the_matches_come_one_after_the_other():
    # Of three, two are enough: 2.5 on average, however many machines there are.
    assert (
        estimate_seconds_left(
            [RoundLeft(1, True)],
            Settings(format="single-elimination", matches_per_pairing=3),
            match_seconds=10,
            parallel_matches=8,
        )
        == 25
    )
