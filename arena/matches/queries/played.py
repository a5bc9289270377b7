"""Read verdicts and newest matches of versions, in a time that doesn't grow with their number."""

from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from arena.bots.models import BotVersion
from arena.matches.models import Match, Participant, VerdictCount

MIN_LEGS_PER_MATCH = 1
"""A series of one game has as few."""


def attach_verdicts(versions: Iterable[Any]) -> list[Any]:
    """Give each version `verdicts`: in all its finished matches, the number of legs by verdict."""
    found = list(versions)
    verdicts: dict[int, dict[str, int]] = {version.pk: {} for version in found}
    rows = VerdictCount.objects.filter(version__in=list(verdicts)).order_by("pk")
    for key, verdict, legs in rows.values_list("version", "verdict", "legs"):
        verdicts[key][verdict] = legs
    for version in found:
        version.verdicts = verdicts[version.pk]
    return found


def count_legs(versions: Iterable[Any]) -> dict[int, int]:
    """Count the legs of each version, which has its `verdicts`, by its key."""
    return {version.pk: sum(version.verdicts.values()) for version in versions}


def fetch_matches(keys: Sequence[int]) -> QuerySet[Match]:
    """List the matches with these keys, newest first."""
    return Match.objects.filter(pk__in=keys).lean().order_by("-pk")


def find_oldest_match(legs: dict[int, int], scanned: int, before: int | None = None) -> int:
    """Return the match to look back to when `scanned` matches of the busiest version are read; 0 for all.

    The limit keeps the whole history of a busy bot from being read. `legs` are counted by version.
    """
    busiest = max(legs, key=lambda pk: legs[pk])
    if legs[busiest] <= MIN_LEGS_PER_MATCH * scanned:
        return 0
    played = Participant.objects.shown().filter(version=busiest)
    if before is not None:
        played = played.filter(match__lt=before)
    return played.order_by("-match").values_list("match", flat=True)[scanned - 1 : scanned].first() or 0


def list_newest_participants(versions: Sequence[BotVersion], limit: int) -> dict[int, list[int]]:
    """Return the participants of these versions in their newest matches, by match, newest first."""
    legs = count_legs(versions)
    if not legs:
        return {}
    # An index has the matches of one version in their order; those of several are sorted.
    if len(legs) == 1:
        played = Participant.objects.shown().filter(version=next(iter(legs)))
    else:
        played = Participant.objects.shown().filter(version__in=list(legs), match__gte=find_oldest_match(legs, limit))
    by_match: dict[int, list[int]] = {}
    for match, participant in played.order_by("-match").values_list("match", "pk")[: 2 * limit]:
        by_match.setdefault(match, []).append(participant)
    return dict(islice(by_match.items(), limit))


def list_shared_matches(
    versions: Sequence[BotVersion], others: Collection[int], *, scanned: int, limit: int
) -> list[int]:
    """Return the newest matches in which these versions met the others, among the `scanned` newest of theirs."""
    legs = count_legs(versions)
    if not legs:
        return []
    own = Participant.objects.shown().filter(version__in=list(legs), match__gte=find_oldest_match(legs, scanned))
    met = own.filter(match__participants__version__in=others).order_by("-match")
    return list(met.values_list("match", flat=True).distinct()[:limit])


def list_points(matches: Sequence[int]) -> QuerySet[Participant, tuple[int, int, float | None]]:
    """List match, version and points of all who have points in these matches."""
    played = Participant.objects.filter(match__in=matches, points__isnull=False)
    return played.order_by().values_list("match", "version", "points")
