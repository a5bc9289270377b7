import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.matches.models import VerdictCount
from arena.matches.services import queue_match
from tests.conftest import EXITS_AT_ONCE


def counts() -> set[tuple[str, str, int]]:
    return set(VerdictCount.objects.values_list("version__bot__name", "verdict", "legs"))


def test_every_leg_of_every_match_is_counted_once(ana, ben, make_version, play):
    quitter, heron = make_version(ana, "Quitter", EXITS_AT_ONCE), make_version(ben, "Heron")
    for number in (1, 2):
        match = queue_match(versions=[quitter, heron], game="battleline", edition="standard")
        assert counts() == ({("Quitter", "start", 2), ("Heron", "ok", 2)} if number == 2 else set())
        assert play(match)
    assert counts() == {("Quitter", "start", 4), ("Heron", "ok", 4)}


def test_who_plays_itself_has_every_seat_counted(ana, make_version, play):
    assert play(queue_match(versions=[make_version(ana, "Heron")] * 2, game="battleline", edition="standard"))
    assert counts() == {("Heron", "ok", 4)}


@pytest.mark.full
def test_what_was_played_before_there_were_counts_is_counted(transactional_db, ana, make_version, play):
    assert play(queue_match(versions=[make_version(ana, "Heron")] * 2, game="battleline", edition="standard"))
    MigrationExecutor(connection).migrate([("matches", "0004_turns_and_counts")])
    VerdictCount.objects.all().delete()
    call_command("migrate", verbosity=0)
    assert counts() == {("Heron", "ok", 4)}
