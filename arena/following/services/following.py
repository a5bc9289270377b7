"""Follow and unfollow, and choose how news arrive."""

from datetime import datetime, time, timedelta, tzinfo

from django.db import transaction
from django.utils.timezone import get_default_timezone, localtime, make_aware, now

from arena.accounts.models import User
from arena.accounts.time_zones import find_time_zone
from arena.errors import ArenaError, Conflict
from arena.following.models import DIGEST_TIMINGS, Follow, NewsPreference, Timing
from arena.following.queries.follows import Subject, build_subject_lookup, count_follows
from arena.following.queries.news import list_news_for
from arena.following.services.telling import leave_notices
from engine.message import gettext_noop, message

MAX_FOLLOWS_PER_USER = 500
DIGEST_HOUR = 7
"""Hour at which digests are due, in the time zone of who gets them."""
DAYS_OF_WEEK = 7


@transaction.atomic
def follow(*, user: User, subject: Subject) -> tuple[Follow, bool]:
    """Let a user follow a bot, an author or a ladder. Return the follow, and whether it is new.

    Raises ArenaError for oneself, Conflict if the user follows as many as anybody may.
    """
    if subject == user:
        raise ArenaError(message(gettext_noop("You can't follow yourself; follow your bots instead.")))
    User.objects.select_for_update().get(pk=user.pk)
    lookup = build_subject_lookup(subject)
    known = Follow.objects.filter(user=user, **lookup).first()
    if known is not None:
        return known, False
    if count_follows(user) >= MAX_FOLLOWS_PER_USER:
        problem = gettext_noop("You follow %(most)s bots, authors and ladders, and nobody may follow more.")
        raise Conflict(message(problem, most=MAX_FOLLOWS_PER_USER))
    return Follow.objects.create(user=user, **lookup), True


def unfollow(*, user: User, subject: Subject) -> bool:
    """Let a user follow something no more. Return whether the user did."""
    deleted, _by_model = Follow.objects.filter(user=user, **build_subject_lookup(subject)).delete()
    return deleted > 0


@transaction.atomic
def choose_timing(*, user: User, timing: Timing, language: str, site: str) -> NewsPreference:
    """Choose when a user is told of news. `language` and `site`, the address of the front page, are for digests.

    What the earlier choice had not yet told is left among the notices, unless the user wants nothing any more.
    """
    NewsPreference.objects.get_or_create(user=user)
    preference = NewsPreference.objects.select_for_update().get(user=user)
    preference.language, preference.site = language, site
    if timing != preference.timing:
        _tell_what_waits(preference, timing)
        if preference.timing not in DIGEST_TIMINGS:
            preference.mailed_until = now()
        preference.timing = timing
        preference.next_digest_at = find_next_digest_time(timing, now(), find_time_zone(user))
    preference.save()
    return preference


def end_digests(*, preference: NewsPreference) -> None:
    """Send no digests any more: news are told on the site at once again. A second call changes nothing."""
    if preference.timing in DIGEST_TIMINGS:
        choose_timing(user=preference.user, timing=Timing.AT_ONCE, language=preference.language, site=preference.site)


def _tell_what_waits(preference: NewsPreference, timing: Timing) -> None:
    """Leave notices of the news that would be lost by the change to another timing."""
    news = list_news_for(preference.user)
    if preference.timing == Timing.AT_ONCE and timing in DIGEST_TIMINGS:
        leave_notices(user=preference.user, news=news.filter(told_at=None))
    elif preference.timing in DIGEST_TIMINGS and timing == Timing.AT_ONCE:
        leave_notices(user=preference.user, news=news.filter(happened_at__gt=preference.mailed_until))


def find_next_digest_time(timing: Timing | str, after: datetime, zone: tzinfo | None = None) -> datetime | None:
    """Return when the next digest is due: every day, or every Monday, at the hour of digests; None without them.

    The hour is that of the time zone, or of the arena's without one.
    """
    zone = zone or get_default_timezone()
    if timing not in DIGEST_TIMINGS:
        return None
    day = localtime(after, zone).date()
    if timing == Timing.WEEKLY:
        day += timedelta(days=-day.weekday() % DAYS_OF_WEEK)
    due = make_aware(datetime.combine(day, time(DIGEST_HOUR)), zone)
    if due > after:
        return due
    days = DAYS_OF_WEEK if timing == Timing.WEEKLY else 1
    return make_aware(datetime.combine(day + timedelta(days=days), time(DIGEST_HOUR)), zone)
