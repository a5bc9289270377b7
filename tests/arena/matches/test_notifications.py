import pytest

from arena import tasks
from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.matches.services import queue_match, queue_trial
from arena.notices.models import Delivery, Event, Notice, Webhook
from tests.conftest import EXITS_AT_ONCE, FIRST_LEGAL, MakeVersion, Play


@pytest.mark.parametrize(("source", "state"), [(FIRST_LEGAL, "accepted"), (EXITS_AT_ONCE, "rejected")])
def test_an_author_is_told_once_how_a_trial_went(
    ana: User, house: User, make_version: MakeVersion, play: Play, source: bytes, state: str
) -> None:
    Webhook.objects.create(owner=ana, url="https://8.8.8.8/", events=[Event.TRIAL_FINISHED, Event.MATCH_FINISHED])
    make_version(house, "random")
    version = make_version(ana, "k", source, BotVersion.State.ON_TRIAL)
    match = queue_trial(version=version)
    play(match)
    for _ in range(2):
        tasks.settle_match(match.pk)
        match.settled_at = None
        match.save(update_fields=["settled_at"])
    notice = Notice.objects.get()
    assert notice.user == ana and f"was {state}" in str(notice.text) and notice.url == "/bots/k/v/1/"
    delivery = Delivery.objects.get()
    assert delivery.event == Event.TRIAL_FINISHED
    assert delivery.payload | {"reason": "", "detail": ""} == {
        "bot": "k", "version": 1, "state": state, "reason": "",
        "detail": "", "match": match.pk
    }  # fmt: skip


def test_the_webhooks_of_all_who_played_are_told_of_a_match(
    ana: User, ben: User, make_version: MakeVersion, play: Play
) -> None:
    for owner in (ana, ben):
        Webhook.objects.create(owner=owner, url="https://8.8.8.8/", events=[Event.MATCH_FINISHED])
    versions = [make_version(ana, "k"), make_version(ben, "quitter", EXITS_AT_ONCE)]
    match = queue_match(versions=versions, game="battleline", edition="standard")
    play(match)
    tasks.settle_match(match.pk)
    assert not Notice.objects.exists()
    assert {delivery.webhook.owner for delivery in Delivery.objects.all()} == {ana, ben}
    assert Delivery.objects.first().payload["participants"] == [
        {"bot": "k", "version": 1, "points": 1.0},
        {"bot": "quitter", "version": 1, "points": 0.0},
    ]
