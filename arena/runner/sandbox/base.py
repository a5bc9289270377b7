"""What every sandbox promises, and what can go wrong with a bot in one."""

from typing import Protocol

from arena.runner.limits import Limits
from arena.runner.program import Program


class SandboxFailure(Exception):
    """Our failure, never the bot's: it becomes nobody's verdict, and the match is played again."""


class NoSandbox(Exception):
    """No sandbox works on this machine. The message says what to install or to allow."""


class BotFault(Exception):
    """What a bot did instead of answering with a line. The message is a sentence for its author."""

    def __init__(self, message: str, sent: bytes = b"") -> None:
        super().__init__(message)
        self.sent = sent


class BotTimeout(BotFault):
    """No whole line in time."""


class BotExited(BotFault):
    """The process is gone, or nobody is left at the other end of its pipes."""


class BotOutOfMemory(BotFault):
    """The process is gone, and the reason was its memory limit."""


class BotOverflow(BotFault):
    """More output than a bot may make."""


class BotSpoke(BotFault):
    """Output that nobody asked for."""


class BotProcess(Protocol):
    """One bot in one leg."""

    answer_s: float
    """Wall seconds from the question's first byte to the answer's newline, of the last `ask`."""
    cpu_s: float
    """CPU seconds of the process from the answer before to this one; 0 where they can't be read."""

    def ask(self, line: bytes, timeout_s: float) -> bytes:
        """Write a question and return the next line without its newline. Raises BotFault."""

    def rest(self) -> None:
        """Stop the process until it is asked again, where the sandbox can do that: nobody thinks on another's time."""

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin. Never raises BotFault: what a bot does now has no consequence."""

    def close(self, grace_s: float = 0.0) -> None:
        """Wait up to `grace_s` for the bot to exit, then end all it started. Nothing of it lives on after this."""

    def stderr(self) -> str:
        """The last 64 KiB of its log. Whole after `close`."""


class Sandbox(Protocol):
    @property
    def name(self) -> str: ...

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """A fresh process that runs the program. Raises SandboxFailure.

        The calling thread must live as long as the bot shall: a bot dies with the thread that started it.
        """
