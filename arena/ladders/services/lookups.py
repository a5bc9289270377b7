"""What matchmaking looks up of a ladder in the database: few rows of an index each time, however many play there."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import cached_property

from django.db.models import Q, Sum
from django.utils.timezone import now

from arena.ladders.matchmaking import Candidate, Seated, Table, nearest
from arena.ladders.models import Entry, EntryQuerySet, Ladder, PairStat
from arena.matches.abilities import Ability
from arena.matches.models import Match, Participant

EACH_DAY = timedelta(days=1)
"""Nobody waits longer for a match than that, if there is room."""
SEATED = ("pk", "rating", "deviation")
FIELDS = (*SEATED, "version__bot__owner", "version__bot__owner__is_house")


class Lookups:
    """A `matchmaking.Book` of a ladder's active entries that machines of one ability can play; of all where none is
    known."""

    def __init__(self, ladder: Ladder, ability: Ability | None = None, stuck: Collection[int] = ()) -> None:
        """`stuck` are the ids of matches that nobody can play now: nobody is kept waiting for them."""
        self.ladder = ladder
        self.phi = ladder.phi
        self.spread = ladder.spread
        self.top_rating = ladder.top_rating
        self.ability = ability
        self.stuck = stuck

    @cached_property
    def _flights(self) -> list[list[Seated]]:
        """In two steps: to plan a join of so many tables takes a database longer than to read these few rows."""
        rows = Participant.objects.filter(match__ladder_match__ladder=self.ladder, match__ladder_match__in_flight=True)
        rows = rows.exclude(match__state=Match.State.VOID).exclude(match__in=self.stuck).order_by()
        tables: dict[int, list[int]] = {}
        for match, version in rows.values_list("match", "version"):
            tables.setdefault(match, []).append(version)
        versions = {version for table in tables.values() for version in table}
        of_ladder = Entry.objects.filter(ladder=self.ladder, version__in=versions).values_list("version", *SEATED)
        seated = {version: Seated(*fields) for version, *fields in of_ladder}
        return [[seated[version] for version in table if version in seated] for table in tables.values()]

    def in_flight(self) -> Sequence[Sequence[Seated]]:
        return self._flights

    def add_flight(self, entries: Sequence[Entry]) -> None:
        """Know of a match that has just been made."""
        self._flights.append([Seated(entry.pk, entry.rating, entry.deviation) for entry in entries])

    def overdue(self, barred: Collection[int]) -> Candidate | None:
        waiting = self.active.filter(paired_at__lt=now() - EACH_DAY).exclude(pk__in=barred).order_by("paired_at")
        return next(iter(_read(waiting, 1)), None)

    def most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        entries = self.active if least_rating is None else self.active.filter(rating__gte=least_rating)
        return _read(entries.order_by("-deviation"), count)

    def around(
        self, rating: float, count: int, barred: Collection[int], owners: Collection[int]
    ) -> Sequence[Candidate]:
        free = self.active.exclude(pk__in=barred).exclude(version__bot__owner__in=owners)
        above = free.filter(rating__gte=rating).order_by("rating")
        below = free.filter(rating__lt=rating).order_by("-rating")
        return nearest(_read(above, 2 * count), _read(below, 2 * count), count)

    def meetings(self, entries: Collection[int]) -> Counter[Table]:
        stats = PairStat.objects.filter(low__in=entries, high__in=entries)
        sums = stats.values_list("low", "high").annotate(Sum("matches")).order_by()
        return Counter({(low, high): count for low, high, count in sums})

    @cached_property
    def active(self) -> EntryQuerySet:
        active = Entry.objects.active().filter(ladder=self.ladder)
        if self.ability is None:
            return active
        if not self.ability.is_for_all:
            active = active.filter(Q(version__bot__owner__is_house=True) | Q(version__bot__owner__is_staff=True))
        return active.filter(version__language__in=self.ability.languages)


def _read(entries: EntryQuerySet, count: int) -> list[Candidate]:
    return [Candidate(*row) for row in entries.values_list(*FIELDS)[:count]]
