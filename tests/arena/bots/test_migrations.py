"""Versions from before files were kept by hash."""

import io
import zipfile
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.translation import override

from arena.bots import archive
from arena.bots.models import Blob, BotVersion
from arena.messages import render_message
from tests.old_tables import migrate_to, read_models

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


@pytest.mark.full
def test_sources_move_to_their_hashes_and_nothing_is_lost(old: MigrationExecutor) -> None:
    tables = read_models()
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    sources = [deflated(text) for text in (b"1", b"22", b"1")]
    for name in ("k", "m"):
        bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name=name, slug=name, game="battleline")
        for number, source in enumerate(sources, 1):
            tables.get_model("bots", "BotVersion").objects.create(
                bot=bot, number=number, source=source, sha256=archive.hash_zip(source), size=number, state="accepted"
            )
    call_command("migrate", verbosity=0)
    versions = BotVersion.objects.select_related("source")
    assert [version.files["bot.py"] for version in versions] == [b"1", b"22", b"1"] * 2
    assert {(version.language, version.state, version.binary) for version in versions} == {("python", "accepted", None)}
    assert Blob.objects.count() == 2
    assert all(archive.hash_zip(blob.zipped) == blob.sha256 for blob in Blob.objects.all())
    assert versions[0].program.files == {"bot.py": b"1"}


@pytest.mark.full
def test_reasons_become_messages_and_sentences_again(transactional_db: None) -> None:
    executor = MigrationExecutor(connection)
    executor.migrate([("bots", "0006_words_for_search")])
    tables = read_models()
    owner = tables.get_model("accounts", "User").objects.create(username="ana")
    blob = tables.get_model("bots", "Blob").objects.create(sha256="0", content=b"", size=0)
    bot = tables.get_model("bots", "Bot").objects.create(owner=owner, name="k", slug="k", game="battleline")
    sentences = [
        "",
        "It could not be built.",
        "Crash in leg 2 of its trial. the bot exited with code 1. 100%\nKeyError: 'R10'",
        "Start in leg 1 of its trial.",
        "It fell asleep. It said so.",
    ]
    for number, sentence in enumerate(sentences, 1):
        tables.get_model("bots", "BotVersion").objects.create(
            bot=bot, number=number, source=blob, size=1, state="rejected", state_reason=sentence
        )
    call_command("migrate", verbosity=0)
    seen = {
        version.number: (str(version.state_reason), str(version.state_detail)) for version in BotVersion.objects.all()
    }
    assert seen == {
        1: ("None", "None"),
        2: ("It could not be built.", "None"),
        3: ("Crash in leg 2 of its trial.", "the bot exited with code 1. 100%\nKeyError: 'R10'"),
        4: ("Failed start in leg 1 of its trial.", "None"),
        5: ("It fell asleep.", "It said so."),
    }
    with override("hu"):
        told = [render_message(version.state_reason) for version in BotVersion.objects.filter(number__in=(2, 3))]
    assert told == ["Nem sikerült lefordítani.", "Összeomlott a próba 2. játszmájában."]
    executor = MigrationExecutor(connection)
    executor.migrate([("bots", "0006_words_for_search")])
    old = executor.loader.project_state([("bots", "0006_words_for_search")]).apps.get_model("bots", "BotVersion")
    back = list(old.objects.order_by("number").values_list("state_reason", flat=True))
    call_command("migrate", verbosity=0)
    assert back[:3] == sentences[:3] and back[3] == "Failed start in leg 1 of its trial." and back[4] == sentences[4]


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
