"""The ledger of a ladder: which matches count, each exactly once; totals of its lines; bots that keep failing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import F, Q

from arena.bots.models import Bot
from arena.bots.teams import list_authors_of_bot
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet, PairStat, RatingChange
from arena.contests.ladders.queries import ActiveAuthors, fetch_active_authors
from arena.contests.ladders.rating import (
    MIN_RANKED_MATCHES,
    MIN_RANKED_OPPONENTS,
    PairResult,
    Rating,
    compute_pair_results,
    is_certain,
    is_ranked,
    update_ratings,
)
from arena.core.database import ROWS_PER_WRITE, write_rows
from arena.matches.models import LegSeat, Match
from arena.people.accounts.models import User
from arena.people.groups.models import Membership
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user, renew_notice
from arena.runner.program import Verdict
from engine.message import Message, gettext_noop, message

# Read lines of a ledger, with the results of their matches, many at a time.

LEDGER_LINES_PER_READ = 500


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A finished match of a ladder. Entries, points and legs are by participant."""

    row: LadderMatch
    finished_at: datetime
    entries: tuple[int, ...]
    points: tuple[float, ...]
    legs: tuple[str, ...]
    """One letter per leg: x for a fault, . for none."""
    processor_s: tuple[float, ...]
    """Processor seconds of the bots in all legs."""
    results: tuple[PairResult, ...]

    @property
    def by_pair(self) -> Iterator[tuple[int, int, int, int]]:
        """Both ids (the lower first), number of seats and half points of the first, of each two entries."""
        for result in self.results:
            one, other = self.entries[result.first], self.entries[result.second]
            if one < other:
                yield one, other, result.seats, result.halves
            else:
                yield other, one, result.seats, 2 * result.seats - result.halves


