"""Notices and webhooks."""

import pytest

from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import notify_user
from tests.arena.api.played import Script

HOOK = {"url": "https://1.1.1.1/pennant", "events": ["match.finished"]}


@pytest.fixture
def told(ana: User, ben: User) -> None:
    notify_user(user=ana, event=Event.SUSPENDED, text="Kingfisher is suspended.", url="/bots/kingfisher/")
    notify_user(user=ben, event=Event.SUSPENDED, text="Heron is suspended.")


def test_everybody_reads_their_own_notices_and_marks_them_as_seen(told, ana: User):
    (notice,) = Script(ana).read("/notices/", unread=True)["results"]
    assert (notice["text"], notice["html_url"], notice["read_at"]) == (
        "Kingfisher is suspended.",
        "http://testserver/bots/kingfisher/",
        None,
    )
    assert Script(ana).post("/notices/mark-read/").json() == {"marked": 1}
    assert Script(ana).post("/notices/mark-read/").json() == {"marked": 0}
    assert Script(ana).read("/notices/", unread=True)["results"] == []
    assert len(Script(ana).read("/notices/")["results"]) == 1
    assert Notice.objects.unseen().count() == 1


def test_the_key_of_a_webhook_is_told_once(ana: User):
    answer = Script(ana).post("/webhooks/", HOOK)
    assert answer.status_code == 201
    webhook = Webhook.objects.get(owner=ana)
    assert answer.json()["key"] == webhook.key and answer.json()["events"] == ["match.finished"]
    assert "key" not in Script(ana).read(f"/webhooks/{webhook.pk}/")
    assert "key" not in Script(ana).read("/webhooks/")["results"][0]


def test_what_can_not_be_told_of_or_where_is_refused(ana: User):
    for wrong in ({"events": []}, {"events": ["weather"]}, {"url": "http://127.0.0.1/"}, {"url": "nowhere"}):
        assert Script(ana).post("/webhooks/", HOOK | wrong).status_code == 400
    assert not Webhook.objects.exists()


def test_webhooks_are_tested_woken_and_deleted_by_their_owner(ana: User):
    webhook = Webhook.objects.create(owner=ana, is_active=False, failures=20, **HOOK)
    path = f"/webhooks/{webhook.pk}/"
    woken = Script(ana).post(f"{path}enable/").json()
    assert (woken["is_active"], woken["failures"]) == (True, 0)
    ping = Script(ana).post(f"{path}test/")
    assert ping.status_code == 201 and ping.json()["event"] == "ping"
    assert Script(ana).read(f"{path}deliveries/")["results"] == [ping.json()]
    assert Script(ana).delete(path).status_code == 204
    assert not Delivery.objects.exists() and Script(ana).get(path).status_code == 404
