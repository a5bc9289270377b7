"""Read the queue: what runs and waits, on which workers, how long it takes, and when a match is due."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import reduce
from operator import or_
from statistics import fmean, median
from typing import Any, NamedTuple

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    BigIntegerField,
    Case,
    CharField,
    Count,
    DateTimeField,
    F,
    Func,
    Min,
    Model,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce
from django.db.models.sql.compiler import SQLCompiler
from django.utils.formats import date_format
from django.utils.timezone import localtime, now
from django.utils.translation import gettext, ngettext

from arena.bots.models import Bot, BotVersion
from arena.bots.running import WorkerCapabilities
from arena.matches.models import Attempt, Match, Participant, WorkerStatus, WorkerStatusQuerySet, find_lesson
from arena.matches.remote.queries import describe_remote_waiting
from arena.matches.slots import Purpose
from arena.matches.workers import best_capabilities, unplayable_matches
from arena.people.accounts.models import User
from engine.registry import GAMES

# Read the queue: what runs, what waits, on which workers, and how long matches take.

WORKER_TIMEOUT = timedelta(minutes=2)
"""A worker that has not reported for longer counts as gone. It reports every ten seconds, also during a match."""


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


def list_queued_matches_of_bots(owner: User, bots: QuerySet[Bot], limit: int) -> list[Match]:
    """List the first matches of the queue in which one of these bots plays and that their author may see."""
    return list(Match.objects.visible_to(owner).queued().with_player(version__bot__in=bots).lean()[:limit])


def count_queued_matches() -> int:
    """Count the matches in the queue."""
    return Match.objects.queued().count()


def count_running_matches() -> int:
    """Count the matches that are being played."""
    return Match.objects.running().count()


def list_latest_times(limit: int) -> QuerySet[Match, tuple[datetime | None, datetime | None]]:
    """List when the latest finished matches that workers played started and ended."""
    latest = Match.objects.for_workers().filter(state=Match.State.FINISHED).order_by("-pk")
    return latest.values_list("started_at", "finished_at")[:limit]


def fetch_typical_seconds(limit: int) -> dict[tuple[str, str], float]:
    """Return how long a match takes, by game and edition: the median of those that workers played of late."""
    found: dict[tuple[str, str], list[float]] = {}
    latest = Match.objects.for_workers().filter(state=Match.State.FINISHED).order_by("-pk")
    for game, edition, started, ended in latest.values_list("game", "edition", "started_at", "finished_at")[:limit]:
        if started and ended:
            found.setdefault((game, edition), []).append((ended - started).total_seconds())
    return {key: median(seconds) for key, seconds in found.items()}


def list_waiting_shares(matches: int) -> dict[str, float]:
    """Return, by worker, the part of the time of its latest matches in which their bots used no processor.

    The latest matches of all workers are looked at. Workers that played none of them are left out.
    """
    latest = Match.objects.for_workers().filter(state=Match.State.FINISHED).order_by("-pk")
    keys = list(latest.values_list("pk", flat=True)[:matches])
    played = Attempt.objects.filter(match__in=keys, ending=Attempt.Ending.STORED)
    waited: dict[str, float] = defaultdict(float)
    took: dict[str, float] = defaultdict(float)
    sums = played.annotate(waited_s=Sum("match__participants__waited_s"))
    for name, started, ended, waited_s in sums.values_list("worker", "started_at", "ended_at", "waited_s"):
        if ended is not None:
            worker = name.partition("/")[0]
            waited[worker] += waited_s or 0.0
            took[worker] += (ended - started).total_seconds()
    return {worker: min(1.0, waited[worker] / took[worker]) for worker in took if took[worker] > 0}


def find_held_back(matches: Collection[int]) -> dict[int, str]:
    """Return, by match, the name of a bot that the arena holds back; matches without one are left out."""
    held = Participant.objects.filter(match__in=matches, version__held_back_at__isnull=False)
    return dict(held.values_list("match", "version__bot__name"))


def count_matches_ahead(matches: Sequence[int], *, in_lesson: bool = False) -> dict[int, int]:
    """Count, for each of these, the queued matches that are played before it; in a lesson without those held back."""
    own = {name: OuterRef(name) for name in ("priority", "virtual_start", "pk")}
    earlier = Q(virtual_start__lt=own["virtual_start"]) | Q(virtual_start=own["virtual_start"], pk__lt=own["pk"])
    waiting = Match.objects.queued().for_workers()
    if in_lesson:
        waiting = waiting.exclude(pk__in=Match.objects.held_in_lesson().values("pk"))
    before = waiting.filter(Q(priority__gt=own["priority"]) | (Q(priority=own["priority"]) & earlier))
    counted = before.order_by().values("state").annotate(count=Count("pk")).values("count")
    found = Match.objects.filter(pk__in=matches).annotate(ahead=Coalesce(Subquery(counted), 0))
    return dict(found.order_by().values_list("pk", "ahead"))


# Read the figures by which operators watch the queue: what waits and since when, what ended, and what failed.

KINDS = {
    "trial": (Purpose.TRIAL, Purpose.PACKAGES),
    "ladder": (Purpose.LADDER,),
    "comparison": (Purpose.COMPARISON,),
    "tournament": (Purpose.PAIRING, Purpose.CHECK),
    "challenge": (Purpose.CHALLENGE,),
}
"""The purposes of matches, as operators tell them apart."""
OTHER_KIND = "other"
NO_LEVEL = "none"


@dataclass(frozen=True, slots=True)
class WaitingMatches:
    """The queued matches of a kind."""

    matches: int
    oldest: datetime | None
    """When the oldest was created; None where there is none."""


def fetch_waiting_by_kind() -> dict[str, WaitingMatches]:
    """Return the queued matches of every kind, also of those of which none waits."""
    cases = [
        When(**{f"{purpose.value}__isnull": False}, then=Value(kind))
        for kind, those in KINDS.items()
        for purpose in those
    ]
    kind = Case(*cases, default=Value(OTHER_KIND), output_field=CharField())
    rows = Match.objects.queued().order_by().annotate(kind=kind).values_list("kind")
    found = {
        name: WaitingMatches(matches, oldest) for name, matches, oldest in rows.annotate(Count("pk"), Min("created_at"))
    }
    return {name: WaitingMatches(0, None) for name in (*KINDS, OTHER_KIND)} | found


def count_ended_matches(since: datetime) -> dict[str, int]:
    """Count the matches that ended since then, by the state in which they are.

    Grouped by their state, they would be found by an index of all matches instead of one of those that ended lately.
    """
    counts = {state.value: Count("pk", filter=Q(state=state)) for state in (Match.State.FINISHED, Match.State.VOID)}
    return Match.objects.filter(finished_at__gte=since).aggregate(**counts)


def fetch_latest_durations(limit: int) -> list[float]:
    """Return the seconds that each of the latest finished matches took, in ascending order."""
    return sorted((ended - started).total_seconds() for started, ended in list_latest_times(limit) if started and ended)


def count_unsuccessful_attempts(since: datetime) -> dict[str, int]:
    """Count the attempts that ended since then without a result, by their ending."""
    endings = (Attempt.Ending.LOST, Attempt.Ending.FAILED)
    counts = {ending.value: Count("pk", filter=Q(ending=ending)) for ending in endings}
    return Attempt.objects.filter(ended_at__gte=since).aggregate(**counts)


def count_attempts(since: datetime) -> tuple[int, int]:
    """Count the attempts that ended since then without a result by the arena's fault, and all that ended."""
    failed = Q(ending__in=[Attempt.Ending.LOST, Attempt.Ending.FAILED])
    ended = Attempt.objects.filter(ended_at__gte=since).exclude(ending=Attempt.Ending.CANCELLED)
    found = ended.aggregate(failed=Count("pk", filter=failed), all=Count("pk"))
    return found["failed"], found["all"]


