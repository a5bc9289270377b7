"""Read finished matches in the order in which they ended, a few at a time, for downloads of many records."""

from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import Q, QuerySet

from arena.bots.models import Bot
from arena.matches.models import Leg, Match, Participant

MATCHES_PER_QUERY = 100
"""Matches whose records are in memory at once: some megabytes."""


def keep_matches_of(matches: QuerySet[Match], bot: Bot) -> QuerySet[Match]:
    """Return those of the matches in which a version of the bot took part."""
    return matches.filter(pk__in=Participant.objects.shown().filter(version__bot=bot).values("match"))


def list_ended_matches(
    matches: QuerySet[Match], since: datetime | None, after: int, until: datetime | None
) -> list[tuple[int, datetime]]:
    """Return id and end of the next matches with a result: those that ended at `since` with a higher id, or later."""
    found = matches.filter(state=Match.State.FINISHED, finished_at__isnull=False)
    if since is not None:
        found = found.filter(Q(finished_at__gt=since) | Q(finished_at=since, pk__gt=after), finished_at__gte=since)
    if until is not None:
        found = found.filter(finished_at__lt=until)
    rows = found.order_by("finished_at", "pk").values_list("pk", "finished_at")[:MATCHES_PER_QUERY]
    return [(pk, ended) for pk, ended in rows if ended is not None]


def list_legs_of(matches: Collection[int]) -> Iterator[Leg]:
    """Yield the legs of these matches that have a record, in order."""
    legs = Leg.objects.filter(match__in=matches, record__isnull=False).defer("deal")
    by_match: dict[int, list[Leg]] = {pk: [] for pk in matches}
    for leg in legs.order_by("match", "number"):
        by_match[leg.match_id].append(leg)
    for found in by_match.values():
        yield from found
