"""The state of Battle Line."""

from engine.core import State
from engine.games.battleline.play import Play


class BattleLineState(Play, State):
    """A play of Battle Line in progress. It isn't compiled, since `State` isn't."""

    __slots__ = ()
