"""Fit the ratings of a ladder to all its results, recompute them, and report results that are out of line."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, sqrt
from time import perf_counter

import numpy as np
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.timezone import localdate, now

from arena.contests.ladders.fit import (
    Entities,
    FitResult,
    Stats,
    assign_rank_groups,
    compute_rank_ranges,
    find_sure_places,
    fit_ratings,
)
from arena.contests.ladders.models import (
    ENTRY_INACTIVITY_PERIOD,
    CollusionReport,
    Entry,
    Fit,
    Ladder,
    LadderMatch,
    LadderMatchQuerySet,
    LadderQuerySet,
    PairStat,
    RatingPoint,
)
from arena.contests.ladders.rating import (
    INITIAL_DEVIATION_ELO,
    MAX_RANKED_DEVIATION_ELO,
    MIN_RANKED_MATCHES,
    expected_score,
)
from arena.contests.ladders.services.ledger import (
    RANK_FIELDS,
    LedgerLine,
    PairTotals,
    iterate_ledger,
    lock_ladder,
    revoke_matches,
)
from arena.core.database import is_past, write_rows
from engine.message import gettext_noop, message

# Let one worker at a time fit a ladder, and free a ladder soon whose worker was killed.
#
# Times are those of the database, since the clocks of workers may differ.

FIT_LOCK_TIMEOUT = timedelta(seconds=60)
"""A fit that hasn't renewed its lock for so long was abandoned. It renews it between its steps: of 10,000 bots the
longest took 15 s while eleven processes shared two cores."""


@dataclass(slots=True)
class FitLock:
    """The right to fit a ladder, until it is released, or isn't renewed for FIT_LOCK_TIMEOUT."""

    ladder_id: int
    held_at: datetime
    """When it was acquired or renewed, as stored in `Ladder.fitting_at`: another fit stores another time."""

    def renew(self) -> bool:
        """Hold the lock from now on. Return False where another fit has taken over."""
        at = _fetch_time(self.ladder_id)
        if _held(self.ladder_id, self.held_at).update(fitting_at=at) != 1:
            return False
        self.held_at = at
        return True

    def release(self) -> None:
        """Let another fit begin, unless one has taken over."""
        _held(self.ladder_id, self.held_at).update(fitting_at=None)


def acquire_fit_lock(ladder: Ladder) -> FitLock | None:
    """Return the lock of a ladder, or None while a fit holds it."""
    at = _fetch_time(ladder.pk)
    is_free = Q(fitting_at=None) | is_past("fitting_at", FIT_LOCK_TIMEOUT, at)
    if Ladder.objects.filter(is_free, pk=ladder.pk).update(fitting_at=at) != 1:
        return None
    return FitLock(ladder.pk, at)


def _held(ladder_id: int, held_at: datetime) -> LadderQuerySet:
    return Ladder.objects.filter(pk=ladder_id, fitting_at=held_at)


def _fetch_time(ladder_id: int) -> datetime:
    time: datetime = Ladder.objects.annotate(at=Now()).values_list("at", flat=True).get(pk=ladder_id)
    return time


# Fit the ratings of a ladder to all its results, and rate later results on top.

MAX_FITS_KEPT = 100
TOP_ENTRIES_SHARE = 0.1
"""Share of the active entries that `Ladder.top_rating` bounds."""
PAIR_STAT_COLUMNS = ("low", "high", "seats", "matches", "halves", "squares")
ENTRY_COLUMNS = ("parent", "state", "is_anchor", "first_rating", "first_deviation", "rating")
FITTED_LADDER_FIELDS = ("dispersion", "pair_interaction_sd", "spread", "top_rating")


@dataclass(frozen=True, slots=True)
class FitInputs:
    """The inputs of a fit, as read when it began."""

    ladder: Ladder
    entries: list[int]
    """Ids, ascending; a position is the index in `entities`."""
    entities: Entities
    stats: Stats
    start: np.ndarray
    """The current ratings, close to the result."""


def refit_ladder(*, ladder: Ladder) -> Fit | None:
    """Fit a ladder anew. Return None if nothing has changed since its last fit or another fit is running.

    The ladder is locked only while ratings are read and written; lines that arrive in between are rated on top.
    """
    lock = acquire_fit_lock(ladder)
    if lock is None:
        return None
    try:
        return _refit(ladder, lock)
    finally:
        lock.release()


