"""The ledger of a ladder: which matches count, in which order, each exactly once. Lines are only ever appended."""

from collections.abc import Iterable

from django.db import transaction

from arena.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.ladders.services.faults import append_recent_legs, describe_failures, is_failing, suspend_entry
from arena.ladders.services.lines import Line, read_ledger_lines, select_match_columns
from arena.ladders.services.pair_totals import PairTotals, load_pair_totals
from arena.matches.models import Match
from engine.message import Message, gettext_noop, message

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
        totals.save("recent_legs")
        for entry in failing:
            suspend_entry(entry=entry, reason=describe_failures(entry.recent_legs))
    for row in rows:
        row.in_flight = False
    LadderMatch.objects.bulk_update(rows, ["in_flight", "sequence", "void_sequence", "void_reason"])
    return len(rows)


def _append_lines(totals: PairTotals, lines: Iterable[Line]) -> list[Entry]:
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


def _find_exclusion_reason(totals: PairTotals, line: Line) -> Message | None:
    """Return why this match never counts, or None where it does."""
    if not line.results:
        return message(gettext_noop("There is no result."))
    for entry, legs in zip(line.entries, line.legs, strict=True):
        if "x" in legs and is_failing(totals.entries[entry].recent_legs):
            return message(gettext_noop("A bot failed in it that was suspended for its failures before."))
    return None


def _record_faults(totals: PairTotals, line: Line) -> list[Entry]:
    """Record the faults of a line. Return the entries that fail too often."""
    entries = [totals.entries[entry] for entry in line.entries]
    for entry, legs in zip(entries, line.legs, strict=True):
        for leg in legs:
            if not is_failing(entry.recent_legs):
                entry.recent_legs = append_recent_legs(entry.recent_legs, leg)
    return [entry for entry in entries if is_failing(entry.recent_legs)]


def _rate_line(totals: PairTotals, line: Line) -> list[RatingChange]:
    before = totals.update_ratings(line)
    totals.record_last_match(line)
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
    LadderMatch.objects.bulk_update(rows, ["void_sequence", "void_reason"])
    ladder.save(update_fields=["last_sequence"])
    return len(rows)
