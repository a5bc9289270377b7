"""Run bots of the author's own for a debugger: outside the sandbox, in their own folder, and without a clock."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import click

from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Toolchain
from arena.runner.languages.python import ENTRY, ENVIRONMENT
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotProcess, Sandbox
from arena.runner.sandbox.unsandboxed import Unsandboxed, UnsandboxedProcess

FIRST_DEBUG_PORT = 5678
"""The port at which debuggers look for debugpy unless told otherwise."""
DEBUG_ALLOWANCE_S = 7 * 24 * 3600.0
"""Time that an answer may take while somebody debugs."""
LOCAL_ADDRESS = "127.0.0.1"


@dataclass(slots=True)
class FolderInPlace:
    """The author's folder in place of a temporary copy, so that breakpoints are where the source is."""

    name: str

    def cleanup(self) -> None:
        """Leave the folder as it is."""


class DebuggedProcess(UnsandboxedProcess):
    """A bot that may take its time."""

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line, however long it takes; nothing is charged."""
        answer = super().ask(line, DEBUG_ALLOWANCE_S)
        self.wall_s = self.cpu_s = self.late_s = 0.0
        return answer


@dataclass(frozen=True, slots=True)
class DebugSandbox:
    """A sandbox for all bots but the author's own, which wait for a debugger when they start."""

    others: Sandbox
    bare: Unsandboxed
    own: Sequence[tuple[Program, Path]]
    """The built programs of the author's, with where they were found."""
    name: str = "debug"
    level: str = "bare"
    languages: Mapping[str, Toolchain] = field(default_factory=dict)

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """Start a bot. Raises SandboxError."""
        for number, (own, path) in enumerate(self.own):
            if own is program:
                return self._start_python(path, number) if own.language == "python" else self._start_other(own, limits)
        return self.others.start(program, limits)

    def _start_python(self, path: Path, number: int) -> DebuggedProcess:
        port = FIRST_DEBUG_PORT + number
        folder, script = (path, path / ENTRY) if path.is_dir() else (path.parent, path)
        address = f"{LOCAL_ADDRESS}:{port}"
        command = [sys.executable, "-X", "frozen_modules=off", "-m", "debugpy", "--listen", address]
        environment = {**ENVIRONMENT, "PYTHONPATH": self.bare.library, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        click.echo(f"{script} waits for a debugger at {address}", err=True)
        folder_in_place = FolderInPlace(str(folder.resolve()))
        argv = [*command, "--wait-for-client", str(script.resolve())]
        return DebuggedProcess(folder_in_place, argv, environment)

    def _start_other(self, program: Program, limits: Limits) -> UnsandboxedProcess:
        process = self.bare.start(program, limits, DebuggedProcess)
        title = LANGUAGES[program.language].title
        click.echo(f"{program.name} ({title}) is process {process.child_id}. Attach a debugger, press Enter", err=True)
        sys.stdin.readline()
        return process

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program as the others' sandbox does. Raises BuildError and SandboxError."""
        return self.others.build(program)

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Do nothing: bots to debug start afresh."""

    def close(self) -> None:
        """End what the others' sandbox holds."""
        self.others.close()


def prepare_debugging(own: Sequence[tuple[Program, Path]], others: Sandbox, bare: Unsandboxed) -> DebugSandbox:
    """Return the sandbox in which these built programs wait for a debugger. Raises click.ClickException."""
    if any(program.language == "python" for program, _ in own) and find_spec("debugpy") is None:
        raise click.ClickException("--debug needs debugpy for a bot in Python: pip install debugpy")
    return DebugSandbox(others, bare, own, languages=others.languages)
