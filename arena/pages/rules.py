"""The rules of every game that has them written down, an edition a page."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.pages.games import picture_of
from engine.registry import GAMES


def index(request: HttpRequest) -> HttpResponse:
    games = [
        {"key": key, "title": game.title, **explain()}
        for key, game in GAMES.items()
        if (explain := picture_of(key, next(iter(game.editions))).explain_rules)
    ]
    return render(request, "rules/index.html", {"games": games})


def page(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    picture = picture_of(game, edition) if game in GAMES and edition in GAMES[game].editions else None
    if picture is None or picture.explain_rules is None:
        raise Http404(_("There are no such rules."))
    context = {
        "game": {"key": game, "title": GAMES[game].title},
        "style": f"games/{picture.folder}/board.css",
        **picture.explain_rules(),
    }
    return render(request, f"games/{picture.folder}/rules.html", context)
