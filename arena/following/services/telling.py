"""Tell users of news on the site, as notices."""

from collections.abc import Iterable

from django.utils.timezone import now

from arena.accounts.models import User
from arena.following.models import News
from arena.following.queries.follows import list_followers_told_at_once
from arena.following.queries.news import list_news_for
from arena.following.wording import describe_news, find_news_url
from arena.notices.models import Event
from arena.notices.services import notify_user

NEWS_BATCH_SIZE = 100


def tell_followers() -> int:
    """Leave notices of the news that nobody was told of yet, and return how many news these were.

    A call that ended early is made up for by the next: a notice of the same subject is not left twice.
    """
    batch = list(News.objects.filter(told_at=None).select_related("bot", "ladder")[:NEWS_BATCH_SIZE])
    if not batch:
        return 0
    keys = [one.pk for one in batch]
    for user in list_followers_told_at_once(batch).iterator():
        leave_notices(user=user, news=list_news_for(user).filter(pk__in=keys))
    return News.objects.filter(pk__in=keys).update(told_at=now())


def leave_notices(*, user: User, news: Iterable[News]) -> None:
    """Leave a notice of each subject of these news; further calls for the same subjects change nothing."""
    for one in news:
        notify_user(
            user=user, event=Event.FOLLOWED_NEWS, text=describe_news(one), url=find_news_url(one), about=one.about
        )
