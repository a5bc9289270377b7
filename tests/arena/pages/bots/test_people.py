"""The people of a bot: invited, answered, taken off, and named wherever the bot is shown."""

import re

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.bots.models import Bot, TeamMember
from arena.bots.services import submit_version
from arena.bots.teams import accept_invitation, invite_author
from arena.ladders.models import Ladder
from arena.ladders.services.entering import enter_version
from tests.arena.pages.conftest import ReaderOf
from tests.conftest import MakeVersion


@pytest.fixture
def kingfisher(ana: User, ladder: Ladder, make_version: MakeVersion) -> Bot:
    version = make_version(ana, "Kingfisher")
    enter_version(ladder=ladder, version=version)
    return version.bot


def text_of(page) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page.text).split())


def test_a_person_is_invited_accepts_and_leaves(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User):
    lead, guest = reader(ana), reader(ben)
    assert guest.get("/bots/kingfisher/people/").status_code == 403
    assert "There is no author called nobody" in lead.post("/bots/kingfisher/people/", {"username": "nobody"}).text
    page = lead.post("/bots/kingfisher/people/", {"username": "ben"}, follow=True)
    assert "ben is invited." in page.text and [one.user for one in page.context["invited"]] == [ben]
    assert "You are invited to work on this bot." in guest.get("/bots/kingfisher/").text
    assert "Answer the invitation to Kingfisher" in guest.get("/authors/ben/").text
    assert "Answer the invitation" not in lead.get("/authors/ben/").text
    assert "ana invites you to work on Kingfisher." in guest.get("/bots/kingfisher/invitation/").text
    assert lead.get("/bots/kingfisher/invitation/").status_code == 302
    page = guest.post("/bots/kingfisher/invitation/", {"answer": "accept"}, follow=True)
    assert "You work on Kingfisher now." in page.text and page.context["is_owner"]
    assert guest.get("/bots/kingfisher/upload/").status_code == 200
    manage = guest.get("/bots/kingfisher/manage/").text
    assert "Rename" in manage and "Retire" not in manage and "Delete" not in manage
    assert "Hand over the lead" not in guest.get("/bots/kingfisher/people/").text
    page = guest.post(f"/bots/kingfisher/people/{ben.pk}/remove/", follow=True)
    assert "You don&#x27;t work on Kingfisher any more." in page.text
    assert guest.get("/bots/kingfisher/manage/").status_code == 403


def test_an_invitation_is_refused_or_taken_back(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User, eva: User):
    for user in (ben, eva):
        invite_author(bot=kingfisher, by=ana, user=user)
    page = reader(ben).post("/bots/kingfisher/invitation/", {"answer": "refuse"}, follow=True)
    assert "You have refused the invitation" in page.text
    reader(ana).post(f"/bots/kingfisher/people/{eva.pk}/remove/")
    assert reader(eva).get("/bots/kingfisher/invitation/").status_code == 404
    assert not TeamMember.objects.invited().exists()


def test_the_lead_is_handed_over_on_the_page(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User):
    invite_author(bot=kingfisher, by=ana, user=ben)
    accept_invitation(bot=kingfisher, user=ben)
    page = reader(ana).post(f"/bots/kingfisher/people/{ben.pk}/lead/", follow=True)
    assert "ben leads the team of Kingfisher now." in page.text and not page.context["is_lead"]
    page = reader(ana).post(f"/bots/kingfisher/people/{ben.pk}/lead/", follow=True)
    assert "can do this" in page.text or page.status_code == 404


def test_all_authors_are_named_in_public_and_who_uploaded_to_them_alone(
    kingfisher: Bot, reader: ReaderOf, ana: User, ben: User, eva: User
):
    invite_author(bot=kingfisher, by=ana, user=ben)
    bot = accept_invitation(bot=kingfisher, user=ben)
    submit_version(owner=ben, bot=bot, files={"bot.py": b"1"})
    for path in ("/bots/", "/bots/kingfisher/", "/bots/kingfisher/v/2/", "/ladders/battleline/standard/"):
        assert "ana , ben" in text_of(Client().get(path)), path
    assert "by ben" in text_of(reader(ana).get("/bots/kingfisher/v/2/"))
    assert "by ben" not in text_of(reader(eva).get("/bots/kingfisher/v/2/"))
    assert "Kingfisher" in Client().get("/authors/ben/").text
    page = reader(ben).get("/ladders/battleline/standard/?mine=1")
    assert "yours" in page.text
