"""The list of all games: those of `engine/games`, a folder and a line here each, and those that PENNANT_GAMES adds."""

import os
from collections.abc import Mapping

from engine.core import Game
from engine.games.battalion.game import Battalion
from engine.games.battleline.game import BattleLine
from engine.message import MessageError, gettext_noop, message, quote
from engine.packages import VARIABLE, BadGamePackage, GamePackage, list_packages

BUILT_IN_GAMES: Mapping[str, Game] = {game.key: game for game in (BattleLine(), Battalion())}
PACKAGES: Mapping[str, GamePackage] = {
    package.game.key: package for package in list_packages(os.environ.get(VARIABLE, ""))
}
"""By key of the game: the packages from outside the tree."""
if taken := BUILT_IN_GAMES.keys() & PACKAGES.keys():
    raise BadGamePackage(f"{VARIABLE}: there is a game {', '.join(sorted(taken))} already; choose another key")
GAMES: Mapping[str, Game] = {**BUILT_IN_GAMES, **{key: package.game for key, package in PACKAGES.items()}}


class UnknownGame(MessageError, LookupError):
    """No game has this key, or its package is not installed now. The message lists those there are."""

    def __init__(self, key: str) -> None:
        template = gettext_noop("no game %(game)s; games are: %(games)s")
        super().__init__(message(template, game=quote(key), games=", ".join(GAMES)))
        self.key = key


def find_game(key: str) -> Game:
    """Return the game with this key. Raises UnknownGame."""
    if key not in GAMES:
        raise UnknownGame(key)
    return GAMES[key]
