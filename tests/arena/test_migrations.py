"""Databases of older releases: what their rows become, and which are too old."""

import re

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Entry, Ladder
from arena.core.database import BEFORE_FIRST_RELEASE
from arena.operations.management.backups import FORMAT, BackupManifest, Contents, check_manifest
from arena.operations.management.prepare import prepare_installation
from arena.people.groups.models import Group
from tests.old_tables import migrate_to


def list_applied() -> set[tuple[str, str]]:
    return set(MigrationRecorder(connection).applied_migrations())


def build_manifest(migrations: list[str]) -> BackupManifest:
    return BackupManifest(FORMAT, None, "sqlite", "2026-11-26T00:00:00+00:00", Contents({}, migrations), "", {})


@pytest.mark.django_db
class TestADatabaseFromBeforeTheFirstRelease:
    @pytest.fixture(autouse=True)
    def before(self) -> None:
        """What `django_migrations` says there of one app."""
        rows = MigrationRecorder.Migration.objects
        rows.filter(app="bots").delete()
        for name in ("0001_initial", "0002_blobs"):
            rows.create(app="bots", name=name)

    def test_is_refused_with_a_sentence_that_says_what_to_do(self) -> None:
        with pytest.raises(CommandError, match=re.escape(BEFORE_FIRST_RELEASE)):
            prepare_installation(print)
        with pytest.raises(SystemCheckError, match=re.escape(BEFORE_FIRST_RELEASE)):
            call_command("migrate", skip_checks=False)

    def test_is_refused_from_a_backup_too(self) -> None:
        names = sorted(f"{app}.{name}" for app, name in list_applied())
        with pytest.raises(CommandError, match=re.escape(BEFORE_FIRST_RELEASE)):
            check_manifest(build_manifest(names), "sqlite")


@pytest.mark.django_db
def test_a_backup_of_the_first_release_can_be_restored() -> None:
    replaced = MigrationExecutor(connection).loader.disk_migrations["bots", "0001_release_0_1_0"].replaces
    check_manifest(build_manifest([f"{app}.{name}" for app, name in replaced]), "sqlite")


@pytest.mark.full
def test_versions_from_before_teams_were_uploaded_by_their_owners(transactional_db: None) -> None:
    tables = migrate_to([("bots", "0015_for_a_group_only")])
    users = tables.get_model("accounts", "User").objects
    for name in ("ana", "ben"):
        owner = users.create(username=name)
        bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name=name, slug=name, game="battleline")
        for number in (1, 2):
            tables.get_model("bots", "BotVersion").objects.create(bot=bot, number=number, size=1, state="accepted")
    call_command("migrate", verbosity=0)
    versions = BotVersion.objects.select_related("uploaded_by", "bot__owner")
    assert [version.uploaded_by.username for version in versions] == ["ana", "ana", "ben", "ben"]
    assert {tuple(version.bot.author_names) for version in versions} == {("ana",), ("ben",)}


@pytest.mark.full
def test_ranks_of_before_are_kept(transactional_db: None) -> None:
    newest = MigrationExecutor(connection).loader.graph.leaf_nodes()
    tables = migrate_to([("ladders", "0001_release_0_1_0")])
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