def count_workers_by_level() -> dict[str, int]:
    """Count the workers that reported lately, by the level of their sandbox."""
    rows = list_live_workers().order_by().values_list("level")
    return {level or NO_LEVEL: workers for level, workers in rows.annotate(Count("pk"))}


# Count by the hour what was played lately, how long it had waited, and which attempts failed.

HOUR = timedelta(hours=1)
MAX_MATCHES_TIMED = 6_000
"""Of more matches every second, third or further one is timed."""
MEDIAN, P95 = 0.5, 0.95


class Hour(NamedTuple):
    """What ended within an hour."""

    begins_at: datetime
    matches: int
    """With a result."""
    median_wait_s: float | None
    """Half of its matches waited no longer before they were played; None without any."""
    p95_wait_s: float | None
    """95 % of its matches waited no longer; None without any."""
    lost: int
    """Attempts whose worker stopped."""
    failed: int
    """Attempts that the arena failed."""


class HourKey(Func):
    """The beginning of the hour of a time, in UTC. No row calls Python or formats text: that took twice as long."""

    output_field = DateTimeField()
    template = "DATE_TRUNC('hour', %(expressions)s AT TIME ZONE 'UTC')"

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        """Return SQL for SQLite, which stores times as text."""
        return self.as_sql(compiler, connection, template="SUBSTR(%(expressions)s, 1, 13) || ':00:00'")

    def convert_value(self, value: datetime, *_: Any) -> datetime:
        """Return the time with its zone."""
        return value.replace(tzinfo=UTC)


