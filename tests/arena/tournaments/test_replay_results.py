"""A tournament from round to round, told match by match."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournaments.formats import FORMATS
from arena.tournaments.pairing_outcome import Game
from arena.tournaments.replay_results import Bout, Course, NotDue, deal_number
from arena.tournaments.settings import Settings
from tests.arena.tournaments.formats.field import entrants

WON, LOST, EVEN = Game((1.0, 0.0), (10.0, 3.0)), Game((0.0, 1.0), (4.0, 10.0)), Game((0.5, 0.5), (8.0, 8.0))


def begin(key, count, **settings):
    return Course(FORMATS[key], entrants(count), Settings(format=key, seed="heron", **settings))


def luck(bout):
    """What becomes of a match, whenever it is played."""
    return Random(f"{bout}").choice((WON, LOST, EVEN))


def finish(course, rng=None):
    told = []
    while due := list(course.due()):
        bout = rng.choice(due) if rng else due[0]
        course.add(bout, luck(bout))
        told.append(bout)
    return told


def test_a_round_is_due_as_a_whole_and_the_next_when_it_is_over():
    course = begin("round-robin", 4, matches_per_pairing=2)
    first = [Bout(1, board, number) for board in (1, 2) for number in (1, 2)]
    assert list(course.due()) == first and course.rounds == []
    for bout in reversed(first):
        assert {due.round for due in course.due()} == {1}
        course.add(bout, WON)
    assert len(course.rounds) == 1 and {due.round for due in course.due()} == {2}
    assert [result.points for result in course.rounds[0]] == [(1, 0), (1, 0)]
    assert [result.scores for result in course.rounds[0]] == [(20, 6), (20, 6)]


def test_a_knockout_asks_for_one_match_at_a_time_until_it_is_decided():
    course = begin("single-elimination", 2, matches_per_pairing=3, max_tiebreak_matches=1)
    for number, game in enumerate((EVEN, WON, LOST, LOST), start=1):
        assert list(course.due()) == [Bout(1, 1, number)]
        course.add(Bout(1, 1, number), game)
    assert course.boards is None and course.rounds[0][0].points == (0, 1)
    course = begin("single-elimination", 2, matches_per_pairing=3)
    course.add(Bout(1, 1, 1), WON)
    course.add(Bout(1, 1, 2), WON)
    assert list(course.due()) == [] and len(course.rounds) == 1


def test_byes_are_over_at_once():
    course = begin("single-elimination", 3)
    assert len(list(course.due())) == 1
    bout = next(course.due())
    assert len(course.pairing(bout).entrants) == 2
    course.add(bout, WON)
    assert [result.played for result in course.rounds[0]].count(False) == 1


@pytest.mark.parametrize("bout", [Bout(1, 1, 2), Bout(1, 3, 1), Bout(2, 1, 1), Bout(1, 0, 1), Bout(1, 1, 0)])
def test_a_match_that_is_not_due_is_refused(bout):
    course = begin("swiss", 4)
    with pytest.raises(NotDue, match=f"match {bout.number} of board {bout.board} in round {bout.round}"):
        course.add(bout, WON)


def test_a_match_is_told_once():
    course = begin("swiss", 4, matches_per_pairing=2)
    course.add(Bout(1, 1, 2), WON)
    with pytest.raises(NotDue):
        course.add(Bout(1, 1, 2), WON)


def test_no_two_matches_share_a_deal():
    assert deal_number(0, 1, 1, 1) == Bout(1, 1, 1).deal == 100101
    assert deal_number(7, 12, 34, 5) == 701203405
    numbers = {
        deal_number(tournament, round, board, match)
        for tournament in (0, 1)
        for round in (1, 510)
        for board in (1, 128)
        for match in (1, 50)
    }
    assert len(numbers) == 16


@given(
    st.sampled_from([key for key in FORMATS if key != "tables"]), st.integers(4, 11), st.integers(1, 3), st.integers()
)
@settings(deadline=None, max_examples=40)
def test_whichever_match_ends_first_the_same_is_played(key, count, pairs, seed):
    one, other = (begin(key, count, matches_per_pairing=pairs) for _ in range(2))
    in_order, mixed = finish(one), finish(other, Random(seed))
    assert sorted(mixed, key=lambda bout: bout.deal) == sorted(in_order, key=lambda bout: bout.deal)
    assert one.rounds == other.rounds and one.boards is other.boards is None
    assert len(one.rounds) <= one.length
