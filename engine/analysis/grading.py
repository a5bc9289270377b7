"""Grade a decision by what it gave away, and a seat by its decisions.

A choice is worth the mean chance of winning after it, over redeals of all that the seat could not know, the same ones
for every choice. They take all hidden cards for equally likely: nothing is inferred from how the other seat played.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, harmonic_mean, stdev

from engine.analysis.evaluator import Evaluator
from engine.core import Move, State

REDEALS = 32
"""Redeals by which choices are compared."""
SCREENING_REDEALS = 8
"""All choices are looked at in so many redeals, and only the best of them in all."""
CHOICES_COMPARED = 8
"""The best choices of the screening, which are compared with what was played."""
MIN_STANDARD_ERRORS = 2.0
"""A loss is told only where it exceeds so many standard errors of the paired difference."""
JUDGEMENTS = ((0.20, "blunder"), (0.10, "mistake"), (0.05, "inaccuracy"))
"""Least chance of winning that was given away, and what that is called."""
MIN_ACCURACY = 1.0
"""A harmonic mean takes no 0: one lost decision would be the whole leg."""


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
    """Where there is a judgement: the mean chance after each choice. Empty elsewhere."""


def grade(state: State, played: Move, evaluator: Evaluator, rng: Random) -> Grade | None:
    """Return the grade of a decision, or None where it isn't graded: forced moves, claims, games without lists."""
    if state.open_grammar is not None or not evaluator.is_graded(state, played):
        return None
    moves = [move for move in state.moves() if evaluator.is_graded(state, move)]
    if len(moves) < 2:
        return None
    comparison = Comparison(state, evaluator, rng)
    screened = {move: fmean(comparison.chances(move, SCREENING_REDEALS)) for move in moves}
    best = sorted(moves, key=lambda move: -screened[move])[:CHOICES_COMPARED]
    compared = list(dict.fromkeys([*best, played]))
    better = max(compared, key=lambda move: fmean(comparison.chances(move, REDEALS)))
    return grade_choice(comparison, moves, played, better)


def grade_choice(comparison: "Comparison", moves: Sequence[Move], played: Move, better: Move) -> Grade:
    """Return the grade of what was played, beside the best choice."""
    own, best = (comparison.chances(move, REDEALS) for move in (played, better))
    differences = [one - other for one, other in zip(best, own, strict=True)]
    error = stdev(differences) / math.sqrt(REDEALS)
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
        choices={move: fmean(comparison.chances(move, REDEALS)) for move in moves} if judgement else {},
    )


class Comparison:
    """The chances of one seat after each of its choices, in the same redeals for all."""

    def __init__(self, state: State, evaluator: Evaluator, rng: Random) -> None:
        assert state.to_act is not None
        self.seat = state.to_act
        self.evaluator = evaluator
        self.redeals = [state.redeal(self.seat, rng) for _ in range(REDEALS)]
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
