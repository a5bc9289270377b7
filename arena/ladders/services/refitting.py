"""Fit the ratings of a ladder to all its results, and rate later results on top."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil
from time import perf_counter

import numpy as np
from django.db import transaction
from django.utils.timezone import localdate, now

from arena.ladders.models import Entry, Fit, Ladder, PairStat, RatingPoint
from arena.ladders.rating.elo import INITIAL_DEVIATION_ELO
from arena.ladders.rating.fit import Entities, FitResult, Stats, fit_ratings
from arena.ladders.rating.ranks import assign_rank_groups, compute_rank_ranges
from arena.ladders.services.fit_lock import FitLock, acquire_fit_lock
from arena.ladders.services.ledger import lock_ladder
from arena.ladders.services.lines import iterate_ledger
from arena.ladders.services.pair_totals import RANK_FIELDS, PairTotals, save_entries

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
    totals.update_ranked()
    save_entries(entries.values(), ["rating", "deviation", "in_fit", *RANK_FIELDS])
    _summarize_ratings(ladder, [entry.rating for entry in entries.values() if entry.is_active])
    ladder.save(update_fields=["fitted_sequence", "fitted_at", "is_stale", *FITTED_LADDER_FIELDS])
    return entries


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
    """Write the plausible ranks and groups of the ranked entries in the standings."""
    before = {pk: (entry.rank_low, entry.rank_high, entry.group) for pk, entry in entries.items()}
    for entry in entries.values():
        entry.rank_low = entry.rank_high = entry.group = None
    in_standing = set(Entry.objects.standing(inputs.ladder).values_list("pk", flat=True))
    ranked = [index for index, pk in enumerate(inputs.entries) if pk in in_standing and entries[pk].is_ranked]
    order = np.array(sorted(ranked, key=lambda index: -fitted.rating[index]), dtype=np.int64)
    covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(order, order)]
    sorted_ratings = fitted.rating[order], fitted.deviation[order], covariance
    found = (*compute_rank_ranges(*sorted_ratings), assign_rank_groups(*sorted_ratings))
    for index, best, worst, group in zip(order.tolist(), *(ranks.tolist() for ranks in found), strict=True):
        entry = entries[inputs.entries[index]]
        entry.rank_low, entry.rank_high, entry.group = best, worst, group
    changed = [one for pk, one in entries.items() if before[pk] != (one.rank_low, one.rank_high, one.group)]
    with transaction.atomic():
        lock_ladder(inputs.ladder)
        save_entries(changed, ["rank_low", "rank_high", "group"])


def _summarize_ratings(ladder: Ladder, ratings: list[float]) -> None:
    """Set the spread and the top rating of the active entries, which matchmaking uses."""
    if len(ratings) > 1:
        ladder.spread = float(np.std(ratings))
    best = sorted(ratings, reverse=True)
    ladder.top_rating = best[ceil(TOP_ENTRIES_SHARE * len(best)) - 1] if best else None


def _record_daily_ratings(entries: Iterable[Entry]) -> None:
    """Store today's rating of each active entry."""
    active = sorted((entry for entry in entries if entry.is_active), key=lambda entry: -entry.rating)
    rank, points = 0, []
    for entry in active:
        rank += entry.rank_low is not None
        points.append(
            RatingPoint(
                entry=entry,
                day=localdate(),
                rating=entry.rating,
                deviation=entry.deviation,
                rank=rank if entry.rank_low is not None else None,
                matches=entry.matches,
            )
        )
    RatingPoint.objects.bulk_create(
        points,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["entry", "day"],
        update_fields=["rating", "deviation", "rank", "matches"],
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
