"""Read the queue: what runs, what waits, on which workers, and how long matches take."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import Count, F, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.worker_status import WorkerStatusQuerySet

WORKER_TIMEOUT = timedelta(minutes=1)
"""A worker that has not reported for longer is taken for gone."""


def list_live_workers() -> WorkerStatusQuerySet:
    """List the workers that reported lately, by name."""
    return WorkerStatus.objects.recent(WORKER_TIMEOUT)


def list_workers_since(time: datetime) -> QuerySet[WorkerStatus]:
    """List the workers that reported since then, by name."""
    return WorkerStatus.objects.since(time)


def find_latest_working_report() -> datetime | None:
    """Return when a worker that takes matches last reported; None where there is none."""
    working = WorkerStatus.objects.able().order_by("-seen_at")
    return working.values_list("seen_at", flat=True).first()


def list_running_matches(reader: User | None, limit: int) -> QuerySet[Match]:
    """List the running matches that a reader may see, each with `open_attempts`.

    Their `leg` is the number of the leg that is played.
    """
    reported = Attempt.objects.open().annotate(leg=F("underway__leg")).defer("underway")
    attempts = Prefetch("attempts", reported, to_attr="open_attempts")
    return Match.objects.visible_to(reader).running().lean().prefetch_related(attempts)[:limit]


def list_queued_matches(reader: User | None, limit: int) -> QuerySet[Match]:
    """List the first matches of the queue that a reader may see."""
    return Match.objects.visible_to(reader).queued().lean()[:limit]


def list_queued_matches_of_owner(owner: User, limit: int) -> QuerySet[Match]:
    """List the first matches of the queue in which a bot plays that this user leads or works on."""
    own = Bot.objects.of_authors([owner])
    return Match.objects.visible_to(owner).queued().with_player(version__bot__in=own).lean()[:limit]


def list_queued_matches_of_bots(bots: QuerySet[Bot], limit: int) -> list[Match]:
    """List the first matches of the queue in which one of these bots plays."""
    return list(Match.objects.queued().with_player(version__bot__in=bots).lean()[:limit])


def count_queued_matches() -> int:
    """Count the matches in the queue."""
    return Match.objects.queued().count()


def count_running_matches() -> int:
    """Count the matches that are being played."""
    return Match.objects.running().count()


def list_latest_times(limit: int) -> QuerySet[Match, tuple[datetime | None, datetime | None]]:
    """List when the latest finished matches started and ended."""
    latest = Match.objects.filter(state=Match.State.FINISHED).order_by("-pk")
    return latest.values_list("started_at", "finished_at")[:limit]


def list_waiting_shares(matches: int) -> dict[str, float]:
    """Return, by worker, the part of the time of its latest matches in which their bots used no processor.

    The latest matches of all workers are looked at. Workers that played none of them are left out.
    """
    latest = Match.objects.filter(state=Match.State.FINISHED).order_by("-pk").values_list("pk", flat=True)
    played = Attempt.objects.filter(match__in=list(latest[:matches]), ending=Attempt.Ending.STORED)
    waited: dict[str, float] = defaultdict(float)
    took: dict[str, float] = defaultdict(float)
    sums = played.annotate(waited_s=Sum("match__participants__waited_s"))
    for name, started, ended, waited_s in sums.values_list("worker", "started_at", "ended_at", "waited_s"):
        if ended is not None:
            worker = name.partition("/")[0]
            waited[worker] += waited_s or 0.0
            took[worker] += (ended - started).total_seconds()
    return {worker: min(1.0, waited[worker] / took[worker]) for worker in took if took[worker] > 0}


def count_matches_ahead(matches: Sequence[int]) -> dict[int, int]:
    """Count, for each of these matches, the queued matches that are played before it."""
    own = {name: OuterRef(name) for name in ("priority", "virtual_start", "pk")}
    earlier = Q(virtual_start__lt=own["virtual_start"]) | Q(virtual_start=own["virtual_start"], pk__lt=own["pk"])
    before = Match.objects.queued().filter(Q(priority__gt=own["priority"]) | (Q(priority=own["priority"]) & earlier))
    counted = before.order_by().values("state").annotate(count=Count("pk")).values("count")
    found = Match.objects.filter(pk__in=matches).annotate(ahead=Coalesce(Subquery(counted), 0))
    return dict(found.order_by().values_list("pk", "ahead"))
