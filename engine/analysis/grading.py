"""Grade decisions by what they gave away, and advise a seat on its best choice."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, harmonic_mean, stdev

from engine.analysis.evaluators import Evaluator
from engine.core import Move, State

# Grade a decision by what it gave away, and a seat by its decisions.
#
# A choice is worth the mean chance of winning after it, over redeals of all that the seat could not know, the same
# ones for every choice. They take all hidden cards for equally likely: nothing is inferred from how the other seat
# played.

REDEALS = 32
"""Redeals by which choices are compared."""
SCREENING_REDEALS = 8
"""All choices are looked at in so many redeals, and only the best of them in all."""
CHOICES_COMPARED = 8
"""The best choices of the screening, which are compared with what was played."""
COARSE_REDEALS, COARSE_SCREENING_REDEALS, COARSE_CHOICES_COMPARED = 6, 1, 3
"""The same in a coarse pass. tests/bench/bench_analysis.py measures what it finds of what a full pass finds."""
COARSE_NEGLIGIBLE_LOSS = 0.02
"""A coarse pass takes a choice for the best one where the screening finds none that is better by more than this."""
COARSE_KNOWN_REDEALS = 3
"""Redeals of a coarse pass for the line of what a seat could know, which is 3 points off then."""
COARSE_CARDS_PER_DRAW = 20
"""Cards by which a coarse pass compares a draw: the luck of a whole leg is 1 point off then."""
MIN_STANDARD_ERRORS = 2.0
"""A loss is told only where it exceeds so many standard errors of the paired difference."""
JUDGEMENTS = ((0.20, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy"))
"""Least chance of winning that was given away, and what that is called."""
MIN_ACCURACY = 1.0
"""A harmonic mean takes no 0: one lost decision would be the whole leg."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How closely a pass looks at a leg. The redeals of a smaller effort are the first ones of a greater."""

    redeals: int
    """Redeals by which the best choices are compared with what was played."""
    screening_redeals: int
    """Redeals in which all choices are looked at."""
    choices_compared: int
    negligible_loss: float | None
    """A choice that the screening finds so near to the best one is compared no further; None: all are compared."""
    known_redeals: int
    """Redeals by which a seat's chance as it could know it is estimated."""
    cards_per_draw: int | None
    """Cards by which a draw is compared; None: all that it could have been."""
    lists_all_choices: bool
    """Whether a judgement comes with the chance after each choice, or only after those that were compared."""


FULL_EFFORT = Effort(REDEALS, SCREENING_REDEALS, CHOICES_COMPARED, None, REDEALS, None, lists_all_choices=True)
COARSE_EFFORT = Effort(
    COARSE_REDEALS,
    COARSE_SCREENING_REDEALS,
    COARSE_CHOICES_COMPARED,
    COARSE_NEGLIGIBLE_LOSS,
    COARSE_KNOWN_REDEALS,
    COARSE_CARDS_PER_DRAW,
    lists_all_choices=False,
)


@dataclass(frozen=True, slots=True)
class Grade:
    """What a decision gave away. Chances are from 0 to 1, and the deciding seat's."""

    chance: float
    """Mean chance after what was played, as the seat could know it."""
    best_chance: float
    loss: float
    """What was given away; 0 where it doesn't exceed two standard errors."""
    standard_error: float
    """Of the difference between the best choice and what was played."""
    judgement: str | None
    """A name of JUDGEMENTS, or None."""
    better: Move | None
    """The best choice, where there is a judgement."""
    choices: dict[Move, float]
    """Where there is a judgement: the mean chance after each choice that is listed. Empty elsewhere."""


