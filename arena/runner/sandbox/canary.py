"""Test a language in a sandbox by building and asking its canary program."""

from arena.runner.languages import LANGUAGES
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotError, BuildError, Sandbox, SandboxError

HELLO_LINE = b'{"type":"hello"}\n'
READY_LINE = b'{"type":"ready"}'


def find_language_fault(sandbox: Sandbox, key: str) -> str | None:
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
        return str(failure).strip()
    except BuildError as failure:
        return f"{failure.log}\n{failure}".strip()
    except BotError as fault:
        return f"{fault} {process.stderr()}".strip()
    return None if answers == [READY_LINE, READY_LINE] else f"it answered {answers!r}"
