"""Digests by mail: to whom, with what, and once."""

from datetime import timedelta
from smtplib import SMTPServerDisconnected

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.utils.timezone import now

from arena import periodic_tasks
from arena.accounts.models import User
from arena.bots.models import BotQuerySet, BotVersion
from arena.following.models import News, NewsPreference, Timing
from arena.following.services import digests
from arena.following.services.digests import send_digest, send_due_digests
from arena.following.services.following import choose_timing, follow
from arena.following.services.gathering import gather_news
from arena.following.services.telling import tell_followers
from arena.ladders.models import Ladder
from arena.ladders.services.seasons import close_season
from arena.notices.models import Notice
from tests.conftest import MakeVersion

AN_HOUR = timedelta(hours=1)


class Refusing(EmailBackend):
    """A mail server that hangs up."""

    def send_messages(self, messages):
        raise SMTPServerDisconnected("Connection unexpectedly closed")


class Killed(BaseException):
    """What ends a worker in the middle of its work."""


@pytest.fixture
def version(ben: User, make_version: MakeVersion) -> BotVersion:
    return make_version(ben, "Heron")


@pytest.fixture
def reader(ana: User, version: BotVersion) -> NewsPreference:
    """Ana follows Heron with a daily digest, which is due, and has a confirmed address and one that isn't."""
    EmailAddress.objects.create(user=ana, email="ana@example.org", verified=True)
    EmailAddress.objects.create(user=ana, email="typo@example.org", primary=True)
    follow(user=ana, subject=version.bot)
    choose_timing(user=ana, timing=Timing.DAILY, language="en", site="https://arena.example/")
    return make_due()


def make_due() -> NewsPreference:
    """The next digest is due, and what happened since the last is settled."""
    NewsPreference.objects.update(next_digest_at=now(), mailed_until=now() - 2 * AN_HOUR)
    News.objects.update(happened_at=now() - AN_HOUR)
    type(NewsPreference.objects.get().user.follows.get()).objects.update(created_at=now() - 3 * AN_HOUR)
    return NewsPreference.objects.get()


def add_news(version: BotVersion, number: int = 2) -> News:
    return News.objects.create(
        kind=News.Kind.VERSION,
        about=f"version {number}",
        bot=version.bot,
        facts={"version": number},
        happened_at=now() - AN_HOUR,
        told_at=now(),
    )


def test_a_digest_has_the_news_their_links_and_the_way_out(reader: NewsPreference, version: BotVersion):
    for number in (2, 3):
        add_news(version, number)
    periodic_tasks.send_digests()
    (sent,) = mail.outbox
    assert sent.to == ["ana@example.org"], "the primary address isn't confirmed"
    assert sent.subject == "[Pennant] 2 pieces of news of what you follow"
    stop = f"https://arena.example/following/stop/{reader.unsubscribe_key}/"
    assert sent.body == (
        "Hello ana,\n\n"
        "Today's news of what you follow:\n\n"
        "- A new version of Heron was accepted: version 2.\n  https://arena.example/bots/heron/v/2/\n\n"
        "- A new version of Heron was accepted: version 3.\n  https://arena.example/bots/heron/v/3/\n\n"
        "-- \n"
        "What you follow, and how you are told of it:\nhttps://arena.example/following/\n"
        f"No more mail like this (you needn't sign in):\n{stop}\n"
    )
    assert sent.extra_headers["List-Unsubscribe"] == f"<{stop}>"
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert sent.content_subtype == "plain"


def test_it_is_sent_once_and_the_next_is_due_the_next_day(reader: NewsPreference, version: BotVersion):
    add_news(version)
    assert send_due_digests() == 1 and send_due_digests() == 0
    assert not send_digest(preference=reader), "a second worker that had read the row before is too late"
    after = NewsPreference.objects.get()
    assert timedelta(0) < after.next_digest_at - now() <= timedelta(days=1)
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 0 and len(mail.outbox) == 1, "nothing has happened since"


