"""Rows of older versions."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.tournaments.settings import Settings
from tests.arena.tournaments.world import make_bots

OLD = [("tournaments", "0001_initial")]
SECOND = [("tournaments", "0002_messages")]
NAMED = [("tournaments", "0003_plain_names")]
GAME_POINTS = [("tournaments", "0004_game_points")]


@pytest.fixture
def migrate(transactional_db: None) -> Iterator[MigrationExecutor]:
    """The tables as they were; afterwards all migrations are applied again."""
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    yield executor
    call_command("migrate", verbosity=0)


@pytest.mark.full
def test_reasons_become_messages_and_private_words_a_field_of_their_own(migrate: MigrationExecutor) -> None:
    tables = migrate.loader.project_state(OLD).apps
    bot = make_bots(1)[0]
    keys = {"bot_id": bot.pk, "version_id": bot.versions.get().pk}
    tournament = tables.get_model("tournaments", "Tournament").objects.create(
        organiser_id=bot.owner_id, slug="cup", title="Cup", terms={}, state_reason="Its organiser has paused it."
    )
    failed = "Crash in its check. the bot exited with code 3\nTraceback. More."
    entrants = tables.get_model("tournaments", "Entrant").objects
    entrants.create(tournament=tournament, **keys, state="failed", state_reason=failed)
    rounds = tables.get_model("tournaments", "Round").objects
    rounds.create(tournament=tournament, number=1, is_current=False, void_reason="A slow machine. Sorry.")

    migrate.loader.build_graph()
    migrate.migrate(SECOND)
    tables = migrate.loader.project_state(SECOND).apps
    entrant = tables.get_model("tournaments", "Entrant").objects.get()
    assert str(entrant.state_reason) == "Crash in its check."
    assert str(entrant.state_detail) == "the bot exited with code 3\nTraceback. More."
    assert (
        str(tables.get_model("tournaments", "Tournament").objects.get().state_reason) == "Its organiser has paused it."
    )
    assert str(tables.get_model("tournaments", "Round").objects.get().replay_reason) == "A slow machine. Sorry."

    migrate.loader.build_graph()
    migrate.migrate(OLD)
    tables = migrate.loader.project_state(OLD).apps
    assert tables.get_model("tournaments", "Entrant").objects.get().state_reason == failed
    assert tables.get_model("tournaments", "Round").objects.get().void_reason == "A slow machine. Sorry."


@pytest.mark.full
def test_settings_get_their_new_names(migrate: MigrationExecutor) -> None:
    tables = migrate.loader.project_state(OLD).apps
    owner = make_bots(1)[0].owner
    stored = {"format": "groups", "pairs": 3, "extra": 1, "advance": 2, "scoring": "series", "groups": 4}
    tournaments = tables.get_model("tournaments", "Tournament").objects
    tournaments.create(
        organiser_id=owner.pk, slug="cup", title="Cup", terms=stored, about="For all.", chances={"1": {}}
    )

    migrate.loader.build_graph()
    migrate.migrate(NAMED)
    tournament = migrate.loader.project_state(NAMED).apps.get_model("tournaments", "Tournament").objects.get()
    assert tournament.settings == {
        "format": "groups",
        "matches_per_pairing": 3,
        "max_tiebreak_matches": 1,
        "advance_per_group": 2,
        "scoring": "game_points",
        "groups": 4,
    }
    assert (tournament.description, tournament.forecast) == ("For all.", {"1": {}})

    migrate.loader.build_graph()
    migrate.migrate(OLD)
    assert migrate.loader.project_state(OLD).apps.get_model("tournaments", "Tournament").objects.get().terms == stored


@pytest.mark.full
def test_game_points_and_the_time_of_the_last_advance_are_kept(migrate: MigrationExecutor) -> None:
    migrate.loader.build_graph()
    migrate.migrate(NAMED)
    tables = migrate.loader.project_state(NAMED).apps
    bot = make_bots(1)[0]
    looked_at = datetime(2026, 5, 1, 12, tzinfo=UTC)
    tournament = tables.get_model("tournaments", "Tournament").objects.create(
        organiser_id=bot.owner_id, slug="cup", title="Cup", settings={}, looked_at=looked_at
    )
    keys = {"bot_id": bot.pk, "version_id": bot.versions.get().pk}
    entrant = tables.get_model("tournaments", "Entrant").objects.create(tournament=tournament, **keys)
    round = tables.get_model("tournaments", "Round").objects.create(tournament=tournament, number=1)
    pairing = tables.get_model("tournaments", "Pairing").objects.create(round=round, board=1)
    seats = tables.get_model("tournaments", "PairingSeat").objects
    seats.create(pairing=pairing, index=0, entrant=entrant, points=1.0, score=10.0)

    migrate.loader.build_graph()
    migrate.migrate(GAME_POINTS)
    tables = migrate.loader.project_state(GAME_POINTS).apps
    assert tables.get_model("tournaments", "PairingSeat").objects.get().game_points == 10.0
    assert tables.get_model("tournaments", "Tournament").objects.get().last_advanced_at == looked_at

    migrate.loader.build_graph()
    migrate.migrate(NAMED)
    tables = migrate.loader.project_state(NAMED).apps
    assert tables.get_model("tournaments", "PairingSeat").objects.get().score == 10.0
    assert tables.get_model("tournaments", "Tournament").objects.get().looked_at == looked_at


def test_settings_of_older_folders_are_read() -> None:
    read = Settings.from_json({"format": "swiss", "pairs": 3, "extra": 0, "advance": 1, "scoring": "series"})
    assert read == Settings(
        matches_per_pairing=3, max_tiebreak_matches=0, advance_per_group=1, scoring="game_points", separate_phases=False
    )
