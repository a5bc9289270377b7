"""Ladders, entries and rated matches from before."""

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

from arena.groups.models import Group
from arena.ladders.models import Entry, Ladder
from engine.message import Message, literal
from tests.old_tables import migrate_to

OLD = [("ladders", "0005_field_names"), ("bots", "0006_words_for_search")]


@pytest.mark.full
def test_reasons_become_messages_and_back(transactional_db: None) -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    tables = migrate_to(OLD)
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    blob = tables.get_model("bots", "Blob").objects.create(sha256="0", content=b"", size=0)
    bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name="k", slug="k", game="battleline")
    ladder = tables.get_model("ladders", "Ladder").objects.create(game="battleline", edition="standard", title="B")
    sentences = ["", "Its owner has paused it.", "It was at fault in 4 of its last 10 legs.", "It fell asleep."]
    for number, sentence in enumerate(sentences, 1):
        version = tables.get_model("bots", "BotVersion").objects.create(bot=bot, number=number, source=blob, size=1)
        tables.get_model("ladders", "Entry").objects.create(ladder=ladder, version=version, state_reason=sentence)
    MigrationExecutor(connection).migrate(newest)
    assert list(Entry.objects.order_by("pk").values_list("state_reason", flat=True)) == [
        None,
        Message("Its owner has paused it."),
        Message("It was at fault in %(count)s of its last %(legs)s legs.", {"count": 4, "legs": 10}),
        literal("It fell asleep."),
    ]
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    entries = executor.loader.project_state(OLD).apps.get_model("ladders", "Entry").objects.order_by("pk")
    assert list(entries.values_list("state_reason", flat=True)) == sentences
    MigrationExecutor(connection).migrate(newest)


@pytest.mark.full
def test_ranks_of_before_are_kept(transactional_db: None) -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    tables = migrate_to([("ladders", "0010_what_fitting_at_is")])
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    blob = tables.get_model("bots", "Blob").objects.create(sha256="0", content=b"", size=0)
    bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name="k", slug="k", game="battleline")
    ladder = tables.get_model("ladders", "Ladder").objects.create(game="battleline", edition="standard", title="B")
    for number, is_ranked in enumerate((True, False), 1):
        version = tables.get_model("bots", "BotVersion").objects.create(bot=bot, number=number, source=blob, size=1)
        tables.get_model("ladders", "Entry").objects.create(ladder=ladder, version=version, is_ranked=is_ranked)
    MigrationExecutor(connection).migrate(newest)
    assert list(Entry.objects.order_by("pk").values_list("is_ranked", "was_ranked")) == [(True, True), (False, False)]


@pytest.mark.full
def test_ladders_of_before_are_public(transactional_db: None) -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    tables = migrate_to([("ladders", "0012_season_value_function")])
    seasons = tables.get_model("ladders", "Ladder").objects
    for season, closed_at in ((1, now()), (2, None)):
        seasons.create(game="battleline", edition="standard", title="B", season=season, closed_at=closed_at)
    MigrationExecutor(connection).migrate(newest)
    assert Ladder.objects.public().count() == 2
    for doubled in ({"season": 2}, {"season": 3}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Ladder.objects.create(game="battleline", edition="standard", title="B", **doubled)
    own = Group.objects.create(name="Class", slug="class")
    Ladder.objects.create(game="battleline", edition="standard", title="B", season=2, group=own)
    tables = migrate_to([("ladders", "0012_season_value_function")])
    assert tables.get_model("ladders", "Ladder").objects.count() == 2  # what a group had for itself is not made public
    MigrationExecutor(connection).migrate(newest)
