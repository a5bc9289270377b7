from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.tournaments.formats.base import Entrant, Pairing, Result
from arena.contests.tournaments.formats.brackets import (
    NO_ENTRANT,
    Bout,
    Bracket,
    DoubleElimination,
    FromBout,
    build_losers_rounds,
    build_winners_rounds,
    count_knockout_rounds,
    cross_losers,
    order_seeds,
)
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

FORMAT = DoubleElimination()
SETTINGS = Settings(format=FORMAT.key)
Drawn = dict[str, tuple[int, ...]]


def drawn(rounds: list[list[Result]]) -> list[Drawn]:
    return [{result.pairing.name: result.pairing.entrants for result in results} for results in rounds]


def first_loses(*names: str) -> Outcome:
    """The better seed wins but in these."""

    def outcome(pairing: Pairing, round_number: int) -> tuple[float, ...]:
        return (worse_seed_wins if pairing.name in names else better_seed_wins)(pairing, round_number)

    return outcome


def losses(rounds: Iterable[list[Result]]) -> Counter[int]:
    return Counter(
        number
        for results in rounds
        for result in results
        for number in result.pairing.entrants
        if number != result.winner
    )


OF_FOUR = [
    {"W1.1": (1, 4), "W1.2": (2, 3)},
    {"W2.1": (1, 2), "L1.1": (3, 4)},
    {"L2.1": (2, 3)},
    {"F1.1": (1, 2)},
]
OF_EIGHT = [
    {"W1.1": (1, 8), "W1.2": (4, 5), "W1.3": (2, 7), "W1.4": (3, 6)},
    {"W2.1": (1, 4), "W2.2": (2, 3), "L1.1": (5, 8), "L1.2": (6, 7)},
    {"W3.1": (1, 2), "L2.1": (3, 5), "L2.2": (4, 6)},
    {"L3.1": (3, 4)},
    {"L4.1": (2, 3)},
    {"F1.1": (1, 2)},
]
ONCE_MORE = [{"F2.1": (1, 2)}]


@pytest.mark.parametrize(
    ("count", "expected"), [(2, [{"W1.1": (1, 2)}, {"F1.1": (1, 2)}]), (4, OF_FOUR), (8, OF_EIGHT)]
)
def test_the_brackets_when_the_better_seed_wins(count: int, expected: list[Drawn]) -> None:
    field = entrants(count)
    assert drawn(play(FORMAT, field, SETTINGS, better_seed_wins)) == expected
    for outcome in (first_loses("F1.1"), first_loses("F1.1", "F2.1")):
        assert drawn(play(FORMAT, field, SETTINGS, outcome)) == [*expected, *ONCE_MORE]
    assert len(expected) + 1 == FORMAT.count_rounds(count, SETTINGS)


def test_of_eight_when_the_worse_seed_wins() -> None:
    assert drawn(play(FORMAT, entrants(8), SETTINGS, worse_seed_wins)) == [
        {"W1.1": (1, 8), "W1.2": (4, 5), "W1.3": (2, 7), "W1.4": (3, 6)},
        {"W2.1": (5, 8), "W2.2": (6, 7), "L1.1": (1, 4), "L1.2": (2, 3)},
        {"W3.1": (7, 8), "L2.1": (4, 6), "L2.2": (3, 5)},
        {"L3.1": (5, 6)},
        {"L4.1": (6, 7)},
        {"F1.1": (7, 8)},
    ]


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (
            3,
            [
                {"W1.1": (1,), "W1.2": (2, 3)},
                {"W2.1": (1, 2)},
                {"L2.1": (2, 3)},
                {"F1.1": (1, 2)},
            ],
        ),
        (
            5,
            [
                {"W1.1": (1,), "W1.2": (4, 5), "W1.3": (2,), "W1.4": (3,)},
                {"W2.1": (1, 4), "W2.2": (2, 3)},
                {"W3.1": (1, 2), "L2.1": (3, 5)},
                {"L3.1": (3, 4)},
                {"L4.1": (2, 3)},
                {"F1.1": (1, 2)},
            ],
        ),
        (
            6,
            [
                {"W1.1": (1,), "W1.2": (4, 5), "W1.3": (2,), "W1.4": (3, 6)},
                {"W2.1": (1, 4), "W2.2": (2, 3)},
                {"W3.1": (1, 2), "L2.1": (3, 5), "L2.2": (4, 6)},
                {"L3.1": (3, 4)},
                {"L4.1": (2, 3)},
                {"F1.1": (1, 2)},
            ],
        ),
        (
            7,
            [
                {"W1.1": (1,), "W1.2": (4, 5), "W1.3": (2, 7), "W1.4": (3, 6)},
                {"W2.1": (1, 4), "W2.2": (2, 3), "L1.2": (6, 7)},
                {"W3.1": (1, 2), "L2.1": (3, 5), "L2.2": (4, 6)},
                {"L3.1": (3, 4)},
                {"L4.1": (2, 3)},
                {"F1.1": (1, 2)},
            ],
        ),
    ],
)
def test_where_byes_leave_a_place_empty_nothing_is_played(count: int, expected: list[Drawn]) -> None:
    assert drawn(play(FORMAT, entrants(count), SETTINGS, better_seed_wins)) == expected