def _refit(ladder: Ladder, lock: FitLock) -> Fit | None:
    clock = perf_counter()
    inputs = read_fit_inputs(ladder)
    if inputs is None or not lock.renew():
        return None
    fitted = fit_ratings(inputs.entities, inputs.stats, anchor_mean=inputs.ladder.anchor_mean, start=inputs.start)
    entries = _write_ratings(inputs, fitted, lock) if lock.renew() else None
    if entries is None or not lock.renew():
        return None
    _write_ranks(inputs, fitted, entries)
    _record_daily_ratings(entries.values())
    return _store_fit(inputs, fitted, perf_counter() - clock)


@transaction.atomic
def read_fit_inputs(ladder: Ladder) -> FitInputs | None:
    """Read the inputs of a fit, or None if they haven't changed since the last one."""
    ladder = lock_ladder(ladder)
    if ladder.fitted_at is not None and ladder.last_sequence == ladder.fitted_sequence and not ladder.is_stale:
        return None
    entries = list(Entry.objects.filter(ladder=ladder).only(*ENTRY_COLUMNS).order_by("pk"))
    sums = np.array(
        list(PairStat.objects.filter(ladder=ladder).values_list(*PAIR_STAT_COLUMNS)), dtype=np.int64
    ).reshape(-1, 6)
    return FitInputs(
        ladder=ladder,
        entries=[entry.pk for entry in entries],
        entities=build_entities(entries, [entry.is_active for entry in entries]),
        stats=build_stats(entries, sums),
        start=np.array([entry.rating for entry in entries]),
    )


def build_entities(entries: Sequence[Entry], is_active: Sequence[bool]) -> Entities:
    """Convert the entries of a ladder, ascending by id, for the fit. A parent on another ladder is ignored."""
    index = {entry.pk: position for position, entry in enumerate(entries)}
    parent = np.array([index.get(entry.parent_id or 0, -1) for entry in entries], dtype=np.int64)
    return Entities(
        rating0=np.array([entry.first_rating for entry in entries], dtype=np.float64),
        deviation0=np.array([entry.first_deviation for entry in entries], dtype=np.float64),
        parent=np.array(parent, dtype=np.int64),
        is_root=np.array(
            [
                above < 0 and entry.first_deviation == INITIAL_DEVIATION_ELO
                for entry, above in zip(entries, parent, strict=True)
            ]
        ),
        is_active=np.array(is_active, dtype=np.bool_),
        is_anchor=np.array([entry.is_anchor for entry in entries], dtype=np.bool_),
    )


def build_stats(entries: Sequence[Entry], sums: np.ndarray) -> Stats:
    """Convert rows of PAIR_STAT_COLUMNS for the fit."""
    ids = np.array([entry.pk for entry in entries], dtype=np.int64)
    one, other = np.searchsorted(ids, sums[:, 0]), np.searchsorted(ids, sums[:, 1])
    return Stats(one, other, sums[:, 2], sums[:, 3], sums[:, 4], sums[:, 5])


@transaction.atomic
def _write_ratings(inputs: FitInputs, fitted: FitResult, lock: FitLock) -> dict[int, Entry] | None:
    """Write the fitted ratings. Return all entries by id, or None if another fit has taken over."""
    ladder = lock_ladder(inputs.ladder)
    if ladder.fitting_at != lock.held_at:
        return None
    entries = {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder).order_by("pk")}
    ladder.fitted_sequence, ladder.fitted_at = inputs.ladder.last_sequence, now()
    ladder.dispersion, ladder.pair_interaction_sd = fitted.dispersion, fitted.pair_interaction_sd
    totals = PairTotals(ladder, entries)
    apply_fit(totals, inputs.entries, fitted)
    for pk, is_active in zip(inputs.entries, inputs.entities.is_active.tolist(), strict=True):
        entries[pk].in_fit = is_active
    ladder.is_stale = any(entry.is_active != bool(entry.in_fit) for entry in entries.values())
    rate_lines_after_fit(totals)
    _summarize_ratings(ladder, [entry.rating for entry in entries.values() if entry.is_active])
    _mark_sure_places(inputs, fitted, entries)
    totals.update_ranked()
    write_rows(entries.values(), ["rating", "deviation", "in_fit", "has_sure_place", *RANK_FIELDS])
    ladder.save(update_fields=["fitted_sequence", "fitted_at", "is_stale", *FITTED_LADDER_FIELDS])
    return entries


