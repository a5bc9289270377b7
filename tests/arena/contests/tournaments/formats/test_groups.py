from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.tournaments.formats.base import Entrant, Pairing, Result
from arena.contests.tournaments.formats.brackets import count_knockout_rounds, order_seeds
from arena.contests.tournaments.formats.round_robin import Groups, split_into_groups, spread_groups
from arena.contests.tournaments.settings import GAME_POINTS, Settings
from tests.arena.contests.tournaments.formats.field import (
    Outcome,
    as_known,
    better_seed_wins,
    entrants,
    fields,
    outcomes,
    play,
    worse_seed_wins,
)
from tests.full import examples

FORMAT = Groups()


def make_settings(groups: int = 2, advance: int = 2, scoring: str = "wins") -> Settings:
    return Settings(format=FORMAT.key, groups=groups, advance_per_group=advance, scoring=scoring, seed="a")


def members(count: int, groups: int) -> dict[str, list[int]]:
    made = split_into_groups(entrants(count), make_settings(groups))
    return {name: [member.number for member in group] for name, group in made.items()}


def stages(rounds: list[list[Result]]) -> tuple[list[list[Result]], list[list[Result]]]:
    """Rounds of the groups, and of the knockout."""
    first = [results[0].pairing.name for results in rounds].index("W1.1")
    return rounds[:first], rounds[first:]


def drawn(rounds: list[list[Result]]) -> list[dict[str, tuple[int, ...]]]:
    return [{result.pairing.name: result.pairing.entrants for result in results} for results in rounds]


@st.composite
def settled(draw: st.DrawFn, leaving: int = 0) -> tuple[list[Entrant], Settings]:
    """A field and settings by which it can be played."""
    groups, advance = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    least = groups * max(2, advance)
    field = draw(fields(least=least, most=least + 20, leaving=leaving, rounds=14))
    return field, make_settings(groups, advance, draw(st.sampled_from(["wins", GAME_POINTS])))


def test_groups_are_filled_forth_and_back() -> None:
    assert members(8, 2) == {"A": [1, 4, 5, 8], "B": [2, 3, 6, 7]}
    assert members(7, 3) == {"A": [1, 6, 7], "B": [2, 5], "C": [3, 4]}
    assert members(12, 4) == {"A": [1, 8, 9], "B": [2, 7, 10], "C": [3, 6, 11], "D": [4, 5, 12]}


def test_after_z_comes_aa() -> None:
    assert [*members(60, 30)][24:] == ["Y", "Z", "AA", "AB", "AC", "AD"]


@pytest.mark.parametrize(
    ("groups", "advance", "expected"),
    [
        (2, 1, [0, 1]),
        (2, 2, [0, 1, 0, 1]),
        (3, 1, [0, 1, 2]),
        (4, 1, [0, 1, 2, 3]),
    ],
)
def test_from_which_groups_the_seeds_come(groups: int, advance: int, expected: list[int]) -> None:
    assert spread_groups(groups, advance) == expected


