"""Show recent matches one after another: on a page of their own, and embedded in other sites."""

from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from arena.groups.audience import Audience
from arena.pages.home.games import build_game_name_context
from arena.pages.matches.onlookers import PUBLIC
from arena.pages.paging import read_key
from arena.pages.watch.showing import build_showing, fetch_playlist, list_next

EMBED_CACHE_CONTROL = "public, max-age=3600"


def show_watch(request: HttpRequest) -> HttpResponse:
    """Show the first match of the playlist, or the one that the address asks for."""
    return render(request, "watch/index.html", build_watch_context(read_key(request.GET, "match")))


def build_watch_context(match: int | None = None) -> dict[str, Any]:
    """Return the context of `watch/_showing.html` for a match, or for the first one of the playlist."""
    playlist = fetch_playlist()
    showing = build_showing(Audience(), playlist, match)
    return {
        **build_game_name_context(),
        **(showing.stage if showing else {}),
        "showing": showing,
        "up_next": list_next(playlist, showing.row.match.pk if showing else None),
        "public_view": PUBLIC,
    }


@require_safe
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
@xframe_options_exempt
def embed_match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a finished match alone, for a frame in another site. Nothing depends on who reads it."""
    showing = build_showing(Audience(), [], pk, read_key(request.GET, "leg"))
    context = {**showing.stage, "showing": showing, "public_view": PUBLIC} if showing else {}
    response = render(request, "watch/embed.html", context)
    response["Cache-Control"] = EMBED_CACHE_CONTROL
    return response
