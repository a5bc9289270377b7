"""Everything of a person is handed out, and no secret."""

import json
import stat
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from arena.accounts.models import User
from arena.bots.services import create_bot, submit_version
from arena.bots.teams import accept_invitation, invite_author, remove_author
from tests.arena.personal_data.conftest import Author
from tests.conftest import FIRST_LEGAL


@pytest.fixture
def exported(author: Author, tmp_path: Path) -> zipfile.ZipFile:
    call_command("export_user", "ana", str(tmp_path / "ana.zip"))
    return zipfile.ZipFile(tmp_path / "ana.zip")


def read(exported: zipfile.ZipFile, name: str):
    return json.loads(exported.read(f"{name}.json"))


def test_everything_of_hers_is_in_it(exported, author):
    account = read(exported, "account")
    assert (account["username"], account["email"], account["last_name"]) == ("ana", "ana@example.org", "Novak")
    assert account["time_zone"] == ""
    assert [one["email"] for one in account["addresses"]] == ["ana@example.org"]
    assert {factor["type"] for factor in account["second_factors"]} == {"totp", "recovery_codes"}
    assert [token["name"] for token in read(exported, "tokens")] == ["a script of hers"]
    assert len(read(exported, "sessions")) == 1
    assert read(exported, "notices")[0]["text"] == "Kingfisher has won."
    following = read(exported, "following")
    assert [one["bot"] for one in following["follows"]] == ["heron"]
    assert (following["news"]["timing"], following["news"]["language"]) == ("daily", "hu")
    assert read(exported, "webhooks")[0]["url"] == "https://hooks.example.org/ana"
    assert read(exported, "deliveries")[0]["payload"] == {"match": author.match.pk}
    assert read(exported, "comparisons")[0]["version"] == "Kingfisher v2"
    assert read(exported, "challenges")[0]["match"] == author.match.pk
    (bot,) = read(exported, "bots")
    assert [version["number"] for version in bot["versions"]] == [1, 2]


def test_the_sources_of_all_versions_are_in_it(exported):
    assert exported.read("sources/kingfisher/v1/bot.py") == FIRST_LEGAL
    assert exported.read("sources/kingfisher/v2/bot.py") == FIRST_LEGAL + b"# second\n"


def test_her_matches_are_in_it_with_their_results(exported, author):
    (match,) = map(json.loads, exported.read("matches.jsonl").splitlines())
    assert match["pk"] == author.match.pk
    points = list(author.match.participants.values_list("points", flat=True))
    assert [one["points"] for one in match["participants"]] == points
    assert [one["is_own"] for one in match["participants"]] == [True, False]
    assert len(match["legs"]) == 2 and all(len(leg["seats"]) == 2 for leg in match["legs"])


def test_no_secret_is_in_it_and_nothing_of_others(exported, author):
    everything = b"".join(exported.read(name) for name in exported.namelist()).decode()
    assert not any(secret in everything for secret in author.secrets)
    assert not [name for name in exported.namelist() if "heron" in name]


def test_only_the_operator_can_read_it_and_nothing_is_written_over(exported, author, tmp_path):
    assert stat.S_IMODE((tmp_path / "ana.zip").stat().st_mode) == 0o600
    with pytest.raises(CommandError, match="exists already"):
        call_command("export_user", "ana", str(tmp_path / "ana.zip"))
    with pytest.raises(CommandError, match="no user called nobody"):
        call_command("export_user", "nobody", str(tmp_path / "nobody.zip"))
    assert [path.name for path in tmp_path.iterdir()] == ["ana.zip"]


def test_teams_and_what_somebody_uploaded_for_others_are_in_it(ana: User, ben: User, tmp_path: Path):
    bot = create_bot(owner=ana, name="Wren", game="battleline")
    invite_author(bot=bot, by=ana, user=ben)
    bot = accept_invitation(bot=bot, user=ben)
    submit_version(owner=ben, bot=bot, files={"bot.py": b"1"})
    remove_author(bot=bot, by=ana, user=ben)
    invite_author(bot=create_bot(owner=ana, name="Egret", game="battleline"), by=ana, user=ben)
    call_command("export_user", "ben", str(tmp_path / "ben.zip"))
    exported = zipfile.ZipFile(tmp_path / "ben.zip")
    assert [(one["bot__slug"], one["number"]) for one in read(exported, "uploads")] == [("wren", 1)]
    assert exported.read("sources/wren/v1/bot.py") == b"1"
    assert [(one["bot__slug"], one["joined_at"]) for one in read(exported, "team_places")] == [("egret", None)]
