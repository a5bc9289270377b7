"""Count what happens in rated legs, each leg once, and read the sums."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Any

from django.db import transaction
from django.db.models import F, Q, Sum
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.atlas.models import AtlasProgress, Cell, EntryCell, LegCounts
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.showing import filter_public_rated
from arena.matches.models import Leg, Match, Participant
from arena.matches.queries import MAX_KEY, find_scan_limit, list_match_ids_between, list_version_ids
from arena.runner.match import compute_place_points
from engine.core import Count
from engine.registry import GAMES
from engine.replay import COUNTING_VERSION, count_leg

# Change the sums of cells by what legs added to them.

MAX_CELLS_PER_LADDER = 3000
"""Battle Line has some two hundred. A game that counts more rows than anybody reads gets no further ones."""
CellWords = tuple[str, str, str]
"""Chart, row and column."""


@dataclass(slots=True)
class CountedSum:
    """How often something happened, and the points of who did it."""

    count: int = 0
    points: float = 0.0

    def add(self, count: int, points: float) -> None:
        """Add to both; nothing is left of the points once nothing is left of the count."""
        self.count += count
        self.points = self.points + points if self.count else 0.0


def find_or_make_cells(ladder: Ladder, counts: Iterable[Count]) -> dict[CellWords, int]:
    """Return the keys of all cells of a ladder, after those of these counts are made."""
    known = _read_cells(ladder)
    missing = dict.fromkeys((one.chart, one.row, one.column) for one in counts)
    new = [words for words in missing if words not in known][: max(MAX_CELLS_PER_LADDER - len(known), 0)]
    if not new:
        return known
    Cell.objects.bulk_create(
        [Cell(ladder=ladder, chart=chart, row=row, column=column) for chart, row, column in new], ignore_conflicts=True
    )
    return _read_cells(ladder)


def change_sums(rows: Iterable[LegCounts], sign: int) -> None:
    """Add what these legs yielded to the sums, or with a sign of -1 subtract it."""
    cells, of_entries = sum_leg_counts(rows)
    found = list(Cell.objects.filter(pk__in=cells).order_by("pk"))
    for cell in found:
        _change(cell, cells[cell.pk], sign)
    Cell.objects.bulk_create(
        found,
        update_conflicts=True,
        unique_fields=["ladder", "chart", "row", "column"],
        update_fields=["count", "points"],
    )
    known = _read_entry_cells(of_entries)
    for (entry, cell_key), added in of_entries.items():
        row = known.setdefault((entry, cell_key), EntryCell(cell_id=cell_key, entry_id=entry))
        _change(row, added, sign)
    EntryCell.objects.bulk_create(
        [known[key] for key in of_entries],
        update_conflicts=True,
        unique_fields=["entry", "cell"],
        update_fields=["count", "points"],
    )


def sum_leg_counts(rows: Iterable[LegCounts]) -> tuple[dict[int, CountedSum], dict[tuple[int, int], CountedSum]]:
    """Return what these legs yielded, by cell, and by entry and cell."""
    cells: dict[int, CountedSum] = {}
    of_entries: dict[tuple[int, int], CountedSum] = {}
    for row in rows:
        *by_participant, whole = row.cells
        for cell in whole:
            cells.setdefault(cell, CountedSum()).add(1, 0.0)
        for entry, points, own in zip(row.entries, row.points, by_participant, strict=True):
            for cell in whole:
                of_entries.setdefault((entry, cell), CountedSum()).add(1, 0.0)
            for cell in own:
                cells.setdefault(cell, CountedSum()).add(1, points)
                of_entries.setdefault((entry, cell), CountedSum()).add(1, points)
    return cells, of_entries


def _read_cells(ladder: Ladder) -> dict[CellWords, int]:
    rows = Cell.objects.filter(ladder=ladder).values_list("chart", "row", "column", "pk")
    return {(chart, row, column): key for chart, row, column, key in rows}


def _read_entry_cells(keys: Mapping[tuple[int, int], CountedSum]) -> dict[tuple[int, int], EntryCell]:
    entries, cells = {entry for entry, _cell in keys}, {cell for _entry, cell in keys}
    rows = EntryCell.objects.filter(entry__in=entries, cell__in=cells)
    return {(row.entry_id, row.cell_id): row for row in rows}


def _change(row: Cell | EntryCell, by: CountedSum, sign: int) -> None:
    total = CountedSum(row.count, row.points)
    total.add(sign * by.count, sign * by.points)
    row.count, row.points = total.count, total.points


# Read the sums of a ladder and of a bot, and the matches behind them.

MAX_LEGS_SCANNED = 2000
"""Legs looked through for a page of matches: as much work for rare cells as for frequent ones."""


@dataclass(frozen=True, slots=True)
class CellSum:
    """How often something happened in the counted legs, and the points of who did it, once each time."""

    key: int
    chart: str
    row: str
    column: str
    count: int
    points: float


@dataclass(frozen=True, slots=True)
class FoundMatches:
    """A page of matches with something, the newest first."""

    matches: list[int]
    older: int | None
    """The match before which there may be others; None where all were looked through."""


def fetch_cells(ladder: Ladder) -> list[CellSum]:
    """Return all sums of a ladder."""
    rows = Cell.objects.filter(ladder=ladder, count__gt=0).order_by("pk")
    return [CellSum(*row) for row in rows.values_list("pk", "chart", "row", "column", "count", "points")]


def fetch_bot_cells(ladder: Ladder, bot: Bot) -> list[CellSum]:
    """Return the sums of all versions of a bot on a ladder."""
    rows = EntryCell.objects.filter(cell__ladder=ladder, entry__version__bot=bot, count__gt=0).order_by("cell")
    totals = rows.values("cell").annotate(total=Sum("count"), total_points=Sum("points"))
    words = ("cell", "cell__chart", "cell__row", "cell__column", "total", "total_points")
    return [CellSum(*row) for row in totals.values_list(*words)]


def find_matches(
    ladder: Ladder, cells: Collection[int], *, bot: Bot | None, size: int, before: int | None = None
) -> FoundMatches:
    """Return the newest counted matches with something in these cells, done by a bot where one is given.

    They are older than the match `before`, and no more than some MAX_LEGS_SCANNED legs are looked through.
    """
    legs = LegCounts.objects.filter(ladder=ladder)
    if before is not None:
        legs = legs.filter(match__lt=before)
    entries: set[int] | None = None
    scanned_to: int | None = None
    if bot is not None:
        entries = set(Entry.objects.filter(ladder=ladder, version__bot=bot).values_list("pk", flat=True))
        versions = list_version_ids(bot.pk)
        scanned_to = find_scan_limit(versions, MAX_LEGS_SCANNED // 2, before)
        legs = legs.filter(match__in=list_match_ids_between(versions, scanned_to or 0, (before or MAX_KEY) - 1))
    rows = list(legs.order_by("-match", "-leg").values_list("match", "entries", "cells")[:MAX_LEGS_SCANNED])
    found: list[int] = []
    for match, of_entries, of_cells in rows:
        if match not in found and _has_any(set(cells), of_entries, of_cells, entries):
            if len(found) == size:
                return FoundMatches(found, found[-1])
            found.append(match)
    if len(rows) == MAX_LEGS_SCANNED:  # the last match may have another leg
        last = rows[-1][0]
        scanned_to = last if last in found else last + 1
    return FoundMatches(found, scanned_to)


def _has_any(
    cells: set[int], of_entries: Sequence[int], of_cells: Sequence[Sequence[int]], entries: set[int] | None
) -> bool:
    """Return whether a leg has one of these cells, as something that one of these entries did, or any."""
    *by_participant, whole = of_cells
    own = [part for entry, part in zip(of_entries, by_participant, strict=True) if entries is None or entry in entries]
    return any(not cells.isdisjoint(part) for part in [*own, whole])


# Read how far ledgers are counted.


def find_progress(ladder: Ladder) -> AtlasProgress:
    """Return how far a ladder is counted; one that isn't stored where counting has not begun."""
    return AtlasProgress.objects.filter(ladder=ladder).first() or AtlasProgress(ladder=ladder)


