"""Who fared how against whom: of everybody where all meet all, and of each group."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.tournaments.words import points
from arena.tournaments.formats import base, find_format
from arena.tournaments.formats.groups import split
from arena.tournaments.queries.overview import Board, Overview
from arena.tournaments.standings import Standing, rank

ALL_MEET = ("round-robin", "double-round-robin")
WIDEST = 32
"""Of more nobody could read it."""
Met = dict[tuple[int, int], list[str]]
"""By ordered pair of numbers the cells of their pairings, each how the first fared."""


@dataclass(frozen=True, slots=True)
class Crosstable:
    key: str
    """Empty where there is but one."""
    title: str
    heads: SafeString
    lines: SafeString


def wants_crosstable(key: str) -> bool:
    return key in ALL_MEET or key == "groups"


def make_crosstables(overview: Overview) -> list[Crosstable]:
    """With the matches of the overview's pairings read. None where there would be nothing to see in it."""
    key = overview.tournament.format.key
    if not overview.field or not wants_crosstable(key):
        return []
    boards = [board for round in overview.current for board in overview.boards.get(round.pk, [])]
    if key != "groups":
        return [draw_table(overview, "", _("Crosstable"), overview.standings, boards)] if fits(overview.field) else []
    groups = split(overview.field, overview.settings)
    return [
        draw_table(
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
    return len(members) <= WIDEST


def rank_group(overview: Overview, name: str, members: Sequence[base.Entrant]) -> list[Standing]:
    """By what was played in the group."""
    results = [[result for result in played if result.pairing.name == name] for played in overview.results]
    return rank(find_format("round-robin"), members, results, overview.settings)


def draw_table(
    overview: Overview, key: str, title: str, standings: Sequence[Standing], boards: Sequence[Board]
) -> Crosstable:
    order = [standing.number for standing in standings]
    met = find_meetings(boards)
    heads = "".join(
        f'<th scope="col" class="cell"><abbr title="{escape(overview.name(number))}">{place}</abbr></th>'
        for place, number in enumerate(order, start=1)
    )
    lines = "".join(
        draw_line(overview, place, standing, order, met) for place, standing in enumerate(standings, start=1)
    )
    return Crosstable(key, title, mark_safe(heads), mark_safe(lines))


def draw_line(overview: Overview, place: int, standing: Standing, order: Sequence[int], met: Met) -> str:
    own = standing.number
    bot = overview.by_number[own].bot
    cells = "".join(
        '<td class="cell self"></td>' if other == own else f'<td class="cell">{"".join(met.get((own, other), ()))}</td>'
        for other in order
    )
    return (
        f'<tr><td class="rank">{place}</td><th scope="row"><a class="name" href="{escape(bot.get_absolute_url())}">'
        f"{escape(bot.name)}</a></th>{cells}"
        f'<td class="number"><b>{points(standing.score)}</b></td></tr>\n'
    )


def find_meetings(boards: Sequence[Board]) -> Met:
    met: Met = defaultdict(list)
    for board in boards:
        if len(board.numbers) == 2:
            one, other = board.numbers
            met[one, other].append(draw_cell(board, 0))
            met[other, one].append(draw_cell(board, 1))
    return met


def draw_cell(board: Board, seat: int) -> str:
    """The points of one of two. Won or lost without playing, as chess players write it, + or −."""
    value = board.points[seat]
    if not board.is_over or value is None:
        words = "·"
    elif board.played:
        words = points(value)
    else:
        words = "+" if value else "−"
    return words if board.first_match is None else f'<a href="/matches/{board.first_match}/">{words}</a>'
