"""Show the rules of the games, with a page for each edition.

A page consists of parts. Each part is a template of its own in every language: `<folder>/<language>/`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.pages.games import find_presentation
from engine.registry import GAMES

RULES_FALLBACK_LANGUAGE = "en"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the rules."""

    id: str
    title: str
    templates: list[str]
    """Names of templates, of which the first existing one is shown."""


@dataclass(frozen=True, slots=True)
class EditionCard:
    """An edition in the list of rules."""

    edition: Any
    emblem: str
    template: str
    """Draws the board."""
    board: Any
    """A small table of the edition; None where the game draws none."""


def show_rules_index(request: HttpRequest) -> HttpResponse:
    """List the games with rules."""
    games = []
    for key, game in GAMES.items():
        presentation = find_presentation(key, next(iter(game.editions)))
        if presentation.build_rules is not None:
            rules = presentation.build_rules()
            cards = [build_edition_card(key, one) for one in rules["editions"]]
            games.append({**describe_game(key), "pages": presentation.pages, "cards": cards})
    return render(request, "rules/index.html", {"games": games})


def build_edition_card(game: str, edition: Any) -> EditionCard:
    """Return the card of an edition as `build_rules` returns it."""
    presentation = find_presentation(game, read_edition_key(edition))
    draw = presentation.build_edition_picture
    template = f"games/{presentation.folder}/picture.html"
    return EditionCard(edition, presentation.emblem, template, draw() if draw is not None else None)


def read_edition_key(edition: Any) -> str:
    """Return the key of an edition as `build_rules` returns it: an object, or a mapping in a game from outside."""
    return str(edition["key"] if isinstance(edition, Mapping) else edition.key)


def show_rules(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Show the rules of an edition."""
    presentation = find_presentation(game, edition) if game in GAMES and edition in GAMES[game].editions else None
    if presentation is None or presentation.build_rules is None:
        raise Http404(_("There are no such rules."))
    context = {
        "game": describe_game(game),
        "pages": presentation.pages,
        **presentation.build_rules(),
    }
    context["parts"] = list_rule_parts(f"games/{presentation.folder}/rules", context["parts"])
    return render(request, "rules/book.html", context)


def describe_game(key: str) -> dict[str, Any]:
    """Return what every page of rules shows of a game."""
    return {"key": key, "title": GAMES[key].title, "has_options": bool(GAMES[key].rule_options)}


def list_rule_parts(folder: str, titles: Mapping[str, str]) -> list[Part]:
    """Return the parts with these titles, in the reader's language or else in English."""
    languages = (get_language(), RULES_FALLBACK_LANGUAGE)
    return [Part(id, title, [f"{folder}/{one}/{id}.html" for one in languages]) for id, title in titles.items()]
