"""Playing a claimed match: from rows to the runner and back."""

import logging
from collections.abc import Callable
from time import monotonic

from arena.matches.models import Attempt, Match
from arena.matches.services import AttemptLost, beat, fail_attempt, store_report
from arena.runner.limits import Limits
from arena.runner.match import MatchReport, MatchSpec

BEAT_S = 5.0
logger = logging.getLogger(__name__)
Play = Callable[[MatchSpec, Callable[[], None]], MatchReport]
"""Plays a match and calls now and then what it was given, which may raise to stop it."""


def play_attempt(*, attempt: Attempt, play: Play) -> bool:
    """Play the match that the attempt holds, and store the result or our failure. True where there is a result now."""
    try:
        report = play(match_spec(attempt.match), heartbeat(attempt))
        store_report(attempt=attempt, report=report)
    except AttemptLost as lost:
        logger.warning("%s", lost)
        return False
    except Exception as error:  # whatever it was, no bot can cause it, so it is ours
        logger.exception("%s failed", attempt)
        fail_attempt(attempt=attempt, error=f"{type(error).__name__}: {error}")
        return False
    return True


def match_spec(match: Match) -> MatchSpec:
    rows = match.participants.select_related("version__bot", "version__source", "version__binary")
    return MatchSpec(
        game=match.game,
        edition=match.edition,
        options=match.options,
        deal=match.deal,
        salts=tuple(match.legs.values_list("salt", flat=True)),
        limits=Limits(**match.limits),
        programs=tuple(row.version.program for row in rows),
    )


def heartbeat(attempt: Attempt) -> Callable[[], None]:
    """What the runner calls at every decision; it writes every few seconds. Raises AttemptLost."""
    due = monotonic() + BEAT_S

    def beat_when_due() -> None:
        nonlocal due
        if monotonic() >= due:
            beat(attempt=attempt)
            due = monotonic() + BEAT_S

    return beat_when_due
