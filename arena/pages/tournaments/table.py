"""The standings, drawn in one go: of many entrants they are the most that a page has to draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.appearance import ENTRANT_STATES
from arena.pages.svg.icons import icon
from arena.pages.templatetags.pennant import version_name
from arena.pages.tournaments.forecast import draw_chance, read_forecast
from arena.pages.tournaments.words import points, render_reason, tie_breaks
from arena.tournaments.models import Entrant
from arena.tournaments.queries.overview import Overview
from arena.tournaments.standings import Standing

SHOWN = 64
"""Of more entrants so many are shown at first."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a template wants of the standings."""

    lines: SafeString
    columns: list[tuple[str, str, str]]
    """What breaks ties: key, title and explanation."""
    has_chances: bool
    hidden: int
    """So many are left out."""


def make_table(overview: Overview, most: int | None = None) -> Table:
    """The first `most` of it, or all."""
    columns = tie_breaks()
    chances = read_forecast(overview.tournament)
    shown = overview.standings[:most]
    keys = [key for key, *_rest in columns]
    drawn = "".join(draw_line(standing, overview.by_number[standing.number], keys, chances) for standing in shown)
    return Table(mark_safe(drawn), columns, bool(chances), len(overview.standings) - len(shown))


def draw_line(standing: Standing, entrant: Entrant, keys: Sequence[str], chances: dict[int, Any]) -> str:
    breaks = "".join(f'<td class="number">{points(getattr(standing, key))}</td>' for key in keys)
    name = render_to_string("parts/version_name.html", version_name(entrant.version)) + draw_leaving(entrant)
    return (
        f'<tr class="of-{entrant.bot.owner_id}"><td class="rank">{standing.place}</td><td>{name}</td>'
        f'<td class="number"><b class="rating">{points(standing.score)}</b>{draw_byes(standing)}</td>'
        f'<td class="number">{standing.wins}–{standing.draws}–{standing.losses}</td>'
        f"{draw_hope(entrant, chances)}{breaks}</tr>\n"
    )


def draw_hope(entrant: Entrant, chances: dict[int, Any]) -> str:
    """Nothing where there is no such column."""
    if not chances:
        return ""
    return f'<td class="number">{draw_chance(None if entrant.is_out else chances.get(entrant.number or 0))}</td>'


def draw_byes(standing: Standing) -> str:
    if not standing.byes:
        return ""
    words = ngettext("%(count)d bye", "%(count)d byes", standing.byes) % {"count": standing.byes}
    return f'<span class="under">{escape(words)}</span>'


def draw_leaving(entrant: Entrant) -> str:
    """Why it plays no more, and since when."""
    if not entrant.is_out:
        return ""
    words = render_reason(entrant.state_reason)
    if entrant.left_in_round:
        since = _("Out from round %(number)d on.") % {"number": entrant.left_in_round}
        words = f"{since} {words}".strip()
    return f'{draw_chip(entrant)}<span class="under">{escape(words)}</span>'


def draw_chip(entrant: Entrant) -> str:
    chip = ENTRANT_STATES[Entrant.State(entrant.state)]
    return f'<span class="chip {chip.tone}">{icon(chip.icon)}{escape(chip.label)}</span>'
