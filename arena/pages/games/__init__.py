"""How each game looks and reads on a replay page. A game that isn't listed here is shown as plain actions."""

from collections.abc import Callable, Mapping

from arena.pages.games import battalion, battleline, plain
from arena.pages.games.presentation import Presentation
from engine.registry import GAMES

PRESENTATIONS: Mapping[str, Callable[[str], Presentation]] = {
    "battleline": battleline.present_edition,
    "battalion": battalion.present_edition,
}
"""By game, what returns the presentation of an edition."""


def find_presentation(game: str, edition: str) -> Presentation:
    """Return the presentation of an edition; plain actions for an unknown game."""
    return PRESENTATIONS[game](edition) if game in PRESENTATIONS else plain.PRESENTATION


def find_seats_note(game: str) -> str:
    """Return what who chooses a game should know about its seats; empty where there is nothing to say."""
    return str(find_presentation(game, next(iter(GAMES[game].editions))).seats_note) if game in GAMES else ""