def list_hours(first: datetime, end: datetime) -> list[Hour]:
    """Return the hours from the beginning of the first, in UTC, to the end, in three queries."""
    counts = _count_matches(first, end)
    waits = _list_waits(first, end, stride=1 + sum(counts.values()) // MAX_MATCHES_TIMED)
    attempts = _count_attempts(first, end)
    hours = []
    while first < end:
        median, p95 = (find_quantile(waits[first], share) for share in (MEDIAN, P95))
        hours.append(Hour(first, counts[first], median, p95, *attempts[first]))
        first += HOUR
    return hours


def find_quantile(values: Sequence[float], share: float) -> float | None:
    """Return the value that this share of sorted values doesn't exceed; None where there is none."""
    return values[min(int(share * len(values)), len(values) - 1)] if values else None


def _count_matches(first: datetime, end: datetime) -> dict[datetime, int]:
    """Count those with a result by the hour. Where the state were a condition, all matches ever played are read."""
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("finished_at")).values_list("hour")
    return defaultdict(int, rows.annotate(matches=Count("pk", filter=Q(state=Match.State.FINISHED))))


def _list_waits(first: datetime, end: datetime, *, stride: int) -> dict[datetime, list[float]]:
    ended = Match.objects.filter(finished_at__gte=first, finished_at__lt=end, started_at__isnull=False).order_by()
    if stride > 1:
        ended = ended.annotate(rest=F("pk") % stride).filter(rest=0)
    waits: dict[datetime, list[float]] = defaultdict(list)
    for hour, created, started in ended.values_list(HourKey("finished_at"), "created_at", "started_at"):
        waits[hour].append(max(0.0, (started - created).total_seconds()))
    for found in waits.values():
        found.sort()
    return waits


def _count_attempts(first: datetime, end: datetime) -> dict[datetime, tuple[int, int]]:
    lost, failed = (Count("pk", filter=Q(ending=ending)) for ending in (Attempt.Ending.LOST, Attempt.Ending.FAILED))
    ended = Attempt.objects.filter(ended_at__gte=first, ended_at__lt=end).order_by()
    rows = ended.annotate(hour=HourKey("ended_at")).values_list("hour").annotate(lost=lost, failed=failed)
    return defaultdict(lambda: (0, 0), {hour: (lost, failed) for hour, lost, failed in rows})


# Read how much processor time bots needed in their latest matches.

MATCHES_MEASURED = 20
"""Number of the latest matches of a version, or of a bot, that are looked at."""
QUEUE_MATCHES_MEASURED = 50
"""Number of the latest matches from which the work of the queue is estimated."""


def fetch_leg_seconds(versions: Mapping[int, int], game: str, edition: str) -> dict[int, list[float]]:
    """Return, by version, the processor seconds of a leg in each of its latest matches of an edition.

    Versions are given with their bots. One that has played none has the figures of its bot's other versions; where
    there are none either it is left out.
    """
    found = _fetch_latest(BotVersion.objects.filter(pk__in=versions), "version", game, edition)
    bots = {versions[version] for version in versions if version not in found}
    if bots:
        by_bot = _fetch_latest(Bot.objects.filter(pk__in=bots), "version__bot", game, edition)
        found |= {one: by_bot[bot] for one, bot in versions.items() if one not in found and bot in by_bot}
    return found


def list_house_leg_seconds(game: str, edition: str) -> list[float]:
    """List the processor seconds that each house bot needs in a leg, on average over its latest matches."""
    house = Bot.objects.filter(owner__is_house=True, game=game)
    found = _fetch_latest(house, "version__bot", game, edition)
    return [fmean(seconds) for seconds in found.values()]


