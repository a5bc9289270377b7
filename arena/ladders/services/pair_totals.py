"""Total the lines of a ledger by entry and by pair of entries."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Count, Q

from arena.bots.models import TeamMember
from arena.ladders.models import Entry, Ladder, PairStat
from arena.ladders.rank_eligibility import MIN_RANKED_MATCHES, MIN_RANKED_OPPONENTS, is_ranked
from arena.ladders.rating.online import Rating, update_ratings
from arena.ladders.services.lines import Line

DATABASE_ROWS_PER_WRITE = 500
RANK_FIELDS = ("is_ranked", "was_ranked")
"""What `PairTotals.update_ranked` changes."""


@dataclass(slots=True)
class PairSums:
    """Sums of a pair, as in PairStat."""

    matches: int = 0
    halves: int = 0
    squares: int = 0


class PairTotals:
    """Totals kept in memory while lines are added, then written together."""

    def __init__(self, ladder: Ladder, entries: Mapping[int, Entry], stats: Iterable[PairStat] = ()) -> None:
        self.ladder = ladder
        self.entries = entries
        self.sums = {
            (stat.low_id, stat.high_id, stat.seats): PairSums(stat.matches, stat.halves, stat.squares) for stat in stats
        }
        self.meetings: Counter[tuple[int, int]] = Counter()
        for (low, high, _), sums in self.sums.items():
            self.meetings[low, high] += sums.matches

    def update_ratings(self, line: Line) -> list[float]:
        """Update the ratings by a line. Return those before it, by participant."""
        entries = [self.entries[entry] for entry in line.entries]
        before = [Rating(entry.rating, entry.deviation) for entry in entries]
        for entry, after in zip(entries, update_ratings(before, line.results, self.ladder.dispersion), strict=True):
            entry.rating, entry.deviation = after.rating, after.deviation
        return [rating.rating for rating in before]

    def record_last_match(self, line: Line) -> None:
        """Record a line as the last match of its entries, even if it is excluded later."""
        for entry in line.entries:
            self.entries[entry].last_match_id = line.row.match_id
            self.entries[entry].rated_at = line.finished_at

    def add_match(self, line: Line) -> None:
        """Count a match."""
        self._change_counts(line, 1)

    def subtract_match(self, line: Line) -> None:
        """Stop counting a match."""
        self._change_counts(line, -1)

    def _change_counts(self, line: Line, by: int) -> None:
        for entry, points in zip(line.entries, line.points, strict=True):
            self.entries[entry].matches += by
            self.entries[entry].points += by * points
        for low, high, seats, halves in line.by_pair:
            sums = self.sums.setdefault((low, high, seats), PairSums())
            sums.matches += by
            sums.halves += by * halves
            sums.squares += by * halves * halves
            met = self.meetings[low, high]
            self.meetings[low, high] += by
            change = (met + by > 0) - (met > 0)
            self.entries[low].opponents += change
            self.entries[high].opponents += change

    def update_ranked(self) -> None:
        """Update whether each entry is ranked."""
        for entry in self.entries.values():
            few = entry.matches >= MIN_RANKED_MATCHES and entry.opponents < MIN_RANKED_OPPONENTS
            others = self._count_possible_opponents(entry) if few and not entry.was_ranked else MIN_RANKED_OPPONENTS
            entry.is_ranked = is_ranked(
                entry.deviation, entry.matches, entry.opponents, others, was_ranked=entry.was_ranked
            )
            entry.was_ranked = entry.was_ranked or entry.is_ranked

    def _count_possible_opponents(self, entry: Entry) -> int:
        """Count the entries it may meet: active ones that share no author with it, or all others for a house bot."""
        authors, is_house = self._authors[entry.pk]
        if is_house:
            return sum(self._active.values()) - entry.is_active
        own = sum(self._active[author] for author in authors)
        shared = sum(owner not in authors and not authors.isdisjoint(others) for owner, others in self._active_of_teams)
        return sum(self._active.values()) - own - shared

    @cached_property
    def _authors(self) -> dict[int, tuple[set[int], bool]]:
        """The authors by entry, and whether it is the house's."""
        found = Entry.objects.filter(pk__in=list(self.entries))
        rows = found.values_list(
            "pk", "version__bot__owner", "version__bot__owner__is_house", "version__bot__co_authors"
        )
        return {
            entry: ({owner, *(one["id"] for one in co_authors)}, is_house)
            for entry, owner, is_house, co_authors in rows
        }

    @cached_property
    def _active(self) -> Counter[int]:
        """Active entries by owner."""
        rows = Entry.objects.active().filter(ladder=self.ladder).values_list("version__bot__owner")
        return Counter(dict(rows.annotate(Count("pk")).order_by()))

    @cached_property
    def _active_of_teams(self) -> list[tuple[int, set[int]]]:
        """Owner and other authors of each active entry that has several."""
        on_teams = TeamMember.objects.joined().order_by().values("bot")
        entries = Entry.objects.active().filter(ladder=self.ladder, version__bot__in=on_teams)
        rows = entries.values_list("version__bot__owner", "version__bot__co_authors")
        return [(owner, {one["id"] for one in co_authors}) for owner, co_authors in rows]

    def save(self, *more: str) -> None:
        """Write all that lines change, and the fields `more` of the entries."""
        fields = ["rating", "deviation", "matches", "points", "opponents", "last_match", "rated_at", *RANK_FIELDS]
        save_entries(self.entries.values(), [*fields, *more])
        stats = [
            PairStat(
                ladder=self.ladder,
                low_id=low,
                high_id=high,
                seats=seats,
                matches=sums.matches,
                halves=sums.halves,
                squares=sums.squares,
            )
            for (low, high, seats), sums in self.sums.items()
        ]
        PairStat.objects.bulk_create(
            stats,
            batch_size=DATABASE_ROWS_PER_WRITE,
            update_conflicts=True,
            unique_fields=["low", "high", "seats"],
            update_fields=["matches", "halves", "squares"],
        )


def save_entries(entries: Iterable[Entry], fields: list[str]) -> None:
    """Update some fields of existing entries while the ladder is locked.

    This is many times faster than `bulk_update`, which has a condition for every row.
    """
    Entry.objects.bulk_create(
        entries, batch_size=DATABASE_ROWS_PER_WRITE, update_conflicts=True, unique_fields=["pk"], update_fields=fields
    )


def load_pair_totals(ladder: Ladder, lines: Iterable[Line]) -> PairTotals:
    """Read the current totals of the entries of these lines."""
    wanted = {entry for line in lines for entry in line.entries}
    entries = Entry.objects.filter(pk__in=wanted).in_bulk()
    stats = PairStat.objects.filter(Q(low__in=wanted) & Q(high__in=wanted))
    return PairTotals(ladder, entries, stats)
