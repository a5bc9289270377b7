"""Crosstables of round robins and of groups."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.bots.models import Bot
from arena.pages.tournaments.words import format_points
from arena.tournaments.formats import base
from arena.tournaments.formats.groups import GroupPhase
from arena.tournaments.queries.overview import Board, Overview
from arena.tournaments.standings import Standing

ROUND_ROBIN_FORMATS = ("round-robin", "double-round-robin")
MAX_CROSSTABLE_ENTRANTS = 32
"""Larger tables are left out, because they are too wide to read."""


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The result of a pairing for one of the two, with its first match."""

    points: str
    match: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """A bot's row of a crosstable."""

    place: int
    bot: Bot
    cells: list[list[PairingResult] | None]
    """The results against each bot in the order of the rows; None against itself."""
    byes: int
    """The number of rounds without an opponent. A walkover stands in the cell of the opponent."""
    score: str


@dataclass(frozen=True, slots=True)
class Crosstable:
    """The results of all entrants against each other."""

    key: str
    """The name of the group; empty where there is one table for all."""
    title: str
    rows: list[Row]

    @property
    def has_byes(self) -> bool:
        """Return whether anybody had a bye."""
        return any(row.byes for row in self.rows)


Results = dict[tuple[int, int], list[PairingResult]]
"""The results of pairings by the numbers of both entrants, as the first one sees them."""


def wants_crosstable(format: base.Format) -> bool:
    """Return whether a format has crosstables."""
    return format.key in ROUND_ROBIN_FORMATS or isinstance(format.first_phase, GroupPhase)


def make_crosstables(overview: Overview) -> list[Crosstable]:
    """Return the crosstables that aren't too wide. The matches of the overview must have been fetched."""
    if not overview.field or not wants_crosstable(overview.tournament.format):
        return []
    boards = [board for round in overview.counted_rounds for board in overview.boards.get(round.pk, [])]
    return [
        build_table(
            overview,
            table.name,
            _("Group %(name)s") % {"name": table.name} if table.name else _("Crosstable"),
            table.standings,
            [board for board in boards if board.name == table.name],
        )
        for table in overview.phases[0].tables
        if len(table.standings) <= MAX_CROSSTABLE_ENTRANTS
    ]


def build_table(
    overview: Overview, key: str, title: str, standings: Sequence[Standing], boards: Sequence[Board]
) -> Crosstable:
    """Return the results of these pairings as a table in the order of the standings."""
    results = collect_results(boards)
    numbers = [standing.number for standing in standings]
    byes = Counter(board.numbers[0] for board in boards if board.is_bye and board.is_over and board.points[0])
    rows = [
        Row(
            place=place,
            bot=overview.by_number[standing.number].bot,
            cells=[
                None if other == standing.number else results.get((standing.number, other), []) for other in numbers
            ],
            byes=byes[standing.number],
            score=format_points(standing.score),
        )
        for place, standing in enumerate(standings, start=1)
    ]
    return Crosstable(key, title, rows)


def collect_results(boards: Sequence[Board]) -> Results:
    """Return the results of pairings of two, as each of the two sees them."""
    results: Results = defaultdict(list)
    for board in boards:
        if len(board.numbers) == 2:
            one, other = board.numbers
            results[one, other].append(PairingResult(format_result(board, 0), board.first_match))
            results[other, one].append(PairingResult(format_result(board, 1), board.first_match))
    return results


def format_result(board: Board, seat: int) -> str:
    """Return the points of a seat; +, = or − for a pairing won, even or lost without playing, as in chess."""
    value = board.points[seat]
    if not board.is_over or value is None:
        return "·"
    if board.played:
        return format_points(value)
    return "+" if value == 1 else "=" if value else "−"