def select_match_columns(rows: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Select the columns of matches that `read_ledger_lines` needs."""
    return rows.select_related("match").defer("match__deal", "match__options", "match__limits")


def read_ledger_lines(ladder: Ladder, rows: Sequence[LadderMatch]) -> list[LedgerLine]:
    """Return the lines of these matches in their order. A match without legs has neither entries nor results."""
    seats = LegSeat.objects.filter(leg__match__in=[row.match_id for row in rows]).order_by("leg__number", "seat")
    leg_columns = ("leg__match", "leg__number", "place", "verdict")
    participant_columns = [f"participant__{name}" for name in ("index", "version", "points", "elapsed_s", "waited_s")]
    tables: dict[int, LineBuilder] = {}
    for match, leg, place, verdict, *participant in seats.values_list(*leg_columns, *participant_columns):
        tables.setdefault(match, LineBuilder()).add(leg, place, verdict, participant)
    versions = {version for table in tables.values() for version, *_ in table.versions.values()}
    entries = dict(Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", "pk"))
    return [tables.get(row.match_id, LineBuilder()).build(row, entries) for row in rows]


def iterate_ledger(ladder: Ladder, *, after: int = 0) -> Iterator[LedgerLine]:
    """Yield the lines of all rated matches after line `after`, in order, including matches excluded later."""
    rows = select_match_columns(LadderMatch.objects.rated().filter(ladder=ladder))
    while chunk := list(rows.filter(sequence__gt=after)[:LEDGER_LINES_PER_READ]):
        yield from read_ledger_lines(ladder, chunk)
        after = chunk[-1].sequence or 0


class LineBuilder:
    """Collect the seats of the legs of one match and build its line."""

    def __init__(self) -> None:
        self.versions: dict[int, tuple[int, float, float]] = {}
        """Version, points and processor seconds by participant."""
        self.places: dict[int, dict[int, int]] = {}
        self.legs: dict[int, str] = {}

    def add(self, leg: int, place: int, verdict: str, participant: list[Any]) -> None:
        """Add a seat of a leg. `participant` is its index, version, points, and the seconds it took and waited."""
        index, version, points, elapsed_s, waited_s = participant
        self.versions[index] = version, points or 0.0, max(0.0, (elapsed_s or 0.0) - (waited_s or 0.0))
        self.places.setdefault(leg, {})[index] = place
        self.legs[index] = self.legs.get(index, "") + ("." if verdict == Verdict.OK else "x")

    def build(self, row: LadderMatch, entries: Mapping[int, int]) -> LedgerLine:
        """Return the line; `entries` are ids by version."""
        indices = sorted(self.versions)
        assert row.match.finished_at is not None
        legs = [[places[index] for index in indices] for places in self.places.values()]
        return LedgerLine(
            row=row,
            finished_at=row.match.finished_at,
            entries=tuple(entries[self.versions[index][0]] for index in indices),
            points=tuple(self.versions[index][1] for index in indices),
            legs=tuple(self.legs[index] for index in indices),
            processor_s=tuple(self.versions[index][2] for index in indices),
            results=tuple(compute_pair_results(legs)) if legs else (),
        )


# Total the lines of a ledger by entry and by pair of entries.

MATCHES_TIMED = 10
"""A match counts so many parts of the mean processor time."""
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

    def update_ratings(self, line: LedgerLine) -> list[float]:
        """Update the ratings by a line. Return those before it, by participant."""
        entries = [self.entries[entry] for entry in line.entries]
        before = [Rating(entry.rating, entry.deviation) for entry in entries]
        for entry, after in zip(entries, update_ratings(before, line.results, self.ladder.dispersion), strict=True):
            entry.rating, entry.deviation = after.rating, after.deviation
        return [rating.rating for rating in before]

    def record_last_match(self, line: LedgerLine) -> None:
        """Record a line as the last match of its entries, even if it is excluded later."""
        for entry in line.entries:
            self.entries[entry].last_match_id = line.row.match_id
            self.entries[entry].rated_at = line.finished_at

    def record_processor_time(self, line: LedgerLine) -> None:
        """Count the processor time of a match into the mean of each entry's latest ones."""
        for pk, seconds in zip(line.entries, line.processor_s, strict=True):
            entry = self.entries[pk]
            old = seconds if entry.processor_s is None else entry.processor_s
            entry.processor_s = old + (seconds - old) / MATCHES_TIMED

    def add_match(self, line: LedgerLine) -> None:
        """Count a match."""
        self._change_counts(line, 1)

    def subtract_match(self, line: LedgerLine) -> None:
        """Stop counting a match."""
        self._change_counts(line, -1)

    def _change_counts(self, line: LedgerLine, by: int) -> None:
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
            others = self._count_others(entry) if few and not entry.was_ranked else MIN_RANKED_OPPONENTS
            certain = is_certain(entry.deviation, self.ladder.spread, has_sure_place=entry.has_sure_place)
            entry.is_ranked = is_ranked(certain, entry.matches, entry.opponents, others, was_ranked=entry.was_ranked)
            entry.is_ranked = entry.is_ranked or entry.is_known
            entry.was_ranked = entry.was_ranked or entry.is_ranked

    def _count_others(self, entry: Entry) -> int:
        authors, is_house = self._authors[entry.pk]
        return self._active.count_others(entry, authors, is_house=is_house)

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
    def _active(self) -> ActiveAuthors:
        return fetch_active_authors(self.ladder)

    def save(self, *more: str) -> None:
        """Write all that lines change, and the fields `more` of the entries."""
        fields = ["rating", "deviation", "matches", "points", "opponents", "last_match", "rated_at", *RANK_FIELDS]
        write_rows(self.entries.values(), [*fields, *more])
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
            batch_size=ROWS_PER_WRITE,
            update_conflicts=True,
            unique_fields=["low", "high", "seats"],
            update_fields=["matches", "halves", "squares"],
        )


def load_pair_totals(ladder: Ladder, lines: Iterable[LedgerLine]) -> PairTotals:
    """Read the current totals of the entries of these lines."""
    wanted = {entry for line in lines for entry in line.entries}
    entries = Entry.objects.filter(pk__in=wanted).in_bulk()
    stats = PairStat.objects.filter(Q(low__in=wanted) & Q(high__in=wanted))
    return PairTotals(ladder, entries, stats)


# Suspend bots that keep failing, since every opponent would win points from them.

MAX_RECENT_LEGS = 60
"""Number of the last rated legs in which faults are counted."""
MAX_FAULTS_IN_A_ROW = 3
MAX_RECENT_FAULTS = 3
"""5 % of the recent legs; one more suspends the entry."""


def is_failing(recent_legs: str) -> bool:
    """Return whether an entry with these legs, oldest first, an x for each fault, is to be suspended."""
    return recent_legs.endswith("x" * MAX_FAULTS_IN_A_ROW) or recent_legs.count("x") > MAX_RECENT_FAULTS


def append_recent_legs(recent_legs: str, legs: str) -> str:
    """Return the recent legs with these appended and the oldest dropped."""
    return (recent_legs + legs)[-MAX_RECENT_LEGS:]


