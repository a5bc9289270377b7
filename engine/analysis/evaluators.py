"""Find the evaluator of a game and its options; few editions have one."""

from engine.analysis.battleline import BattleLineEvaluator
from engine.analysis.evaluator import Evaluator
from engine.core import Json, Seat, State
from engine.games.battleline.value import VALUE_VERSION, has_value, value_hash, win_chance
from engine.registry import GAMES


class LearntBattleLineEvaluator(BattleLineEvaluator):
    """The value function of Battle Line whose weights are learnt by self-play."""

    def __init__(self) -> None:
        self.version = VALUE_VERSION
        self.weights_hash = value_hash()

    def win_chance(self, state: State, seat: Seat) -> float:
        """Return the chance of a seat by the learnt weights."""
        return win_chance(state, seat)  # type: ignore[arg-type]  # every state of this game is a `Play`


def has_evaluator(game: str, edition: str, options: Json | None = None) -> bool:
    """Return whether plays of these rules can be analysed. Without `options` they are the edition's."""
    if game != "battleline" or game not in GAMES or not has_value(edition):
        return False
    return options is None or not GAMES[game].changed_options(edition, options)


def find_evaluator(game: str, edition: str, options: Json | None = None) -> Evaluator | None:
    """Return the evaluator of these rules, or None where there is none."""
    return LearntBattleLineEvaluator() if has_evaluator(game, edition, options) else None