@pytest.mark.parametrize("groups", range(2, 33))
def test_first_and_second_of_a_group_meet_in_the_final_alone(groups: int) -> None:
    halves = order_seeds(2 ** count_knockout_rounds(2 * groups))
    upper = set(halves[: len(halves) // 2])
    seeds = enumerate(spread_groups(groups, 2), 1)
    assert Counter(group for seed, group in seeds if seed in upper) == Counter(range(groups))


@pytest.mark.parametrize("groups", range(2, 17))
def test_first_come_in_order_and_nobody_begins_against_its_own_group(groups: int) -> None:
    for advance in range(1, 64 // groups + 1):
        order = spread_groups(groups, advance)
        assert order[:groups] == [*range(groups)]
        tiers = [order[first : first + groups] for first in range(0, len(order), groups)]
        assert all(sorted(tier) == [*range(groups)] for tier in tiers) and len(tiers) == advance
        size = 2 ** count_knockout_rounds(len(order))
        meeting = [(order[seed - 1], order[size - seed]) for seed in range(size - len(order) + 1, size // 2 + 1)]
        assert all(one != other for one, other in meeting)


def test_of_eight_in_two_groups_when_the_better_seed_wins() -> None:
    rounds = play(FORMAT, entrants(8), make_settings(), better_seed_wins)
    in_groups, knockout = stages(rounds)
    assert len(in_groups) == 3
    for results in in_groups:
        assert [result.pairing.name for result in results] == ["A", "A", "B", "B"]
    played = {tuple(sorted(result.pairing.entrants)) for results in in_groups for result in results}
    assert played == {*combinations((1, 4, 5, 8), 2), *combinations((2, 3, 6, 7), 2)}
    assert drawn(knockout) == [{"W1.1": (1, 3), "W1.2": (2, 4)}, {"W2.1": (1, 2)}]


def test_who_was_better_in_its_group_sits_first_in_the_knockout() -> None:
    _, knockout = stages(play(FORMAT, entrants(8), make_settings(), worse_seed_wins))
    assert drawn(knockout) == [{"W1.1": (8, 6), "W1.2": (7, 5)}, {"W2.1": (8, 7)}]


def test_of_three_groups_the_first_two_winners_have_a_bye() -> None:
    _, knockout = stages(play(FORMAT, entrants(9), make_settings(groups=3), better_seed_wins))
    byes = [result.pairing.entrants for result in knockout[0] if result.pairing.is_bye]
    assert byes == [(1,), (2,)] and [len(results) for results in knockout] == [4, 2, 1]


def test_of_odd_groups_one_rests_in_each_round_and_smaller_groups_are_done_before() -> None:
    """A has five, B has four."""
    in_groups, _ = stages(play(FORMAT, entrants(9), make_settings(), better_seed_wins))
    assert members(9, 2) == {"A": [1, 4, 5, 8, 9], "B": [2, 3, 6, 7]}
    byes = [result.pairing for results in in_groups for result in results if result.pairing.is_bye]
    assert sorted(byes, key=lambda pairing: pairing.entrants) == [Pairing((one,), "A") for one in (1, 4, 5, 8, 9)]
    assert [sum(result.pairing.name == "B" for result in results) for results in in_groups] == [2, 2, 2, 0, 0]


def test_how_far_each_came() -> None:
    field, by = entrants(8), make_settings()
    rounds = play(FORMAT, field, by, better_seed_wins)
    none = dict.fromkeys(range(1, 9), 0)
    assert [FORMAT.measure_progress(field, rounds[:number], by) for number in range(6)] == [
        none,
        none,
        none,
        none,
        {**none, 1: 2, 2: 2, 3: 1, 4: 1},
        {**none, 1: 3, 2: 2, 3: 1, 4: 1},
    ]


def test_in_older_tournaments_who_advances_is_ahead_before_the_knockout() -> None:
    field, by = entrants(8), replace(make_settings(), separate_phases=False)
    rounds = play(FORMAT, field, by, better_seed_wins)
    assert [FORMAT.measure_progress(field, rounds[:number], by)[1] for number in range(6)] == [0, 0, 0, 1, 2, 3]


def test_who_left_in_the_groups_makes_room() -> None:
    """1 won all that it played."""
    _, knockout = stages(play(FORMAT, entrants(8, left={1: 3}), make_settings(), better_seed_wins))
    assert drawn(knockout) == [{"W1.1": (4, 3), "W1.2": (2, 5)}, {"W2.1": (2, 3)}]


@pytest.mark.parametrize("leaves", [4, 5])
def test_who_leaves_later_on(leaves: int) -> None:
    """Before the knockout begins it makes room; after that its opponent has won, and the draw stays."""
    rounds = play(FORMAT, entrants(8, left={1: leaves}), make_settings(), better_seed_wins)
    _, knockout = stages(rounds)
    if leaves == 4:
        assert drawn(knockout) == [{"W1.1": (4, 3), "W1.2": (2, 5)}, {"W2.1": (2, 3)}]
    else:
        assert drawn(knockout) == [{"W1.1": (1, 3), "W1.2": (2, 4)}, {"W2.1": (1, 2)}]
        assert knockout[1][0].winner == 2


def test_a_draw_stays_though_somebody_leaves_in_its_first_round() -> None:
    """Known only after the round was drawn."""
    rounds = play(FORMAT, entrants(8), make_settings(), better_seed_wins)
    assert FORMAT.pair(entrants(8, left={4: 4}), rounds[:4], make_settings()) == [
        Pairing((1, 2), "W2.1", must_decide=True)
    ]


def test_who_left_early_in_a_group_is_struck_out() -> None:
    field, by = entrants(8, left={8: 1, 7: 4}), make_settings()
    rounds = play(FORMAT, field, by, better_seed_wins)
    assert FORMAT.find_struck_out(field, rounds, by) == {8}


@pytest.mark.parametrize("leaves", [1, 2, 5])
def test_even_if_all_leave_it_ends(leaves: int) -> None:
    rounds = play(FORMAT, entrants(9, left=dict.fromkeys(range(1, 10), leaves)), make_settings(), better_seed_wins)
    assert rounds[-1][0].pairing.name == "W2.1" and rounds[-1][0].winner


@pytest.mark.parametrize(("count", "rounds"), [(4, 1 + 2), (8, 3 + 2), (9, 5 + 2), (11, 5 + 2)])
def test_as_many_rounds_as_the_largest_group_has_and_the_knockout(count: int, rounds: int) -> None:
    played = play(FORMAT, entrants(count), make_settings(), better_seed_wins)
    assert FORMAT.count_rounds(count, make_settings()) == rounds == len(played)


@given(settled(leaving=8), outcomes())
@examples(12, 40)
def test_so_many_of_each_group_go_on_and_one_wins(settled: tuple[list[Entrant], Settings], outcome: Outcome) -> None:
    field, by = settled
    rounds = play(FORMAT, field, by, outcome)
    assert len(rounds) <= FORMAT.count_rounds(len(field), by)
    in_groups, knockout = stages(rounds)
    group_of = {member.number: name for name, group in split_into_groups(field, by).items() for member in group}
    for results in in_groups:
        here = [number for result in results for number in result.pairing.entrants]
        assert len(here) == len(set(here))
        assert all(group_of[one] == result.pairing.name for result in results for one in result.pairing.entrants)
    going_on = [number for result in knockout[0] for number in result.pairing.entrants]
    assert len(going_on) == len(set(going_on))
    assert Counter(group_of[number] for number in going_on) == Counter(
        dict.fromkeys(group_of.values(), by.advance_per_group)
    )
    for result in knockout[0]:
        assert len({group_of[number] for number in result.pairing.entrants}) == len(result.pairing.entrants)
    reached = FORMAT.measure_progress(field, rounds, by)
    finished = {entrant.number for entrant in field if entrant.is_in(len(in_groups))}
    assert {number for number, came in reached.items() if came} == set(going_on) & finished
    if not reached[rounds[-1][0].winner or 0]:
        return
    assert sum(came == max(reached.values()) for came in reached.values()) == 1
    assert reached[rounds[-1][0].winner or 0] == max(reached.values())


@given(settled(), outcomes())
@examples(6, 20)
def test_without_leavers_everybody_of_a_group_meets_once(
    settled: tuple[list[Entrant], Settings], outcome: Outcome
) -> None:
    field, by = settled
    in_groups, _ = stages(play(FORMAT, field, by, outcome))
    met = Counter(
        tuple(sorted(result.pairing.entrants)) for results in in_groups for result in results if result.played
    )
    groups = split_into_groups(field, by).values()
    everybody = [pair for group in groups for pair in combinations([member.number for member in group], 2)]
    assert met == Counter(everybody)


@given(settled(leaving=8), outcomes())
@examples(6, 20)
def test_asked_again_it_says_the_same(settled: tuple[list[Entrant], Settings], outcome: Outcome) -> None:
    field, by = settled
    rounds = play(FORMAT, field, by, outcome)
    for number, results in enumerate(rounds):
        known = as_known(field, number + 1)
        assert FORMAT.pair(known, rounds[:number], by) == [result.pairing for result in results]
    assert FORMAT.pair(field, rounds, by) is None
