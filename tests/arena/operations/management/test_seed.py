import shutil
from pathlib import Path

import pytest

from arena.bots import running
from arena.bots.models import Bot, BotVersion
from arena.bots.running import fetch_programs
from arena.bots.services import create_bot
from arena.contests.ladders.models import Entry, Ladder
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import list_opponents
from arena.operations.management.prepare import seed_database
from arena.people.accounts.models import User
from engine.registry import GAMES
from tests.runner.conftest import toy as toy

pytestmark = pytest.mark.django_db


def test_a_new_installation_has_a_ladder_an_edition_with_the_samples_on_it() -> None:
    password = seed_database()
    for key, game in GAMES.items():
        names = list(running.list_samples(key))
        levels = list(running.list_levels(key))
        assert [bot.name for bot in Bot.objects.filter(game=key).order_by("pk")] == names + levels
        assert [ladder.edition for ladder in Ladder.objects.filter(game=key)] == list(game.editions)
        for ladder in Ladder.objects.filter(game=key):
            entered = [name for name in names if running.is_on_ladder(name, ladder.edition)]
            assert [entry.version.bot.name for entry in ladder.entries.order_by("pk")] == entered
            anchors = ladder.entries.filter(is_anchor=True).order_by("pk")
            assert tuple(anchors.values_list("version__bot__name", flat=True)) == running.list_anchors(key)
            assert anchors.count() > 1
            assert {entry.version.bot.game for entry in ladder.entries.all()} == {key}
    assert password is not None and User.objects.get(username="admin").check_password(password)
    assert not User.objects.get(username="house").has_usable_password()


def test_seeding_again_changes_nothing() -> None:
    seed_database()
    before = [table.objects.count() for table in (User, Bot, BotVersion, Ladder, Entry)]
    assert seed_database() is None
    assert [table.objects.count() for table in (User, Bot, BotVersion, Ladder, Entry)] == before
    bots = sum(len(running.list_samples(key)) + len(running.list_levels(key)) for key in GAMES)
    ladders = [(key, edition) for key, game in GAMES.items() for edition in game.editions]
    entries = [
        name for key, edition in ladders for name in running.list_samples(key) if running.is_on_ladder(name, edition)
    ]
    assert before == [2, bots, bots, len(ladders), len(entries)]


def test_the_levels_of_the_strongest_sample_are_played_by_people_alone() -> None:
    seed_database()
    levels = Bot.objects.filter(owner__is_house=True, name__startswith="marshal-").order_by("name")
    assert [bot.name for bot in levels] == ["marshal-1", "marshal-2", "marshal-3", "marshal-4"]
    assert not Entry.objects.filter(version__bot__in=levels).exists()
    offered = {version.bot.name: version for version in list_opponents(LivePlayer(), "battleline")}
    assert {"marshal", *(bot.name for bot in levels)} <= set(offered)
    (program,) = fetch_programs([offered["marshal-2"]])
    assert program.files["level"] == b"2" and "level" not in running.read_sample_files("battleline", "marshal")


def test_a_sample_of_two_games_is_a_bot_in_each(toy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(running.SAMPLE_NAMES_BY_GAME, "toy", ("random", "greedy"))
    seed_database()
    seed_database()
    slugs = dict(Bot.objects.filter(name="random").values_list("game", "slug"))
    assert (slugs["battleline"], slugs["toy"]) == ("random", "random-toy")
    assert {entry.version.bot.slug for entry in Entry.objects.filter(ladder__game="toy")} == {
        "random-toy",
        "greedy-toy",
    }


def test_random_plays_on_the_ladders_of_every_game(toy: None) -> None:
    seed_database()
    assert [entry.version.bot.name for entry in Entry.objects.filter(ladder__game="toy")] == ["random"]


def test_a_sample_gives_way_to_an_author_who_had_the_name_before(ana: User) -> None:
    create_bot(owner=ana, name="Random", game="battleline")
    seed_database()
    assert Bot.objects.get(owner__is_house=True, name="random", game="battleline").slug == "random-battleline"


def test_a_sample_that_was_changed_comes_as_a_new_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed_database()
    shutil.copytree(running.SAMPLES_FOLDER, tmp_path / "samples")
    monkeypatch.setattr(running, "SAMPLES_FOLDER", tmp_path / "samples")
    with (tmp_path / "samples" / "random" / "bot.py").open("a") as bot:
        bot.write("# changed\n")
    seed_database()
    versions = BotVersion.objects.filter(bot__slug="random")
    assert [version.number for version in versions] == [1, 2]
    assert {entry.version.number for entry in Entry.objects.active().filter(version__in=versions)} == {2}
