"""Run the bot at one seat of one leg: its process, its clock and its requests."""

import math
from dataclasses import dataclass

from arena.runner import protocol
from arena.runner.clock import Clock, OutOfTimeError, TimeSpent
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.protocol import Answer, LegInfo, MalformedAnswerError, Ready
from arena.runner.sandbox.base import BotError, BotProcess, Sandbox
from arena.runner.text import make_visible
from arena.runner.verdict import Verdict
from engine.core import Json, Outcome, Seat, State
from engine.message import Message, MessageError, gettext_noop, message

MAX_SENT_CHARS = 2000
"""Length to which the output kept for a bot's owner is cut."""


class StartError(MessageError):
    """The bot failed to start. The message says why."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why a seat forfeited, with details that only the bot's owner may see."""

    verdict: Verdict
    message: Message
    sent: str | None
    """Last output of the bot, shortened."""
    request: Json | None
    """The request that the bot did not answer correctly, with the legal actions."""
    stderr: str = ""
    """The last line of the bot's log, if its process ended."""


class SeatPlay:
    """A seat and the process that plays it, which the caller must close."""

    def __init__(self, seat: Seat, program: Program, limits: Limits) -> None:
        self.seat = seat
        self.program = program
        self.limits = limits
        self.clock = Clock(limits.move_ms, limits.bank_ms, limits.elapsed_ms)
        self.ready = Ready()
        self.events_sent = 0
        self.process: BotProcess | None = None
        self.spent = TimeSpent(0.0, 0.0)
        """Time that the last answer took; 0 while there is none to the last request."""
        self.request: Json | None = None
        self.sent: bytes | None = None
        self.stderr_end = ""
        self.fault: Fault | None = None

    def start(self, sandbox: Sandbox, table: LegInfo) -> None:
        """Start the bot and send it `hello`. Raises StartError and SandboxError."""
        self.request = protocol.build_hello(table, self.seat)
        self.process = sandbox.start(self.program, self.limits)
        try:
            self.sent = self.process.ask(protocol.encode(self.request), self.limits.start_ms / 1000)
            self.spent = read_time_spent(self.process)
            Clock(self.limits.start_ms, math.inf).charge(self.spent)
            self.clock.count_elapsed(self.spent)
            self.ready = protocol.parse_ready(self.sent)
        except (BotError, MalformedAnswerError, OutOfTimeError) as error:
            self.sent = error.sent if isinstance(error, BotError) else self.sent
            self.stderr_end = error.stderr if isinstance(error, BotError) else ""
            raise StartError(message(gettext_noop("the bot did not start: %(error)s"), error=error.message)) from error

    def ask(self, state: State, legal: list[str] | None) -> Answer:
        """Ask the bot for the present decision. Raises BotError, MalformedAnswerError, OutOfTimeError."""
        assert self.process is not None
        request = protocol.build_turn(state, self.seat, self.events_sent, has_view=self.ready.view, legal=legal)
        request["bank_ms"] = int(self.clock.bank_ms)
        self.request, self.sent, self.spent = request, None, TimeSpent(0.0, 0.0)
        self.events_sent = state.log_length
        try:
            self.sent = self.process.ask(protocol.encode(request), self.clock.allowance_ms / 1000)
        except BotError as error:
            self.sent, self.stderr_end = error.sent, error.stderr
            raise
        self.spent = read_time_spent(self.process)
        self.clock.charge(self.spent)
        return protocol.parse_answer(self.sent)

    def record_fault(self, verdict: Verdict, reason: Message, state: State) -> None:
        """Record a fault for the bot's owner and end the process."""
        request = self.request
        if request is not None and request.get("type") == "turn" and "legal" not in request:
            request = {**request, "legal": [state.text(move) for move in state.moves()]}
        sent = shorten_output(self.sent) if self.sent else None
        self.fault = Fault(verdict, reason, sent, request, self.stderr_end)
        self.close()

    def dismiss(self, state: State, outcome: Outcome, verdicts: list[str]) -> None:
        """Send the end of the leg to the bot, unless it had a fault."""
        if self.process is None or self.fault is not None:
            return
        self.process.dismiss(
            protocol.encode(protocol.build_end(outcome, verdicts, state.events(self.seat, self.events_sent)))
        )

    def close(self, grace_s: float = 0.0) -> None:
        """End the process, after waiting up to `grace_s` for it to exit."""
        if self.process is not None:
            self.process.close(grace_s)

    @property
    def stderr(self) -> str:
        """Return the end of the bot's log."""
        return self.process.stderr() if self.process else ""


def read_time_spent(process: BotProcess) -> TimeSpent:
    """Return the time that the last answer of a process took."""
    return TimeSpent(process.wall_s * 1000, process.cpu_s * 1000, process.late_s * 1000)


def shorten_output(sent: bytes) -> str:
    """Return the output of a bot as text that can be stored and shown, shortened."""
    text = make_visible(sent[: MAX_SENT_CHARS + 1].decode(errors="replace"))
    return text if len(text) <= MAX_SENT_CHARS else text[:MAX_SENT_CHARS] + "…"
