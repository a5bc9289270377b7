"""Run trusted bots without a sandbox."""

import contextlib
import os
import signal
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from arena.runner.languages.base import BOT, KIT, Toolchain
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.build import BuildProcess, build_script_command
from arena.runner.sandbox.mounts import ENVIRONMENT, build_run_command, check_language, map_trees, translate_paths
from arena.runner.sandbox.process import ChildProcess


class WorkingFolder(Protocol):
    """The folder in which a bot runs."""

    name: str

    def cleanup(self) -> None:
        """Remove the folder if it was made for the bot."""


class UnsandboxedProcess(ChildProcess):
    """A bot that runs as this user."""

    stops_between_answers = False
    """Not stopped between answers: a stopped process would outlive a killed arena."""

    def __init__(self, folder: WorkingFolder, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        self._folder = folder
        super().__init__(argv, environment, cwd=folder.name)

    @property
    def child_id(self) -> int:
        """Return the id of the process, also before its first answer."""
        return self._child.pid

    def _find_bot(self) -> int | None:
        return self._child.pid

    def _exit_code(self) -> int:
        return self._child.returncode

    def _kill(self) -> None:
        kill_session(self._child.pid)

    def _release(self) -> None:
        self._kill()
        super()._release()
        self._folder.cleanup()


def kill_session(leader: int) -> None:
    """Kill the processes of a session. Without a sandbox, processes that left it can't be found."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Unsandboxed:
    """Run bots as the current user, with all permissions of that user and no limit of memory or processes."""

    library: str
    languages: Mapping[str, Toolchain]
    name: str = "bare"
    level: str = "bare"

    def start(
        self, program: Program, limits: Limits, process_type: type[UnsandboxedProcess] = UnsandboxedProcess
    ) -> UnsandboxedProcess:
        """Start a bot. Raises SandboxError."""
        check_language(self.languages, program.language)
        run = self.languages[program.language].run
        with ExitStack() as undo:
            try:
                folder = tempfile.TemporaryDirectory(prefix="pennant-bot-")
                undo.callback(folder.cleanup)
                _write(program.files, Path(folder.name))
                places = {BOT: folder.name, KIT: self.library, **map_trees(run.trees)}
                environment = {
                    key: translate_paths(value, places) for key, value in {**ENVIRONMENT, **run.environment}.items()
                }
                process = process_type(
                    folder, [translate_paths(word, places) for word in build_run_command(run, limits)], environment
                )
            except OSError as error:
                raise SandboxError(f"a bot could not be started: {error}") from error
            undo.pop_all()
            return process

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program. Raises BuildError and SandboxError."""
        check_language(self.languages, program.language)
        build = self.languages[program.language].build
        if build is None:
            return program, ""
        with tempfile.TemporaryDirectory(prefix="pennant-build-") as folder:
            sources, scratch = Path(folder, "bot"), Path(folder, "tmp")
            places = {BOT: str(sources), KIT: self.library, **map_trees(build.trees)}
            given = {**ENVIRONMENT, "HOME": str(scratch), "TMPDIR": str(scratch), **build.environment}
            environment = {key: translate_paths(value, places) for key, value in given.items()}
            try:
                scratch.mkdir()
                _write(program.files, sources)
                done = BuildProcess(
                    [translate_paths(word, places) for word in build_script_command(build)],
                    environment,
                    (),
                    str(sources),
                ).run(int, kill_session)
            except OSError as error:
                raise SandboxError(f"a program could not be built: {error}") from error
        return done.program(program, build.artefact, done.code)

    def fill_warm_pool(self, language: str, limits: Limits, count: int) -> None:
        """Do nothing: there is no warm pool without a sandbox."""

    def close(self) -> None:
        """Do nothing: no process waits."""


def _write(files: Mapping[str, bytes], folder: Path) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o555)
