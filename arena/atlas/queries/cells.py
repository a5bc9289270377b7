"""Read the sums of a ladder and of a bot, and the matches behind them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Sum

from arena.atlas.models import Cell, EntryCell, LegCounts
from arena.bots.models import Bot
from arena.ladders.models import Entry, Ladder
from arena.matches.queries.scan import MAX_KEY, find_scan_limit, list_match_ids_between, list_version_ids

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
