from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import Blob, Bot, BotVersion
from arena.bots.services import create_bot, store_build, submit_version
from arena.bots.teams import BYTES_PER_MIB, QuotaSpent, count_stored_bytes
from arena.people.accounts.models import User
from arena.runner.archive import Upload
from arena.runner.program import Program

NOISE = bytes(range(256)) * 8


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="Kingfisher", game="battleline")


def submit(bot: Bot, content: bytes, entry: str = "bot.py") -> BotVersion:
    return submit_version(owner=bot.owner, bot=bot, files=Upload({entry: content}))[0]


def test_an_owner_has_so_many_bots(ana: User, ben: User, kingfisher: Bot, settings: Settings) -> None:
    settings.MAX_BOTS_PER_OWNER = 1
    with pytest.raises(QuotaSpent, match="You already have 1 bots, the maximum"):
        create_bot(owner=ana, name="Heron", game="battleline")
    create_bot(owner=ben, name="Heron", game="battleline")


def test_the_house_has_as_many_as_it_needs(house: User, settings: Settings) -> None:
    settings.MAX_BOTS_PER_OWNER = 0
    create_bot(owner=house, name="random", game="battleline")


def test_an_owner_uploads_so_many_versions_a_day(ana: User, kingfisher: Bot, settings: Settings) -> None:
    settings.MAX_VERSIONS_PER_DAY, settings.TIME_ZONE = 2, "UTC"
    heron = create_bot(owner=ana, name="Heron", game="battleline")
    for text, bot, hours in ((b"1", kingfisher, 30), (b"2", kingfisher, 5), (b"3", heron, 1)):
        version = submit(bot, text)
        BotVersion.objects.filter(pk=version.pk).update(created_at=now() - timedelta(hours=hours))
    oldest = BotVersion.objects.get(bot=kingfisher, number=2).created_at
    again = (oldest + timedelta(hours=24)).astimezone(ZoneInfo("UTC"))
    with pytest.raises(QuotaSpent, match=f"You can upload again at {again:%H:%M} UTC, {again.day} {again:%B}"):
        submit(heron, b"4")
    BotVersion.objects.filter(number=2).update(created_at=now() - timedelta(hours=24))
    submit(heron, b"4")


def test_an_arena_may_take_nothing_at_present(kingfisher: Bot, settings: Settings) -> None:
    settings.MAX_VERSIONS_PER_DAY = 0
    with pytest.raises(QuotaSpent, match="Uploads are disabled on this arena"):
        submit(kingfisher, b"1")


def test_what_is_there_already_costs_nothing(kingfisher: Bot, settings: Settings) -> None:
    settings.MAX_VERSIONS_PER_DAY = 1
    assert submit(kingfisher, b"1") == submit(kingfisher, b"1")


def test_an_owner_keeps_so_many_bytes(ana: User, ben: User, kingfisher: Bot, settings: Settings) -> None:
    settings.MAX_MEGABYTES_PER_OWNER = 1
    submit(kingfisher, b"1")
    Blob.objects.update(size=BYTES_PER_MIB)
    with pytest.raises(
        QuotaSpent,
        match=r"Your bots would take up 1\.0 MiB; the maximum is 1 MiB",
    ):
        submit(kingfisher, b"2")
    assert kingfisher.versions.count() == Blob.objects.count() == 1
    submit(create_bot(owner=ben, name="Heron", game="battleline"), b"2")


def test_binaries_count_and_the_same_content_counts_once(ana: User, kingfisher: Bot) -> None:
    heron = create_bot(owner=ana, name="Heron", game="battleline")
    for bot in (kingfisher, heron):
        version = submit(bot, b"int main(){}", "bot.c")
        assert store_build(version=version, program=Program(bot.name, 1, {"bot": NOISE}, "c"), log="")
    assert Blob.objects.count() == 2
    assert count_stored_bytes(ana) == sum(Blob.objects.values_list("size", flat=True))
