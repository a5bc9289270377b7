"""The ratings that are shown: one fit of all results of a ladder, and on top of it what came since."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from time import perf_counter

import numpy as np
from django.db import transaction
from django.db.models import Q
from django.utils.timezone import localdate, now

from arena.ladders.models import Entry, Fit, Ladder, PairStat, RatingPoint
from arena.ladders.rating.elo import FIRST_DEVIATION
from arena.ladders.rating.fit import Entities, Fitted, Stats, fit
from arena.ladders.rating.ranks import groups, rank_ranges
from arena.ladders.services.ledger import lock
from arena.ladders.services.lines import ledger
from arena.ladders.services.pair_totals import PairTotals, save_entries

FIT_LOCK_TIMEOUT = timedelta(minutes=10)
"""A fit whose lock is older than this was abandoned."""
MAX_FITS_KEPT = 100
TOP = 0.1
SUMS = ("low", "high", "seats", "matches", "halves", "squares")
FACTS = ("parent", "state", "is_anchor", "first_rating", "first_deviation", "rating")
FOUND = ("dispersion", "pair_interaction_sd", "spread", "top_rating")


@dataclass(frozen=True, slots=True)
class FitInputs:
    """All that a fit depends on, as it was when it began."""

    ladder: Ladder
    entries: list[int]
    """Ids, ascending: position here is index there."""
    entities: Entities
    stats: Stats
    start: np.ndarray
    """The ratings as they stand: near those that will be found."""


def refit(*, ladder: Ladder) -> Fit | None:
    """Fit a ladder anew. None where nothing is new to its last fit, or somebody else is at it.

    The ladder is locked only to read and to write ratings: lines that come in between are rated again on top.
    """
    began, clock = now(), perf_counter()
    if not _claim(ladder, began):
        return None
    try:
        inputs = ask(ladder)
        if inputs is None:
            return None
        fitted = fit(inputs.entities, inputs.stats, anchor_mean=inputs.ladder.anchor_mean, start=inputs.start)
        entries = _answer(inputs, fitted, began)
        if entries is None:
            return None
        _rank(inputs, fitted, entries)
        _remember(entries.values())
        return _store(inputs, fitted, perf_counter() - clock)
    finally:
        Ladder.objects.filter(pk=ladder.pk, fitting_at=began).update(fitting_at=None)


def _claim(ladder: Ladder, began: datetime) -> bool:
    free = Q(fitting_at=None) | Q(fitting_at__lt=began - FIT_LOCK_TIMEOUT)
    return Ladder.objects.filter(free, pk=ladder.pk).update(fitting_at=began) == 1


@transaction.atomic
def ask(ladder: Ladder) -> FitInputs | None:
    """What is to be fitted now. None where the last fit was of just that."""
    ladder = lock(ladder)
    if ladder.fitted_at is not None and ladder.last_sequence == ladder.fitted_sequence and not ladder.is_stale:
        return None
    entries = list(Entry.objects.filter(ladder=ladder).only(*FACTS).order_by("pk"))
    sums = np.array(list(PairStat.objects.filter(ladder=ladder).values_list(*SUMS)), dtype=np.int64).reshape(-1, 6)
    return FitInputs(
        ladder=ladder,
        entries=[entry.pk for entry in entries],
        entities=entities(entries, [entry.is_active for entry in entries]),
        stats=stats(entries, sums),
        start=np.array([entry.rating for entry in entries]),
    )


def entities(entries: Sequence[Entry], is_active: Sequence[bool]) -> Entities:
    """Entries of one ladder, ascending by id, as the fit knows them. A parent on another ladder is none."""
    index = {entry.pk: position for position, entry in enumerate(entries)}
    parent = np.array([index.get(entry.parent_id or 0, -1) for entry in entries], dtype=np.int64)
    return Entities(
        rating0=np.array([entry.first_rating for entry in entries], dtype=np.float64),
        deviation0=np.array([entry.first_deviation for entry in entries], dtype=np.float64),
        parent=np.array(parent, dtype=np.int64),
        is_root=np.array(
            [
                above < 0 and entry.first_deviation == FIRST_DEVIATION
                for entry, above in zip(entries, parent, strict=True)
            ]
        ),
        is_active=np.array(is_active, dtype=np.bool_),
        is_anchor=np.array([entry.is_anchor for entry in entries], dtype=np.bool_),
    )


def stats(entries: Sequence[Entry], sums: np.ndarray) -> Stats:
    """Rows of SUMS as the fit knows them."""
    ids = np.array([entry.pk for entry in entries], dtype=np.int64)
    one, other = np.searchsorted(ids, sums[:, 0]), np.searchsorted(ids, sums[:, 1])
    return Stats(one, other, sums[:, 2], sums[:, 3], sums[:, 4], sums[:, 5])


@transaction.atomic
def _answer(inputs: FitInputs, fitted: Fitted, began: datetime) -> dict[int, Entry] | None:
    """Write the ratings that were found. All entries by id, or None where somebody took the work over meanwhile."""
    ladder = lock(inputs.ladder)
    if ladder.fitting_at != began:
        return None
    entries = {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder).order_by("pk")}
    ladder.fitted_sequence, ladder.fitted_at = inputs.ladder.last_sequence, now()
    ladder.dispersion, ladder.pair_interaction_sd = fitted.dispersion, fitted.pair_interaction_sd
    totals = PairTotals(ladder, entries)
    start_from(totals, inputs.entries, fitted)
    for pk, is_active in zip(inputs.entries, inputs.entities.is_active.tolist(), strict=True):
        entries[pk].in_fit = is_active
    ladder.is_stale = any(entry.is_active != bool(entry.in_fit) for entry in entries.values())
    rate_later(totals)
    totals.settle()
    save_entries(entries.values(), ["rating", "deviation", "is_ranked", "in_fit"])
    _describe(ladder, [entry.rating for entry in entries.values() if entry.is_active])
    ladder.save(update_fields=["fitted_sequence", "fitted_at", "is_stale", *FOUND])
    return entries


def start_from(totals: PairTotals, ids: Sequence[int], fitted: Fitted) -> None:
    """Set the ratings to those of a fit, and those of who came later to the first ones."""
    for entry in totals.entries.values():
        entry.rating, entry.deviation = entry.first_rating, entry.first_deviation
    for pk, rating, deviation in zip(ids, fitted.rating.tolist(), fitted.deviation.tolist(), strict=True):
        totals.entries[pk].rating, totals.entries[pk].deviation = rating, deviation


def rate_later(totals: PairTotals) -> None:
    """Rate the lines after the fit on top of it, as they were rated when they came."""
    for line in ledger(totals.ladder, after=totals.ladder.fitted_sequence):
        if line.row.void_sequence != line.row.sequence:
            totals.rate(line)


def _rank(inputs: FitInputs, fitted: Fitted, entries: dict[int, Entry]) -> None:
    """Plausible ranks and groups of the settled entries that are on the board."""
    before = {pk: (entry.rank_low, entry.rank_high, entry.group) for pk, entry in entries.items()}
    for entry in entries.values():
        entry.rank_low = entry.rank_high = entry.group = None
    board = set(Entry.objects.standing(inputs.ladder).values_list("pk", flat=True))
    ranked = [index for index, pk in enumerate(inputs.entries) if pk in board and entries[pk].is_ranked]
    order = np.array(sorted(ranked, key=lambda index: -fitted.rating[index]), dtype=np.int64)
    covariance = None if fitted.covariance is None else fitted.covariance[np.ix_(order, order)]
    facts = fitted.rating[order], fitted.deviation[order], covariance
    found = (*rank_ranges(*facts), groups(*facts))
    for index, best, worst, group in zip(order.tolist(), *(ranks.tolist() for ranks in found), strict=True):
        entry = entries[inputs.entries[index]]
        entry.rank_low, entry.rank_high, entry.group = best, worst, group
    changed = [one for pk, one in entries.items() if before[pk] != (one.rank_low, one.rank_high, one.group)]
    with transaction.atomic():
        lock(inputs.ladder)
        save_entries(changed, ["rank_low", "rank_high", "group"])


def _describe(ladder: Ladder, ratings: list[float]) -> None:
    """What matchmaking wants to know of all active entries together."""
    if len(ratings) > 1:
        ladder.spread = float(np.std(ratings))
    best = sorted(ratings, reverse=True)
    ladder.top_rating = best[ceil(TOP * len(best)) - 1] if best else None


def _remember(entries: Iterable[Entry]) -> None:
    """The ratings of today, of who is active."""
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


def _store(inputs: FitInputs, fitted: Fitted, seconds: float) -> Fit:
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
