"""Have a bot decide in a live game: hand the game to the runner, and store what comes back."""

import logging
from collections.abc import Callable
from time import monotonic

from django.db import InterfaceError, OperationalError

from arena.errors import first_line
from arena.livegames.errors import AnswerLost
from arena.livegames.models import LiveAttempt
from arena.livegames.services.answering import build_turn_spec, fail_answer, record_answer_heartbeat, store_answer
from arena.log_context import log_with
from arena.runner.leg import Heartbeat, LegProgress
from arena.runner.live_turn import TurnReport, TurnSpec
from engine.message import literal

HEARTBEAT_INTERVAL_S = 3.0
logger = logging.getLogger(__name__)
Answer = Callable[[TurnSpec, Heartbeat], TurnReport]
"""A function that has a bot decide and calls the heartbeat now and then, which may raise to stop it."""


def answer_attempt(*, attempt: LiveAttempt, answer: Answer) -> bool:
    """Have the bot of an attempt decide, and store that or the failure. Return whether a decision was stored."""
    with log_with(live_game_id=attempt.game_id):
        return _answer_attempt(attempt, answer)


def _answer_attempt(attempt: LiveAttempt, answer: Answer) -> bool:
    try:
        store_answer(attempt=attempt, report=answer(build_turn_spec(attempt), make_heartbeat(attempt)))
    except AnswerLost as lost:
        logger.warning("%s", lost)
        return False
    except (InterfaceError, OperationalError) as error:
        # The attempt stays open and is counted as lost once its heartbeats are missed.
        logger.warning("%s is lost with the database: %s", attempt, first_line(error))
        return False
    except Exception as error:  # whatever it was, no bot can cause it, so it is ours
        logger.exception("%s failed", attempt)
        fail_answer(attempt=attempt, error=literal(f"{type(error).__name__}: {error}"))
        return False
    return True


def make_heartbeat(attempt: LiveAttempt) -> Heartbeat:
    """Return the function that the runner calls while a bot thinks. It raises AnswerLost."""
    due = monotonic() + HEARTBEAT_INTERVAL_S

    def beat_when_due(_: LegProgress | None) -> None:
        nonlocal due
        if monotonic() >= due:
            record_answer_heartbeat(attempt=attempt)
            due = monotonic() + HEARTBEAT_INTERVAL_S

    return beat_when_due