def grade(state: State, played: Move, evaluator: Evaluator, rng: Random, effort: Effort = FULL_EFFORT) -> Grade | None:
    """Return the grade of a decision, or None where it isn't graded: forced moves, claims, games without lists."""
    if state.open_grammar is not None or not evaluator.is_graded(state, played):
        return None
    moves = [move for move in state.moves() if evaluator.is_graded(state, move)]
    if len(moves) < 2:
        return None
    comparison = Comparison(state, evaluator, rng, effort.redeals)
    screened = {move: fmean(comparison.chances(move, effort.screening_redeals)) for move in moves}
    best = sorted(moves, key=lambda move: -screened[move])[: effort.choices_compared]
    if effort.negligible_loss is not None and screened[best[0]] - screened[played] <= effort.negligible_loss:
        return Grade(screened[played], screened[played], 0.0, 0.0, None, None, {})
    compared = list(dict.fromkeys([*best, played]))
    better = max(compared, key=lambda move: fmean(comparison.chances(move, effort.redeals)))
    return grade_choice(comparison, moves if effort.lists_all_choices else compared, played, better)


def grade_choice(comparison: "Comparison", listed: Sequence[Move], played: Move, better: Move) -> Grade:
    """Return the grade of what was played, beside the best choice, with the chances after those `listed`."""
    count = len(comparison.redeals)
    own, best = (comparison.chances(move, count) for move in (played, better))
    differences = [one - other for one, other in zip(best, own, strict=True)]
    error = stdev(differences) / math.sqrt(count)
    difference = fmean(differences)
    loss = difference if difference > MIN_STANDARD_ERRORS * error else 0.0
    judgement = name_judgement(loss)
    return Grade(
        chance=fmean(own),
        best_chance=fmean(best),
        loss=loss,
        standard_error=error,
        judgement=judgement,
        better=better if judgement else None,
        choices={move: fmean(comparison.chances(move, count)) for move in listed} if judgement else {},
    )


class Comparison:
    """The chances of one seat after each of its choices, in the same redeals for all."""

    def __init__(self, state: State, evaluator: Evaluator, rng: Random, redeals: int = REDEALS) -> None:
        assert state.to_act is not None
        self.seat = state.to_act
        self.evaluator = evaluator
        self.redeals = [state.redeal(self.seat, rng) for _ in range(redeals)]
        self.known: dict[Move, list[float]] = {}
        """By choice: the chances in the first redeals, as far as they were computed."""

    def chances(self, move: Move, count: int) -> list[float]:
        """Return the seat's chances after a choice in the first `count` redeals."""
        known = self.known.setdefault(move, [])
        for redeal in self.redeals[len(known) : count]:
            after = redeal.copy()
            after.play(move)
            known.append(self.evaluator.chance(after, self.seat))
        return known[:count]


def name_judgement(loss: float) -> str | None:
    """Return what a loss of winning chance is called; None below five points."""
    return next((name for least, name in JUDGEMENTS if loss >= least), None)


def compute_move_accuracy(loss: float) -> float:
    """Return the accuracy of a decision in percent, by the loss of winning chance from 0 to 1."""
    return max(MIN_ACCURACY, min(100.0, 103.17 * math.exp(-0.04354 * 100 * loss) - 3.17))


def compute_accuracy(losses: Sequence[float]) -> float | None:
    """Return the accuracy of a seat in percent, the harmonic mean over its decisions; None without any."""
    return harmonic_mean([compute_move_accuracy(loss) for loss in losses]) if losses else None


# Advise a seat on its decision: the best choice and the second best, from what the seat can know alone.
#
# All chance is the same for every position, and hidden cards are put in order before they are dealt anew. So two
# states that a seat can't tell apart give the same advice to the digit, and it tells nothing of the cards that are
# hidden.

HINT_SEED = "hint"


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
    comparison = Comparison(evaluator.order_hidden(state, state.to_act), evaluator, Random(HINT_SEED))
    moves = list(state.moves())
    screened = {move: fmean(comparison.chances(move, SCREENING_REDEALS)) for move in moves}
    moves = sorted(moves, key=lambda move: -screened[move])[:CHOICES_COMPARED]
    moves += [move for move in screened if not evaluator.is_graded(state, move) and move not in moves]
    chances = {move: fmean(comparison.chances(move, REDEALS)) for move in moves}
    ranked = sorted(moves, key=lambda move: (evaluator.is_graded(state, move), -chances[move]))
    rated = [RatedChoice(state.text(move), round(chances[move], 6)) for move in ranked[:2]]
    return Hint(rated[0], rated[1] if len(rated) > 1 else None)
