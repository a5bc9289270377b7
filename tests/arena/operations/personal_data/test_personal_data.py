"""Who an author was is gone; bots, results and records stay."""

import io
import json
import logging
import stat
import zipfile
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client

from arena.bots.models import Bot, Token
from arena.bots.services import create_bot, submit_version
from arena.bots.teams import accept_invitation, invite_author, remove_author
from arena.contests.following.models import Follow, News, NewsPreference
from arena.contests.following.services import follow, tell_followers
from arena.contests.puzzles.services import submit_answer
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import TournamentPlan, create, open_entries
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Leg
from arena.operations.lifecycle import anonymise_user
from arena.operations.staff_acts import report_new_account
from arena.people.accounts.models import User
from arena.people.accounts.services import create_invitation
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.runner.archive import Upload
from engine.replay import record_hash, verify
from tests.arena.contests.puzzles.made import make_puzzles
from tests.arena.operations.personal_data.conftest import Author
from tests.conftest import FIRST_LEGAL


def anonymise(*options: str) -> User:
    out = io.StringIO()
    call_command("anonymise_user", "ana", "--yes", *options, stdout=out)
    return User.objects.get(username=out.getvalue().split()[4].rstrip("."))


def test_what_tells_who_she_was_is_gone(author, caplog):
    invitation, _ = create_invitation(days=1, note="Ana from class 9b", email="ana@example.org")
    with caplog.at_level(logging.WARNING):
        user = anonymise()
    assert user.pk == author.user.pk and user.username.startswith("author-")
    assert (user.email, user.first_name, user.last_name, user.last_login) == ("", "", "", None)
    for rows in (Token, Webhook, Delivery, Notice, EmailAddress, Authenticator, UserSession):
        assert not rows.objects.exists(), rows
    invitation.refresh_from_db()
    assert (invitation.note, invitation.email) == ("", "")
    assert f"is called {user.username} now" in caplog.text
    assert "ana" not in caplog.text.replace("arena", "")


def test_nobody_signs_in_to_the_account_any_more(author):
    assert author.client.get("/accounts/2fa/").status_code == 200
    user = anonymise()
    client = Client()
    for name in ("ana", user.username):
        client.post("/accounts/login/", {"login": name, "password": "ana's password"})
        assert "_auth_user_id" not in client.session
    assert author.client.get("/accounts/2fa/").status_code == 302
    headers = {"Authorization": f"Bearer {author.secrets[0]}"}
    assert client.get("/api/v1/me/", headers=headers).status_code == 401


def test_bots_results_and_records_stay_under_the_pseudonym(author, client):
    before = list(Leg.objects.values_list("record", "record_hash"))
    points = list(author.match.participants.values_list("points", flat=True))
    user = anonymise()
    assert list(Leg.objects.values_list("record", "record_hash")) == before
    assert list(author.match.participants.values_list("points", flat=True)) == points
    assert user.username in client.get("/bots/kingfisher/").text
    assert client.get(user.get_absolute_url()).status_code == 200
    assert client.get("/authors/ana/").status_code == 404
    assert client.get(author.match.get_absolute_url()).status_code == 200


def test_bots_are_renamed_where_asked_for_and_their_records_stay_valid(author, client):
    hashes = list(Leg.objects.values_list("record_hash", flat=True))
    anonymise("--rename-bots")
    bot = Bot.objects.get(pk=author.bot.pk)
    assert bot.name == bot.slug and bot.name.startswith("bot-")
    assert Bot.objects.filter(name="Heron", slug="heron").exists()
    for leg in Leg.objects.all():
        assert sorted(seat["name"] for seat in leg.record_data["seats"]) == ["Heron", bot.name]
        seat = leg.seats.get(participant__version__bot=bot)
        assert leg.record_data["seats"][seat.seat]["name"] == bot.name
        verify(leg.record_data)
    assert [record_hash(leg.record_data) for leg in Leg.objects.all()] == hashes
    assert client.get("/bots/kingfisher/").status_code == 404
    assert client.get(bot.get_absolute_url()).status_code == 200
    assert "Kingfisher" not in client.get(author.match.get_absolute_url()).text


@pytest.mark.parametrize("options", [(), ("--rename-bots",)])
def test_followers_are_not_reminded_of_the_names(author, ben, options):
    kingfisher = author.bot
    heron = Bot.objects.get(slug="heron")
    cleo = User.objects.create_user("cleo")
    for subject in (author.user, kingfisher, heron):
        follow(user=cleo, subject=subject)
    kinds = News.Kind
    News.objects.create(kind=kinds.NEW_BOT, about="version 1", bot=kingfisher, facts={"version": 1})
    News.objects.create(kind=kinds.VERSION, about="version 2", bot=kingfisher, facts={"version": 2})
    facts = {"points": [1, 0], "leg": 1, "chance": None}
    match = {"match": author.match, "facts": facts}
    News.objects.create(kind=kinds.MATCH_OF_THE_DAY, about="match 1", bot=heron, other=kingfisher, **match)
    tell_followers()
    assert Notice.objects.filter(user=cleo).count() == 3
    user = anonymise(*options)
    assert not Follow.objects.filter(user=user).exists() and not NewsPreference.objects.exists()
    followed = {(one.bot, one.author) for one in Follow.objects.filter(user=cleo)}
    texts = {str(notice.text) for notice in Notice.objects.filter(user=cleo)}
    if options:
        assert followed == {(heron, None)} and texts == set()
    else:
        assert followed == {(heron, None), (kingfisher, None)}
        assert len(texts) == 2 and not any("ana" in text for text in texts)


