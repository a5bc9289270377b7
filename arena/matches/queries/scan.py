"""Limit how far back lists of matches look, so that rare matches are found without reading all that were played."""

from collections.abc import Sequence

from django.db.models import OuterRef, QuerySet, Subquery

from arena.bots.models import BotVersion
from arena.matches.models import Match, Participant

MAX_KEY = 2**63 - 1
"""The largest key that a database can store; no row has it."""


def find_scan_limit(
    versions: Sequence[int], depth: int, before: int | None = None, after: int | None = None
) -> int | None:
    """Return the match that one of these versions played `depth` matches ago, or None if none has played so many.

    Matches are counted from the newest, from the match `before`, or upwards from the match `after`. Up to the match
    returned these versions have at least `depth` matches, and few more.
    """
    if after is not None:
        upwards = Participant.objects.shown().filter(version=OuterRef("pk"), match__gt=after).order_by("match")
        return min(_list_nth_matches(versions, upwards, depth), default=None)
    start = MAX_KEY if before is None else before
    downwards = Participant.objects.shown().filter(version=OuterRef("pk"), match__lt=start).order_by("-match")
    return max(_list_nth_matches(versions, downwards, depth), default=None)


def _list_nth_matches(versions: Sequence[int], played: QuerySet[Participant], depth: int) -> list[int]:
    nth = BotVersion.objects.filter(pk__in=versions).annotate(nth=Subquery(played.values("match")[depth - 1 : depth]))
    return [match for match in nth.order_by().values_list("nth", flat=True) if match is not None]


def find_scan_limit_of_all(depth: int, before: int | None = None, after: int | None = None) -> int | None:
    """Return the match that is `depth` matches away, of all bots, or None if there are fewer."""
    if after is not None:
        matches = Match.objects.filter(pk__gt=after).order_by("pk")
    else:
        matches = Match.objects.filter(pk__lt=before or MAX_KEY).order_by("-pk")
    return next(iter(matches.values_list("pk", flat=True)[depth - 1 : depth]), None)


def list_match_ids_between(versions: Sequence[int], first: int, last: int) -> list[int]:
    """Return the ids of the matches of these versions from `first` to `last`."""
    played = Participant.objects.shown().filter(version__in=versions, match__gte=first, match__lte=last)
    return list(played.order_by().values_list("match", flat=True))


def list_version_ids(bot: int) -> list[int]:
    """Return the ids of all versions of a bot."""
    return list(BotVersion.objects.filter(bot=bot).order_by().values_list("pk", flat=True))


def list_newest_match_ids(versions: Sequence[int], count: int) -> list[int]:
    """Return the ids of the newest matches of these versions, newest first, without reading all of theirs."""
    oldest = find_scan_limit(versions, count) or 0
    played = Participant.objects.shown().filter(version__in=versions, match__gte=oldest).order_by("-match")
    return list(played.values_list("match", flat=True).distinct()[:count])
