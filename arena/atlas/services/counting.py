"""Count the legs of rated matches, each once, by reading the ledger of their ladder line after line.

Lines are only ever appended, so the number of the last line read says what was counted. A match that a later line
excludes is taken back. Records are replayed before anything is locked; the sums change in one short transaction.
"""

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import Q

from arena.atlas.models import AtlasProgress, Cell, LegCounts
from arena.atlas.queries.progress import find_progress, find_version, list_ladders_behind
from arena.atlas.services.sums import change_sums, find_or_make_cells
from arena.comparisons.queries.shared_deals import list_matches_with_deal_in_play
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.matches.models import Leg, Match, Participant
from arena.runner.match import compute_place_points
from engine.core import Count
from engine.counting import count_leg
from engine.registry import GAMES

MAX_LINES_PER_BATCH = 40
"""Some hundred milliseconds of work; a transaction of SQLite lets nobody else write meanwhile."""
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CountedLeg:
    """What was counted of a leg, before it is stored."""

    leg: int
    match: int
    entries: list[int]
    points: list[float]
    """By participant, as the entries."""
    counts: list[list[Count]]
    """By participant; then those of the leg as a whole."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of a ledger after `start` and up to `end`."""

    start: int
    end: int
    added: list[int]
    """Matches that count, and that everybody may see."""
    excluded: list[int]
    """Matches of earlier lines that count no longer."""


def count_missed_legs(*, budget_s: float) -> int:
    """Count legs of every ladder whose ledger was not read to its end, for so long. Return how many lines were read."""
    deadline = monotonic() + budget_s
    total = 0
    for ladder in list_ladders_behind():
        while monotonic() < deadline and (lines := count_legs(ladder=ladder)):
            total += lines
    return total


def count_legs(*, ladder: Ladder, max_lines: int = MAX_LINES_PER_BATCH) -> int:
    """Count the legs of the next lines of a ladder's ledger. Return how many lines were read.

    Repeated and concurrent calls are safe. Nothing is counted of a game that is not installed now.
    """
    if ladder.game not in GAMES:
        return 0
    _make_progress(ladder)
    lines = _read_lines(ladder, max_lines)
    if lines.end <= lines.start:
        return 0
    return _store(ladder, lines, _count_lines(ladder, lines))


@transaction.atomic
def _make_progress(ladder: Ladder) -> None:
    """See that there is a progress, and begin anew where something else was counted until now."""
    version = find_version(ladder.game)
    AtlasProgress.objects.get_or_create(ladder=ladder, defaults={"version": version})
    if find_progress(ladder).version == version:
        return
    progress = AtlasProgress.objects.select_for_update(no_key=True).get(ladder=ladder)
    LegCounts.objects.filter(ladder=ladder).delete()
    Cell.objects.filter(ladder=ladder).delete()
    progress.sequence, progress.legs, progress.version = 0, 0, version
    progress.save()


def _read_lines(ladder: Ladder, max_lines: int) -> Lines:
    """Read the next lines, up to the first match whose deal is still to be played by others."""
    start = find_progress(ladder).sequence
    end = min(start + max_lines, Ladder.objects.values_list("last_sequence", flat=True).get(pk=ladder.pk))
    new = LadderMatch.objects.filter(ladder=ladder, sequence__gt=start, sequence__lte=end)
    sequences = {match: sequence or 0 for match, sequence in new.values_list("match", "sequence")}
    in_play = list_matches_with_deal_in_play(sequences)
    end = min([end, *(sequences[match] - 1 for match in in_play)])
    public = Match.objects.visible_to(None).filter(state=Match.State.FINISHED, ladder_match__in=new)
    counting = public.filter(Q(ladder_match__void_sequence=None) | Q(ladder_match__void_sequence__gt=end))
    added = [match for match in counting.values_list("pk", flat=True) if sequences[match] <= end]
    earlier = LadderMatch.objects.filter(ladder=ladder, sequence__lte=start)
    excluded = earlier.filter(void_sequence__gt=start, void_sequence__lte=end)
    return Lines(start, end, added, list(excluded.values_list("match", flat=True)))


def _count_lines(ladder: Ladder, lines: Lines) -> list[CountedLeg]:
    """Replay the legs of the lines that count. Legs whose record was lost are left out."""
    versions: dict[int, list[int]] = {match: [] for match in lines.added}
    for match, version in (
        Participant.objects.filter(match__in=lines.added).order_by("match", "index").values_list("match", "version")
    ):
        versions[match].append(version)
    known = Entry.objects.filter(ladder=ladder, version__in={one for of_match in versions.values() for one in of_match})
    entries = dict(known.values_list("version", "pk"))
    legs = Leg.objects.filter(match__in=lines.added).exclude(record=None).only("match_id", "seating", "record")
    return [_count_leg(leg, [entries[version] for version in versions[leg.match_id]]) for leg in legs.order_by("pk")]


def _count_leg(leg: Leg, entries: list[int]) -> CountedLeg:
    record, seating = leg.record_data, leg.seating
    points = [0.0] * len(entries)
    for seat, share in enumerate(compute_place_points(record["result"]["places"])):
        points[seating[seat]] = share
    counts: list[list[Count]] = [[] for _ in [*entries, None]]
    for count in _replay(leg, record):
        counts[-1 if count.seat is None else seating[count.seat]].append(count)
    return CountedLeg(leg.pk, leg.match_id, entries, points, counts)


def _replay(leg: Leg, record: dict[str, Any]) -> Sequence[Count]:
    """Return what a leg yields; without the game's own where that fails, since any package may bring a game."""
    try:
        return count_leg(record)
    except Exception:
        logger.exception("The game %s failed to count leg %s", record["game"], leg.pk)
        return count_leg(record, has_own=False)


@transaction.atomic
def _store(ladder: Ladder, lines: Lines, legs: Sequence[CountedLeg]) -> int:
    """Change the sums by these lines, unless another call has done so meanwhile. Return how many lines were read."""
    progress = AtlasProgress.objects.select_for_update(no_key=True).get(ladder=ladder)
    if progress.sequence != lines.start or progress.version != find_version(ladder.game):
        return 0
    progress.legs += _add_legs(ladder, legs) - take_back_legs(ladder, lines.excluded)
    progress.sequence = lines.end
    progress.save()
    return lines.end - lines.start


def _add_legs(ladder: Ladder, legs: Sequence[CountedLeg]) -> int:
    cells = find_or_make_cells(ladder, (count for leg in legs for part in leg.counts for count in part))

    def find_keys(counts: Iterable[Count]) -> list[int]:
        words = ((one.chart, one.row, one.column) for one in counts)
        return [cells[one] for one in words if one in cells]

    rows = [
        LegCounts(
            leg_id=leg.leg,
            ladder=ladder,
            match_id=leg.match,
            entries=leg.entries,
            points=leg.points,
            cells=[find_keys(part) for part in leg.counts],
        )
        for leg in legs
    ]
    LegCounts.objects.bulk_create(rows)
    change_sums(rows, 1)
    return len(rows)


def take_back_legs(ladder: Ladder, matches: Collection[int]) -> int:
    """Count the legs of these matches no longer; within a transaction that has locked the ladder's progress.

    Return how many there were.
    """
    rows = list(LegCounts.objects.filter(ladder=ladder, match__in=matches)) if matches else []
    change_sums(rows, -1)
    LegCounts.objects.filter(pk__in=[row.pk for row in rows]).delete()
    return len(rows)
