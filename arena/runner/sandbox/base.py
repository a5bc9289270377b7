"""Define what every sandbox provides, and what can go wrong with a bot in one."""

from collections.abc import Mapping
from typing import Protocol

from arena.runner.languages.base import Toolchain
from arena.runner.limits import Limits
from arena.runner.program import Program
from engine.message import Message, MessageError


class SandboxError(Exception):
    """The arena failed, not the bot: there is no verdict, and the match is played again."""


class NoSandboxError(MessageError):
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
    """The bot wrote no complete line in time."""


class BotExitedError(BotError):
    """The process ended or closed its pipes."""


class BotOutOfMemoryError(BotError):
    """The process ended because of its memory limit."""


class BotOverflowError(BotError):
    """The bot wrote more than is allowed."""


class UnexpectedOutputError(BotError):
    """The bot wrote without being asked."""


class BuildError(MessageError):
    """The program could not be built, by its author's fault. `log` is the compiler's output."""

    def __init__(self, message: Message, log: str = "") -> None:
        super().__init__(message)
        self.log = log


class BotProcess(Protocol):
    """One bot in one leg. It is stopped between each answer and the next request."""

    wall_s: float
    """Seconds from the first byte of the last request to the newline of its answer."""
    cpu_s: float
    """CPU seconds of all threads since the previous answer; 0 if they can't be read."""
    late_s: float
    """The part of `wall_s` in which the bot or the arena was ready to run but had no processor."""

    @property
    def pid(self) -> int | None:
        """Return the id of the bot's process once it has answered; None before that, or if it is unknown."""

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line without its newline. Raises BotError.

        The bot may use `allowance_s` of CPU, and WALL_TIME_FACTOR times as much elapsed time without delays of the
        machine. Raises BotTimeoutError beyond either.
        """

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin. Never raises BotError."""

    def close(self, grace_s: float = 0.0) -> None:
        """Wait up to `grace_s` for the bot to exit, then kill all its processes."""

    def stderr(self) -> str:
        """Return the last 64 KiB of its log, which is complete after `close`."""


class Sandbox(Protocol):
    """A way to run bots."""

    @property
    def name(self) -> str:
        """Return the name of this kind of sandbox."""

    @property
    def level(self) -> str:
        """Return the level of protection: a key of LEVELS, or "bare"."""

    @property
    def languages(self) -> Mapping[str, Toolchain]:
        """Return the languages that work in this sandbox, by key."""

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """Start the program in a fresh process. Raises SandboxError.

        The calling thread must outlive the bot: the kernel kills a bot with the thread that started it.
        """

    def build(self, program: Program) -> tuple[Program, str]:
        """Return the program as it is run, and the compiler's log.

        The program is the same where its language needs no building. Raises BuildError and SandboxError.
        """

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Start processes until `count` of this language wait in the warm pool, if the sandbox has one."""

    def close(self) -> None:
        """End the processes of the warm pool."""
