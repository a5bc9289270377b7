"""What matchmaking looks up of a ladder in the database: few rows of an index each time, however many play there."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import inf
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils.timezone import now

from arena.ladders.matchmaking import Candidate, Seated, Table, nearest
from arena.ladders.models import Entry, EntryQuerySet, Ladder, PairStat
from arena.matches.capabilities import WorkerCapabilities
from arena.matches.models import Match, Participant

EACH_DAY = timedelta(days=1)
"""Nobody waits longer for a match than that, if there is room."""
NOBODY = (0,)
"""A list of keys that holds none: so the query is the same as with some."""
SEATED = ("pk", "rating", "deviation")
FIELDS = (*SEATED, "version__bot__owner", "version__bot__owner__is_house")


class Lookups:
    """The `CandidateSource` of a ladder's active entries that workers of these capabilities can play, or of all."""

    def __init__(
        self, ladder: Ladder, capabilities: WorkerCapabilities | None = None, stuck: Collection[int] = ()
    ) -> None:
        """`stuck` are the ids of matches that nobody can play now: nobody is kept waiting for them."""
        self.ladder = ladder
        self.dispersion = ladder.dispersion
        self.spread = ladder.spread
        self.top_rating = ladder.top_rating
        self.capabilities = capabilities
        self.stuck = stuck

    @cached_property
    def _flights(self) -> list[list[Seated]]:
        """In two steps: to plan a join of so many tables takes a database longer than to read these few rows."""
        tables: dict[int, list[int]] = {}
        for match, version in _ask_flying(self.ladder.pk):
            if match not in self.stuck:
                tables.setdefault(match, []).append(version)
        versions = {version for table in tables.values() for version in table}
        seated = {version: Seated(*fields) for version, *fields in _ask_seated(self.ladder.pk, versions)}
        return [[seated[version] for version in table if version in seated] for table in tables.values()]

    def in_flight(self) -> Sequence[Sequence[Seated]]:
        return self._flights

    def add_flight(self, entries: Sequence[Entry]) -> None:
        """Know of a match that has just been made."""
        self._flights.append([Seated(entry.pk, entry.rating, entry.deviation) for entry in entries])

    def overdue(self, barred: Collection[int]) -> Candidate | None:
        late = _ask_overdue(self.ladder.pk, now() - EACH_DAY, barred or NOBODY, capabilities=self.capabilities)
        return next(_read(late), None)

    def most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        least = -inf if least_rating is None else least_rating
        return list(_read(_ask_uncertain(self.ladder.pk, least, capabilities=self.capabilities, count=count)))

    def around(
        self, rating: float, count: int, barred: Collection[int], owners: Collection[int]
    ) -> Sequence[Candidate]:
        asked = (self.ladder.pk, rating, barred or NOBODY, owners or NOBODY)
        above, below = (
            ask(*asked, capabilities=self.capabilities, count=2 * count) for ask in (_ask_above, _ask_below)
        )
        return nearest(list(_read(above)), list(_read(below)), count)

    def meetings(self, entries: Collection[int]) -> Counter[Table]:
        return Counter({(low, high): count for low, high, count in _ask_meetings(entries)})

    @property
    def active(self) -> EntryQuerySet:
        return _active(self.ladder.pk, self.capabilities)


def _read(rows: Iterable[tuple[Any, ...]]) -> Iterator[Candidate]:
    return (Candidate(*row) for row in rows)


def _active(ladder: int, capabilities: WorkerCapabilities | None) -> EntryQuerySet:
    active = Entry.objects.active().filter(ladder=ladder)
    if capabilities is None:
        return active
    if not capabilities.is_for_all:
        active = active.filter(Q(version__bot__owner__is_house=True) | Q(version__bot__owner__is_staff=True))
    return active.filter(version__language__in=capabilities.languages)


def _free(
    ladder: int, capabilities: WorkerCapabilities | None, barred: Collection[int], owners: Collection[int]
) -> EntryQuerySet:
    return _active(ladder, capabilities).exclude(pk__in=barred).exclude(version__bot__owner__in=owners)


def _ask_flying(ladder: int) -> QuerySet:
    """Match and version of all that play or wait to."""
    rows = Participant.objects.filter(match__ladder_match__ladder=ladder, match__ladder_match__in_flight=True)
    return rows.exclude(match__state=Match.State.VOID).order_by().values_list("match", "version")


def _ask_seated(ladder: int, versions: Collection[int]) -> QuerySet:
    return Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", *SEATED)


def _ask_overdue(
    ladder: int, before: datetime, barred: Collection[int], *, capabilities: WorkerCapabilities | None
) -> QuerySet:
    late = _active(ladder, capabilities).filter(paired_at__lt=before).exclude(pk__in=barred)
    return late.order_by("paired_at").values_list(*FIELDS)[:1]


def _ask_uncertain(ladder: int, least: float, *, capabilities: WorkerCapabilities | None, count: int) -> QuerySet:
    entries = _active(ladder, capabilities).filter(rating__gte=least)
    return entries.order_by("-deviation").values_list(*FIELDS)[:count]


def _ask_above(
    ladder: int,
    rating: float,
    barred: Collection[int],
    owners: Collection[int],
    *,
    capabilities: WorkerCapabilities | None,
    count: int,
) -> QuerySet:
    above = _free(ladder, capabilities, barred, owners).filter(rating__gte=rating)
    return above.order_by("rating").values_list(*FIELDS)[:count]


def _ask_below(
    ladder: int,
    rating: float,
    barred: Collection[int],
    owners: Collection[int],
    *,
    capabilities: WorkerCapabilities | None,
    count: int,
) -> QuerySet:
    below = _free(ladder, capabilities, barred, owners).filter(rating__lt=rating)
    return below.order_by("-rating").values_list(*FIELDS)[:count]


def _ask_meetings(entries: Collection[int]) -> QuerySet:
    stats = PairStat.objects.filter(low__in=entries, high__in=entries)
    return stats.order_by().values_list("low", "high").annotate(Sum("matches"))
