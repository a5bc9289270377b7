"""The list of all bots, with a search."""

from collections.abc import Sequence

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from arena.bots.models import Bot
from arena.bots.queries.bots import is_game_known
from arena.bots.queries.search import fetch_listed_bots, search_bots
from arena.bots.services import MAX_BOT_NAME_LENGTH
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_active_entries
from arena.ladders.queries.titles import find_game_title
from arena.runner.languages import LANGUAGES
from engine.registry import GAMES

PAGE_SIZE = 25


def index(request: HttpRequest) -> HttpResponse:
    """Show a page of the bots that match a search."""
    asked = {name: request.GET.get(name, "").strip() for name in ("q", "game", "language", "mine")}
    found = search_bots(
        request.user if request.user.is_authenticated else None,
        words=asked["q"][:MAX_BOT_NAME_LENGTH],
        game=asked["game"] if is_game_known(asked["game"]) else "",
        language=asked["language"] if asked["language"] in LANGUAGES else "",
        own=bool(asked["mine"]),
    )
    page = Paginator(found.values_list("pk", flat=True), PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        **asked,
        "page": page,
        "bots": fetch_bots_with_entries(list(page.object_list)),
        "games": list_game_titles(asked["game"]),
        "languages": list(LANGUAGES.values()),
        "is_filtered": any(asked[name] for name in ("q", "game", "language")),
    }
    return render(request, "bots/index.html", context)


def list_game_titles(asked: str) -> list[tuple[str, str]]:
    """Return keys and titles of the installed games, and of the one that is asked for if it had bots before."""
    keys = [*GAMES, asked] if asked not in GAMES and is_game_known(asked) else list(GAMES)
    return [(key, find_game_title(key)) for key in keys]


def fetch_bots_with_entries(keys: Sequence[int]) -> list[tuple[Bot, list[Entry]]]:
    """Return the bots with these keys in this order, each with `latest_version`, and with its entries."""
    playing: dict[int, list[Entry]] = {}
    for entry in list_active_entries(keys):
        playing.setdefault(entry.version.bot_id, []).append(entry)
    return [(bot, playing.get(bot.pk, [])) for bot in fetch_listed_bots(keys)]
