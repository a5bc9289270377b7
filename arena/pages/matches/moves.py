"""The list of moves of a leg: every step in words, and what the answer took."""

from dataclasses import dataclass

from arena.pages.games.presentation import Line, Presentation
from arena.pages.matches.judgements import Judged, describe_judgement
from arena.pages.matches.replay import Playback, Step

SLOW_SHARE = 0.8
"""An answer that took more than this share of its limit is marked as slow."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step in the list of moves."""

    step: Step
    lines: list[Line]
    is_slow: bool = False
    judged: Judged | None = None


def list_moves(playback: Playback, presentation: Presentation, limit_ms: int) -> list[Move]:
    """Return all steps after the deal. `limit_ms` is the time for an answer in milliseconds, 0 without a limit."""
    slow_ms = SLOW_SHARE * limit_ms
    moves = []
    for step in playback.steps[1:]:
        spent = step.spent
        is_slow = bool(slow_ms and spent and spent.cost_ms > slow_ms)
        judgement = playback.judgements.get(step.number)
        judged = None if judgement is None else describe_judgement(judgement, presentation)
        moves.append(Move(step, presentation.describe_step(step), is_slow, judged))
    return moves
