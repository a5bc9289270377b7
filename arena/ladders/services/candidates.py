"""Look up a ladder's entries for matchmaking: each query reads few rows of an index, however many entries there are."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import inf
from typing import Any

from django.db.models import Q, QuerySet, Sum
from django.utils.timezone import now

from arena.bots.models import TeamMember
from arena.ladders.matchmaking import Candidate, Seated, Table, take_nearest
from arena.ladders.models import Entry, EntryQuerySet, Ladder, PairStat
from arena.matches.capabilities import WorkerCapabilities
from arena.matches.models import Match, Participant

MAX_ENTRY_IDLE_TIME = timedelta(days=1)
"""An entry that has waited longer for a match may be served first."""
UNUSED_KEYS = (0,)
"""Keys that no row has, so that the query is the same with and without keys."""
SEATED_COLUMNS = ("pk", "rating", "deviation")
CANDIDATE_COLUMNS = (
    *SEATED_COLUMNS,
    "version__bot__owner",
    "version__bot__owner__is_house",
    "version__bot__co_authors",
)


class LadderCandidates:
    """Look up active entries of a ladder as a `CandidateSource`: all, or those that these workers can play."""

    def __init__(
        self,
        ladder: Ladder,
        capabilities: WorkerCapabilities | None = None,
        stuck: Collection[int] = (),
        resting_owners: Collection[int] = frozenset(),
    ) -> None:
        """Read a ladder.

        `stuck` are ids of matches that no worker can play now: they block no entry. Entries of `resting_owners` are
        left out.
        """
        self.ladder = ladder
        self.dispersion = ladder.dispersion
        self.spread = ladder.spread
        self.top_rating = ladder.top_rating
        self.capabilities = capabilities
        self.stuck = stuck
        self.resting_owners = set(resting_owners)

    @cached_property
    def _open_matches(self) -> list[list[Seated]]:
        """Entries of each match not rated yet. Planning one join takes longer than these two reads."""
        tables: dict[int, list[int]] = {}
        for match, version in _list_open_participants(self.ladder.pk):
            if match not in self.stuck:
                tables.setdefault(match, []).append(version)
        versions = {version for table in tables.values() for version in table}
        seated = {version: Seated(*fields) for version, *fields in _list_seated_entries(self.ladder.pk, versions)}
        return [[seated[version] for version in table if version in seated] for table in tables.values()]

    @cached_property
    def _team_places(self) -> list[tuple[int, int]]:
        """Bot and author for each author of a bot beside its owner; few bots have any."""
        return list(
            TeamMember.objects.joined().filter(bot__game=self.ladder.game).order_by().values_list("bot", "user")
        )

    def list_open_matches(self) -> Sequence[Sequence[Seated]]:
        """Return the entries of each match that is not rated yet."""
        return self._open_matches

    def add_open_match(self, entries: Sequence[Entry]) -> None:
        """Add a match that has just been queued."""
        self._open_matches.append([Seated(entry.pk, entry.rating, entry.deviation) for entry in entries])

    def find_overdue(self, barred: Collection[int]) -> Candidate | None:
        """Return the entry that has waited longest, if longer than MAX_IDLE_TIME."""
        late = _list_overdue_entries(self.active, now() - MAX_ENTRY_IDLE_TIME, barred or UNUSED_KEYS)
        return next(_build_candidates(late), None)

    def list_most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        """Return up to `count` entries of at least this rating, largest deviation first."""
        least = -inf if least_rating is None else least_rating
        return list(_build_candidates(_list_uncertain_entries(self.active, least, count=count)))

    def list_around(
        self, rating: float, count: int, barred: Collection[int], authors: Collection[int]
    ) -> Sequence[Candidate]:
        """Return the entries nearest to a rating on either side."""
        available = self.active.exclude(pk__in=barred or UNUSED_KEYS)
        available = available.exclude(version__bot__owner__in=authors or UNUSED_KEYS)
        if on_teams := {bot for bot, author in self._team_places if author in authors}:
            available = available.exclude(version__bot__in=on_teams)
        above, below = (
            list_side(available, rating, count=2 * count) for list_side in (_list_entries_above, _list_entries_below)
        )
        return take_nearest(list(_build_candidates(above)), list(_build_candidates(below)), count)

    def count_meetings(self, entries: Collection[int]) -> Counter[Table]:
        """Count the rated matches between each two of these entries."""
        return Counter({(low, high): count for low, high, count in _count_meetings(entries)})

    @property
    def active(self) -> EntryQuerySet:
        """Active entries that the workers can play."""
        active = Entry.objects.active().filter(ladder=self.ladder)
        if self.resting_owners:
            active = active.exclude(version__bot__owner__in=self.resting_owners)
        if self.capabilities is None:
            return active
        if not self.capabilities.is_for_all:
            active = active.filter(Q(version__bot__owner__is_house=True) | Q(version__bot__owner__is_staff=True))
        if not self.capabilities.is_for_rated:
            active = active.filter(version__bot__owner__is_house=True)
        return active.filter(version__language__in=self.capabilities.languages)


def _build_candidates(rows: Iterable[tuple[Any, ...]]) -> Iterator[Candidate]:
    for *row, co_authors in rows:
        entry, rating, deviation, owner, is_house = row
        yield Candidate(entry, rating, deviation, owner, is_house, frozenset(one["id"] for one in co_authors))


def _list_open_participants(ladder: int) -> QuerySet[Participant, tuple[int, int]]:
    """List match and version of each participant of a match not rated yet."""
    rows = Participant.objects.filter(match__ladder_match__ladder=ladder, match__ladder_match__in_flight=True)
    return rows.exclude(match__state=Match.State.VOID).order_by().values_list("match", "version")


def _list_seated_entries(ladder: int, versions: Collection[int]) -> QuerySet[Entry, tuple[Any, ...]]:
    return Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", *SEATED_COLUMNS)


def _list_overdue_entries(
    active: EntryQuerySet, before: datetime, barred: Collection[int]
) -> QuerySet[Entry, tuple[Any, ...]]:
    late = active.filter(paired_at__lt=before).exclude(pk__in=barred)
    return late.order_by("paired_at").values_list(*CANDIDATE_COLUMNS)[:1]


def _list_uncertain_entries(
    active: EntryQuerySet, least_rating: float, *, count: int
) -> QuerySet[Entry, tuple[Any, ...]]:
    entries = active.filter(rating__gte=least_rating)
    return entries.order_by("-deviation").values_list(*CANDIDATE_COLUMNS)[:count]


def _list_entries_above(entries: EntryQuerySet, rating: float, *, count: int) -> QuerySet[Entry, tuple[Any, ...]]:
    return entries.filter(rating__gte=rating).order_by("rating").values_list(*CANDIDATE_COLUMNS)[:count]


def _list_entries_below(entries: EntryQuerySet, rating: float, *, count: int) -> QuerySet[Entry, tuple[Any, ...]]:
    return entries.filter(rating__lt=rating).order_by("-rating").values_list(*CANDIDATE_COLUMNS)[:count]


def _count_meetings(entries: Collection[int]) -> QuerySet[PairStat, tuple[int, int, int]]:
    stats = PairStat.objects.filter(low__in=entries, high__in=entries)
    return stats.order_by().values_list("low", "high").annotate(Sum("matches"))
