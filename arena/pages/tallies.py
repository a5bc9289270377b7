"""Results of a bot: how many matches it won, and how it fared last against each opponent."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from arena.bots.models import BotVersion
from arena.ladders.models import Entry, RatingChange
from arena.matches.models import Participant
from arena.pages.charts import DRAWN, LOST, WON
from arena.pages.results import DIGITS
from engine.registry import GAMES

PLAYED = "ladder_match__match__participants"
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
    """One query, however much it has played."""
    changes = RatingChange.objects.filter(entry=entry, ladder_match__void_sequence=None).order_by("-pk")
    seats = GAMES[entry.ladder.game].seats[-1]
    rows = changes.values_list("ladder_match__match", *(f"{PLAYED}__{name}" for name in ("version", "points")))
    tables: dict[int, dict[int, float]] = {}
    for match, version, points in rows[: seats * COUNTED]:
        if points is not None:
            tables.setdefault(match, {})[version] = points
    tables = dict(islice(tables.items(), COUNTED))
    own = [table.pop(entry.version_id) for table in tables.values()]
    last: dict[int, list[float]] = {}
    for points, table in zip(own, tables.values(), strict=True):
        for version, others in table.items():
            met = last.setdefault(version, [])
            if len(met) < LAST:
                met.insert(0, outcome(points, others))
    return Form(sum_up(own), last)


def count_legs(versions: Iterable[BotVersion]) -> dict[int, int]:
    """By version, of all its finished matches. Their `verdict_counts` are read already."""
    return {version.pk: sum(count.legs for count in version.verdict_counts.all()) for version in versions}


def find_oldest(legs: dict[int, int], walked: int, before: int | None = None) -> int:
    """The id of the match to which one looks back who looks at `walked` matches of the version that played most.

    So all of a busy bot's matches are never read. 0 where there are fewer.
    """
    busiest = max(legs, key=lambda pk: legs[pk])
    if legs[busiest] <= FEWEST_LEGS * walked:
        return 0
    played = Participant.objects.filter(version=busiest)
    if before is not None:
        played = played.filter(match__lt=before)
    return next(iter(played.order_by("-match").values_list("match", flat=True)[walked - 1 : walked]), 0)


def newest_played(versions: Sequence[BotVersion], limit: int) -> dict[int, list[int]]:
    """The newest matches of these versions, newest first: id, and those of the participants that they were in it."""
    legs = count_legs(versions)
    if not legs:
        return {}
    found = Participant.objects.filter(version__in=legs).order_by("-match")
    if len(legs) > 1:  # Of one version an index has the matches in their order; of several, all would be sorted.
        found = found.filter(match__gte=find_oldest(legs, limit))
    played: dict[int, list[int]] = {}
    for match, participant in found.values_list("match", "pk")[: 2 * limit]:
        played.setdefault(match, []).append(participant)
    return dict(islice(played.items(), limit))


def newest_matches(versions: Sequence[BotVersion], limit: int) -> list[int]:
    """Ids of the newest matches of these versions, newest first."""
    return list(newest_played(versions, limit))


def met_matches(versions: Sequence[BotVersion], others: Collection[int], walked: int, limit: int) -> list[int]:
    """Ids of the newest matches in which these versions met those, newest first: of the `walked` newest of theirs."""
    legs = count_legs(versions)
    if not legs:
        return []
    own = Participant.objects.filter(version__in=legs, match__gte=find_oldest(legs, walked))
    met = own.filter(match__participants__version__in=others).order_by("-match")
    return list(met.values_list("match", flat=True).distinct()[:limit])
