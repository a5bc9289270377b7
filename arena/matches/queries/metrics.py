"""Read the figures by which operators watch the queue: what waits and since when, what ended, and what failed."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, CharField, Count, Min, Q, Value, When

from arena.matches.models import Attempt, Match
from arena.matches.purpose import Purpose
from arena.matches.queries.queue import list_latest_times, list_live_workers

KINDS = {
    "trial": (Purpose.TRIAL,),
    "ladder": (Purpose.LADDER,),
    "comparison": (Purpose.COMPARISON,),
    "tournament": (Purpose.PAIRING, Purpose.CHECK),
    "challenge": (Purpose.CHALLENGE,),
}
"""The purposes of matches, as operators tell them apart."""
OTHER_KIND = "other"
NO_LEVEL = "none"


@dataclass(frozen=True, slots=True)
class Waiting:
    """The queued matches of a kind."""

    matches: int
    oldest: datetime | None
    """When the oldest was created; None where there is none."""


def fetch_waiting_by_kind() -> dict[str, Waiting]:
    """Return the queued matches of every kind, also of those of which none waits."""
    cases = [
        When(**{f"{purpose.value}__isnull": False}, then=Value(kind))
        for kind, those in KINDS.items()
        for purpose in those
    ]
    kind = Case(*cases, default=Value(OTHER_KIND), output_field=CharField())
    rows = Match.objects.queued().order_by().annotate(kind=kind).values_list("kind")
    found = {name: Waiting(matches, oldest) for name, matches, oldest in rows.annotate(Count("pk"), Min("created_at"))}
    return {name: Waiting(0, None) for name in (*KINDS, OTHER_KIND)} | found


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


def count_workers_by_level() -> dict[str, int]:
    """Count the workers that reported lately, by the level of their sandbox."""
    rows = list_live_workers().order_by().values_list("level")
    return {level or NO_LEVEL: workers for level, workers in rows.annotate(Count("pk"))}
