"""The fingerprint of a bot: the charts of its rated legs on a ladder beside those of the field."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.atlas.queries.cells import fetch_bot_cells, fetch_cells
from arena.bots.queries.versions import list_versions
from arena.ladders.queries.entries import list_current_entries
from arena.pages.bots.lookup import bot_or_404
from arena.pages.ladders.atlas import find_address, find_matches_address
from arena.pages.ladders.atlas_charts import build_charts
from arena.pages.svg.charts import HATCH_PATTERN_SVG
from engine.counting import ENDINGS
from engine.registry import find_game


def show_fingerprint(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how a bot differs from the field of a ladder it plays on, or played on in the running season.

    Legs are counted on public ladders alone.
    """
    bot = bot_or_404(request, slug)
    find_game(bot.game)
    entries = list_current_entries(None, bot, list_versions(bot))
    ladders = list({one.ladder_id: one.ladder for one in entries}.values())
    ladder = next((one for one in ladders if one.edition == request.GET.get("ladder")), None)
    ladder = ladder or next(iter(ladders), None)
    context = {"hatched": HATCH_PATTERN_SVG, "bot": bot, "ladder": ladder, "ladders": ladders}
    if ladder is not None:
        own, field = fetch_bot_cells(ladder, bot), fetch_cells(ladder)
        context |= {
            "legs": sum(one.count for one in own if one.chart == ENDINGS),
            "charts": build_charts(ladder, own, field),
            "atlas_url": find_address(ladder),
            "matches_url": find_matches_address(ladder),
        }
    return render(request, "bots/fingerprint.html", context)
