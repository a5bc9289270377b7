"""Where bots run. One file a sandbox, one line in SANDBOXES."""

from collections.abc import Callable

from arena.runner.sandbox.base import NoSandbox, Sandbox, SandboxFailure
from arena.runner.sandbox.find import find_bare, find_bwrap

SANDBOXES: dict[str, Callable[[], Sandbox]] = {"bwrap": find_bwrap}
"""How each is found, the best first. Only what keeps strangers' bots in belongs here, so not the bare one."""

__all__ = [
    "SANDBOXES",
    "NoSandbox",
    "Sandbox",
    "SandboxFailure",
    "find_bare",
    "find_sandbox",
]


def find_sandbox() -> Sandbox:
    """The first sandbox that works here, tried out just now with a bot (tens of milliseconds). Raises NoSandbox."""
    reasons = []
    for find in SANDBOXES.values():
        try:
            return find()
        except NoSandbox as missing:
            reasons.append(str(missing))
    raise NoSandbox(" ".join(reasons))
