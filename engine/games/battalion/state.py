"""The state of Battalion."""

from engine.core import State
from engine.games.battalion.play import Play


class BattalionState(Play, State):
    """A play of Battalion in progress. It isn't compiled, since `State` isn't."""

    __slots__ = ()
