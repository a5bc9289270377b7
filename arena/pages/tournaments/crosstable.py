"""Who fared how against whom: of everybody where all meet all, and of each group."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.tournaments.reading import Board, Story
from arena.pages.tournaments.words import points
from arena.tournaments.formats import base, find_format
from arena.tournaments.formats.groups import split
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


def make_crosstables(story: Story) -> list[Crosstable]:
    """With the matches of the story's pairings read. None where there would be nothing to see in it."""
    key = story.tournament.format.key
    if not story.field or not wants_crosstable(key):
        return []
    boards = [board for round in story.current for board in story.boards.get(round.pk, [])]
    if key != "groups":
        return [draw_table(story, "", _("Crosstable"), story.standings, boards)] if fits(story.field) else []
    groups = split(story.field, story.settings)
    return [
        draw_table(
            story,
            name,
            _("Group %(name)s") % {"name": name},
            rank_group(story, name, members),
            [board for board in boards if board.name == name],
        )
        for name, members in groups.items()
        if fits(members)
    ]


def fits(members: Sequence[base.Entrant]) -> bool:
    return len(members) <= WIDEST


def rank_group(story: Story, name: str, members: Sequence[base.Entrant]) -> list[Standing]:
    """By what was played in the group."""
    results = [[result for result in played if result.pairing.name == name] for played in story.results]
    return rank(find_format("round-robin"), members, results, story.settings)


def draw_table(
    story: Story, key: str, title: str, standings: Sequence[Standing], boards: Sequence[Board]
) -> Crosstable:
    order = [standing.number for standing in standings]
    met = find_meetings(boards)
    heads = "".join(
        f'<th scope="col" class="cell"><abbr title="{escape(story.name(number))}">{place}</abbr></th>'
        for place, number in enumerate(order, start=1)
    )
    lines = "".join(draw_line(story, place, standing, order, met) for place, standing in enumerate(standings, start=1))
    return Crosstable(key, title, mark_safe(heads), mark_safe(lines))


def draw_line(story: Story, place: int, standing: Standing, order: Sequence[int], met: Met) -> str:
    own = standing.number
    bot = story.by_number[own].bot
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
