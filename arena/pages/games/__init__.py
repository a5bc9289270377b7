"""How each game looks and reads on a replay page. A game that isn't listed here is shown as plain actions."""

from collections.abc import Callable, Mapping

from django.urls import reverse

from arena.pages.games import battalion, battleline, plain
from arena.pages.games.presentation import Presentation
from engine.core import Json
from engine.registry import GAMES

PRESENTATIONS: Mapping[str, Callable[[str, Json | None], Presentation]] = {
    "battleline": battleline.present_edition,
    "battalion": battalion.present_edition,
}
"""By game, what returns the presentation of an edition with these options; those of the edition where None."""


def find_presentation(game: str, edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition, perhaps with other options; plain actions for an unknown game."""
    return PRESENTATIONS[game](edition, options) if game in PRESENTATIONS else plain.PRESENTATION


def find_ruling_url(game: str, number: str) -> str:
    """Return where the rules of a game have a ruling."""
    first = next(iter(GAMES[game].editions))
    edition = find_presentation(game, first).ruling_editions.get(number, first)
    return f"{reverse('rules', args=[game, edition])}#{number}"


def find_seats_note(game: str) -> str:
    """Return what who chooses a game should know about its seats; empty where there is nothing to say."""
    return str(find_presentation(game, next(iter(GAMES[game].editions))).seats_note) if game in GAMES else ""
