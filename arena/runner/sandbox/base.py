"""Define what every sandbox provides, and what can go wrong with a bot in one."""

from collections.abc import Mapping
from typing import Protocol

from arena.runner.languages.base import Toolchain
from arena.runner.limits import Limits
from arena.runner.program import Program
from engine.message import Message, MessageError


class SandboxError(Exception):
    """Our failure, never the bot's: it becomes nobody's verdict, and the match is played again."""


class NoSandboxError(Exception):
    """No sandbox works on this machine. The message says what to install or to allow."""


class BotError(MessageError):
    """A bot did not answer with a line. The message is for its author.

    `sent` is the unfinished or unwanted output, and `stderr` the last line of its log, which only its author may see.
    """

    def __init__(self, message: Message, sent: bytes = b"", stderr: str = "") -> None:
        super().__init__(message)
        self.sent = sent
        self.stderr = stderr


class BotTimeoutError(BotError):
    """No whole line in time."""


class BotExitedError(BotError):
    """The process is gone, or nobody is left at the other end of its pipes."""


class BotOutOfMemoryError(BotError):
    """The process is gone, and the reason was its memory limit."""


class BotOverflowError(BotError):
    """More output than a bot may make."""


class UnexpectedOutputError(BotError):
    """Output that nobody asked for."""


class BuildError(MessageError):
    """A source could not be built, which is for its author to mend. `log` is the compiler's output."""

    def __init__(self, message: Message, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class BotProcess(Protocol):
    """One bot in one leg. It runs only while it is asked: stopped from each answer to the next question."""

    wall_s: float
    """Seconds from the question's first byte to the answer's newline, of the last `ask`."""
    cpu_s: float
    """CPU seconds of the whole bot from the answer before to this one; 0 where they can't be read."""
    late_s: float
    """Of `wall_s`, how long the bot or the arena was ready to run and this machine had no processor for it."""

    @property
    def pid(self) -> int | None:
        """Of the bot's own process, once it has answered; None before that, and where it can't be known."""

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a question and return the next line without its newline. Raises BotError.

        The bot may use `allowance_s` of CPU, and WALL_FACTOR times as long by the wall clock, lateness of this machine
        not counted; BotTimeoutError beyond either.
        """

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin. Never raises BotError: what a bot does now has no consequence."""

    def close(self, grace_s: float = 0.0) -> None:
        """Wait up to `grace_s` for the bot to exit, then end all it started. Nothing of it lives on after this."""

    def stderr(self) -> str:
        """Return the last 64 KiB of its log, which is complete after `close`."""


class Sandbox(Protocol):
    """A way to run bots."""

    @property
    def name(self) -> str:
        """Return the name of this kind of sandbox."""

    @property
    def level(self) -> str:
        """What it holds back: a key of LEVELS, or "bare"."""

    @property
    def languages(self) -> Mapping[str, Toolchain]:
        """By key, what was found here and has run in this sandbox."""

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """Start the program in a fresh process. Raises SandboxError.

        The calling thread must live as long as the bot shall: a bot dies with the thread that started it.
        """

    def build(self, program: Program) -> tuple[Program, str]:
        """Return the program as it is run, and the compiler's log.

        The program is the same where its language needs no building. Raises BuildError and SandboxError.
        """

    def park(self, language: str, limits: Limits, count: int) -> None:
        """Have so many processes of that language wait for their program, as far as this sandbox can do that."""

    def close(self) -> None:
        """End whatever is parked."""
