"""Report entries whose results against the bots of an author are out of line, for staff to dismiss or revoke."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

from django.db import transaction
from django.utils.timezone import now

from arena.ladders.models import CollusionReport, Entry, Ladder, LadderMatch, LadderMatchQuerySet, PairStat
from arena.ladders.rating.collusion import MIN_COLLUSION_MATCHES, Meetings, Surplus, measure_surplus
from arena.ladders.services.ledger import revoke_matches
from engine.message import gettext_noop, message

EntryAndOwner = tuple[int, int]
"""Keys of an entry and of the author of its opponents."""
COLLUSION_REASON = message(gettext_noop("The results of these bots against each other were out of line."))


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