def test_who_come_in_at_different_turns_stand_in_different_parts() -> None:
    eight = [*range(8)]
    assert cross_losers(eight, 1) == [4, 5, 6, 7, 0, 1, 2, 3]
    assert cross_losers(eight, 2) == [2, 3, 0, 1, 6, 7, 4, 5]
    assert cross_losers(eight, 3) == [6, 7, 4, 5, 2, 3, 0, 1]
    assert cross_losers([0, 1], 1) == [1, 0] and cross_losers([0], 1) == [0]


@pytest.mark.parametrize("depth", range(1, 9))
def test_the_losers_bracket_has_twice_as_many_rounds_without_the_first(depth: int) -> None:
    rounds = build_losers_rounds(2**depth)
    assert len(rounds) == 2 * depth - 2
    assert [len(bouts) for bouts in rounds] == [2 ** (depth - 2 - index // 2) for index in range(len(rounds))]


@pytest.mark.parametrize(("count", "safe"), [(8, 2), (16, 3), (32, 4), (64, 6)])
@given(seed=st.integers(0, 2**32 - 1))
@examples(5, 10)
def test_nobody_meets_again_as_long_as_there_are_more_parts_than_turns(count: int, safe: int, seed: int) -> None:
    """`safe`: so many of the losers' rounds."""
    names = {f"L{number}" for number in range(1, safe + 1)}
    met: set[frozenset[int]] = set()
    for results in play(FORMAT, entrants(count), SETTINGS, chance(seed)):
        for result in results:
            two = frozenset(result.pairing.entrants)
            assert two not in met or result.pairing.name.split(".")[0] not in names
            met.add(two)


def test_how_far_each_came() -> None:
    field = entrants(4)
    rounds = play(FORMAT, field, SETTINGS, first_loses("F1.1"))
    reached = [FORMAT.measure_progress(field, rounds[:number], SETTINGS) for number in range(6)]
    assert reached == [
        {1: 4, 2: 4, 3: 4, 4: 4},
        {1: 5, 2: 5, 3: 4, 4: 4},
        {1: 6, 2: 5, 3: 5, 4: 1},
        {1: 6, 2: 6, 3: 2, 4: 1},
        {1: 6, 2: 6, 3: 2, 4: 1},
        {1: 7, 2: 3, 3: 2, 4: 1},
    ]


def test_of_two_the_loser_came_to_the_final() -> None:
    field = entrants(2)
    rounds = play(FORMAT, field, SETTINGS, better_seed_wins)
    assert [FORMAT.measure_progress(field, rounds[:number], SETTINGS) for number in range(3)] == [{1: 2, 2: 2}] * 2 + [
        {1: 3, 2: 1}
    ]


def test_who_leaves_falls_through_both_brackets() -> None:
    """1 leaves before the final of the winners, which goes to 2, and in the losers' bracket nobody plays it either."""
    rounds = play(FORMAT, entrants(4, left={1: 2}), SETTINGS, better_seed_wins)
    assert drawn(rounds) == [
        {"W1.1": (1, 4), "W1.2": (2, 3)},
        {"W2.1": (1, 2), "L1.1": (3, 4)},
        {"L2.1": (1, 3)},
        {"F1.1": (2, 3)},
    ]
    assert [result.played for results in rounds for result in results] == [True, True, False, True, False, True]
    assert rounds[-1][0].winner == 2


def test_who_leaves_before_the_final_loses_it_twice() -> None:
    rounds = play(FORMAT, entrants(4, left={1: 4}), SETTINGS, better_seed_wins)
    assert drawn(rounds) == OF_FOUR + ONCE_MORE and rounds[-1][0].winner == 2 and not rounds[-1][0].played


@pytest.mark.parametrize("count", [2, 3, 5, 9, 16])
@pytest.mark.parametrize("leaves", [1, 2, 3, 4])
def test_even_if_all_leave_it_ends_and_of_all_but_one_that_one_wins(count: int, leaves: int) -> None:
    everybody = dict.fromkeys(range(1, count + 1), leaves)
    assert play(FORMAT, entrants(count, left=everybody), SETTINGS, better_seed_wins)
    del everybody[1]
    assert play(FORMAT, entrants(count, left=everybody), SETTINGS, better_seed_wins)[-1][0].winner == 1


@given(fields(leaving=20, rounds=13), outcomes())
@examples(12, 40)
def test_everybody_but_the_winner_loses_twice_and_is_out(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    assert FORMAT.count_rounds(len(field), SETTINGS) - 1 <= len(rounds) <= FORMAT.count_rounds(len(field), SETTINGS)
    for number, results in enumerate(rounds):
        before = losses(rounds[:number])
        here = [one for result in results for one in result.pairing.entrants]
        assert len(here) == len(set(here)) and all(before[one] < 2 for one in here)
    lost = losses(rounds)
    winner = rounds[-1][0].winner
    assert winner is not None and len(rounds[-1]) == 1 and lost.pop(winner, 0) <= 1
    assert lost == {entrant.number: 2 for entrant in field if entrant.number != winner}


@given(fields(most=256), outcomes())
@examples(5, 15)
def test_of_n_entrants_twice_n_less_1_or_2_pairings_are_played(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    results = [result for results in rounds for result in results]
    has_lost = rounds[-1][0].pairing.name == "F2.1"
    assert sum(result.played for result in results) == 2 * len(field) - (1 if has_lost else 2)
    byes = [result.pairing for result in results if result.pairing.is_bye]
    assert all(pairing.name.startswith("W1.") for pairing in byes)
    assert sorted(pairing.entrants[0] for pairing in byes) == [*range(1, len(byes) + 1)]


@given(fields())
@examples(6, 20)
def test_if_the_better_wins_the_two_best_meet_in_the_finals_alone(field: list[Entrant]) -> None:
    rounds = play(FORMAT, field, SETTINGS, better_seed_wins)
    met = [result.pairing.name for results in rounds for result in results if result.pairing.entrants == (1, 2)]
    last = build_winners_rounds(len(field))[-1][0].name
    assert met == [last, "F1.1"]


@given(fields(leaving=10, rounds=13), outcomes())
@examples(6, 20)
def test_who_is_out_stands_below_who_is_in_and_in_the_order_of_going(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    everybody = {entrant.number for entrant in field}
    for number in range(len(rounds) + 1):
        reached = FORMAT.measure_progress(field, rounds[:number], SETTINGS)
        assert set(reached) == everybody
        out = {one for one, times in losses(rounds[:number]).items() if times == 2}
        assert not out or max(reached[one] for one in out) < min(reached[one] for one in everybody - out)
    last = rounds[-1][0]
    assert sorted(reached, key=reached.__getitem__)[-2:] == sorted(
        last.pairing.entrants, key=lambda one: one == last.winner
    )
    assert list(reached.values()).count(sorted(reached.values())[-2]) == 1


@given(fields(leaving=10, rounds=13), outcomes())
@examples(6, 20)
def test_asked_again_it_says_the_same(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(FORMAT, field, SETTINGS, outcome)
    for number, results in enumerate(rounds):
        known = as_known(field, number + 1)
        assert FORMAT.pair(known, rounds[:number], SETTINGS) == [result.pairing for result in results]
    assert FORMAT.pair(field, rounds, SETTINGS) is None


def won(name: str, winner: int, loser: int) -> Result:
    return Result(Pairing((winner, loser), name, must_decide=True), (1.0, 0.0), (20.0, 10.0))


@pytest.mark.parametrize(
    ("size", "order"),
    [
        (1, [1]),
        (2, [1, 2]),
        (4, [1, 4, 2, 3]),
        (8, [1, 8, 4, 5, 2, 7, 3, 6]),
        (16, [1, 16, 8, 9, 4, 13, 5, 12, 2, 15, 7, 10, 3, 14, 6, 11]),
    ],
)
def test_the_seeds_from_the_top_down(size: int, order: list[int]) -> None:
    assert order_seeds(size) == order


@pytest.mark.parametrize("size", [2, 4, 8, 16, 32, 64, 128, 256])
def test_if_the_better_wins_each_round_is_the_best_half_against_the_rest_mirrored(size: int) -> None:
    left = order_seeds(size)
    while len(left) > 1:
        assert sorted(left) == list(range(1, len(left) + 1))
        assert all(upper + lower == len(left) + 1 for upper, lower in zip(left[::2], left[1::2], strict=True))
        left = [min(two) for two in zip(left[::2], left[1::2], strict=True)]


@pytest.mark.parametrize(
    ("entrants", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (16, 4), (17, 5), (255, 8), (256, 8)]
)
def test_rounds_until_one_is_left(entrants: int, rounds: int) -> None:
    assert count_knockout_rounds(entrants) == rounds == len(build_winners_rounds(entrants))


def test_bouts_are_named_by_round_and_place() -> None:
    assert build_winners_rounds(3) == (
        (Bout("W1.1", (1, 4)), Bout("W1.2", (2, 3))),
        (Bout("W2.1", (FromBout("W1.1"), FromBout("W1.2"))),),
    )


class TestOfThree:
    """Whose numbers are 7, 5 and 9, in the order of their seeds."""

    def bracket(self, *rounds: list[Result]) -> Bracket:
        return Bracket([7, 5, 9], rounds, (bout for row in build_winners_rounds(3) for bout in row))

    bye = Result(Pairing((7,), "W1.1"), (1.0,), (0.0,), played=False)

    def test_the_first_round(self) -> None:
        assert self.bracket().ready == [Pairing((7,), "W1.1"), Pairing((5, 9), "W1.2", must_decide=True)]

    def test_a_bye_has_a_winner_and_nobody_lost(self) -> None:
        bracket = self.bracket([self.bye])
        assert bracket.find_winner("W1.1") == 7 and bracket.find_loser("W1.1") == NO_ENTRANT
        assert bracket.find_winner("W1.2") is bracket.find_loser("W1.2") is bracket.find_winner("W2.1") is None

    def test_who_has_a_bye_and_has_left_goes_on_in_name(self) -> None:
        bracket = self.bracket([Result(Pairing((7,), "W1.1"), (0.0,), (0.0,), played=False)])
        assert bracket.find_winner("W1.1") == 7

    def test_the_better_seed_sits_first_in_the_end(self) -> None:
        bracket = self.bracket([self.bye, won("W1.2", 9, 5)])
        assert bracket.ready == [Pairing((7, 9), "W2.1", must_decide=True)]

    def test_when_all_is_played_nothing_is_ready(self) -> None:
        bracket = self.bracket([self.bye, won("W1.2", 9, 5)], [won("W2.1", 9, 7)])
        assert not bracket.ready and bracket.find_winner("W2.1") == 9 and bracket.find_loser("W2.1") == 7

    def test_what_others_played_under_that_name_does_not_count(self) -> None:
        assert len(self.bracket([self.bye, won("W1.2", 9, 4)]).ready) == 1

    def test_there_is_no_draw(self) -> None:
        even = Result(Pairing((5, 9), "W1.2"), (0.5, 0.5), (10.0, 10.0))
        with pytest.raises(ValueError, match="W1.2 ended without a winner"):
            self.bracket([self.bye, even])
