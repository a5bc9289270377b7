"""Have a bot decide in a live game: hand the game to the runner, and store what comes back."""

from collections.abc import Callable
from time import monotonic

from arena.livegames.models import LiveAttempt
from arena.livegames.services.answering import build_turn_spec, fail_answer, record_answer_heartbeat, store_answer
from arena.log_context import log_with
from arena.matches.play import carry_out
from arena.runner.leg import Heartbeat, LegProgress
from arena.runner.live_turn import TurnReport, TurnSpec

HEARTBEAT_INTERVAL_S = 3.0
Answer = Callable[[TurnSpec, Heartbeat], TurnReport]
"""A function that has a bot decide and calls the heartbeat now and then, which may raise to stop it."""


def answer_attempt(*, attempt: LiveAttempt, answer: Answer) -> bool:
    """Have the bot of an attempt decide, and store that or the failure. Return whether a decision was stored."""
    with log_with(live_game_id=attempt.game_id):
        return _answer_attempt(attempt, answer)


def _answer_attempt(attempt: LiveAttempt, answer: Answer) -> bool:
    def answer_and_store() -> None:
        store_answer(attempt=attempt, report=answer(build_turn_spec(attempt), make_heartbeat(attempt)))

    return carry_out(attempt, answer_and_store, lambda error: fail_answer(attempt=attempt, error=error))


def make_heartbeat(attempt: LiveAttempt) -> Heartbeat:
    """Return the function that the runner calls while a bot thinks. It raises AttemptLost."""
    due = monotonic() + HEARTBEAT_INTERVAL_S

    def beat_when_due(_: LegProgress | None) -> None:
        nonlocal due
        if monotonic() >= due:
            record_answer_heartbeat(attempt=attempt)
            due = monotonic() + HEARTBEAT_INTERVAL_S

    return beat_when_due
