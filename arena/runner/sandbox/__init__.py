"""Where bots run. One file a sandbox, one line in SANDBOXES."""

from collections.abc import Callable

from arena.runner.sandbox.base import NoSandboxError, Sandbox, SandboxError
from arena.runner.sandbox.find import examine, find_bare, find_bwrap, find_fence, find_sandbox

SANDBOXES: dict[str, Callable[[], Sandbox]] = {"bwrap": find_bwrap, "fence": find_fence}
"""How each is found, with Python only. Only what keeps strangers' bots in belongs here, so not the bare one."""

__all__ = [
    "SANDBOXES",
    "NoSandboxError",
    "Sandbox",
    "SandboxError",
    "examine",
    "find_bare",
    "find_bwrap",
    "find_fence",
    "find_sandbox",
]
