from collections import Counter
from itertools import combinations, groupby

import pytest
from hypothesis import given

from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result
from arena.contests.tournaments.formats.round_robin import DoubleRoundRobin, RoundRobin
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.formats.field import Outcome, better_seed_wins, entrants, fields, outcomes, play
from tests.full import examples

SETTINGS = Settings(format="round-robin")

BERGER = {
    4: """
        1-4 2-3
        4-3 1-2
        2-4 3-1
    """,
    6: """
        1-6 2-5 3-4
        6-4 5-3 1-2
        2-6 3-1 4-5
        6-5 1-4 2-3
        3-6 4-2 5-1
    """,
    8: """
        1-8 2-7 3-6 4-5
        8-5 6-4 7-3 1-2
        2-8 3-1 4-7 5-6
        8-6 7-5 1-4 2-3
        3-8 4-2 5-1 6-7
        8-7 1-6 2-5 3-4
        4-8 5-3 6-2 7-1
    """,
    10: """
        1-10 2-9 3-8 4-7 5-6
        10-6 7-5 8-4 9-3 1-2
        2-10 3-1 4-9 5-8 6-7
        10-7 8-6 9-5 1-4 2-3
        3-10 4-2 5-1 6-9 7-8
        10-8 9-7 1-6 2-5 3-4
        4-10 5-3 6-2 7-1 8-9
        10-9 1-8 2-7 3-6 4-5
        5-10 6-4 7-3 8-2 9-1
    """,
    12: """
        1-12 2-11 3-10 4-9 5-8 6-7
        12-7 8-6 9-5 10-4 11-3 1-2
        2-12 3-1 4-11 5-10 6-9 7-8
        12-8 9-7 10-6 11-5 1-4 2-3
        3-12 4-2 5-1 6-11 7-10 8-9
        12-9 10-8 11-7 1-6 2-5 3-4
        4-12 5-3 6-2 7-1 8-11 9-10
        12-10 11-9 1-8 2-7 3-6 4-5
        5-12 6-4 7-3 8-2 9-1 10-11
        12-11 1-10 2-9 3-8 4-7 5-6
        6-12 7-5 8-4 9-3 10-2 11-1
    """,
}
"""As the FIDE Handbook prints them: C.05, annex 1."""


def printed(entrants: int) -> list[list[tuple[int, ...]]]:
    lines = BERGER[entrants].strip().splitlines()
    return [[tuple(map(int, meeting.split("-"))) for meeting in line.split()] for line in lines]


def met(rounds: list[list[Result]]) -> list[list[tuple[int, ...]]]:
    return [[result.pairing.entrants for result in results] for results in rounds]


@pytest.mark.parametrize("count", BERGER)
def test_it_goes_by_the_printed_tables(count: int) -> None:
    assert met(play(RoundRobin(), entrants(count), SETTINGS, better_seed_wins)) == printed(count)


@pytest.mark.parametrize("count", BERGER)
def test_of_one_fewer_whoever_would_meet_the_last_has_a_bye(count: int) -> None:
    rounds = met(play(RoundRobin(), entrants(count - 1), SETTINGS, better_seed_wins))
    for meetings, table in zip(rounds, printed(count), strict=True):
        assert meetings[:-1] == [meeting for meeting in table if count not in meeting]
        assert [count, *meetings[-1]] in [sorted(meeting, reverse=True) for meeting in table]


@pytest.mark.parametrize("format, times", [(RoundRobin(), 1), (DoubleRoundRobin(), 2)])
@pytest.mark.parametrize("count", range(2, 17))
def test_everybody_meets_everybody_once_or_in_both_seats(format: Format, times: int, count: int) -> None:
    rounds = met(play(format, entrants(count), SETTINGS, better_seed_wins))
    assert len(rounds) == format.count_rounds(count, SETTINGS) == times * (count - 1 + count % 2)
    played = Counter(meeting for meetings in rounds for meeting in meetings if len(meeting) == 2)
    assert set(played.values()) == {1}
    assert Counter(frozenset(meeting) for meeting in played) == {
        frozenset(two): times for two in combinations(range(1, count + 1), 2)
    }
    for meetings in rounds:
        assert sorted(number for meeting in meetings for number in meeting) == list(range(1, count + 1))
    byes = Counter(meeting for meetings in rounds for meeting in meetings if len(meeting) == 1)
    assert set(byes.values()) <= {times} and len(byes) == (count if count % 2 else 0)


