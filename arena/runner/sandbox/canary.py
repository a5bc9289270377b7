"""Which languages really run in a sandbox: each builds and answers, or isn't offered."""

from arena.runner.languages import LANGUAGES
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotError, BuildError, Sandbox, SandboxError

QUESTION = b'{"type":"hello"}\n'
READY = b'{"type":"ready"}'


def fault_of(sandbox: Sandbox, key: str) -> str | None:
    """Return what is wrong with a language in this sandbox; None where its canary answers twice."""
    limits = Limits()
    try:
        program, _ = sandbox.build(Program("canary", 1, LANGUAGES[key].canary, key))
        process = sandbox.start(program, limits)
        try:
            answers = [process.ask(QUESTION, limits.start_ms / 1000) for _ in range(2)]
        finally:
            process.close()
    except SandboxError as failure:
        return str(failure).strip()
    except BuildError as failure:
        return f"{failure.log}\n{failure}".strip()
    except BotError as fault:
        return f"{fault} {process.stderr()}".strip()
    return None if answers == [READY, READY] else f"it answered {answers!r}"