def test_a_forecast_names_the_renamed_bot(author, ben):
    organiser = User.objects.create_superuser("olga")
    plan = TournamentPlan(
        title="Cup", game="battleline", edition="standard", settings=Settings(format="swiss", rounds=1)
    )
    tournament = open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
    enter(tournament=tournament, bot=author.bot, user=author.user)
    Tournament.objects.update(forecast={"1": {"bot": "kingfisher", "win": 0.5}, "2": {"bot": "heron", "win": 0.5}})
    anonymise("--rename-bots")
    tournament.refresh_from_db()
    slug = Bot.objects.get(pk=author.bot.pk).slug
    assert tournament.forecast == {"1": {"bot": slug, "win": 0.5}, "2": {"bot": "heron", "win": 0.5}}


def test_staff_is_not_reminded_of_the_name(author):
    User.objects.create_superuser("olga")
    report_new_account(user=User.objects.create_user("апа"))
    lookalike = User.objects.create_user("Ana")
    report_new_account(user=lookalike)
    report_new_account(user=author.user)
    user = anonymise()
    (left,) = Notice.objects.filter(event=Event.NAME_CONFUSABLE)
    assert left.about == f"user {lookalike.pk}"
    assert user.username in str(left.text) and "ana" not in str(left.text)


def test_without_confirmation_nothing_is_changed(author, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("anonymise_user", "ana")
    assert User.objects.filter(username="ana").exists() and Token.objects.exists()
    with pytest.raises(CommandError, match="No user called nobody"):
        call_command("anonymise_user", "nobody", "--yes")


def test_staff_and_the_house_are_refused(house):
    User.objects.create_superuser("olga")
    for name in ("olga", "house"):
        with pytest.raises(CommandError, match="is a staff member"):
            call_command("anonymise_user", name, "--yes")


def test_two_pseudonyms_differ(ana, ben):
    assert anonymise_user(user=ana) != anonymise_user(user=ben)


def test_a_bot_with_other_authors_goes_to_them_and_one_without_stays(author, ben):
    invite_author(bot=author.bot, by=author.user, user=ben)
    accept_invitation(bot=author.bot, user=ben)
    alone = create_bot(owner=author.user, name="Wren", game="battleline")
    other = create_bot(owner=ben, name="Egret", game="battleline")
    invite_author(bot=other, by=ben, user=author.user)
    accept_invitation(bot=other, user=author.user)
    user = anonymise("--rename-bots")
    names = {bot.pk: (bot.name, bot.author_names) for bot in Bot.objects.select_related("owner")}
    assert names[author.bot.pk] == ("Kingfisher", ["ben"]) and names[other.pk] == ("Egret", ["ben"])
    assert names[alone.pk][0].startswith("bot-") and names[alone.pk][1] == [user.username]


# Everything of a person is handed out, and no secret.


def test_her_answers_to_puzzles_are_in_it(author, tmp_path):
    claim, best = make_puzzles()
    submit_answer(puzzle=claim, user=author.user, answer=claim.solution, seconds=38)
    submit_answer(puzzle=best, user=author.user, answer={"action": best.solution["played"]})
    call_command("export_user", "ana", str(tmp_path / "ana.zip"))
    puzzles = read(zipfile.ZipFile(tmp_path / "ana.zip"), "puzzles")
    assert (puzzles["solver"]["answered"], puzzles["solver"]["right"]) == (2, 1)
    first, second = puzzles["answers"]
    assert (first["kind"], first["day"], first["answer"], first["seconds"]) == (
        "claim",
        "2026-01-05",
        claim.solution,
        38,
    )
    assert (second["kind"], second["number"], second["is_right"], second["tries"]) == ("best", 1, False, 1)


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
    with pytest.raises(CommandError, match="No user called nobody"):
        call_command("export_user", "nobody", str(tmp_path / "nobody.zip"))
    assert [path.name for path in tmp_path.iterdir()] == ["ana.zip"]


def test_teams_and_what_somebody_uploaded_for_others_are_in_it(ana: User, ben: User, tmp_path: Path):
    bot = create_bot(owner=ana, name="Wren", game="battleline")
    invite_author(bot=bot, by=ana, user=ben)
    bot = accept_invitation(bot=bot, user=ben)
    submit_version(owner=ben, bot=bot, files=Upload({"bot.py": b"1"}))
    remove_author(bot=bot, by=ana, user=ben)
    invite_author(bot=create_bot(owner=ana, name="Egret", game="battleline"), by=ana, user=ben)
    call_command("export_user", "ben", str(tmp_path / "ben.zip"))
    exported = zipfile.ZipFile(tmp_path / "ben.zip")
    assert [(one["bot__slug"], one["number"]) for one in read(exported, "uploads")] == [("wren", 1)]
    assert exported.read("sources/wren/v1/bot.py") == b"1"
    assert [(one["bot__slug"], one["joined_at"]) for one in read(exported, "team_places")] == [("egret", None)]
