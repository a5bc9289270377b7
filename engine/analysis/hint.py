"""Advise a seat on its decision: the best choice and the second best, from what the seat can know alone.

All chance is the same for every position, and hidden cards are put in order before they are dealt anew. So two states
that a seat can't tell apart give the same advice to the digit, and it tells nothing of the cards that are hidden.
"""

from dataclasses import dataclass
from random import Random
from statistics import fmean

from engine.analysis.evaluator import Evaluator
from engine.analysis.grading import CHOICES_COMPARED, REDEALS, SCREENING_REDEALS, Comparison
from engine.core import State

SEED = "hint"


@dataclass(frozen=True, slots=True)
class RatedChoice:
    """An action with the seat's chance to win after it, from 0 to 1, rounded to six digits."""

    action: str
    chance: float


@dataclass(frozen=True, slots=True)
class Hint:
    """The best choice of a decision, and the second best where there is one."""

    best: RatedChoice
    second: RatedChoice | None


def find_hint(state: State, evaluator: Evaluator) -> Hint | None:
    """Return the hint for the seat that is to act; None where the game doesn't list its choices.

    A claim that is legal comes first: what can be proved is never compared with other choices.
    """
    if state.to_act is None or state.open_grammar is not None:
        return None
    comparison = Comparison(evaluator.order_hidden(state, state.to_act), evaluator, Random(SEED))
    moves = list(state.moves())
    screened = {move: fmean(comparison.chances(move, SCREENING_REDEALS)) for move in moves}
    moves = sorted(moves, key=lambda move: -screened[move])[:CHOICES_COMPARED]
    moves += [move for move in screened if not evaluator.is_graded(state, move) and move not in moves]
    chances = {move: fmean(comparison.chances(move, REDEALS)) for move in moves}
    ranked = sorted(moves, key=lambda move: (evaluator.is_graded(state, move), -chances[move]))
    rated = [RatedChoice(state.text(move), round(chances[move], 6)) for move in ranked[:2]]
    return Hint(rated[0], rated[1] if len(rated) > 1 else None)