def find_last_counted(progress: AtlasProgress) -> datetime | None:
    """Return when the newest match that a ladder's sums count was finished; None before the first."""
    lines = LadderMatch.objects.filter(ladder=progress.ladder_id, sequence=progress.sequence)
    return lines.values_list("match__finished_at", flat=True).first() if progress.sequence else None


def find_version(game: str) -> str:
    """Return what the sums of an installed game say that they count: the site's and the game's counting version."""
    return f"{COUNTING_VERSION}.{GAMES[game].counting_version}"


def list_ladders_behind() -> list[Ladder]:
    """List the public ladders of installed games that wait to be counted, at all or anew, the least counted first."""
    is_behind = Q(atlas_progress=None, last_sequence__gt=0) | Q(atlas_progress__sequence__lt=F("last_sequence"))
    for game in GAMES:
        is_behind |= Q(game=game, atlas_progress__isnull=False) & ~Q(atlas_progress__version=find_version(game))
    found = Ladder.objects.public().filter(is_behind, game__in=list(GAMES)).defer("secret")
    return list(found.order_by(F("atlas_progress__sequence").asc(nulls_first=True), "pk"))


def list_counted_ladders() -> list[Ladder]:
    """List the ladders of which legs were counted."""
    return list(Ladder.objects.filter(atlas_progress__isnull=False).defer("secret").order_by("pk"))