def describe_failures(recent_legs: str) -> Message:
    """Return why an entry with these legs is suspended."""
    if recent_legs.endswith("x" * MAX_FAULTS_IN_A_ROW):
        return message(gettext_noop("It had faults in %(count)s legs in a row."), count=MAX_FAULTS_IN_A_ROW)
    return message(
        gettext_noop("It had faults in %(count)s of its last %(legs)s legs."),
        count=recent_legs.count("x"),
        legs=len(recent_legs),
    )


@transaction.atomic
def suspend_entry(*, entry: Entry, reason: Message) -> bool:
    """Suspend an active entry and notify its owner. Its rating is kept. Return False if it wasn't active."""
    active = Entry.objects.active().filter(pk=entry.pk)
    if not active.update(state=Entry.State.SUSPENDED, state_reason=reason):
        return False
    Ladder.objects.filter(pk=entry.ladder_id).update(is_stale=True)
    entry = Entry.objects.select_related("ladder__group", "version__bot__owner").get(pk=entry.pk)
    bot, ladder = entry.version.bot, entry.ladder
    text, about = _describe_suspensions(entry, reason), f"version {entry.version_id}"
    if ladder.group_id is not None:
        about = f"{about} group {ladder.group_id}"
    payload = {
        "bot": bot.slug,
        "version": entry.version.number,
        "ladder": {"game": ladder.game, "edition": ladder.edition, "season": ladder.season},
        "reason": str(reason),
    }
    for user in _list_authors_who_see(ladder, bot):
        renew_notice(user=user, event=Event.SUSPENDED, about=about, text=text, url=bot.get_absolute_url())
        if ladder.group_id is None:
            notify_user(user=user, event=Event.SUSPENDED, payload=payload)
    return True


def _list_authors_who_see(ladder: Ladder, bot: Bot) -> list[User]:
    """Return the authors of a bot who may hear of a ladder: all of them, or those in the group whose ladder it is."""
    authors = list_authors_of_bot(bot)
    if ladder.group_id is None:
        return authors
    members = set(Membership.objects.filter(group=ladder.group_id).values_list("user", flat=True))
    return [user for user in authors if user.pk in members]


def _describe_suspensions(entry: Entry, reason: Message) -> Message:
    """Return the text of the notice: one for all public ladders, or those of a group, on which it is suspended now."""
    ladders = Ladder.objects.open().filter(entries__version=entry.version_id, entries__state=Entry.State.SUSPENDED)
    ladders = ladders.filter(group=entry.ladder.group_id).select_related("group")
    return message(
        gettext_noop(
            "%(version)s is suspended on %(ladder)s. %(reason)s Resume it on its page, or upload a fixed version."
        ),
        version=str(entry.version),
        ladder=", ".join(map(str, ladders.order_by("pk"))) or str(entry.ladder),
        reason=reason,
    )


# The ledger of a ladder: which matches count, in which order, each exactly once. Lines are only ever appended.

ENDED_MATCH_STATES = [Match.State.FINISHED, Match.State.VOID]
MAX_MATCHES_PER_TRANSACTION = 500


def lock_ladder(ladder: Ladder) -> Ladder:
    """Read a ladder again and lock it until the end of the transaction."""
    return Ladder.objects.select_for_update(no_key=True).get(pk=ladder.pk)


@transaction.atomic
def append_finished_matches(*, ladder: Ladder) -> int:
    """Append finished matches of a ladder to its ledger, in the order in which they ended, and move the ratings.

    Return how many were appended; further ones are left for the next call. Repeated and concurrent calls are safe.
    """
    ladder = lock_ladder(ladder)
    ended = LadderMatch.objects.in_flight().filter(ladder=ladder, match__state__in=ENDED_MATCH_STATES)
    rows = list(select_match_columns(ended).order_by("match__finished_at", "match")[:MAX_MATCHES_PER_TRANSACTION])
    if lines := read_ledger_lines(ladder, [row for row in rows if row.match.state == Match.State.FINISHED]):
        totals = load_pair_totals(ladder, lines)
        failing = _append_lines(totals, lines)
        totals.update_ranked()
        totals.save("recent_legs", "processor_s")
        for entry in failing:
            suspend_entry(entry=entry, reason=describe_failures(entry.recent_legs))
    for row in rows:
        row.in_flight = False
    write_rows(rows, ["in_flight", "sequence", "void_sequence", "void_reason"])
    return len(rows)


