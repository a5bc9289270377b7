"""Who follows what, and how news arrive."""

from datetime import datetime, timedelta

import pytest
from django.utils.timezone import localtime, make_aware, now
from pytest_django.fixtures import Settings

from arena.accounts.models import User
from arena.accounts.time_zones import choose_time_zone, find_time_zone
from arena.cleaning_up import clean_up
from arena.errors import ArenaError, Conflict
from arena.following.models import Follow, News, NewsPreference, Timing
from arena.following.queries.follows import attach_ladders, find_follow, list_follows
from arena.following.services import following
from arena.following.services.following import (
    choose_timing,
    end_digests,
    find_next_digest_time,
    follow,
    unfollow,
)
from arena.ladders.models import Ladder
from arena.ladders.services.seasons import close_season
from arena.notices.models import Event, Notice
from tests.conftest import MakeVersion

WORDS = {"language": "en", "site": "https://arena.example/"}


def test_whatever_is_followed_twice_is_followed_once(ana: User, ben: User, ladder: Ladder, make_version: MakeVersion):
    bot = make_version(ben, "Heron").bot
    for subject in (bot, ben, ladder):
        first, is_new = follow(user=ana, subject=subject)
        assert is_new and follow(user=ana, subject=subject) == (first, False)
        assert find_follow(ana, subject) == first and find_follow(ben, subject) is None
    assert Follow.objects.count() == 3
    for subject in (bot, ben, ladder):
        assert unfollow(user=ana, subject=subject) and not unfollow(user=ana, subject=subject)
    assert not Follow.objects.exists()


def test_a_ladder_is_followed_through_its_seasons(ana: User, ladder: Ladder):
    follow(user=ana, subject=ladder)
    following_season = close_season(ladder=ladder)
    assert find_follow(ana, following_season)
    (listed,) = follows = list(list_follows(ana))
    attach_ladders(follows)
    assert listed.ladder == following_season


def test_nobody_follows_themselves(ana: User):
    with pytest.raises(ArenaError, match="yourself"):
        follow(user=ana, subject=ana)


def test_nobody_follows_more_than_the_maximum(ana: User, ben: User, ladder: Ladder, monkeypatch):
    monkeypatch.setattr(following, "MAX_FOLLOWS_PER_USER", 1)
    follow(user=ana, subject=ladder)
    with pytest.raises(Conflict, match="nobody may follow more"):
        follow(user=ana, subject=ben)
    follow(user=ana, subject=ladder)


def test_what_is_gone_is_followed_no_more(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    follow(user=ana, subject=ben)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    assert [one.bot for one in list_follows(ana)] == [version.bot]
    version.bot.delete()
    assert Follow.objects.get().author == ben


@pytest.mark.parametrize(
    ("timing", "at", "due"),
    [
        (Timing.DAILY, datetime(2026, 5, 4, 6, 59), datetime(2026, 5, 4, 7)),
        (Timing.DAILY, datetime(2026, 5, 4, 7), datetime(2026, 5, 5, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 4, 6), datetime(2026, 5, 4, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 4, 7), datetime(2026, 5, 11, 7)),
        (Timing.WEEKLY, datetime(2026, 5, 10, 23), datetime(2026, 5, 11, 7)),
        (Timing.DAILY, datetime(2026, 10, 24, 12), datetime(2026, 10, 25, 7)),
    ],
)
def test_digests_are_due_at_seven_where_the_arena_is(settings, timing: Timing, at: datetime, due: datetime):
    settings.TIME_ZONE = "Europe/Budapest"
    assert find_next_digest_time(timing, make_aware(at)) == make_aware(due)
    assert find_next_digest_time(Timing.AT_ONCE, make_aware(at)) is None


def test_digests_are_due_at_seven_where_its_reader_is(ana: User):
    choose_time_zone(user=ana, name="Asia/Tokyo")
    preference = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    assert localtime(preference.next_digest_at, find_time_zone(ana)).hour == 7


def make_news(version, about: str = "version 1", **fields) -> News:
    return News.objects.create(
        kind=News.Kind.VERSION, about=about, bot=version.bot, facts={"version": version.number}, **fields
    )


def test_no_news_is_lost_by_another_choice(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    make_news(version)
    choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    notice = Notice.objects.get()
    assert (notice.user, notice.event, notice.url) == (ana, Event.FOLLOWED_NEWS, "/bots/heron/v/1/")
    make_news(version, "version 2", told_at=now())
    choose_timing(user=ana, timing=Timing.WEEKLY, **WORDS)
    assert Notice.objects.count() == 1
    choose_timing(user=ana, timing=Timing.AT_ONCE, **WORDS)
    assert Notice.objects.count() == 2


def test_a_new_choice_of_the_same_changes_no_digest(ana: User):
    before = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    NewsPreference.objects.update(mailed_until=now() - timedelta(days=1))
    after = choose_timing(user=ana, timing=Timing.DAILY, language="hu", site=WORDS["site"])
    assert after.mailed_until < before.mailed_until and after.next_digest_at == before.next_digest_at
    assert after.language == "hu"


def test_whoever_ends_digests_reads_the_news_on_the_site(ana: User, ben: User, make_version: MakeVersion):
    version = make_version(ben, "Heron")
    follow(user=ana, subject=version.bot)
    preference = choose_timing(user=ana, timing=Timing.DAILY, **WORDS)
    make_news(version, told_at=now())
    for _ in range(2):
        end_digests(preference=preference)
        preference.refresh_from_db()
        assert (preference.timing, preference.next_digest_at) == (Timing.AT_ONCE, None)
        assert Notice.objects.count() == 1


def test_the_link_in_old_mails_wakes_nothing(ana: User):
    preference = choose_timing(user=ana, timing=Timing.NEVER, **WORDS)
    end_digests(preference=preference)
    assert NewsPreference.objects.get().timing == Timing.NEVER


def test_old_news_are_removed_later_than_notices_of_them(
    ana: User, ben: User, make_version: MakeVersion, settings: Settings
):
    settings.NOTICE_RETENTION_DAYS = 30
    version = make_version(ben, "Heron")
    for days in (29, 31, 39):
        make_news(version, f"version {days}", happened_at=now() - timedelta(days=days))
    removed = {one.kind: one.rows for one in clean_up()}
    assert removed["news"] == 1 and News.objects.count() == 2
