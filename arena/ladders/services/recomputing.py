"""What a ladder's ledger comes to, from nothing: the ratings as they stand, which are nothing but that."""

import numpy as np
from django.db import transaction

from arena.ladders.models import Entry, Ladder, PairStat
from arena.ladders.rating.fit import fit
from arena.ladders.services.ledger import lock
from arena.ladders.services.lines import Line, ledger
from arena.ladders.services.pair_totals import PairTotals
from arena.ladders.services.refitting import entities, rate_later, start_from, stats


@transaction.atomic
def recompute(*, ladder: Ladder) -> int:
    """Write entries and sums of pairs anew from the ledger: the fit of what the last one knew, and what came since on
    top. How many lines it has. What was shown after each match stays what it was."""
    ladder = lock(ladder)
    totals = PairTotals(ladder, {entry.pk: entry for entry in Entry.objects.filter(ladder=ladder).order_by("pk")})
    for entry in totals.entries.values():
        entry.rating, entry.deviation = entry.first_rating, entry.first_deviation
        entry.matches = entry.opponents = 0
        entry.points, entry.last_match, entry.rated_at = 0.0, None, None
    taken_back = _add_to(totals, ladder.fitted_sequence)
    _fit(totals)
    rate_later(totals)
    for line in ledger(ladder, after=ladder.fitted_sequence):
        if line.row.void_sequence != line.row.sequence:
            totals.date(line)
        if line.row.void_sequence is None:
            totals.add(line)
    for line in taken_back:
        totals.take_back(line)
    totals.settle()
    PairStat.objects.filter(ladder=ladder).delete()
    totals.save()
    ladder.save(update_fields=["dispersion"])
    return ladder.last_sequence


def _add_to(totals: PairTotals, last: int) -> list[Line]:
    """Add the lines up to this one that counted then. Those of them that were taken back later."""
    taken_back = []
    for line in ledger(totals.ladder):
        sequence, void = line.row.sequence or 0, line.row.void_sequence
        if sequence > last:
            break
        if void != sequence:
            totals.date(line)
        if void is None or void > last:
            totals.add(line)
            if void is not None:
                taken_back.append(line)
    return taken_back


def _fit(totals: PairTotals) -> None:
    """The same fit as the last one, if there was one."""
    ladder = totals.ladder
    if ladder.fitted_at is None:
        return
    entries = [entry for entry in totals.entries.values() if entry.in_fit is not None]
    rows = [(*pair, sums.matches, sums.halves, sums.squares) for pair, sums in totals.sums.items()]
    sums = np.array(rows, dtype=np.int64).reshape(-1, 6)
    fitted = fit(
        entities(entries, [bool(entry.in_fit) for entry in entries]),
        stats(entries, sums),
        anchor_mean=ladder.anchor_mean,
    )
    ladder.dispersion = fitted.dispersion
    start_from(totals, [entry.pk for entry in entries], fitted)
