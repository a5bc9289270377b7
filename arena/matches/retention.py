"""Say what of old matches is not needed any more: bots' logs, and the records of matches that were not rated.

Matches of ladders and tournaments keep their records for good: whoever verifies a season reads them.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, cast

from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery, Sum
from django.utils.timezone import now
from django.utils.translation import gettext

from arena.expiry import ByteLength, Expired
from arena.matches.models import Leg, LegSeat, Match, WorkerStatus
from arena.matches.purpose import Purpose, find_purposes

PURPOSES_OF_UNRATED = {
    Purpose.TRIAL: "records of trials",
    Purpose.COMPARISON: "records of comparisons",
    Purpose.CHALLENGE: "records of challenges",
}
WORKER_RETENTION = timedelta(days=30)
"""Each container is another worker, by its host name."""


def list_expired_records(*, before: datetime) -> Iterator[Expired]:
    """Yield the matches that were not rated and ended before then, and whose records are still stored.

    They are looked for by what they were played for: among all matches there may be few of them.
    """
    kept = {f"match__{purpose.value}": None for purpose in Purpose if purpose not in PURPOSES_OF_UNRATED}
    stored = Leg.objects.filter(match=OuterRef("match"), record__isnull=False).order_by()
    sizes = stored.values("match").annotate(size=Sum(ByteLength("record"))).values("size")
    for purpose, kind in PURPOSES_OF_UNRATED.items():
        model = cast(type[Model], Match._meta.get_field(purpose.value).related_model)
        rows = model._default_manager.filter(
            Exists(stored), match__finished_at__lt=before, match__settled_at__isnull=False, **kept
        )
        yield Expired(kind, rows, _remove_records, Subquery(sizes))


def _remove_records(rows: QuerySet[Any]) -> None:
    Leg.objects.filter(match__in=list(rows.values_list("match", flat=True))).update(record=None)


def list_expired_logs(*, before: datetime) -> Iterator[Expired]:
    """Yield what bots wrote to stderr in matches that ended before then."""
    rows = LegSeat.objects.filter(leg__match__finished_at__lt=before).exclude(stderr="")
    yield Expired("logs of bots", rows, lambda some: some.update(stderr=""), ByteLength("stderr"))


def list_expired_workers() -> Iterator[Expired]:
    """Yield the last reports of workers that have been gone for long."""
    yield Expired("reports of gone workers", WorkerStatus.objects.filter(seen_at__lt=now() - WORKER_RETENTION))


def explain_missing_record(match: Match, otherwise: str) -> str:
    """Return why a match has no records any more, in the reader's language: they were removed, or `otherwise`."""
    if set(find_purposes(match)) <= PURPOSES_OF_UNRATED.keys():
        return gettext(
            "The records of this match were removed: those of matches that are not rated are stored for a limited "
            "time. Its result stands."
        )
    return otherwise
