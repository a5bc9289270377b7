"""One participant at one seat of one leg: its process, its clock, and what it has been told."""

import math
from dataclasses import dataclass

from arena.runner import protocol
from arena.runner.clock import Clock, OutOfTimeError, Spent
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import Answer, MalformedAnswerError, Ready, Table
from arena.runner.sandbox.base import BotError, BotProcess, Sandbox
from arena.runner.text import visible
from arena.runner.verdict import Verdict
from engine.core import Json, Outcome, Seat, State
from engine.message import Message, MessageError, gettext_noop, message

MAX_SENT_CHARS = 2000
"""Characters of what a bot sent that are kept for its owner."""


class StartError(MessageError):
    """The bot did not get as far as being ready. The message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a participant went out of a leg. Only its owner may see it."""

    verdict: Verdict
    message: Message
    sent: str | None
    """What the bot sent, shortened."""
    request: Json | None
    """The message it was to answer, with the legal actions."""
    stderr: str = ""
    """The last line of the bot's log, where it ended before its time."""


class SeatPlay:
    """A seat and the process that plays it. Closed by whoever made it."""

    def __init__(self, seat: Seat, program: Program, limits: Limits) -> None:
        self.seat = seat
        self.program = program
        self.limits = limits
        self.clock = Clock(limits.move_ms, limits.bank_ms)
        self.ready = Ready()
        self.heard = 0
        self.process: BotProcess | None = None
        self.request: Json | None = None
        self.sent: bytes | None = None
        self.stderr_end = ""
        self.fault: Fault | None = None

    def start(self, sandbox: Sandbox, table: Table) -> None:
        """Start the bot and greet it. Raises StartError and SandboxError."""
        self.request = protocol.hello(table, self.seat)
        self.process = sandbox.start(self.program, self.limits)
        try:
            self.sent = self.process.ask(protocol.encode(self.request), self.limits.start_ms / 1000)
            Clock(self.limits.start_ms, math.inf).charge(self.spent())
            self.ready = protocol.parse_ready(self.sent)
        except (BotError, MalformedAnswerError, OutOfTimeError) as error:
            self.sent = error.sent if isinstance(error, BotError) else self.sent
            self.stderr_end = error.stderr if isinstance(error, BotError) else ""
            raise StartError(message(gettext_noop("the bot did not start: %(error)s"), error=error.message)) from error

    def ask(self, state: State, legal: list[str] | None) -> Answer:
        """Put the present decision to the bot. Raises BotError, MalformedAnswerError, OutOfTimeError."""
        assert self.process is not None
        request = protocol.turn(state, self.seat, self.heard, has_view=self.ready.view, legal=legal)
        self.request, self.sent = request | {"bank_ms": int(self.clock.bank_ms)}, None
        self.heard = state.log_length
        try:
            self.sent = self.process.ask(protocol.encode(self.request), self.clock.allowance_ms / 1000)
        except BotError as error:
            self.sent, self.stderr_end = error.sent, error.stderr
            raise
        self.clock.charge(self.spent())
        return protocol.parse_answer(self.sent)

    def spent(self) -> Spent:
        """Return what the last answer took."""
        assert self.process is not None
        return Spent(self.process.wall_s * 1000, self.process.cpu_s * 1000, self.process.late_s * 1000)

    def blame(self, verdict: Verdict, reason: Message, state: State) -> None:
        """Keep what the owner should know of a fault, and end the process."""
        request = self.request
        if request is not None and request.get("type") == "turn" and "legal" not in request:
            request = {**request, "legal": [state.text(move) for move in state.moves()]}
        sent = printable(self.sent) if self.sent else None
        self.fault = Fault(verdict, reason, sent, request, self.stderr_end)
        self.close()

    def dismiss(self, state: State, outcome: Outcome, verdicts: list[str]) -> None:
        """Send the end of the leg to a bot that is still in it."""
        if self.process is None or self.fault is not None:
            return
        self.process.dismiss(protocol.encode(protocol.end(outcome, verdicts, state.events(self.seat, self.heard))))

    def close(self, grace_s: float = 0.0) -> None:
        """End the process, after `grace_s` for it to exit by itself."""
        if self.process is not None:
            self.process.close(grace_s)

    @property
    def stderr(self) -> str:
        """Return the end of the bot's log."""
        return self.process.stderr() if self.process else ""


def printable(sent: bytes) -> str:
    """Return what a bot sent as text that can be stored and shown anywhere."""
    text = visible(sent[: MAX_SENT_CHARS + 1].decode(errors="replace"))
    return text if len(text) <= MAX_SENT_CHARS else text[:MAX_SENT_CHARS] + "…"
