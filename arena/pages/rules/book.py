"""The rules of every game that has them written down, an edition a page.

A page is made of parts; each is a template of long prose, written anew in every language: `<folder>/<language>/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.pages.games import find_presentation
from engine.registry import GAMES

WRITTEN_FIRST = "en"
"""The language that every part is there in."""


@dataclass(frozen=True, slots=True)
class Part:
    id: str
    title: str
    templates: list[str]
    """The first that exists is shown."""


def index(request: HttpRequest) -> HttpResponse:
    games = [
        {"key": key, "title": game.title, **explain()}
        for key, game in GAMES.items()
        if (explain := find_presentation(key, next(iter(game.editions))).build_rules)
    ]
    return render(request, "rules/index.html", {"games": games})


def page(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    presentation = find_presentation(game, edition) if game in GAMES and edition in GAMES[game].editions else None
    if presentation is None or presentation.build_rules is None:
        raise Http404(_("There are no such rules."))
    context = {
        "game": {"key": game, "title": GAMES[game].title},
        **presentation.build_rules(),
    }
    context["parts"] = list_parts(f"games/{presentation.folder}/rules", context["parts"])
    return render(request, "rules/book.html", context)


def list_parts(folder: str, titles: Mapping[str, str]) -> list[Part]:
    languages = (get_language(), WRITTEN_FIRST)
    return [Part(id, title, [f"{folder}/{one}/{id}.html" for one in languages]) for id, title in titles.items()]