def list_matches_not_to_count(ladder: Ladder) -> list[int]:
    """List the counted matches of a ladder that are not rated any more, or that not everybody may see."""
    public = filter_public_rated(LadderMatch.objects.filter(ladder=ladder)).values("match")
    lost = LegCounts.objects.filter(ladder=ladder).exclude(match__in=public)
    return list(lost.values_list("match", flat=True).distinct())


# Count the legs of rated matches, each once, by reading the ledger of their ladder line after line.
#
# Lines are only ever appended, so the number of the last line read says what was counted. A match that a later line
# excludes is taken back. Records are replayed before anything is locked; the sums change in one short transaction.

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
    progress.sequence, progress.counted_at = lines.end, now()
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


# Take back legs that should not be counted any more, and sum up anew where rows have gone.

LEGS_PER_BATCH = 500


def recheck_all() -> None:
    """Check the sums of every ladder that was counted."""
    for ladder in list_counted_ladders():
        recheck(ladder=ladder)


@transaction.atomic
def recheck(*, ladder: Ladder) -> int:
    """Take back the legs that not everybody may see any more; sum up anew where legs are gone with their matches.

    Return the number of legs by which the sums have changed.
    """
    progress = AtlasProgress.objects.select_for_update(no_key=True).get(ladder=ladder)
    before = progress.legs
    progress.legs -= take_back_legs(ladder, list_matches_not_to_count(ladder))
    left = LegCounts.objects.filter(ladder=ladder).count()
    if left != progress.legs:
        progress.legs = left
        _sum_up_anew(ladder)
    if progress.legs != before:
        progress.counted_at = now()
    progress.save(update_fields=["legs", "counted_at"])
    return before - progress.legs


def _sum_up_anew(ladder: Ladder) -> None:
    Cell.objects.filter(ladder=ladder).update(count=0, points=0.0)
    EntryCell.objects.filter(cell__ladder=ladder).update(count=0, points=0.0)
    change_sums(LegCounts.objects.filter(ladder=ladder).iterator(LEGS_PER_BATCH), 1)
