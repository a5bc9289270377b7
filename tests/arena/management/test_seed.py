import shutil
from pathlib import Path

import pytest

from arena.accounts.models import User
from arena.bots import samples
from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry, Ladder
from arena.management import seed as seeding
from arena.management.seed import seed
from engine.registry import GAMES

pytestmark = pytest.mark.django_db


def test_a_new_installation_has_a_ladder_an_edition_with_the_samples_on_it() -> None:
    password = seed()
    names = list(samples.SAMPLES["battleline"])
    assert [bot.name for bot in Bot.objects.order_by("pk")] == names
    editions = list(GAMES["battleline"].editions)
    assert [ladder.edition for ladder in Ladder.objects.all()] == editions
    for ladder in Ladder.objects.all():
        assert [entry.version.bot.name for entry in ladder.entries.order_by("pk")] == names
    assert password is not None and User.objects.get(username="admin").check_password(password)
    assert not User.objects.get(username="house").has_usable_password()


def test_seeding_again_changes_nothing() -> None:
    seed()
    assert seed() is None
    counts = [table.objects.count() for table in (User, Bot, BotVersion, Ladder, Entry)]
    assert counts == [2, 3, 3, 7, 21]


def test_a_sample_that_was_changed_comes_as_a_new_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed()
    shutil.copytree(samples.FOLDER, tmp_path / "samples")
    monkeypatch.setattr(seeding, "FOLDER", tmp_path / "samples")
    with (tmp_path / "samples" / "random" / "bot.py").open("a") as bot:
        bot.write("# changed\n")
    seed()
    versions = BotVersion.objects.filter(bot__name="random")
    assert [version.number for version in versions] == [1, 2]
    assert {entry.version.number for entry in Entry.objects.active().filter(version__in=versions)} == {2}
