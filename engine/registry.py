"""The games there are: the one list. A new game is one folder under `engine/games` and one line here."""

from collections.abc import Mapping

from engine.core import Game
from engine.games.battalion.game import Battalion
from engine.games.battleline.game import BattleLine

GAMES: Mapping[str, Game] = {game.key: game for game in (BattleLine(), Battalion())}


class UnknownGame(LookupError):
    """No game has this key. The message lists those there are."""


def find_game(key: str) -> Game:
    if key not in GAMES:
        raise UnknownGame(f"there is no game {key!r}; there are: {', '.join(GAMES)}")
    return GAMES[key]