def _mark_sure_places(inputs: FitInputs, fitted: FitResult, entries: dict[int, Entry]) -> None:
    """Set which active entries have a place that the fit leaves no doubt about. Few ratings need more than a look."""
    active = np.flatnonzero(inputs.entities.is_active)
    matches = np.array([entries[inputs.entries[index]].matches for index in active])
    rows = np.flatnonzero((matches >= MIN_RANKED_MATCHES) & (fitted.deviation[active] > MAX_RANKED_DEVIATION_ELO))
    covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(active, active)]
    sure = find_sure_places(fitted.rating[active], fitted.deviation[active], covariance, rows)
    for entry in entries.values():
        entry.has_sure_place = False
    for row, is_sure in zip(rows.tolist(), sure.tolist(), strict=True):
        entries[inputs.entries[active[row]]].has_sure_place = is_sure


def apply_fit(totals: PairTotals, ids: Sequence[int], fitted: FitResult) -> None:
    """Set ratings to those of a fit, and ratings of later entries to their first ones."""
    for entry in totals.entries.values():
        entry.rating, entry.deviation = entry.first_rating, entry.first_deviation
    for pk, rating, deviation in zip(ids, fitted.rating.tolist(), fitted.deviation.tolist(), strict=True):
        totals.entries[pk].rating, totals.entries[pk].deviation = rating, deviation


def rate_lines_after_fit(totals: PairTotals) -> None:
    """Rate the lines after the fit on top of it, as when they arrived."""
    for line in iterate_ledger(totals.ladder, after=totals.ladder.fitted_sequence):
        if line.row.void_sequence != line.row.sequence:
            totals.update_ratings(line)


def _write_ranks(inputs: FitInputs, fitted: FitResult, entries: dict[int, Entry]) -> None:
    """Write the plausible ranks, places and groups of the ranked entries in the standings.

    Ranks count ranked entries alone, places everybody on the list: a provisional bot of a wide margin may be above or
    below many, so it widens their ranges of places.
    """
    before = {pk: _read_ranks(entry) for pk, entry in entries.items()}
    for entry in entries.values():
        entry.rank_low = entry.rank_high = entry.place_low = entry.place_high = entry.group = None
    on_list = set(Entry.objects.standing(inputs.ladder).values_list("pk", flat=True))
    listed = [index for index, pk in enumerate(inputs.entries) if pk in on_list]
    ranked = [index for index in listed if entries[inputs.entries[index]].is_ranked]
    order, ratings = _sort_by_rating(fitted, ranked)
    ranges = compute_rank_ranges(*ratings)
    ranks = (*ranges, assign_rank_groups(*ratings))
    for index, best, worst, group in zip(order, *(column.tolist() for column in ranks), strict=True):
        entry = entries[inputs.entries[index]]
        entry.rank_low, entry.rank_high, entry.group = best, worst, group
    if len(listed) > len(ranked):
        order, ratings = _sort_by_rating(fitted, listed)
        ranges = compute_rank_ranges(*ratings)
    for index, best, worst in zip(order, *(column.tolist() for column in ranges), strict=True):
        entry = entries[inputs.entries[index]]
        if entry.is_ranked:
            entry.place_low, entry.place_high = best, worst
    changed = [one for pk, one in entries.items() if before[pk] != _read_ranks(one)]
    with transaction.atomic():
        lock_ladder(inputs.ladder)
        write_rows(changed, RANGE_FIELDS)


RANGE_FIELDS = ["rank_low", "rank_high", "place_low", "place_high", "group"]


def _read_ranks(entry: Entry) -> tuple[int | None, ...]:
    return tuple(getattr(entry, field) for field in RANGE_FIELDS)


def _sort_by_rating(
    fitted: FitResult, indices: Sequence[int]
) -> tuple[list[int], tuple[np.ndarray, np.ndarray, np.ndarray | None]]:
    """Return these entries, the highest rating first, with rating, deviation and covariance in that order."""
    order = np.array(sorted(indices, key=lambda index: -fitted.rating[index]), dtype=np.int64)
    covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(order, order)]
    return order.tolist(), (fitted.rating[order], fitted.deviation[order], covariance)


def _summarize_ratings(ladder: Ladder, ratings: list[float]) -> None:
    """Set the spread and the top rating of the active entries, which matchmaking uses."""
    if len(ratings) > 1:
        ladder.spread = float(np.std(ratings))
    best = sorted(ratings, reverse=True)
    ladder.top_rating = best[ceil(TOP_ENTRIES_SHARE * len(best)) - 1] if best else None


def _record_daily_ratings(entries: Iterable[Entry]) -> None:
    """Store today's rating of each active entry."""
    active = sorted((entry for entry in entries if entry.is_active), key=lambda entry: -entry.rating)
    idle_before = now() - ENTRY_INACTIVITY_PERIOD
    rank, place, points = 0, 0, []
    for entry in active:
        rank += entry.rank_low is not None
        is_listed = entry.rated_at is None or entry.rated_at >= idle_before
        place += is_listed
        points.append(
            RatingPoint(
                entry=entry,
                day=localdate(),
                rating=entry.rating,
                deviation=entry.deviation,
                rank=rank if entry.rank_low is not None else None,
                place=place if is_listed else None,
                matches=entry.matches,
            )
        )
    RatingPoint.objects.bulk_create(
        points,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["entry", "day"],
        update_fields=["rating", "deviation", "rank", "place", "matches"],
    )


