"""Results of a bot: how many matches it won, and how it fared last against each opponent."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from django.db.models import QuerySet

from arena.baked import LAST_KEY, baked
from arena.bots.models import BotVersion
from arena.ladders.models import Entry, RatingChange
from arena.matches.models import Participant
from arena.pages.matches.results import DIGITS
from arena.pages.svg.charts import DRAWN, LOST, WON

COUNTED = 60
"""So many of an entry's newest rated matches are counted one by one."""
FEWEST_LEGS = 2
"""Of a match."""
LAST = 10
HALF = 0.5


@dataclass(frozen=True, slots=True)
class Tally:
    """Of matches: who has more than half of the points that it could have has won."""

    won: int
    drawn: int
    lost: int

    @property
    def matches(self) -> int:
        return self.won + self.drawn + self.lost


@dataclass(frozen=True, slots=True)
class Form:
    """An entry's newest rated matches."""

    tally: Tally
    last: dict[int, list[float]]
    """By version that it met, the last results against it, oldest first."""


def sum_up(points: Iterable[float]) -> Tally:
    results = [outcome(one, HALF) for one in points]
    return Tally(results.count(WON), results.count(DRAWN), results.count(LOST))


def outcome(own: float, other: float) -> float:
    """How a match, or a leg, ended for who has these points, against who has those."""
    own, other = round(own, DIGITS), round(other, DIGITS)
    return WON if own > other else LOST if own < other else DRAWN


def read_form(entry: Entry) -> Form:
    """In two queries, however much it has played."""
    matches = ask_counted(entry.pk)
    tables: dict[int, dict[int, float]] = {match: {} for match in matches}
    for match, version, points in ask_points(matches):
        tables[match][version] = points
    played = [table for table in tables.values() if entry.version_id in table]
    own = [table.pop(entry.version_id) for table in played]
    last: dict[int, list[float]] = {}
    for points, table in zip(own, played, strict=True):
        for version, others in table.items():
            met = last.setdefault(version, [])
            if len(met) < LAST:
                met.insert(0, outcome(points, others))
    return Form(sum_up(own), last)


@baked
def ask_counted(entry: int) -> QuerySet:
    """Its newest rated matches, newest first."""
    changes = RatingChange.objects.filter(entry=entry, ladder_match__void_sequence=None).order_by("-pk")
    return changes.values_list("ladder_match__match", flat=True)[:COUNTED]


@baked
def ask_points(matches: Sequence[int]) -> QuerySet:
    played = Participant.objects.filter(match__in=matches, points__isnull=False)
    return played.order_by().values_list("match", "version", "points")


def count_legs(versions: Iterable[BotVersion]) -> dict[int, int]:
    """By version, of all its finished matches. They have their `verdicts`."""
    return {version.pk: sum(version.verdicts.values()) for version in versions}


def find_oldest(legs: dict[int, int], walked: int, before: int | None = None) -> int:
    """The id of the match to which one looks back who looks at `walked` matches of the version that played most.

    So all of a busy bot's matches are never read. 0 where there are fewer.
    """
    busiest = max(legs, key=lambda pk: legs[pk])
    if legs[busiest] <= FEWEST_LEGS * walked:
        return 0
    oldest = ask_oldest(busiest, LAST_KEY if before is None else before, walked=walked)
    return oldest[0] if oldest else 0


@baked
def ask_oldest(version: int, before: int, *, walked: int) -> QuerySet:
    played = Participant.objects.filter(version=version, match__lt=before).order_by("-match")
    return played.values_list("match", flat=True)[walked - 1 : walked]


def newest_played(versions: Sequence[BotVersion], limit: int) -> dict[int, list[int]]:
    """The newest matches of these versions, newest first: id, and those of the participants that they were in it."""
    legs = count_legs(versions)
    if not legs:
        return {}
    # Of one version an index has the matches in their order; of several, all are sorted.
    if len(legs) == 1:
        found = ask_played_by(*legs, limit=2 * limit)
    else:
        found = ask_played(list(legs), find_oldest(legs, limit), limit=2 * limit)
    played: dict[int, list[int]] = {}
    for match, participant in found:
        played.setdefault(match, []).append(participant)
    return dict(islice(played.items(), limit))


@baked
def ask_played_by(version: int, *, limit: int) -> QuerySet:
    return Participant.objects.filter(version=version).order_by("-match").values_list("match", "pk")[:limit]


@baked
def ask_played(versions: Sequence[int], oldest: int, *, limit: int) -> QuerySet:
    played = Participant.objects.filter(version__in=versions, match__gte=oldest)
    return played.order_by("-match").values_list("match", "pk")[:limit]


def newest_matches(versions: Sequence[BotVersion], limit: int) -> list[int]:
    """Ids of the newest matches of these versions, newest first."""
    return list(newest_played(versions, limit))


def met_matches(versions: Sequence[BotVersion], others: Collection[int], walked: int, limit: int) -> list[int]:
    """Ids of the newest matches in which these versions met those, newest first: of the `walked` newest of theirs."""
    legs = count_legs(versions)
    if not legs:
        return []
    return ask_met(list(legs), list(others), find_oldest(legs, walked), limit=limit)


@baked
def ask_met(versions: Sequence[int], others: Sequence[int], oldest: int, *, limit: int) -> QuerySet:
    own = Participant.objects.filter(version__in=versions, match__gte=oldest)
    met = own.filter(match__participants__version__in=others).order_by("-match")
    return met.values_list("match", flat=True).distinct()[:limit]
