import pytest

from arena.tournaments.awards import FewestFaults, find_fewest_faults, find_upset
from arena.tournaments.formats.base import Pairing, Result
from arena.tournaments.queries.shown_matches import list_after
from arena.tournaments.standings import Standing


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
