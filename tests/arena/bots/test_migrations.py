"""Versions from before files were kept by hash."""

import io
import zipfile
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.bots import archive
from arena.bots.models import Blob, BotVersion

OLD = [("bots", "0001_initial")]


@pytest.fixture
def old(transactional_db: None) -> Iterator[MigrationExecutor]:
    """The tables as they were."""
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    yield executor
    call_command("migrate", verbosity=0)


def deflated(text: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr(zipfile.ZipInfo("bot.py"), text)
    return buffer.getvalue()


def test_sources_move_to_their_hashes_and_nothing_is_lost(old: MigrationExecutor) -> None:
    tables = old.loader.project_state(OLD).apps
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    sources = [deflated(text) for text in (b"1", b"22", b"1")]
    for name in ("k", "m"):
        bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name=name, slug=name, game="battleline")
        for number, source in enumerate(sources, 1):
            tables.get_model("bots", "BotVersion").objects.create(
                bot=bot, number=number, source=source, sha256=archive.digest(source), size=number, state="accepted"
            )
    call_command("migrate", verbosity=0)
    versions = BotVersion.objects.select_related("source")
    assert [version.files["bot.py"] for version in versions] == [b"1", b"22", b"1"] * 2
    assert {(version.language, version.state, version.binary) for version in versions} == {("python", "accepted", None)}
    assert Blob.objects.count() == 2
    assert all(archive.digest(blob.zipped) == blob.sha256 for blob in Blob.objects.all())
    assert versions[0].program.files == {"bot.py": b"1"}