@pytest.mark.parametrize("format", [RoundRobin(), DoubleRoundRobin()])
@pytest.mark.parametrize("count", [*range(2, 17), 63, 64])
def test_nobody_has_a_seat_much_more_often_or_three_times_in_a_row(format: Format, count: int) -> None:
    rounds = met(play(format, entrants(count), SETTINGS, better_seed_wins))
    for number in range(1, count + 1):
        taken = [
            meeting.index(number)
            for meetings in rounds
            for meeting in meetings
            if number in meeting and len(meeting) > 1
        ]
        assert abs(taken.count(0) - taken.count(1)) <= 1
        assert all(len(list(same)) <= 2 for _, same in groupby(taken))


def test_the_second_half_swaps_the_seats() -> None:
    first, second = printed(6), [[meeting[::-1] for meeting in table] for table in printed(6)]
    rounds = met(play(DoubleRoundRobin(), entrants(6), SETTINGS, better_seed_wins))
    assert rounds == [*first[:3], first[4], first[3], *second]


@given(fields(2, 12, leaving=4, rounds=12), outcomes())
@examples(12, 40)
def test_whoever_is_there_is_named_once_and_wins_where_the_other_has_left(
    field: list[Entrant], outcome: Outcome
) -> None:
    for format in (RoundRobin(), DoubleRoundRobin()):
        for number, results in enumerate(play(format, field, SETTINGS, outcome), start=1):
            there = {entrant.number for entrant in field if entrant.is_in(number)}
            named = [number for result in results for number in result.pairing.entrants]
            assert len(named) == len(set(named)) and there <= set(named)
            for result in results:
                present = there.intersection(result.pairing.entrants)
                assert present
                assert result.played == (len(present) == 2)
                assert result.played or result.winner in present


@given(fields(2, 12, leaving=2, rounds=12), outcomes())
@examples(6, 20)
def test_asked_again_it_says_the_same(field: list[Entrant], outcome: Outcome) -> None:
    rounds = play(RoundRobin(), field, SETTINGS, outcome)
    assert play(RoundRobin(), field, SETTINGS, outcome) == rounds


def test_places_are_taken_in_the_order_of_the_field() -> None:
    """A group of a larger tournament has any numbers."""
    field = [Entrant(number) for number in (3, 6, 11, 14)]
    assert RoundRobin().pair(field, [], SETTINGS) == [Pairing((3, 14)), Pairing((6, 11))]


def test_where_all_have_left_it_is_over() -> None:
    rounds = play(RoundRobin(), entrants(4, {1: 2, 2: 2, 3: 2, 4: 3}), SETTINGS, better_seed_wins)
    assert len(rounds) == 2
    assert [result.winner for result in rounds[1]] == [4]


@pytest.mark.parametrize(
    "count, number, left_in_round, struck",
    [
        (6, 1, 1, True),
        (6, 1, 3, True),  # two of five
        (6, 1, 4, False),  # three of five
        (7, 7, 3, True),  # two of six
        (7, 1, 4, True),  # its bye was one of the three rounds
        (7, 1, 5, False),  # three of six
        (7, 3, 4, False),  # three of six: its bye was still to come
    ],
)
def test_whoever_left_before_half_of_its_pairings_is_struck_out(
    count: int, number: int, left_in_round: int, struck: bool
) -> None:
    field = entrants(count, {number: left_in_round})
    assert RoundRobin().find_struck_out(field, [], SETTINGS) == (frozenset({number}) if struck else frozenset())


def test_half_of_two_halves_is_one_half() -> None:
    early, late = entrants(4, {2: 3}), entrants(4, {2: 4})
    assert DoubleRoundRobin().find_struck_out(early, [], SETTINGS) == {2}
    assert DoubleRoundRobin().find_struck_out(late, [], SETTINGS) == frozenset()
    assert RoundRobin().find_struck_out(entrants(4), [], SETTINGS) == frozenset()
