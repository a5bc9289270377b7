import pytest

from arena.accounts.models import User
from arena.bots.archive import BadArchive
from arena.bots.models import Bot, BotVersion
from arena.bots.services import BadName, create_bot, judge_version, submit_version
from arena.errors import ArenaError, Conflict, NotYours
from tests.conftest import MakeVersion


@pytest.fixture
def kingfisher(ana: User) -> Bot:
    return create_bot(owner=ana, name="King  Fisher", game="battleline")


def test_a_bot_is_found_by_its_slug(kingfisher: Bot) -> None:
    assert (kingfisher.name, kingfisher.slug) == ("King Fisher", "king-fisher")


def test_a_name_is_given_once(kingfisher: Bot, ben: User) -> None:
    with pytest.raises(Conflict, match="King Fisher"):
        create_bot(owner=ben, name="king fisher", game="battleline")


@pytest.mark.parametrize("name", ["", "  ", "!!!", "x" * 41, "a\x07b"])
def test_an_unusable_name_is_refused(ana: User, name: str) -> None:
    with pytest.raises(BadName):
        create_bot(owner=ana, name=name, game="battleline")


def test_an_unknown_game_is_refused(ana: User) -> None:
    with pytest.raises(ArenaError, match="'chess'"):
        create_bot(owner=ana, name="Deep", game="chess")


def test_uploads_are_numbered_and_wait_for_their_trial(ana: User, kingfisher: Bot) -> None:
    versions = [submit_version(owner=ana, bot=kingfisher, filename="b.py", content=text)[0] for text in (b"1", b"22")]
    assert [(version.number, version.state, version.size) for version in versions] == [
        (1, "checking", 1),
        (2, "checking", 2),
    ]
    assert versions[1].files == {"bot.py": b"22"}


def test_only_its_author_adds_versions(kingfisher: Bot, ben: User) -> None:
    with pytest.raises(NotYours):
        submit_version(owner=ben, bot=kingfisher, filename="b.py", content=b"1")


def test_a_refused_upload_leaves_nothing(ana: User, kingfisher: Bot) -> None:
    with pytest.raises(BadArchive):
        submit_version(owner=ana, bot=kingfisher, filename="b.zip", content=b"PK")
    assert not kingfisher.versions.exists()


def test_a_version_is_judged_once(ana: User, make_version: MakeVersion) -> None:
    version = make_version(ana, "k", state=BotVersion.State.CHECKING)
    assert judge_version(version=version, fault="It fell asleep.")
    assert not judge_version(version=version, fault=None)
    version.refresh_from_db()
    assert (version.state, version.state_reason) == ("rejected", "It fell asleep.")