def fetch_queue_match_seconds() -> float:
    """Return the processor seconds that bots needed in the latest matches of all kinds, on average; 0 before any."""
    latest = Match.objects.filter(state=Match.State.FINISHED).order_by("-pk").values_list("pk", flat=True)
    matches = list(latest[:QUEUE_MATCHES_MEASURED])
    measured = Participant.objects.filter(match__in=matches, elapsed_s__isnull=False)
    total = measured.aggregate(total=Sum(F("elapsed_s") - Coalesce("waited_s", 0.0)))["total"]
    return max(total or 0.0, 0.0) / len(matches) if matches else 0.0


def _fetch_latest(rows: QuerySet[Model], field: str, game: str, edition: str) -> dict[int, list[float]]:
    """Return the processor seconds of a leg in the latest matches of each row, to which `field` leads."""
    measured = Participant.objects.filter(elapsed_s__isnull=False, match__game=game, match__edition=edition)
    own = measured.filter(**{field: OuterRef("pk")}).order_by("-match")
    first = Subquery(own.values("match")[MATCHES_MEASURED - 1 : MATCHES_MEASURED])
    annotated = rows.annotate(since=Coalesce(first, 0, output_field=BigIntegerField()))
    since = dict(annotated.order_by().values_list("pk", "since"))
    return _read_seconds(measured, field, since)


def _read_seconds(measured: QuerySet[Participant], field: str, since: Mapping[int, int]) -> dict[int, list[float]]:
    found: dict[int, list[float]] = defaultdict(list)
    if since:
        wanted = reduce(or_, (Q(**{field: pk, "match__gte": match}) for pk, match in since.items()))
        rows = measured.filter(wanted).annotate(legs=Count("leg_seats")).filter(legs__gt=0).order_by("match", "index")
        for pk, elapsed_s, waited_s, legs in rows.values_list(field, "elapsed_s", "waited_s", "legs"):
            found[pk].append(max((elapsed_s or 0.0) - (waited_s or 0.0), 0.0) / legs)
    return dict(found)


# Estimate how long a queued match is going to wait, and say why.

MATCHES_TIMED = 50
"""The number of the latest matches from whose durations the next ones are estimated."""


@dataclass(frozen=True, slots=True)
class PlaceInQueue:
    """The place of a match in the queue."""

    ahead: int
    """Number of matches played before it."""
    seconds: float | None
    """Estimated seconds until it is played; None where unknown."""
    reason: str
    """Sentence in the reader's language that says what it waits for."""
    is_held_up: bool = False
    """Whether it waits for more than its turn: a worker that can play it, the end of a rest, or staff."""


@dataclass(frozen=True, slots=True)
class _Arena:
    """The figures that waiting times are estimated from."""

    capabilities: Sequence[WorkerCapabilities]
    workers: int
    drained: int
    able: int
    running: int
    match_seconds: float | None
    """Mean duration of the latest matches; None before the first."""

    def seconds(self, ahead: int) -> float | None:
        """Return the estimated seconds until a match with so many before it starts; None where unknown.

        As many are played at a time as are now, or one on each worker; those running are taken to be half over.
        """
        if self.match_seconds is None:
            return None if ahead or self.running else 0.0
        parallel = _parallel(self.running, self.able)
        started = 0.5 if self.running else 0.0
        return self.match_seconds * (ahead + started) / parallel

    def hindrance(self) -> str:
        """Return why nothing can be played, or an empty text."""
        if self.running or self.able:
            return ""
        if self.drained and self.drained == self.workers:
            return gettext("All workers are draining: they're finishing their matches and taking no new ones.")
        if self.workers:
            return gettext("No machine here has a working sandbox, and bots never run without one.")
        return gettext("No worker has reported in the last two minutes.")


def _parallel(running: int, able: int) -> int:
    return max(running, able, 1)


def count_slots() -> int:
    """Return how many matches can be played at a time: one in each worker process; 0 while no worker takes any."""
    return list_live_workers().able().count() * int(settings.CELERY_WORKER_CONCURRENCY)


def place_in_queue(match: Match) -> PlaceInQueue:
    """Return the place of a match in the queue, whether it waits or not."""
    return places_in_queue([match])[match.pk]


