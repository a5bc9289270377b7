"""A check that can't fail says nothing: each finds what it is for."""

from typing import Any

import pytest
from django.db import connection

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.matches.models import Attempt, LegSeat, Match
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from tests.chaos.invariants import check_blame, check_ledger, check_rated_once, check_uploads, find_open_work
from tests.conftest import MakeVersion, Play


class Rows:
    """The rows of a test, asked as those of an installation."""

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())


@pytest.fixture
def arena(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion, play: Play) -> Rows:
    """A ladder with one match, rated."""
    versions = [make_version(ana, "Kingfisher"), make_version(ben, "Heron")]
    for version in versions:
        enter_version(ladder=ladder, version=version)
    match = queue_match(versions=versions, game="battleline", edition="standard")
    LadderMatch.objects.create(ladder=ladder, match=match, number=1)
    assert find_open_work(Rows()).startswith("1 matches not over")
    assert play(match)
    append_finished_matches(ladder=ladder)
    return Rows()


def test_each_check_finds_what_it_is_for(arena: Rows) -> None:
    version = BotVersion.objects.select_related("bot").first()
    uploads = {(version.bot.slug, version.number): version.sha256}
    assert check_rated_once(arena) == check_ledger(arena) == check_blame(arena) == check_uploads(arena, uploads) == []

    LegSeat.objects.filter(seat=0).update(verdict="timeout")
    assert "2 bots at fault" in check_blame(arena)[0]
    RatingChange.objects.first().delete()
    assert "changes of ratings" in check_rated_once(arena)[0]
    Entry.objects.update(matches=2)
    assert "unlike the ledger's" in check_ledger(arena)[0]
    LadderMatch.objects.update(sequence=2)
    assert "gaps" in check_ledger(arena)[0]
    Attempt.objects.update(ending="lost")
    assert "without a stored attempt" in check_rated_once(arena)[0]
    Match.objects.update(state="queued")
    assert any("rated, but not finished" in problem for problem in check_rated_once(arena))
    BotVersion.objects.update(state="rejected")
    assert check_uploads(arena, uploads) and check_uploads(arena, {("gone", 1): "0"})
