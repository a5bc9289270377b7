"""A tournament from round to round, told match by match."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.contests.tournaments.document import Course, NotDueError, ScheduledMatch, compute_deal_number
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import MatchResult
from tests.arena.contests.tournaments.formats.field import entrants
from tests.full import examples

WON, LOST, EVEN = (
    MatchResult((1.0, 0.0), (10.0, 3.0)),
    MatchResult((0.0, 1.0), (4.0, 10.0)),
    MatchResult((0.5, 0.5), (8.0, 8.0)),
)


def begin(key, count, **settings):
    return Course(FORMATS[key], entrants(count), Settings(format=key, seed="heron", **settings))


def luck(scheduled):
    """What becomes of a match, whenever it is played."""
    return Random(f"{scheduled}").choice((WON, LOST, EVEN))


def finish(course, rng=None):
    told = []
    while due := list(course.list_due()):
        scheduled = rng.choice(due) if rng else due[0]
        course.add_result(scheduled, luck(scheduled))
        told.append(scheduled)
    return told


def test_a_round_is_due_as_a_whole_and_the_next_when_it_is_over():
    course = begin("round-robin", 4, matches_per_pairing=2)
    first = [ScheduledMatch(1, board, number) for board in (1, 2) for number in (1, 2)]
    assert list(course.list_due()) == first and course.rounds == []
    for scheduled in reversed(first):
        assert {due.round for due in course.list_due()} == {1}
        course.add_result(scheduled, WON)
    assert len(course.rounds) == 1 and {due.round for due in course.list_due()} == {2}
    assert [result.points for result in course.rounds[0]] == [(1, 0), (1, 0)]
    assert [result.game_points for result in course.rounds[0]] == [(20, 6), (20, 6)]


def test_a_knockout_asks_for_one_match_at_a_time_until_it_is_decided():
    course = begin("single-elimination", 2, matches_per_pairing=3, max_tiebreak_matches=1)
    for number, game in enumerate((EVEN, WON, LOST, LOST), start=1):
        assert list(course.list_due()) == [ScheduledMatch(1, 1, number)]
        course.add_result(ScheduledMatch(1, 1, number), game)
    assert course.boards is None and course.rounds[0][0].points == (0, 1)
    course = begin("single-elimination", 2, matches_per_pairing=3)
    course.add_result(ScheduledMatch(1, 1, 1), WON)
    course.add_result(ScheduledMatch(1, 1, 2), WON)
    assert list(course.list_due()) == [] and len(course.rounds) == 1


def test_byes_are_over_at_once():
    course = begin("single-elimination", 3)
    assert len(list(course.list_due())) == 1
    scheduled = next(course.list_due())
    assert len(course.find_pairing(scheduled).entrants) == 2
    course.add_result(scheduled, WON)
    assert [result.played for result in course.rounds[0]].count(False) == 1


@pytest.mark.parametrize(
    "scheduled",
    [
        ScheduledMatch(1, 1, 2),
        ScheduledMatch(1, 3, 1),
        ScheduledMatch(2, 1, 1),
        ScheduledMatch(1, 0, 1),
        ScheduledMatch(1, 1, 0),
    ],
)
def test_a_match_that_is_not_due_is_refused(scheduled):
    course = begin("swiss", 4)
    with pytest.raises(
        NotDueError, match=f"match {scheduled.number} of board {scheduled.board} in round {scheduled.round}"
    ):
        course.add_result(scheduled, WON)


def test_a_match_is_told_once():
    course = begin("swiss", 4, matches_per_pairing=2)
    course.add_result(ScheduledMatch(1, 1, 2), WON)
    with pytest.raises(NotDueError):
        course.add_result(ScheduledMatch(1, 1, 2), WON)


def test_no_two_matches_share_a_deal():
    assert compute_deal_number(0, 1, 1, 1) == ScheduledMatch(1, 1, 1).deal_number == 100101
    assert compute_deal_number(7, 12, 34, 5) == 701203405
    numbers = {
        compute_deal_number(tournament, round, board, match)
        for tournament in (0, 1)
        for round in (1, 510)
        for board in (1, 128)
        for match in (1, 50)
    }
    assert len(numbers) == 16


@given(
    st.sampled_from([key for key in FORMATS if key != "tables"]), st.integers(4, 11), st.integers(1, 3), st.integers()
)
@examples(12, 40)
def test_whichever_match_ends_first_the_same_is_played(key, count, pairs, seed):
    one, other = (begin(key, count, matches_per_pairing=pairs) for _ in range(2))
    in_order, mixed = finish(one), finish(other, Random(seed))
    assert sorted(mixed, key=lambda scheduled: scheduled.deal_number) == sorted(
        in_order, key=lambda scheduled: scheduled.deal_number
    )
    assert one.rounds == other.rounds and one.boards is other.boards is None
    assert len(one.rounds) <= one.max_rounds
