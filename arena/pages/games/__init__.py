"""How each game looks and speaks on a replay page: the one list. A game that isn't in it is shown as plain actions."""

from collections.abc import Callable, Mapping

from arena.pages.games import battalion, battleline, plain
from arena.pages.games.picture import Picture

PICTURES: Mapping[str, Callable[[str], Picture]] = {"battleline": battleline.picture, "battalion": battalion.picture}
"""By game: the picture of an edition."""


def picture_of(game: str, edition: str) -> Picture:
    return PICTURES[game](edition) if game in PICTURES else plain.PICTURE
