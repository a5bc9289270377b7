"""A bot's rating as a small picture, for the README of its repository."""

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string

from arena.ladders.queries.entries import list_entries_in_play
from arena.pages.bots.lookup import bot_or_404
from arena.pages.formatting import format_rating, translate_ladder_title

CHARACTER_WIDTH = 6.7
"""Mean width of a character of the badge in pixels; the text is fitted to it by `textLength`."""
CACHE_CONTROL = "public, max-age=300"


def send_badge(request: HttpRequest, slug: str) -> HttpResponse:
    """Send the badge of a bot: the edition, and its rating there; of the edition that the address names, if it does."""
    bot = bot_or_404(request, slug)
    entries = sorted(list_entries_in_play(request.user, [bot.pk]), key=lambda one: one.ladder.place)
    edition = request.GET.get("edition")
    entry = next((one for one in entries if edition in (None, one.ladder.edition)), None)
    title = translate_ladder_title(entry.ladder.title) if entry else bot.name
    value = f"{format_rating(entry.rating)} ± {format_rating(entry.margin_95)}" if entry else "–"
    left, right = (round(CHARACTER_WIDTH * len(text)) + 16 for text in (title, value))
    context = {"title": title, "value": value, "left": left, "right": right, "width": left + right}
    context |= {"title_width": left - 16, "value_width": right - 16, "value_x": left + 8}
    response = HttpResponse(render_to_string("bots/badge.svg", context), content_type="image/svg+xml")
    response["Cache-Control"] = CACHE_CONTROL
    return response
