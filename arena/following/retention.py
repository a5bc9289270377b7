"""Say which news are not needed any more."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from arena.expiry import Expired
from arena.following.models import News

NEWS_RETENTION_MARGIN = timedelta(days=8)
"""News are kept longer than the notices of them, which are found by them when a name is to be forgotten."""


def list_expired_news(*, notices_before: datetime) -> Iterator[Expired]:
    """Yield the news of which there are no notices any more, as notices from before then are removed."""
    yield Expired("news", News.objects.filter(happened_at__lt=notices_before - NEWS_RETENTION_MARGIN))
