"""The atlas of a ladder: what happens in its rated legs, and the matches behind each number."""

from collections.abc import Sequence

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.atlas.queries.cells import CellSum, fetch_cells, find_matches
from arena.atlas.queries.progress import find_progress
from arena.bots.models import Bot
from arena.ladders.models import Ladder
from arena.ladders.queries.ladders import list_ladders_of_game
from arena.matches.queries.lists import list_visible_matches
from arena.pages.bots.lookup import bot_or_404
from arena.pages.ladders.atlas_charts import build_charts, name_cell
from arena.pages.matches.results import list_rows
from arena.pages.paging import read_keys
from arena.pages.svg.charts import HATCH_PATTERN_SVG
from engine.registry import find_game

MATCHES_PAGE_SIZE = 20
MAX_NUMBER_LENGTH = 9


def show_atlas(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Show the atlas of the current season."""
    ladders = list_ladders_of_game(game)
    return render_atlas(request, find_season_in(ladders, edition, None), ladders)


def show_season_atlas(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponse:
    """Show the atlas of a season that is over; that of the current one has an address without a number."""
    ladders = list_ladders_of_game(game)
    ladder = find_season_in(ladders, edition, number)
    if ladder.closed_at is None:
        return redirect("atlas", game, edition)
    return render_atlas(request, ladder, ladders)


def find_season_in(ladders: Sequence[Ladder], edition: str, number: int | None) -> Ladder:
    """Return a season of an edition, the current one without a number. Raises Http404, or UnknownGame."""
    of_edition = [one for one in ladders if one.edition == edition]
    found = [one for one in of_edition if (one.closed_at is None if number is None else one.season == number)]
    if not found:
        raise Http404(_("There is no such ladder."))
    find_game(found[0].game)
    return found[0]


def render_atlas(request: HttpRequest, ladder: Ladder, ladders: Sequence[Ladder]) -> HttpResponse:
    """Show the charts of a ladder."""
    context = {
        "ladder": ladder,
        "progress": find_progress(ladder),
        "charts": build_charts(ladder, fetch_cells(ladder)),
        "editions": [(find_address(one), one) for one in ladders if one.closed_at is None],
        "seasons": [(find_address(one), one) for one in ladders if one.edition == ladder.edition][::-1],
        "matches_url": find_matches_address(ladder),
        "hatched": HATCH_PATTERN_SVG,
    }
    return render(request, "ladders/atlas.html", context)


def find_address(ladder: Ladder) -> str:
    """Return the address of a ladder's atlas."""
    if ladder.closed_at is None:
        return reverse("atlas", args=[ladder.game, ladder.edition])
    return reverse("season_atlas", args=[ladder.game, ladder.edition, ladder.season])


def find_matches_address(ladder: Ladder) -> str:
    """Return the address of the matches behind a number, without the query that says which."""
    return reverse("atlas_matches", args=[ladder.game, ladder.edition, ladder.season])


def show_atlas_matches(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponse:
    """Show the matches behind a number of the atlas, perhaps only those in which a bot did it."""
    ladder = find_season_in(list_ladders_of_game(game), edition, number)
    chart, row, column, last = (request.GET.get(name, "") for name in ("chart", "row", "column", "to"))
    cells = choose_cells(fetch_cells(ladder), chart, row, column, last)
    if not cells:
        raise Http404(_("The atlas has no such number."))
    bot: Bot | None = bot_or_404(request, request.GET["bot"]) if request.GET.get("bot") else None
    before, _after = read_keys(request.GET)
    page = find_matches(ladder, [one.key for one in cells], bot=bot, size=MATCHES_PAGE_SIZE, before=before)
    matches = list_visible_matches(request.user).filter(pk__in=page.matches).order_by("-pk")
    context = {
        "ladder": ladder,
        "atlas_url": find_address(ladder),
        "subject": name_cell(ladder, chart, row, column, last),
        "bot": bot,
        "rows": list_rows(matches, bot),
        "older": page.older,
        "is_first": before is None,
    }
    return render(request, "ladders/atlas_matches.html", context)


def choose_cells(cells: Sequence[CellSum], chart: str, row: str, column: str, last: str) -> list[CellSum]:
    """Return the cell of a chart with this row and column, or those of all rows from this number to the last."""
    of_column = [one for one in cells if one.chart == chart and one.column == column]
    if not last:
        return [one for one in of_column if one.row == row]
    if not (is_number(row) and is_number(last)):
        return []
    return [one for one in of_column if is_number(one.row) and int(row) <= int(one.row) <= int(last)]


def is_number(text: str) -> bool:
    """Return whether a text is a whole number of a sensible length."""
    return text.isascii() and text.isdigit() and len(text) <= MAX_NUMBER_LENGTH