def _store_fit(inputs: FitInputs, fitted: FitResult, seconds: float) -> Fit:
    ladder = inputs.ladder
    stored = Fit.objects.create(
        ladder=ladder,
        sequence=ladder.last_sequence,
        entries=len(inputs.entries),
        dispersion=fitted.dispersion,
        pair_interaction_sd=fitted.pair_interaction_sd,
        seconds=seconds,
    )
    kept = Fit.objects.filter(ladder=ladder).order_by("-pk").values_list("pk", flat=True)[:MAX_FITS_KEPT]
    Fit.objects.filter(ladder=ladder, pk__lt=min(kept)).delete()
    return stored


# Recompute the ratings of a ladder from its ledger alone.


@transaction.atomic
def recompute_ladder(*, ladder: Ladder) -> int:
    """Write entries and pair sums anew from the ledger, and return its number of lines.

    Repeat the last fit, and rate later lines on top of it. The changes shown after each match are kept.
    """
    ladder = lock_ladder(ladder)
    totals = PairTotals(ladder, {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder).order_by("pk")})
    for entry in totals.entries.values():
        entry.rating, entry.deviation = entry.first_rating, entry.first_deviation
        entry.matches = entry.opponents = 0
        entry.points, entry.last_match, entry.rated_at = 0.0, None, None
    taken_back = _add_lines_until(totals, ladder.fitted_sequence)
    _repeat_last_fit(totals)
    rate_lines_after_fit(totals)
    for line in iterate_ledger(ladder, after=ladder.fitted_sequence):
        if line.row.void_sequence != line.row.sequence:
            totals.record_last_match(line)
        if line.row.void_sequence is None:
            totals.add_match(line)
    for line in taken_back:
        totals.subtract_match(line)
    totals.update_ranked()
    PairStat.objects.filter(ladder=ladder).delete()
    totals.save()
    ladder.save(update_fields=["dispersion"])
    return ladder.last_sequence


def _add_lines_until(totals: PairTotals, last_sequence: int) -> list[LedgerLine]:
    """Add the lines up to `last` that counted then. Return those that were excluded later."""
    taken_back = []
    for line in iterate_ledger(totals.ladder):
        sequence, void = line.row.sequence or 0, line.row.void_sequence
        if sequence > last_sequence:
            break
        if void != sequence:
            totals.record_last_match(line)
        if void is None or void > last_sequence:
            totals.add_match(line)
            if void is not None:
                taken_back.append(line)
    return taken_back


def _repeat_last_fit(totals: PairTotals) -> None:
    """Repeat the last fit, if there was one."""
    ladder = totals.ladder
    if ladder.fitted_at is None:
        return
    entries = [entry for entry in totals.entries.values() if entry.in_fit is not None]
    rows = [(*pair, sums.matches, sums.halves, sums.squares) for pair, sums in totals.sums.items()]
    sums = np.array(rows, dtype=np.int64).reshape(-1, 6)
    fitted = fit_ratings(
        build_entities(entries, [bool(entry.in_fit) for entry in entries]),
        build_stats(entries, sums),
        anchor_mean=ladder.anchor_mean,
    )
    ladder.dispersion = fitted.dispersion
    apply_fit(totals, [entry.pk for entry in entries], fitted)


# Test whether results against a group of opponents are out of line with all ratings, as when bots lose on purpose.

COLLUSION_Z_THRESHOLD = 4.0
"""Results are out of line from this many standard deviations on."""
MIN_COLLUSION_MATCHES = 20
"""With fewer matches no results are out of line."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """The rated matches of an entry against one opponent with the same number of seats."""

    lead: float
    """Own rating less the opponent's, Elo."""
    seats: int
    matches: int
    halves: int
    """Own half points: from 0 to 2 * seats in each match."""


@dataclass(frozen=True, slots=True)
class Surplus:
    """The excess of results over those that ratings predict."""

    z: float
    """Deviation of the score from the expected one, in standard deviations."""
    matches: int

    @property
    def is_out_of_line(self) -> bool:
        """Return whether the results are to be reported."""
        return self.matches >= MIN_COLLUSION_MATCHES and abs(self.z) >= COLLUSION_Z_THRESHOLD


