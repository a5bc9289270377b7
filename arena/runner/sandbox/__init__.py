"""Run bots in sandboxes: one file for each kind, one line in `detection.CANDIDATES`."""

from arena.runner.sandbox.base import NoSandboxError, Sandbox, SandboxError
from arena.runner.sandbox.detection import examine, find_sandbox, find_unsandboxed

__all__ = ["NoSandboxError", "Sandbox", "SandboxError", "examine", "find_sandbox", "find_unsandboxed"]
