"""Recompute the ratings of a ladder from its ledger alone."""

import numpy as np
from django.db import transaction

from arena.ladders.models import Entry, Ladder, PairStat
from arena.ladders.rating.fit import fit_ratings
from arena.ladders.services.ledger import lock_ladder
from arena.ladders.services.lines import Line, iterate_ledger
from arena.ladders.services.pair_totals import PairTotals
from arena.ladders.services.refitting import apply_fit, build_entities, build_stats, rate_lines_after_fit


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


def _add_lines_until(totals: PairTotals, last_sequence: int) -> list[Line]:
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