def places_in_queue(matches: Sequence[Match]) -> dict[int, PlaceInQueue]:
    """Return the places of matches by id, in as many queries for many as for one."""
    queued = [match for match in matches if match.state == Match.State.QUEUED]
    places = {match.pk: _place_outside_queue(match) for match in matches}
    held_back: dict[int, str] = {}
    remote = describe_remote_waiting([match.pk for match in queued]) if queued else {}
    if queued:
        arena = _read_arena()
        keys = [match.pk for match in queued]
        lesson = find_lesson()
        held = set(Match.objects.held_in_lesson().filter(pk__in=keys).values_list("pk", flat=True)) if lesson else ()
        unplayable = set(unplayable_matches(arena.capabilities).filter(pk__in=keys).values_list("pk", flat=True))
        held_back = find_held_back(unplayable) if unplayable else {}
        for pk, ahead in count_matches_ahead(keys, in_lesson=lesson is not None).items():
            places[pk] = _place(ahead, pk in unplayable, arena)
            if lesson is not None and pk in held and pk not in unplayable:
                places[pk] = _place_after_lesson(ahead, lesson.ends_at)
    for match in queued:
        places[match.pk] = _hold_up(match, places[match.pk], held_back, remote)
    return places


def _hold_up(
    match: Match, place: PlaceInQueue, held_back: Mapping[int, str], remote: Mapping[int, str]
) -> PlaceInQueue:
    """Return the place of a queued match, or what it waits for apart from its turn.

    `held_back` names a bot that can't be run, and `remote` says what matches with remote bots wait for.
    """
    if match.game not in GAMES:
        reason = gettext("Waiting: its game isn't installed on this arena.")
    elif match.pk in held_back:
        reason = gettext("%(bot)s is held back: the server couldn't run it, and staff are looking into it.")
        reason %= {"bot": held_back[match.pk]}
    elif match.pk in remote:
        reason = remote[match.pk]
    elif (next_try_at := match.next_try_at) is not None:
        return _place_resting(place.ahead, next_try_at)
    else:
        return place
    return PlaceInQueue(place.ahead, None, reason, is_held_up=True)


def _place_outside_queue(match: Match) -> PlaceInQueue:
    if match.is_over:
        return PlaceInQueue(0, None, gettext("Finished."))
    return PlaceInQueue(0, 0.0, gettext("Running now."))


def _read_arena() -> _Arena:
    workers = list(list_live_workers())
    able = [worker for worker in workers if worker.is_able]
    took = [
        (finished - started).total_seconds()
        for started, finished in list_latest_times(MATCHES_TIMED)
        if started and finished
    ]
    return _Arena(
        capabilities=best_capabilities(able),
        workers=len(workers),
        drained=sum(worker.drained_at is not None for worker in workers),
        able=len(able),
        running=Match.objects.running().for_workers().count(),
        match_seconds=fmean(took) if took else None,
    )


def _place_resting(ahead: int, next_try_at: datetime) -> PlaceInQueue:
    """Return the place of a match that rests after a failed attempt."""
    reason = gettext("Not played yet: the server is busy. Next try at %(time)s.")
    left_s = (next_try_at - now()).total_seconds()
    reason %= {"time": date_format(localtime(next_try_at), "H:i")}
    return PlaceInQueue(ahead, max(0.0, left_s), reason, is_held_up=True)


def _place_after_lesson(ahead: int, ends_at: datetime) -> PlaceInQueue:
    """Return the place of a match that a lesson holds back."""
    reason = gettext("Lesson in progress: this match will run after %(time)s.")
    reason %= {"time": date_format(localtime(ends_at), "H:i")}
    return PlaceInQueue(ahead, max(0.0, (ends_at - now()).total_seconds()), reason, is_held_up=True)


def _place(ahead: int, is_stuck: bool, arena: _Arena) -> PlaceInQueue:
    if reason := arena.hindrance():
        return PlaceInQueue(ahead, None, reason, is_held_up=True)
    if is_stuck:
        reason = gettext("No worker here has a strong enough sandbox and all the languages and packages its bots need.")
        return PlaceInQueue(ahead, None, reason, is_held_up=True)
    if ahead == 0:
        reason = gettext("Next in the queue.")
    else:
        reason = ngettext("%(count)d match ahead of it.", "%(count)d matches ahead of it.", ahead)
        reason %= {"count": ahead}
    return PlaceInQueue(ahead, arena.seconds(ahead), reason)