def measure_surplus(meetings: Iterable[Meetings], dispersion: float) -> Surplus:
    """Return the surplus of an entry in these meetings. `dispersion` is that of a match's score on the ladder."""
    surplus, variance, matches = 0.0, 0.0, 0
    for row in meetings:
        chance = expected_score(row.lead)
        surplus += row.halves / (2 * row.seats) - row.matches * chance
        variance += dispersion * row.matches * chance * (1 - chance) / row.seats
        matches += row.matches
    return Surplus(surplus / sqrt(variance) if variance else 0.0, matches)


# Report entries whose results against the bots of an author are out of line, for staff to dismiss or revoke.

EntryAndOwner = tuple[int, int]
"""Keys of an entry and of the author of its opponents."""
COLLUSION_REASON = message(gettext_noop("These bots' results against each other were anomalous."))


@transaction.atomic
def update_collusion_reports(*, ladder: Ladder) -> list[CollusionReport]:
    """Renew the reports of a ladder and return the open ones.

    Dismissed reports stay dismissed; open ones that are no longer out of line are deleted.
    """
    found = _find_suspicious_surpluses(ladder)
    before = CollusionReport.objects.filter(entry__ladder=ladder)
    forgotten = [row.pk for row in before.filter(dismissed_at=None) if (row.entry_id, row.opponent_id) not in found]
    before.filter(pk__in=forgotten).delete()
    CollusionReport.objects.bulk_create(
        [
            CollusionReport(entry_id=entry, opponent_id=owner, z=seen.z, matches=seen.matches)
            for (entry, owner), seen in found.items()
        ],
        update_conflicts=True,
        unique_fields=["entry", "opponent"],
        update_fields=["z", "matches"],
    )
    return list(before.filter(dismissed_at=None))


def dismiss_reports(*, reports: Iterable[CollusionReport]) -> int:
    """Dismiss reports. Return how many were open."""
    wanted = [row.pk for row in reports]
    return CollusionReport.objects.filter(pk__in=wanted, dismissed_at=None).update(dismissed_at=now())


@transaction.atomic
def revoke_reported_matches(*, report: CollusionReport) -> int:
    """Exclude all matches of the entry against that author's bots. Return how many counted until now."""
    count = revoke_matches(ladder_matches=list_reported_matches(report), reason=COLLUSION_REASON)
    report.delete()
    return count


def list_reported_matches(report: CollusionReport) -> LadderMatchQuerySet:
    """List the matches of a report that are rated and count, oldest first."""
    entry = report.entry
    of_entry = LadderMatch.objects.filter(ladder=entry.ladder_id, match__participants__version=entry.version_id)
    both = of_entry.filter(match__participants__version__bot__owner=report.opponent_id)
    return LadderMatch.objects.rated().filter(pk__in=both.values("pk"), void_sequence=None)


def _find_suspicious_surpluses(ladder: Ladder) -> dict[EntryAndOwner, Surplus]:
    """Return the surplus of entries against authors where it is out of line.

    Pairs are read twice, since few pairs of a large ladder have met often enough.
    """
    rows = Entry.objects.filter(ladder=ladder, version__bot__owner__is_house=False)
    entries = {pk: (owner, rating) for pk, owner, rating in rows.values_list("pk", "version__bot__owner", "rating")}
    met: Counter[EntryAndOwner] = Counter()
    for entry, other, _, matches, _ in _iterate_meetings(ladder, entries):
        met[entry, entries[other][0]] += matches
    often = {key for key, matches in met.items() if matches >= MIN_COLLUSION_MATCHES}
    meetings: dict[EntryAndOwner, list[Meetings]] = defaultdict(list)
    for entry, other, seats, matches, halves in _iterate_meetings(ladder, entries):
        if (key := (entry, entries[other][0])) in often:
            meetings[key].append(Meetings(entries[entry][1] - entries[other][1], seats, matches, halves))
    seen = {key: measure_surplus(rows, ladder.dispersion) for key, rows in meetings.items()}
    return {key: one for key, one in seen.items() if one.is_out_of_line}


def _iterate_meetings(
    ladder: Ladder, entries: dict[int, tuple[int, float]]
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield entry, opponent, seats, matches and half points of the entry; each pair from both sides."""
    stats = PairStat.objects.filter(ladder=ladder, matches__gt=0)
    for low, high, seats, matches, halves in stats.values_list("low", "high", "seats", "matches", "halves").iterator():
        if low in entries and high in entries:
            yield low, high, seats, matches, halves
            yield high, low, seats, matches, 2 * seats * matches - halves
