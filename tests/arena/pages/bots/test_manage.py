"""What an author does with a bot, and what staff does about it."""

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.audit.models import AuditEntry
from arena.bots.models import Bot
from arena.ladders.models import Entry
from arena.matches.models import Match
from arena.matches.services import queue_trial


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
    assert "has retired this bot" in Client().get("/bots/kingfisher/").text
    assert "is retired" in client.post("/bots/kingfisher/resume/", follow=True).text and states() == {"suspended"}
    assert "plays again" in client.post("/bots/kingfisher/return/", follow=True).text and states() == {"active"}


def test_a_bot_is_renamed_with_its_address(finished, reader, ana):
    client = reader(ana)
    assert "called Heron already" in client.post("/bots/kingfisher/manage/", {"name": "Heron"}).text
    page = client.post("/bots/kingfisher/manage/", {"name": "Grebe"}, follow=True)
    assert page.redirect_chain == [("/bots/grebe/manage/", 302)]
    assert Client().get("/bots/kingfisher/").status_code == 404 and Client().get("/bots/grebe/").status_code == 200
    assert b"Kingfisher" in finished.legs.get(number=1).record_json


def test_only_a_bot_that_has_played_nobody_is_deleted(finished, reader, ana, make_version):
    client = reader(ana)
    page = client.post("/bots/kingfisher/delete/", {"confirmation": "Kingfisher"}, follow=True)
    assert "has played others" in page.text and Bot.objects.filter(slug="kingfisher").exists()
    make_version(ana, "Wren")
    assert "Type the name" in client.post("/bots/wren/delete/", {"confirmation": "wrong"}, follow=True).text
    assert "Wren is deleted" in client.post("/bots/wren/delete/", {"confirmation": "Wren"}, follow=True).text
    assert not Bot.objects.filter(slug="wren").exists()


def test_a_bot_on_trial_waits_and_goes_with_its_trial(reader, ana, make_version, play):
    version = make_version(ana, "Wren", state="on_trial")
    trial = queue_trial(version=version)
    client, typed = reader(ana), {"confirmation": "Wren"}
    assert "waits for its trial" in client.post("/bots/wren/delete/", typed, follow=True).text
    assert play(trial)
    assert "is deleted" in client.post("/bots/wren/delete/", typed, follow=True).text
    assert not Match.objects.exists()


def test_staff_stops_a_bot_with_a_reason_and_its_owner_cannot_undo_it(queued, reader, ana, olga):
    assert reader(ana).get("/bots/kingfisher/staff/").status_code == 403
    staff = reader(olga)
    assert "/bots/kingfisher/staff/" in staff.get("/bots/kingfisher/").text
    page = staff.get("/bots/kingfisher/staff/")
    assert [offer.key for offer in page.context["offers"]] == ["stop", "remove-files", "suspend", "ban", "rename"]
    assert "Say why" in staff.post("/bots/kingfisher/staff/", {"act": "stop", "why": " "}, follow=True).text
    assert states() == {"active"}
    staff.post("/bots/kingfisher/staff/", {"act": "stop", "why": "Its name."})
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.act, entry.reason, states()) == (olga, "bot.stop", "Its name.", {"suspended"})
    assert "ask them" in reader(ana).post("/bots/kingfisher/return/", follow=True).text
    page = staff.post("/bots/kingfisher/staff/", {"act": "rename", "name": "Grebe", "why": "Its name."}, follow=True)
    assert page.redirect_chain == [("/bots/grebe/staff/", 302)]
    staff.post("/bots/grebe/staff/", {"act": "release", "why": "It has another name."})
    assert set(Entry.objects.filter(version__bot__slug="grebe").values_list("state", flat=True)) == {"active"}


def test_what_is_no_act_is_refused(finished, reader, olga):
    assert "no such act" in reader(olga).post("/bots/heron/staff/", {"act": "x", "why": "y"}, follow=True).text
