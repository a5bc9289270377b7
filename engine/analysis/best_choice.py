"""Find puzzles in analysed legs: "Which card is best?", where one choice is clearly better than all others.

The candidates are the mistakes that an analysis has found. Each is compared a second time, over fresh redeals and more
of them, so that a choice must be the best one twice to become an answer.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean, stdev

from engine.analysis.evaluators import Evaluator
from engine.analysis.grading import MIN_STANDARD_ERRORS, REDEALS, Comparison
from engine.core import Json, State
from engine.replay import record_hash, states

CHECK_REDEALS = 4 * REDEALS
"""Redeals of the second comparison."""
CHOICES_CHECKED = 6
"""The best choices by the analysis that are compared again, beside what was played."""
MIN_LEAD = 0.05
"""The best choice is better than the second by this chance at least."""
CLEAR_LEADS = (0.20, 0.14, 0.10, 0.07)
"""A puzzle whose best choice leads by this much at least has difficulty 1, 2, 3, 4; below that it has 5."""
PLAYING = "play"
"""The decision that is asked for."""


@dataclass(frozen=True, slots=True)
class BestChoice:
    """A decision of a record with one choice that is clearly the best."""

    turn: int
    """The number of actions before the position."""
    seat: int
    hand: tuple[str, ...]
    legal: tuple[str, ...]
    best: str
    played: str
    chances: dict[str, float]
    """The chance to win after the best choices and what was played, best first, from 0 to 1."""
    error: float
    """Standard error of the lead of the best choice over the second."""
    difficulty: int
    """From 1 to 5: the nearer the second choice, the harder."""
    position_hash: str
    """Hash of what the seat sees."""

    @property
    def question(self) -> Json:
        """Return what is asked: the seat's hand and its legal actions."""
        return {"hand": list(self.hand), "legal": list(self.legal)}

    @property
    def solution(self) -> Json:
        """Return the best action, the action that was played, and the chances."""
        return {"best": self.best, "played": self.played, "chances": self.chances, "error": self.error}


def find_best_choices(record: Json, analysis: Json, evaluator: Evaluator) -> Iterator[BestChoice]:
    """Yield the puzzles among the mistakes that the analysis of a record has found, in order."""
    mistakes = {one["number"]: one for one in analysis["decisions"] if is_candidate(one)}
    for turn, state in enumerate(states(record)):
        if turn in mistakes:
            puzzle = check_choice(state, turn, mistakes[turn], evaluator, record_hash(record))
            if puzzle is not None:
                yield puzzle


def is_candidate(decision: Json) -> bool:
    """Return whether a decision has a judgement, and the analysis found one choice clearly better than the others."""
    if decision["judgement"] is None or len(decision["choices"]) < 2:
        return False
    first, second = sorted(decision["choices"].values(), reverse=True)[:2]
    return bool(first - second >= MIN_LEAD)


def check_choice(state: State, turn: int, mistake: Json, evaluator: Evaluator, seed: str) -> BestChoice | None:
    """Compare the choices of a mistake again, and return the puzzle if the best one leads as clearly; else None.

    Positions with a claim to make aren't asked: a claim is never compared with other choices.
    """
    seat = state.to_act
    assert seat is not None
    seen, actions = state.view(seat), state.actions()
    if seen["decision"] != PLAYING or not all(evaluator.is_graded(state, move) for move in actions.values()):
        return None
    ranked = sorted(mistake["choices"], key=lambda action: -mistake["choices"][action])
    compared = list(dict.fromkeys([*ranked[:CHOICES_CHECKED], mistake["action"]]))
    comparison = Comparison(state, evaluator, Random(f"{seed}/{turn}/puzzle"), CHECK_REDEALS)
    chances = {action: comparison.chances(actions[action], CHECK_REDEALS) for action in compared}
    ranked = sorted(compared, key=lambda action: -fmean(chances[action]))
    best, *others = ranked
    leads = [measure_lead(chances[best], chances[other]) for other in others]
    if best != mistake["better"] or best == mistake["action"] or not all(is_clear(*lead) for lead in leads):
        return None
    lead, error = leads[0]
    return BestChoice(
        turn=turn,
        seat=seat,
        hand=tuple(seen["hand"]),
        legal=tuple(actions),
        best=best,
        played=mistake["action"],
        chances={action: round(fmean(chances[action]), 6) for action in ranked},
        error=round(error, 6),
        difficulty=1 + sum(lead < least for least in CLEAR_LEADS),
        position_hash=hashlib.sha256(f"best {seat} {json.dumps(seen, sort_keys=True)}".encode()).hexdigest(),
    )


def measure_lead(best: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the mean difference of two choices over the same redeals, and its standard error."""
    differences = [one - two for one, two in zip(best, other, strict=True)]
    return fmean(differences), stdev(differences) / math.sqrt(len(differences))


def is_clear(lead: float, error: float) -> bool:
    """Return whether a lead is large enough, and more than chance."""
    return lead >= MIN_LEAD and lead > MIN_STANDARD_ERRORS * error
