from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.contests.tournaments.formats.base import Entrant, Pairing, Result
from arena.contests.tournaments.formats.round_robin import History, Tables, compute_table_sizes
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.formats.field import chance, entrants, fields, play
from tests.full import examples

Table = tuple[int, ...]
SEATS = st.integers(2, 4)


def tables(field: Sequence[Entrant], seats: int, rounds: int | None = None, seed: str = "") -> list[list[Table]]:
    played = play(Tables(), field, Settings(format="tables", seats=seats, rounds=rounds, seed=seed), chance(1))
    return [[result.pairing.entrants for result in results] for results in played]


def meetings(rounds: list[list[Table]], count: int) -> Counter[int]:
    """How many pairs of entrants met how often."""
    met = Counter(two for tables in rounds for table in tables for two in combinations(sorted(table), 2))
    return Counter(met[two] for two in combinations(range(1, count + 1), 2))


def spread(numbers: Sequence[int]) -> int:
    return max(numbers) - min(numbers)


@pytest.mark.parametrize(
    "count, seats, expected",
    [
        (2, 2, [2]),
        (3, 2, [2, 1]),
        (7, 2, [2, 2, 2, 1]),
        (2, 3, [2]),
        (4, 3, [2, 2]),
        (5, 3, [3, 2]),
        (2, 4, [2]),
        (3, 4, [3]),
        (5, 4, [3, 2]),
        (6, 4, [3, 3]),
        (7, 4, [4, 3]),
        (9, 4, [3, 3, 3]),
        (14, 4, [4, 4, 3, 3]),
    ],
)
def test_tables_are_as_few_and_as_alike_as_can_be(count: int, seats: int, expected: list[int]) -> None:
    assert compute_table_sizes(count, seats) == expected


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_nobody_sits_alone_but_where_two_meet(seats: int) -> None:
    for count in range(2, 257):
        size = compute_table_sizes(count, seats)
        assert sum(size) == count and spread(size) <= 1 and max(size) <= seats
        assert min(size) >= 2 or seats == 2 and size.count(1) == 1


@given(fields(2, 32, leaving=5, rounds=6), SEATS)
@examples(6, 20)
def test_all_who_are_there_play_once_a_round(field: list[Entrant], seats: int) -> None:
    for number, round_tables in enumerate(tables(field, seats, 6), start=1):
        there = [entrant.number for entrant in field if entrant.is_in(number)]
        assert sorted(entrant for table in round_tables for entrant in table) == there
        assert [len(table) for table in round_tables] == compute_table_sizes(len(there), seats)


@given(st.integers(2, 64), SEATS, st.integers(1, 6))
@examples(5, 15)
def test_smaller_tables_and_byes_go_round(count: int, seats: int, length: int) -> None:
    """So nobody has a second bye before everybody has had one."""
    short = dict.fromkeys(range(1, count + 1), 0)
    for round_tables in tables(entrants(count), seats, length):
        for table in round_tables:
            for entrant in table:
                short[entrant] += len(table) < len(round_tables[0])
        assert spread(list(short.values())) <= 1


@given(st.integers(2, 24), SEATS, st.integers(1, 12))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_nobody_is_met_much_more_often_than_others(count: int, seats: int, length: int) -> None:
    """The turns at smaller tables come first, so where there are such it is less even."""
    met = meetings(tables(entrants(count), seats, length), count)
    assert spread(list(met)) <= (4 if count % seats else 3)


@given(st.integers(2, 24), SEATS, st.integers(1, 12))
@settings(max_examples=15, deadline=None, derandomize=True)
def test_nobody_sits_in_a_seat_much_more_often(count: int, seats: int, length: int) -> None:
    """Where all tables are alike; a smaller one lacks the last seat. It matters for the first leg only."""
    count += -count % seats
    sat = Counter(
        (entrant, seat)
        for round_tables in tables(entrants(count), seats, length)
        for table in round_tables
        for seat, entrant in enumerate(table)
    )
    for entrant in range(1, count + 1):
        assert spread([sat[entrant, seat] for seat in range(seats)]) <= 3


def test_of_sixteen_at_four_tables_almost_all_meet_once_in_five_rounds() -> None:
    """All 120 pairs could: that is the social golfer's problem, and has an answer. We find some 104 of them."""
    for seed in ("", "a", "b"):
        met = meetings(tables(entrants(16), 4, seed=seed), 16)
        assert met.total() == 120 and met[1] >= 96 and set(met) <= {0, 1, 2}


@pytest.mark.parametrize("count, seats, length", [(9, 3, 4), (8, 2, 7), (7, 2, 7)])
def test_in_a_small_field_all_meet_exactly_once(count: int, seats: int, length: int) -> None:
    assert Tables().count_rounds(count, Settings(seats=seats)) == length
    assert set(meetings(tables(entrants(count), seats), count)) == {1}


@pytest.mark.parametrize("count, seats", [(64, 4), (256, 4), (255, 3), (255, 2)])
def test_in_a_large_field_nobody_meets_anybody_twice(count: int, seats: int) -> None:
    assert set(meetings(tables(entrants(count), seats, 5), count)) <= {0, 1}


@pytest.mark.parametrize(
    "count, seats, length",
    [(2, 2, 1), (3, 2, 3), (6, 2, 5), (64, 2, 12), (9, 3, 4), (5, 4, 3), (16, 4, 5), (256, 4, 12)],
)
def test_so_many_rounds_are_recommended(count: int, seats: int, length: int) -> None:
    assert Tables().count_rounds(count, Settings(seats=seats)) == length


def test_the_terms_say_how_many_rounds_there_are() -> None:
    assert len(tables(entrants(5), 4, 20)) == Tables().count_rounds(5, Settings(seats=4, rounds=20)) == 20


@given(fields(2, 20, leaving=3, rounds=4), SEATS)
@examples(5, 10)
def test_asked_again_it_says_the_same(field: list[Entrant], seats: int) -> None:
    assert tables(field, seats, 4, "lot") == tables(field, seats, 4, "lot")


def test_lots_are_drawn_from_the_seed() -> None:
    assert len({str(tables(entrants(16), 4, 1, seed)) for seed in "abcdef"}) == 6


def test_one_alone_plays_no_more() -> None:
    assert len(tables(entrants(3, {1: 2, 2: 2}), 4, 3)) == 1


def test_who_had_left_was_not_met() -> None:
    unplayed = Result(Pairing((1, 2)), (1.0, 0.0), (0.0, 0.0), played=False)
    history = History([1, 2, 3], [[unplayed, Result(Pairing((3,)), (1.0,), (0.0,), played=False)]])
    assert not any(history.meetings.values()) and not history.seats_taken and history.small_tables == {3: 1}
