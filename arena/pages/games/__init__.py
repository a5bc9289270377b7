"""The presentation of each game on a replay page. A game that isn't listed here is shown as plain actions."""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec

from django.urls import reverse

from arena.pages.games import battalion, battleline, plain
from arena.pages.games.presentation import Presentation
from engine.core import Json
from engine.packages import GamePackage
from engine.registry import GAMES, PACKAGES

PresentEdition = Callable[[str, Json | None], Presentation]


def list_package_presentations(packages: Mapping[str, GamePackage]) -> dict[str, PresentEdition]:
    """Return, by game, `present_edition` of the module `pages` of each package that has one."""
    modules = {key: f"{package.name}.pages" for key, package in packages.items()}
    return {key: import_module(name).present_edition for key, name in modules.items() if find_spec(name) is not None}


PRESENTATIONS: Mapping[str, PresentEdition] = {
    "battleline": battleline.present_edition,
    "battalion": battalion.present_edition,
    **list_package_presentations(PACKAGES),
}
"""By game, what returns the presentation of an edition with these options; those of the edition where None."""


def find_presentation(game: str, edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition, perhaps with other options; plain actions for an unknown game."""
    return PRESENTATIONS[game](edition, options) if game in PRESENTATIONS else plain.PRESENTATION


def has_rules(game: str) -> bool:
    """Return whether the site has pages with the rules of a game."""
    return game in GAMES and find_presentation(game, next(iter(GAMES[game].editions))).has_rules


def find_ruling_url(game: str, number: str) -> str:
    """Return where the rules of a game have a ruling."""
    first = next(iter(GAMES[game].editions))
    edition = find_presentation(game, first).ruling_editions.get(number, first)
    return f"{reverse('rules', args=[game, edition])}#{number}"


def find_seats_note(game: str) -> str:
    """Return what who chooses a game should know about its seats; empty where there is nothing to say."""
    return str(find_presentation(game, next(iter(GAMES[game].editions))).seats_note) if game in GAMES else ""
