"""People download what the arena knows of them, and delete their accounts by themselves."""

import io
import json
import zipfile
from html import unescape

import pytest
from django.test import Client

from arena.bots.models import Blob, Bot, BotVersion
from arena.bots.teams import accept_invitation, invite_author
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import TournamentPlan, create, open_entries
from arena.people.accounts.models import LimitedAction, User
from arena.people.groups.models import Group, Membership
from tests.conftest import FIRST_LEGAL, MakeVersion

ADDRESS = "/settings/delete/"
PASSWORD = "four flags of nine"


@pytest.fixture
def version(ana: User, make_version: MakeVersion) -> BotVersion:
    ana.set_password(PASSWORD)
    ana.save()
    return make_version(ana, "Kingfisher", FIRST_LEGAL + b"# mine\n")


@pytest.fixture
def own(version: BotVersion, ana: User) -> Client:
    client = Client()
    client.force_login(ana)
    return client


def send(client: Client, **changes: str):
    return client.post(ADDRESS, {"confirmation": "ana", "password": PASSWORD} | changes)


def organise(organiser: User) -> Tournament:
    plan = TournamentPlan("Autumn Cup", "battleline", "standard")
    return open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)


def test_the_settings_offer_all_that_is_known_of_a_person(own: Client, version: BotVersion, ana: User, ben: User):
    organiser = User.objects.create_superuser("olga")
    enter(tournament=organise(organiser), bot=version.bot, user=ana)
    invite_author(bot=version.bot, by=ana, user=ben)
    accept_invitation(bot=version.bot, user=ben)
    assert 'action="/settings/export/"' in own.get("/settings/").text
    answer = own.post("/settings/export/")
    assert "no-store" in answer["Cache-Control"]
    zipped = zipfile.ZipFile(io.BytesIO(answer.getvalue()))
    entry = json.loads(zipped.read("tournament_entries.json"))[0]
    assert (entry["tournament__title"], entry["bot__slug"]) == ("Autumn Cup", "kingfisher")
    assert json.loads(zipped.read("bots.json"))[0]["authors"] == ["ana", "ben"]
    assert b"# mine" in zipped.read("sources/kingfisher/v1/bot.py")
    assert own.get("/settings/export/").status_code == 405


def test_an_account_is_deleted_with_its_files_and_results_stay(own: Client, version: BotVersion, ana: User):
    page = own.get(ADDRESS).text
    assert "Kept data, and why" in page and "Kingfisher" in page
    assert send(own, rename_bots="on").status_code == 302
    ana.refresh_from_db()
    version.refresh_from_db()
    assert ana.username.startswith("author-") and not ana.has_usable_password()
    assert not version.has_files and version.state == BotVersion.State.REJECTED and not Blob.objects.exists()
    assert Bot.objects.get().name.startswith("bot-")
    assert own.get("/settings/").context["user"].is_anonymous
    assert (
        "deleted their account"
        in own.get(version.get_absolute_url().replace("kingfisher", Bot.objects.get().slug)).text
    )


def test_bots_keep_their_names_where_that_is_wanted(own: Client, version: BotVersion):
    send(own)
    assert Bot.objects.get().name == "Kingfisher"


def test_bots_with_other_authors_keep_their_files(own: Client, version: BotVersion, ana: User, ben: User):
    invite_author(bot=version.bot, by=ana, user=ben)
    accept_invitation(bot=version.bot, user=ben)
    send(own, rename_bots="on")
    bot = Bot.objects.get()
    version.refresh_from_db()
    assert (bot.name, bot.owner, bot.co_authors) == ("Kingfisher", ben, []) and version.has_files


def test_it_takes_the_name_and_the_password(own: Client, ana: User):
    for changes, words in (
        ({"confirmation": "Anna"}, "Type your username"),
        ({"password": "wrong"}, "That isn't your password."),
    ):
        refused = send(own, **changes)
        assert refused.status_code == 400 and words in unescape(refused.text)
    assert User.objects.filter(username="ana").exists() and LimitedAction.objects.exists()


def test_staff_and_those_on_whom_others_depend_hand_over_first(own: Client, ana: User, ben: User):
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="owner")
    other = Membership.objects.create(group=group, user=ben)
    assert "Class 10.b" in send(own).text
    Membership.objects.filter(pk=other.pk).update(role="owner")
    Tournament.objects.filter(pk=organise(User.objects.create_superuser("olga")).pk).update(organiser=ana)
    assert "Autumn Cup" in send(own).text
    Tournament.objects.update(state=Tournament.State.CANCELLED)
    User.objects.filter(pk=ana.pk).update(is_staff=True)
    assert "is a staff member" in send(own).text
    User.objects.filter(pk=ana.pk).update(is_staff=False)
    assert send(own).status_code == 302
