"""Crosstables: the results of everybody against everybody, in round robins and in each group."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.bots.models import Bot
from arena.pages.tournaments.words import points
from arena.tournaments.formats import base, find_format
from arena.tournaments.formats.groups import split
from arena.tournaments.queries.overview import Board, Overview
from arena.tournaments.standings import Standing, rank

ALL_MEET = ("round-robin", "double-round-robin")
MAX_CROSSTABLE_ENTRANTS = 32
"""A wider table could not be read."""


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
    score: str


@dataclass(frozen=True, slots=True)
class Crosstable:
    """The results of everybody against everybody."""

    key: str
    """The name of the group; empty where there is one table for all."""
    title: str
    rows: list[Row]


Results = dict[tuple[int, int], list[PairingResult]]
"""The results of pairings by the numbers of the two, as the first sees them."""


def wants_crosstable(key: str) -> bool:
    """Return whether a format has crosstables."""
    return key in ALL_MEET or key == "groups"


def make_crosstables(overview: Overview) -> list[Crosstable]:
    """Return the crosstables; the matches of the overview must have been fetched. Too wide ones are left out."""
    key = overview.tournament.format.key
    if not overview.field or not wants_crosstable(key):
        return []
    boards = [board for round in overview.current for board in overview.boards.get(round.pk, [])]
    if key != "groups":
        return [build_table(overview, "", _("Crosstable"), overview.standings, boards)] if fits(overview.field) else []
    groups = split(overview.field, overview.settings)
    return [
        build_table(
            overview,
            name,
            _("Group %(name)s") % {"name": name},
            rank_group(overview, name, members),
            [board for board in boards if board.name == name],
        )
        for name, members in groups.items()
        if fits(members)
    ]


def fits(members: Sequence[base.Entrant]) -> bool:
    """Return whether a crosstable of these can be read."""
    return len(members) <= MAX_CROSSTABLE_ENTRANTS


def rank_group(overview: Overview, name: str, members: Sequence[base.Entrant]) -> list[Standing]:
    """Return the standings by what was played in the group."""
    results = [[result for result in played if result.pairing.name == name] for played in overview.results]
    return rank(find_format("round-robin"), members, results, overview.settings)


def build_table(
    overview: Overview, key: str, title: str, standings: Sequence[Standing], boards: Sequence[Board]
) -> Crosstable:
    """Return the results of these pairings between those who are in the standings, in their order."""
    results = collect_results(boards)
    numbers = [standing.number for standing in standings]
    rows = [
        Row(
            place=place,
            bot=overview.by_number[standing.number].bot,
            cells=[
                None if other == standing.number else results.get((standing.number, other), []) for other in numbers
            ],
            score=points(standing.score),
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
    """Return the points of one of two. Won or lost without playing is + or −, as in chess."""
    value = board.points[seat]
    if not board.is_over or value is None:
        return "·"
    if board.played:
        return points(value)
    return "+" if value else "−"
