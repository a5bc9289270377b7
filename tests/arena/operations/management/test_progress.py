import io

import pytest
from pytest_django import DjangoAssertNumQueries

from arena.contests.ladders.models import Ladder, LadderMatch
from arena.matches.models import Match
from arena.operations.management.chores import (
    MAX_TIME_BETWEEN_RATED_MATCHES_S,
    LadderProgress,
    count_rated_matches,
)

pytestmark = pytest.mark.django_db


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock() -> Clock:
    return Clock()


def rate(ladder: Ladder, count: int) -> None:
    rated = LadderMatch.objects.count()
    for number in range(rated + 1, rated + count + 1):
        match = Match.objects.create(
            game="g", edition="e", options={}, rules_version=1, limits={}, deal={}, state=Match.State.FINISHED
        )
        LadderMatch.objects.create(ladder=ladder, match=match, sequence=number)
    Ladder.objects.filter(pk=ladder.pk).update(last_sequence=rated + count)


def test_what_was_rated_before_does_not_count(ladder: Ladder, clock: Clock) -> None:
    rate(ladder, 3)
    progress = LadderProgress(io.StringIO(), 2, clock)
    assert not progress.show()
    rate(ladder, 2)
    assert progress.show()
    assert progress.out.getvalue().splitlines()[-1].startswith("2 of 2 matches rated, 0 running, 0 queued")


def test_after_the_target_it_goes_on_without_one_and_says_less(ladder: Ladder, clock: Clock) -> None:
    progress = LadderProgress(io.StringIO(), 2, clock)
    rate(ladder, 2)
    assert progress.show()
    for _ in range(9):
        clock.now += 5
        rate(ladder, 1)
        assert progress.show()
    lines = progress.out.getvalue().splitlines()
    assert len(lines) == 1 and lines[0].startswith("2 of 2 matches rated")
    clock.now += 60
    progress.show()
    assert progress.out.getvalue().splitlines()[-1].startswith("11 matches rated")


def test_a_line_that_takes_a_match_back_is_no_match(ladder: Ladder) -> None:
    rate(ladder, 3)
    LadderMatch.objects.filter(sequence=1).update(void_sequence=1)
    LadderMatch.objects.filter(sequence=2).update(void_sequence=4)
    Ladder.objects.update(last_sequence=4)
    assert count_rated_matches() == 3


def test_in_a_pipe_there_is_a_line_only_where_there_is_news(ladder: Ladder, clock: Clock) -> None:
    progress = LadderProgress(io.StringIO(), 50, clock)
    for _ in range(20):
        progress.show()
        clock.now += 1
    assert progress.out.getvalue().count("\n") <= 20
    assert "\r" not in progress.out.getvalue()
    before = progress.out.getvalue().count("\n")
    rate(ladder, 1)
    clock.now += 2
    progress.show()
    progress.show()
    assert progress.out.getvalue().count("\n") == before + 1


def test_on_a_terminal_the_line_is_written_over(ladder: Ladder, clock: Clock) -> None:
    progress = LadderProgress(Terminal(), 2, clock)
    progress.show()
    progress.show()
    assert "\n" not in progress.out.getvalue() and progress.out.getvalue().count("\r\x1b[K") == 2
    progress.say("News.")
    assert progress.out.getvalue().endswith("\r\x1b[KNews.\n")


def test_it_is_stuck_when_nothing_was_rated_for_long(ladder: Ladder, clock: Clock) -> None:
    progress = LadderProgress(io.StringIO(), 2, clock)
    clock.now += MAX_TIME_BETWEEN_RATED_MATCHES_S * 0.6
    rate(ladder, 1)
    progress.show()
    clock.now += MAX_TIME_BETWEEN_RATED_MATCHES_S * 0.6
    progress.show()
    assert not progress.is_stuck
    clock.now += MAX_TIME_BETWEEN_RATED_MATCHES_S * 0.6
    assert progress.is_stuck


def test_without_a_target_and_a_terminal_it_counts_only_where_a_line_is_due(
    ladder: Ladder, clock: Clock, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    progress = LadderProgress(io.StringIO(), None, clock)
    progress.show()
    rate(ladder, 1)
    clock.now += 59
    with django_assert_num_queries(0):
        assert not progress.show()
    clock.now += 1
    progress.show()
    assert progress.out.getvalue().splitlines()[-1].startswith("1 matches rated")
