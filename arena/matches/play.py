"""Playing a claimed match: from rows to the runner and back."""

import logging
from collections.abc import Callable
from time import monotonic

from arena.matches.models import Attempt, Match
from arena.matches.services import AttemptLost, beat, fail_attempt, store_report
from arena.runner.leg import Heartbeat, Underway
from arena.runner.limits import Limits
from arena.runner.match import MatchReport, MatchSpec
from engine.message import literal

BEAT_S = 5.0
SHOW_S = 0.9
"""So often what has been played is stored for those who watch: a little more often than a player tells it."""
logger = logging.getLogger(__name__)
Play = Callable[[MatchSpec, Heartbeat], MatchReport]
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
        fail_attempt(attempt=attempt, error=literal(f"{type(error).__name__}: {error}"))
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


def heartbeat(attempt: Attempt) -> Heartbeat:
    """What the runner calls at every decision; it writes every few seconds, and of a match that has run for a moment
    how far it is about once a second. Raises AttemptLost."""
    due, show_at = monotonic() + BEAT_S, monotonic() + SHOW_S
    shown = (0, 0)

    def beat_when_due(underway: Underway | None) -> None:
        nonlocal due, show_at, shown
        at = monotonic()
        now = shown if underway is None else (underway.leg, len(underway.actions))
        if now != shown and at >= show_at:
            beat(attempt=attempt, underway=underway)
            shown, show_at = now, at + SHOW_S
        elif at >= due:
            beat(attempt=attempt)
        else:
            return
        due = at + BEAT_S

    return beat_when_due
