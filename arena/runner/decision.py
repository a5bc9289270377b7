"""Ask a bot for a decision, and tell whose fault it is where that fails."""

from arena.runner.clock import OutOfTimeError
from arena.runner.protocol import Answer, MalformedAnswerError
from arena.runner.sandbox.base import (
    BotExitedError,
    BotOutOfMemoryError,
    BotOverflowError,
    BotTimeoutError,
    UnexpectedOutputError,
)
from arena.runner.seat import SeatPlay, StartError
from arena.runner.verdict import Verdict
from engine.core import IllegalAction, Json, MalformedAction, Move, State
from engine.message import MessageError

EVAL_DECIMALS = 4
"""Decimals of a bot's estimate of its chances that a record keeps."""
MIN_DELAY_RECORDED_MS = 10.0
"""Shorter delays by this machine are not recorded."""

VERDICTS: dict[type[MessageError], Verdict] = {
    IllegalAction: Verdict.ILLEGAL,
    MalformedAction: Verdict.MALFORMED,
    MalformedAnswerError: Verdict.MALFORMED,
    UnexpectedOutputError: Verdict.MALFORMED,
    BotTimeoutError: Verdict.TIMEOUT,
    OutOfTimeError: Verdict.TIMEOUT,
    BotExitedError: Verdict.CRASH,
    BotOutOfMemoryError: Verdict.MEMORY,
    BotOverflowError: Verdict.OUTPUT,
    StartError: Verdict.START,
}
"""The verdict for each kind of error."""
FAULTS = tuple(VERDICTS)


def ask_for_move(play: SeatPlay, state: State) -> tuple[Move, Json]:
    """Return the move of the bot whose turn it is, and its entry in the record. Raises one of FAULTS."""
    legal = state.actions() if play.ready.legal else None
    answer = play.ask(state, None if legal is None else list(legal))
    move = legal[answer.action] if legal is not None and answer.action in legal else state.parse(answer.action)
    return move, build_entry(play, answer, state.text(move))


def build_entry(play: SeatPlay, answer: Answer, action: str) -> Json:
    """Return the entry of a record for a decision that a bot has made."""
    spent = play.spent
    entry: Json = {"seat": play.seat, "action": action, "ms": round(spent.wall_ms), "cpu_ms": round(spent.cpu_ms)}
    if spent.late_ms >= MIN_DELAY_RECORDED_MS:
        entry["late_ms"] = round(spent.late_ms)
    if answer.note is not None:
        entry["note"] = answer.note
    if answer.eval is not None:
        entry["eval"] = round(answer.eval, EVAL_DECIMALS)
    return entry


def record_fault(play: SeatPlay, error: MessageError, state: State) -> None:
    """Record the fault that an error means, and end the bot."""
    verdict = next(verdict for kind, verdict in VERDICTS.items() if isinstance(error, kind))
    play.record_fault(verdict, error.message, state)
