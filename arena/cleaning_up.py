"""Remove all that is not needed any more. Records of rated matches and of tournaments stay for good."""

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils.timezone import now

from arena.accounts.retention import list_expired_actions, list_expired_sessions
from arena.analysis.retention import list_expired_analyses
from arena.bots.retention import list_declined_invitations, list_orphan_files
from arena.expiry import Expired, Removal, remove_expired
from arena.following.retention import list_expired_news
from arena.livegames.retention import list_expired_live_games
from arena.matches.retention import list_expired_logs, list_expired_records, list_expired_workers
from arena.notices.retention import list_expired_deliveries, list_expired_notices


def clean_up(*, is_dry_run: bool = False) -> Iterator[Removal]:
    """Remove each kind in turn, or count it alone, and yield what that was."""
    for expired in _list_expired():
        yield remove_expired(expired, is_dry_run=is_dry_run)


def _list_expired() -> Iterator[Expired]:
    at = now()
    yield from list_expired_records(before=at - timedelta(days=settings.UNRATED_RECORD_RETENTION_DAYS))
    yield from list_expired_analyses()
    yield from list_expired_logs(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_live_games(logs_before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_deliveries(before=at - timedelta(days=settings.LOG_RETENTION_DAYS))
    yield from list_expired_notices(before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from list_expired_news(notices_before=at - timedelta(days=settings.NOTICE_RETENTION_DAYS))
    yield from list_expired_sessions()
    yield from list_expired_actions()
    yield from list_expired_workers()
    yield from list_declined_invitations()
    yield from list_orphan_files()
