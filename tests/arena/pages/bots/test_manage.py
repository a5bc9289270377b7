"""What an author does with a bot, and what staff does about it."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CREST_TINCTURES
from arena.bots.models import Bot, TeamMember
from arena.bots.services import submit_version
from arena.bots.teams import accept_invitation, invite_author
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import Match
from arena.matches.services import queue_trial
from arena.pages.bots.manage import CHARGE_TITLES, DIVISION_TITLES, TINCTURE_TITLES
from arena.pages.svg.icons import TINCTURE_COLOURS, find_charge_icon
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry
from arena.runner.archive import Upload
from tests.arena.pages.conftest import ReaderOf
from tests.conftest import MakeVersion


@pytest.fixture
def olga(db: None) -> User:
    return User.objects.create_superuser("olga", password="olga's password")


def states() -> set[str]:
    return set(Entry.objects.filter(version__bot__slug="kingfisher").values_list("state", flat=True))


def test_a_bot_is_retired_and_plays_again_and_its_matches_are_played_out(queued, reader, ana):
    client = reader(ana)
    assert client.get("/bots/kingfisher/").status_code == 200
    page = client.post("/bots/kingfisher/retire/", follow=True)
    assert "Kingfisher is retired." in page.text and states() == {"suspended"}
    queued.refresh_from_db()
    assert queued.state == Match.State.QUEUED
    assert "retired this bot" in Client().get("/bots/kingfisher/").text
    assert "is retired" in client.post("/bots/kingfisher/resume/", follow=True).text and states() == {"suspended"}
    assert "plays again" in client.post("/bots/kingfisher/return/", follow=True).text and states() == {"active"}


def test_a_bot_is_renamed_and_keeps_its_address(finished, reader, ana):
    client = reader(ana)
    assert "called Heron already" in client.post("/bots/kingfisher/manage/", {"name": "Heron"}).text
    page = client.post("/bots/kingfisher/manage/", {"name": "Grebe"}, follow=True)
    assert page.redirect_chain == [("/bots/kingfisher/manage/", 302)]
    assert "<h1>Grebe" in Client().get("/bots/kingfisher/").text
    assert b"Kingfisher" in finished.legs.get(number=1).record_json


def test_what_an_author_says_of_a_bot_is_on_its_card_in_the_lobby(reader, ana, ben, make_version):
    bot = make_version(ana, "Kingfisher").bot
    Bot.objects.filter(pk=bot.pk).update(played_by=Bot.PlayedBy.EVERYBODY)
    said = "Waits at the middle flags, then strikes on both sides at once: 70 chr."
    client = reader(ana)
    for refused in (f"{said}!", "Never\u202egives up"):
        page = client.post("/bots/kingfisher/manage/", {"style": refused})
        assert page.context["style_form"].errors["style"] and not Bot.objects.get(pk=bot.pk).style
    assert reader(ben).post("/bots/kingfisher/manage/", {"style": said}).status_code == 403
    page = client.post("/bots/kingfisher/manage/", {"style": f"  {said} "}, follow=True)
    assert "Saved the description of Kingfisher." in page.text
    lobby = Client().get("/play/?game=battleline").text
    assert f'aria-label="Play Kingfisher: {said}"' in lobby and f'<p class="style">{said}</p>' in lobby
    client.post("/bots/kingfisher/manage/", {"style": ""})
    assert said not in Client().get("/play/?game=battleline").text


def test_only_a_bot_that_has_played_nobody_is_deleted(finished, reader, ana, make_version):
    client = reader(ana)
    page = client.post("/bots/kingfisher/delete/", {"confirmation": "Kingfisher"}, follow=True)
    assert "has played against other bots" in page.text and Bot.objects.filter(slug="kingfisher").exists()
    make_version(ana, "Wren")
    page = client.post("/bots/wren/delete/", {"confirmation": "wrong"}, follow=True)
    assert "Type the bot's name to delete it." in text_of(page)
    assert "Wren deleted." in client.post("/bots/wren/delete/", {"confirmation": "Wren"}, follow=True).text
    assert not Bot.objects.filter(slug="wren").exists()


def test_a_bot_on_trial_waits_and_goes_with_its_trial(reader, ana, make_version, play):
    version = make_version(ana, "Wren", state="on_trial")
    trial = queue_trial(version=version)
    client, typed = reader(ana), {"confirmation": "Wren"}
    assert "is waiting for its trial" in client.post("/bots/wren/delete/", typed, follow=True).text
    assert play(trial)
    assert "Wren deleted." in client.post("/bots/wren/delete/", typed, follow=True).text
    assert not Match.objects.exists()


def test_staff_stops_a_bot_with_a_reason_and_its_owner_cannot_undo_it(queued, reader, ana, olga):
    assert reader(ana).get("/bots/kingfisher/staff/").status_code == 403
    staff = reader(olga)
    assert "/bots/kingfisher/staff/" in staff.get("/bots/kingfisher/").text
    page = staff.get("/bots/kingfisher/staff/")
    assert "remove_bot_files" in page.text and "anonymise_user" in page.text
    assert [offer["key"] for offer in page.context["offers"]] == ["stop", "remove-files", "suspend", "ban", "rename"]
    assert "Give a reason" in staff.post("/bots/kingfisher/staff/", {"act": "stop", "why": " "}, follow=True).text
    assert states() == {"active"}
    staff.post("/bots/kingfisher/staff/", {"act": "stop", "why": "Its name."})
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.act, entry.reason, states()) == (olga, "bot.stop", "Its name.", {"suspended"})
    assert "Ask them" in reader(ana).post("/bots/kingfisher/return/", follow=True).text
    page = staff.post("/bots/kingfisher/staff/", {"act": "rename", "name": "Grebe", "why": "Its name."}, follow=True)
    assert page.redirect_chain == [("/bots/kingfisher/staff/", 302)]
    staff.post("/bots/kingfisher/staff/", {"act": "release", "why": "It has another name."})
    assert set(Entry.objects.filter(version__bot__name="Grebe").values_list("state", flat=True)) == {"active"}


def test_what_is_no_act_is_refused(finished, reader, olga):
    assert "No such action." in reader(olga).post("/bots/heron/staff/", {"act": "x", "why": "y"}, follow=True).text


# The people of a bot: invited, answered, taken off, and named wherever the bot is shown.


@pytest.fixture
def kingfisher(ana: User, ladder: Ladder, make_version: MakeVersion) -> Bot:
    version = make_version(ana, "Kingfisher")
    enter_version(ladder=ladder, version=version)
    return version.bot


def text_of(page) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page.text)).split())


def test_a_person_is_invited_accepts_and_leaves(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User):
    lead, guest = reader(ana), reader(ben)
    assert guest.get("/bots/kingfisher/people/").status_code == 403
    assert "No author called nobody." in lead.post("/bots/kingfisher/people/", {"username": "nobody"}).text
    page = lead.post("/bots/kingfisher/people/", {"username": "ben"}, follow=True)
    assert "Invitation sent to ben." in page.text and [one.user for one in page.context["invited"]] == [ben]
    assert "You're invited to work on this bot." in guest.get("/bots/kingfisher/").text
    assert "Answer the invitation to Kingfisher" in guest.get("/authors/ben/").text
    assert "Answer the invitation" not in lead.get("/authors/ben/").text
    assert "ana invited you to work on Kingfisher." in guest.get("/bots/kingfisher/invitation/").text
    assert lead.get("/bots/kingfisher/invitation/").status_code == 302
    page = guest.post("/bots/kingfisher/invitation/", {"answer": "accept"}, follow=True)
    assert "You're now an author of Kingfisher." in text_of(page) and page.context["is_owner"]
    assert guest.get("/bots/kingfisher/upload/").status_code == 200
    manage = guest.get("/bots/kingfisher/manage/").text
    assert "Rename" in manage and "Retire" not in manage and "Delete" not in manage
    assert "Hand over the lead" not in guest.get("/bots/kingfisher/people/").text
    page = guest.post(f"/bots/kingfisher/people/{ben.pk}/remove/", follow=True)
    assert "You're no longer an author of Kingfisher." in text_of(page)
    assert guest.get("/bots/kingfisher/manage/").status_code == 403


def test_an_invitation_is_refused_or_taken_back(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User, eva: User):
    for user in (ben, eva):
        invite_author(bot=kingfisher, by=ana, user=user)
    page = reader(ben).post("/bots/kingfisher/invitation/", {"answer": "refuse"}, follow=True)
    assert "You refused the invitation" in page.text
    reader(ana).post(f"/bots/kingfisher/people/{eva.pk}/remove/")
    assert reader(eva).get("/bots/kingfisher/invitation/").status_code == 404
    assert not TeamMember.objects.invited().exists()


def test_the_lead_is_handed_over_on_the_page(kingfisher: Bot, reader: ReaderOf, ana: User, ben: User):
    invite_author(bot=kingfisher, by=ana, user=ben)
    accept_invitation(bot=kingfisher, user=ben)
    page = reader(ana).post(f"/bots/kingfisher/people/{ben.pk}/lead/", follow=True)
    assert "ben is now the lead of Kingfisher." in page.text and not page.context["is_lead"]
    page = reader(ana).post(f"/bots/kingfisher/people/{ben.pk}/lead/", follow=True)
    assert "can do that" in page.text or page.status_code == 404


def test_all_authors_are_named_in_public_and_who_uploaded_to_them_alone(
    kingfisher: Bot, reader: ReaderOf, ana: User, ben: User, eva: User
):
    invite_author(bot=kingfisher, by=ana, user=ben)
    bot = accept_invitation(bot=kingfisher, user=ben)
    submit_version(owner=ben, bot=bot, files=Upload({"bot.py": b"1"}))
    for path in ("/bots/", "/bots/kingfisher/", "/bots/kingfisher/v/2/", "/ladders/battleline/standard/"):
        assert "ana , ben" in text_of(Client().get(path)), path
    assert "by ben" in text_of(reader(ana).get("/bots/kingfisher/v/2/"))
    assert "by ben" not in text_of(reader(eva).get("/bots/kingfisher/v/2/"))
    assert "Kingfisher" in Client().get("/authors/ben/").text
    page = reader(ben).get("/ladders/battleline/standard/?mine=1")
    assert "yours" in page.text


# The page on which an author puts a crest together.

PARTS = {"division": "bend", "field": "wine", "second": "gold", "charge": "horse", "charge_tincture": "parchment"}


def test_an_author_chooses_and_goes_back(finished, reader, ana):
    client = reader(ana)
    page = client.get("/bots/kingfisher/crest/")
    assert [part["key"] for part in page.context["parts"]] == list(PARTS)
    assert all(sum(option["is_chosen"] for option in part["options"]) == 1 for part in page.context["parts"])
    assert "has a new crest" in client.post("/bots/kingfisher/crest/", PARTS, follow=True).text
    assert Bot.objects.get(slug="kingfisher").crest_design == "bend/wine/gold/horse/parchment"
    again = client.get("/bots/kingfisher/crest/").context["parts"]
    assert {part["key"]: next(one["key"] for one in part["options"] if one["is_chosen"]) for part in again} == PARTS
    client.post("/bots/kingfisher/crest/automatic/")
    assert Bot.objects.get(slug="kingfisher").crest_design == ""


def test_a_refusal_stands_beside_its_part_and_keeps_the_choice(finished, reader, ana):
    page = reader(ana).post("/bots/kingfisher/crest/", PARTS | {"charge_tincture": "gold"})
    (wrong,) = [part for part in page.context["parts"] if part["errors"]]
    assert wrong["key"] == "charge_tincture" and "the charge can't be seen" in wrong["errors"][0]
    assert next(one["key"] for one in wrong["options"] if one["is_chosen"]) == "gold"
    assert Bot.objects.get(slug="kingfisher").crest_design == ""


def test_every_part_has_a_name_a_drawing_and_its_line_in_the_sheet():
    """The preview follows by style alone: `crest.css` says again which colour each tincture is."""
    sheet = (Path(settings.BASE_DIR) / "arena/pages/static/css/crest.css").read_text()
    icons = (Path(settings.BASE_DIR) / "arena/pages/static/img/icons.svg").read_text()
    assert set(DIVISION_TITLES) == set(CREST_DIVISIONS) and set(CHARGE_TITLES) == set(CREST_CHARGES)
    assert set(TINCTURE_TITLES) == set(CREST_TINCTURES) == set(TINCTURE_COLOURS)
    for part, variable in {"field": "field", "second": "second", "charge_tincture": "charge"}.items():
        for tincture, colour in TINCTURE_COLOURS.items():
            assert f'[name="{part}"][value="{tincture}"]:checked) {{ --{variable}: {colour}; }}' in sheet
    for part, keys in {"division": CREST_DIVISIONS, "charge": CREST_CHARGES}.items():
        for key in keys:
            assert f'[name="{part}"][value="{key}"]:checked) .shows-{key}' in sheet
            icon = f"crest-{key}" if part == "division" else find_charge_icon(key)
            assert f'<symbol id="{icon}"' in icons
