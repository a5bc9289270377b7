import pytest

from arena.core.errors import ArenaError, Conflict
from arena.people.accounts.models import User
from arena.people.notices.models import Delivery, Event, Notice, Webhook
from arena.people.notices.services import (
    MAX_WEBHOOKS_PER_USER,
    BadAddress,
    add_webhook,
    enable_webhook,
    mark_notices_read,
    notify_user,
)

URL = "https://8.8.8.8/hook"


def test_a_notice_is_left_for_one_user_until_it_is_seen(ana: User, ben: User) -> None:
    notify_user(user=ana, event=Event.SUSPENDED, text="K was suspended.", url="/bots/k/")
    assert Notice.objects.unseen().filter(user=ana).count() == 1
    assert mark_notices_read(user=ben) == 0 and mark_notices_read(user=ana) == 1
    assert not Notice.objects.unseen().exists() and not Delivery.objects.exists()


def test_only_webhooks_of_that_user_that_want_the_event_are_told(ana: User, ben: User) -> None:
    wants = add_webhook(owner=ana, url=URL, events=[Event.SUSPENDED, Event.MATCH_FINISHED])
    add_webhook(owner=ana, url=URL, events=[Event.TRIAL_FINISHED])
    add_webhook(owner=ben, url=URL, events=[Event.SUSPENDED])
    Webhook.objects.create(owner=ana, url=URL, events=[Event.SUSPENDED], is_active=False)
    notify_user(user=ana, event=Event.SUSPENDED, text="", payload={"bot": "k"})
    assert Delivery.objects.get().webhook == wants and not Notice.objects.exists()


def test_what_it_is_about_is_told_once(ana: User) -> None:
    add_webhook(owner=ana, url=URL, events=[Event.MATCH_FINISHED])
    for _ in range(2):
        notify_user(user=ana, event=Event.MATCH_FINISHED, text="Over.", about="match 7", payload={"match": 7})
    notify_user(user=ana, event=Event.MATCH_FINISHED, text="Over.", about="match 8", payload={"match": 8})
    assert Notice.objects.count() == Delivery.objects.count() == 2


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost:8000/", "ftp://8.8.8.8/", "https://x.invalid/"])
def test_a_webhook_into_the_arenas_network_or_to_nobody_is_refused(ana: User, url: str) -> None:
    with pytest.raises(BadAddress):
        add_webhook(owner=ana, url=url, events=[Event.MATCH_FINISHED])


@pytest.mark.parametrize("events", [[], ["bot.exploded"], ["ping"]])
def test_a_webhook_wants_events_that_there_are(ana: User, events: list[str]) -> None:
    with pytest.raises(ArenaError, match="Choose at least one of these events"):
        add_webhook(owner=ana, url=URL, events=events)


def test_nobody_has_more_webhooks_than_allowed(ana: User) -> None:
    for _ in range(MAX_WEBHOOKS_PER_USER):
        add_webhook(owner=ana, url=URL, events=[Event.MATCH_FINISHED])
    with pytest.raises(Conflict):
        add_webhook(owner=ana, url=URL, events=[Event.MATCH_FINISHED])


def test_a_webhook_that_was_switched_off_may_be_woken(ana: User) -> None:
    webhook = Webhook.objects.create(owner=ana, url=URL, events=[Event.MATCH_FINISHED], is_active=False, failures=10)
    enable_webhook(webhook=webhook)
    webhook.refresh_from_db()
    assert webhook.is_active and webhook.failures == 0