def test_a_digest_that_is_due_at_once_has_nothing_from_before_it_was_chosen(
    reader: NewsPreference, version: BotVersion
):
    chosen_at = now()
    NewsPreference.objects.update(mailed_until=chosen_at, next_digest_at=chosen_at)
    add_news(version)
    News.objects.update(happened_at=chosen_at - timedelta(minutes=1))
    assert send_due_digests() == 0
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 0 and NewsPreference.objects.get().mailed_until == chosen_at


def test_a_worker_that_is_killed_while_it_sends_sends_nothing_twice(
    reader: NewsPreference, version: BotVersion, monkeypatch: pytest.MonkeyPatch
):
    add_news(version)

    def send_and_die(message: mail.EmailMessage) -> None:
        mail.get_connection().send_messages([message])
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(mail.EmailMessage, "send", send_and_die)
        send_due_digests()
    assert len(mail.outbox) == 1
    assert send_due_digests() == 0 and len(mail.outbox) == 1


def test_what_a_mail_server_refuses_is_tried_again(reader: NewsPreference, version: BotVersion, settings):
    add_news(version)
    settings.EMAIL_BACKEND = f"{__name__}.{Refusing.__name__}"
    assert send_due_digests() == 0
    waiting = NewsPreference.objects.get()
    assert now() < waiting.next_digest_at <= now() + digests.RETRY_DELAY
    assert waiting.mailed_until == reader.mailed_until
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    NewsPreference.objects.update(next_digest_at=now())
    assert send_due_digests() == 1


@pytest.mark.parametrize("why", ["no confirmed address", "may not sign in", "no news", "not due", "wants none"])
def test_some_get_none(reader: NewsPreference, version: BotVersion, why: str):
    if why != "no news":
        add_news(version)
    if why == "no confirmed address":
        EmailAddress.objects.update(verified=False)
    if why == "may not sign in":
        User.objects.filter(pk=reader.user_id).update(is_active=False)
    if why == "not due":
        NewsPreference.objects.update(next_digest_at=now() + AN_HOUR)
    if why == "wants none":
        choose_timing(user=reader.user, timing=Timing.NEVER, language="en", site="")
    assert send_due_digests() == 0 and mail.outbox == []


def test_what_a_reader_may_no_longer_see_is_not_sent(
    reader: NewsPreference, version: BotVersion, monkeypatch: pytest.MonkeyPatch
):
    add_news(version)
    cleo = User.objects.create_user("cleo")
    follow(user=cleo, subject=version.bot)
    News.objects.create(kind=News.Kind.VERSION, about="version 9", bot=version.bot, facts={"version": 9})
    monkeypatch.setattr(BotQuerySet, "visible_to", lambda bots, who: bots.exclude(owner__username="ben"))
    assert tell_followers() == 1 and not Notice.objects.exists()
    assert send_due_digests() == 0 and mail.outbox == []


def test_news_of_one_thing_are_told_once(reader: NewsPreference, version: BotVersion):
    news = add_news(version)
    news.pk, news.kind, news.ladder = None, News.Kind.PLACE, None
    news.facts = {"before": 3, "after": 1}
    news.save()
    send_due_digests()
    assert mail.outbox[0].subject == "[Pennant] 1 piece of news of what you follow"


def test_a_weekly_digest_is_in_the_language_it_was_chosen_in(
    reader: NewsPreference, version: BotVersion, ladder: Ladder
):
    follow(user=reader.user, subject=ladder)
    choose_timing(user=reader.user, timing=Timing.WEEKLY, language="hu", site="http://localhost:8000/")
    close_season(ladder=ladder)
    gather_news()
    type(reader.user.follows.first()).objects.update(created_at=now() - 3 * AN_HOUR)
    NewsPreference.objects.update(next_digest_at=now(), mailed_until=now() - 2 * AN_HOUR)
    News.objects.update(happened_at=now() - AN_HOUR)
    assert send_due_digests() == 1
    assert "http://localhost:8000/ladders/battleline/standard/seasons/1/" in mail.outbox[0].body


def test_a_long_digest_is_cut(reader: NewsPreference, version: BotVersion, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(digests, "MAX_NEWS_IN_DIGEST", 2)
    for number in range(2, 7):
        add_news(version, number)
    send_due_digests()
    (sent,) = mail.outbox
    assert sent.body.count("\n- ") == 2 and "And 3 more." in sent.body
