"""The list of all games. A new game is one folder under `engine/games` and one line here."""

from collections.abc import Mapping

from engine.core import Game
from engine.games.battalion.game import Battalion
from engine.games.battleline.game import BattleLine
from engine.message import MessageError, gettext_noop, message, quote

GAMES: Mapping[str, Game] = {game.key: game for game in (BattleLine(), Battalion())}


class UnknownGame(MessageError, LookupError):
    """No game has this key. The message lists those there are."""


def find_game(key: str) -> Game:
    """Return the game with this key. Raises UnknownGame."""
    if key not in GAMES:
        raise UnknownGame(
            message(
                gettext_noop("there is no game %(game)s; there are: %(games)s"),
                game=quote(key),
                games=", ".join(GAMES),
            )
        )
    return GAMES[key]
