from collections import Counter

import pytest
from hypothesis import given

from arena.contests.tournaments.formats.base import Entrant, Pairing, Result
from arena.contests.tournaments.formats.brackets import SingleElimination
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.formats.field import (
    Outcome,
    as_known,
    better_seed_wins,
    chance,
    entrants,
    fields,
    outcomes,
    play,
    worse_seed_wins,
)
from tests.full import examples

FORMAT = SingleElimination()
SETTINGS = Settings(format=FORMAT.key)


def drawn(rounds: list[list[Result]]) -> list[list[tuple[int, ...]]]:
    return [[result.pairing.entrants for result in results] for results in rounds]


def loser(result: Result) -> int:
    return next(number for number in result.pairing.entrants if number != result.winner)


@pytest.mark.parametrize(
    ("count", "rounds"),
    [
        (2, [[(1, 2)]]),
        (3, [[(1,), (2, 3)], [(1, 2)]]),
        (4, [[(1, 4), (2, 3)], [(1, 2)]]),
        (5, [[(1,), (4, 5), (2,), (3,)], [(1, 4), (2, 3)], [(1, 2)]]),
        (6, [[(1,), (4, 5), (2,), (3, 6)], [(1, 4), (2, 3)], [(1, 2)]]),
        (7, [[(1,), (4, 5), (2, 7), (3, 6)], [(1, 4), (2, 3)], [(1, 2)]]),
        (8, [[(1, 8), (4, 5), (2, 7), (3, 6)], [(1, 4), (2, 3)], [(1, 2)]]),
        (
            16,
            [
                [(1, 16), (8, 9), (4, 13), (5, 12), (2, 15), (7, 10), (3, 14), (6, 11)],
                [(1, 8), (4, 5), (2, 7), (3, 6)],
                [(1, 4), (2, 3)],
                [(1, 2)],
            ],
        ),
    ],
)
def test_the_bracket_when_the_better_seed_wins(count: int, rounds: list[list[tuple[int, ...]]]) -> None:
    assert drawn(play(FORMAT, entrants(count), SETTINGS, better_seed_wins)) == rounds


def test_the_better_seed_sits_first_whoever_wins() -> None:
    assert drawn(play(FORMAT, entrants(6), SETTINGS, worse_seed_wins)) == [
        [(1,), (4, 5), (2,), (3, 6)],
        [(1, 5), (2, 6)],
        [(5, 6)],
    ]


def test_names_run_from_the_top_of_each_round() -> None:
    rounds = play(FORMAT, entrants(7), SETTINGS, chance(1))
    names = [[result.pairing.name for result in results] for results in rounds]
    assert names == [["W1.1", "W1.2", "W1.3", "W1.4"], ["W2.1", "W2.2"], ["W3.1"]]


def test_byes_need_no_decision_but_all_else_does() -> None:
    assert FORMAT.pair(entrants(3), [], SETTINGS) == [Pairing((1,), "W1.1"), Pairing((2, 3), "W1.2", must_decide=True)]


def test_how_far_each_came() -> None:
    field = entrants(6)
    rounds = play(FORMAT, field, SETTINGS, better_seed_wins)
    reached = [FORMAT.measure_progress(field, rounds[:number], SETTINGS) for number in range(4)]
    assert reached == [
        {1: 0, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0},
        {1: 1, 2: 1, 3: 1, 4: 1, 5: 0, 6: 0},
        {1: 2, 2: 2, 3: 1, 4: 1, 5: 0, 6: 0},
        {1: 3, 2: 2, 3: 1, 4: 1, 5: 0, 6: 0},
    ]


def test_whose_opponent_has_left_goes_on_without_playing() -> None:
    rounds = play(FORMAT, entrants(4, left={1: 2}), SETTINGS, better_seed_wins)
    assert [result.played for results in rounds for result in results] == [True, True, False]
    assert rounds[-1][0].winner == 2


def test_where_both_have_left_one_goes_on_in_name() -> None:
    rounds = play(FORMAT, entrants(4, left={1: 1, 4: 1}), SETTINGS, better_seed_wins)
    assert [result.winner for results in rounds for result in results] == [1, 2, 2]


@pytest.mark.parametrize("count", [2, 3, 13, 16])
def test_even_if_all_leave_it_ends(count: int) -> None:
    rounds = play(FORMAT, entrants(count, left=dict.fromkeys(range(1, count + 1), 2)), SETTINGS, better_seed_wins)
    assert len(rounds) == FORMAT.count_rounds(count, SETTINGS)


@given(fields(leaving=20), outcomes())
@examples(12, 40)
def test_everybody_but_the_winner_loses_once_and_is_out(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    assert len(rounds) == FORMAT.count_rounds(len(field), SETTINGS)
    out: list[int] = []
    for results in rounds:
        here = [number for result in results for number in result.pairing.entrants]
        assert sorted(here + out) == [entrant.number for entrant in field]
        out += [loser(result) for result in results if not result.pairing.is_bye]
    assert {entrant.number for entrant in field} - set(out) == {rounds[-1][0].winner} and len(out) == len(field) - 1


@given(fields(most=256), outcomes())
@examples(6, 20)
def test_of_n_entrants_n_minus_1_pairings_are_played_and_byes_fall_to_the_best(
    field: list[Entrant], outcome: Outcome
) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    results = [result for results in rounds for result in results]
    assert sum(result.played for result in results) == len(field) - 1
    byes = sorted(result.pairing.entrants[0] for result in results if result.pairing.is_bye)
    assert byes == list(range(1, 2 ** len(rounds) - len(field) + 1))


@given(fields(leaving=10), outcomes())
@examples(6, 20)
def test_who_is_out_stands_below_who_is_in_and_the_finalists_are_alone_at_the_end(
    field: list[Entrant], outcome: Outcome
) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    for number in range(1, len(rounds) + 1):
        reached = FORMAT.measure_progress(field, rounds[:number], SETTINGS)
        assert set(reached) == {entrant.number for entrant in field}
        lost = {loser(result) for results in rounds[:number] for result in results if not result.pairing.is_bye}
        assert max(reached[one] for one in lost) < min(reached[one] for one in set(reached) - lost)
    final = rounds[-1][0]
    assert sorted(reached, key=reached.__getitem__)[-2:] == [loser(final), final.winner]
    assert Counter(reached.values())[reached[loser(final)]] == 1


@given(fields(leaving=10), outcomes())
@examples(6, 20)
def test_asked_again_it_says_the_same(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    for number, results in enumerate(rounds):
        known = as_known(field, number + 1)
        assert FORMAT.pair(known, rounds[:number], SETTINGS) == [result.pairing for result in results]
    assert FORMAT.pair(field, rounds, SETTINGS) is None


def test_of_256_each_seed_meets_its_mirror() -> None:
    first, *_ = play(FORMAT, entrants(256), SETTINGS, better_seed_wins)
    assert {sum(result.pairing.entrants) for result in first} == {257} and first[0].pairing.entrants == (1, 256)
