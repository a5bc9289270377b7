"""Test a language in a sandbox by building and asking its canary program."""

from arena.runner.languages import LANGUAGES
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotError, BuildError, Sandbox, SandboxError
from engine.message import Message, gettext_noop, join_messages, literal, message

MAX_LINE_LENGTH = 300
"""Length to which a line of a log is cut in the report."""
HELLO_LINE = b'{"type":"hello"}\n'
READY_LINE = b'{"type":"ready"}'


def find_language_fault(sandbox: Sandbox, key: str) -> Message | None:
    """Return what is wrong with a language in this sandbox; None if its canary answers twice."""
    limits = Limits()
    try:
        program, _ = sandbox.build(Program("canary", 1, LANGUAGES[key].canary, key))
        process = sandbox.start(program, limits)
        try:
            answers = [process.ask(HELLO_LINE, limits.start_ms / 1000) for _ in range(2)]
        finally:
            process.close()
    except SandboxError as failure:
        return literal(_read_first_line(str(failure)))
    except BuildError as failure:
        first = _read_first_line(failure.log)
        return literal(first) if first else failure.message
    except BotError as fault:
        *_, last = process.stderr().strip().split("\n")
        return join_messages(fault.message, literal(last[:MAX_LINE_LENGTH]) if last else None)
    if answers != [READY_LINE, READY_LINE]:
        return message(gettext_noop("it answered %(answers)s"), answers=repr(answers))
    return None


def _read_first_line(text: str) -> str:
    """Return the first line of a log, cut to MAX_LINE_LENGTH."""
    first, _, _ = text.strip().partition("\n")
    return first[:MAX_LINE_LENGTH]
