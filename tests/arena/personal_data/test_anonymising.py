"""Who an author was is gone; bots, results and records stay."""

import io
import logging

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core.management import CommandError, call_command
from django.test import Client

from arena.accounts.invitations import create_invitation
from arena.accounts.models import User
from arena.bots.models import Bot, Token
from arena.bots.services import create_bot
from arena.bots.teams import accept_invitation, invite_author
from arena.following.models import Follow, News, NewsPreference
from arena.following.services.following import follow
from arena.following.services.telling import tell_followers
from arena.matches.models import Leg
from arena.notices.models import Delivery, Event, Notice, Webhook
from arena.personal_data.anonymising import anonymise_user
from arena.staff_reports import report_new_account
from arena.tournaments.models import Tournament
from arena.tournaments.services.entering import enter
from arena.tournaments.services.organising import Plan, create, open_entries
from arena.tournaments.settings import Settings
from engine.record_hash import record_hash
from engine.replay import verify


def anonymise(*options: str) -> User:
    out = io.StringIO()
    call_command("anonymise_user", "ana", "--yes", *options, stdout=out)
    return User.objects.get(username=out.getvalue().split()[-2])


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
    plan = Plan(title="Cup", game="battleline", edition="standard", settings=Settings(format="swiss", rounds=1))
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
    with pytest.raises(CommandError, match="no user called nobody"):
        call_command("anonymise_user", "nobody", "--yes")


def test_staff_and_the_house_are_refused(house):
    User.objects.create_superuser("olga")
    for name in ("olga", "house"):
        with pytest.raises(CommandError, match="works for the arena"):
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