def _append_lines(totals: PairTotals, lines: Iterable[LedgerLine]) -> list[Entry]:
    """Rate the lines that count, and number all. Return the active entries that fail too often."""
    ladder, changes, failing = totals.ladder, [], {}
    for line in lines:
        ladder.last_sequence += 1
        line.row.sequence = ladder.last_sequence
        line.row.void_reason = _find_exclusion_reason(totals, line)
        for entry in _record_faults(totals, line):
            failing[entry.pk] = entry
        if line.row.void_reason:
            line.row.void_sequence = line.row.sequence
        else:
            changes += _rate_line(totals, line)
    RatingChange.objects.bulk_create(changes)
    ladder.save(update_fields=["last_sequence"])
    return [entry for entry in failing.values() if entry.is_active]


def _find_exclusion_reason(totals: PairTotals, line: LedgerLine) -> Message | None:
    """Return why this match never counts, or None where it does."""
    if not line.results:
        return message(gettext_noop("No result."))
    for entry, legs in zip(line.entries, line.legs, strict=True):
        if "x" in legs and is_failing(totals.entries[entry].recent_legs):
            return message(gettext_noop("A bot that was already suspended for its faults had another fault."))
    return None


def _record_faults(totals: PairTotals, line: LedgerLine) -> list[Entry]:
    """Record the faults of a line. Return the entries that fail too often."""
    entries = [totals.entries[entry] for entry in line.entries]
    for entry, legs in zip(entries, line.legs, strict=True):
        for leg in legs:
            if not is_failing(entry.recent_legs):
                entry.recent_legs = append_recent_legs(entry.recent_legs, leg)
    return [entry for entry in entries if is_failing(entry.recent_legs)]


def _rate_line(totals: PairTotals, line: LedgerLine) -> list[RatingChange]:
    before = totals.update_ratings(line)
    totals.record_last_match(line)
    totals.record_processor_time(line)
    totals.add_match(line)
    changes = []
    for pk, rating in zip(line.entries, before, strict=True):
        entry = totals.entries[pk]
        changes.append(
            RatingChange(
                ladder_match=line.row, entry=entry, before=rating, after=entry.rating, deviation=entry.deviation
            )
        )
    return changes


@transaction.atomic
def revoke_matches(*, ladder_matches: Iterable[LadderMatch], reason: Message) -> int:
    """Append lines that exclude these rated matches, also from the next fit. Return how many counted."""
    wanted = [row.pk for row in ladder_matches]
    count = 0
    for ladder in Ladder.objects.filter(ladder_matches__in=wanted).distinct().order_by("pk"):
        count += _revoke_matches_of_ladder(lock_ladder(ladder), wanted, reason)
    return count


def _revoke_matches_of_ladder(ladder: Ladder, ladder_match_keys: list[int], reason: Message) -> int:
    counting = LadderMatch.objects.rated().filter(ladder=ladder, pk__in=ladder_match_keys, void_sequence=None)
    rows = list(select_match_columns(counting))
    lines = read_ledger_lines(ladder, rows)
    totals = load_pair_totals(ladder, lines)
    for line in lines:
        ladder.last_sequence += 1
        line.row.void_sequence, line.row.void_reason = ladder.last_sequence, reason
        totals.subtract_match(line)
    totals.update_ranked()
    totals.save()
    write_rows(rows, ["void_sequence", "void_reason"])
    ladder.save(update_fields=["last_sequence"])
    for row in rows:
        if row.luck is not None:
            _change_luck(row, row.luck, -1)
    return len(rows)


@transaction.atomic
def add_luck(*, ladder_match: LadderMatch, luck: float) -> None:
    """Store what luck gave the first participant, in points, and count it for both entries while the match counts."""
    lock_ladder(ladder_match.ladder)
    if LadderMatch.objects.filter(pk=ladder_match.pk, void_sequence=None, luck=None).update(luck=luck):
        _change_luck(ladder_match, luck, 1)


def _change_luck(row: LadderMatch, luck: float, by: int) -> None:
    versions = row.match.participants.filter(index__lt=2).values_list("index", "version")
    for index, version in versions:
        gained = by * luck if index == 0 else -by * luck
        entry = Entry.objects.filter(ladder=row.ladder_id, version=version)
        entry.update(luck=F("luck") + gained, luck_matches=F("luck_matches") + by)
