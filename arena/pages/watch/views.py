"""Show recent matches one after another: on a page of their own, and embedded in other sites."""

from typing import Any

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from arena.groups.audience import Audience
from arena.pages.home.games import build_game_name_context
from arena.pages.matches.detail import LAST
from arena.pages.paging import read_key
from arena.pages.watch.live_showing import build_live_showing, choose_live_match
from arena.pages.watch.showing import build_showing, fetch_playlist, list_next

EMBED_CACHE_CONTROL = "public, max-age=3600"


def show_watch(request: HttpRequest) -> HttpResponse:
    """Show the first match of the playlist, or the one that the address asks for."""
    asked = (read_key(request.GET, "match"), read_key(request.GET, "leg"))
    context = build_watch_context(*asked, at_end=request.GET.get("turn") == LAST)
    return render(request, "watch/index.html", context)


def build_watch_context(match: int | None = None, leg: int | None = None, *, at_end: bool = False) -> dict[str, Any]:
    """Return the context of `watch/_showing.html` for a match, or for one that is played now or the playlist's first.

    With `at_end` the leg is shown from its last step on.
    """
    playlist = fetch_playlist()
    played_now = choose_live_match() if match is None else match
    showing = build_live_showing(played_now) if played_now and not at_end else None
    showing = showing or build_showing(Audience(), playlist, match, leg, at_end=at_end)
    return {
        **build_game_name_context(),
        **(showing.stage if showing else {}),
        "showing": showing,
        "up_next": list_next(playlist, showing.row.match.pk if showing else None),
        "playlist": playlist,
    }


@require_safe
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type]
@xframe_options_exempt
def embed_match(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a finished match alone, for a frame in another site. Nothing depends on who reads it."""
    showing = build_showing(Audience(), [], pk, read_key(request.GET, "leg"))
    context = {**showing.stage, "showing": showing} if showing else {}
    response = render(request, "watch/embed.html", context)
    response["Cache-Control"] = EMBED_CACHE_CONTROL
    return response
