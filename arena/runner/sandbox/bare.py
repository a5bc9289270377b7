"""No walls at all: for bots one would run by hand anyway."""

import contextlib
import os
import signal
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from arena.runner.limits import Limits
from arena.runner.program import ENTRY, Program
from arena.runner.sandbox.base import SandboxFailure
from arena.runner.sandbox.process import ChildProcess, describe_exit


class BareProcess(ChildProcess):
    freezes = False
    """A stopped process without walls would outlive a killed arena."""

    def __init__(self, folder: tempfile.TemporaryDirectory[str], python: str, library: str) -> None:
        self._folder = folder
        environment = {
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "PYTHONHASHSEED": "0",
            "PYTHONPATH": library,
        }
        argv = [python, "-s", "-S", "-B", "-X", "utf8", str(Path(folder.name, ENTRY))]
        super().__init__(argv, environment)

    def _find_bot(self) -> int | None:
        return self._child.pid

    def _ending(self) -> str:
        return describe_exit(self._child.returncode)

    def _kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)

    def _release(self) -> None:
        self._kill()
        super()._release()
        self._folder.cleanup()


@dataclass(frozen=True, slots=True)
class BareSandbox:
    """Bots run as this user, with everything this user may do. Memory and processes are not limited."""

    python: str
    library: str
    name: str = "bare"

    def start(self, program: Program, limits: Limits) -> BareProcess:
        with ExitStack() as undo:
            try:
                folder = tempfile.TemporaryDirectory(prefix="pennant-bot-")
                undo.callback(folder.cleanup)
                for path, content in program.files.items():
                    target = Path(folder.name, path)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(content)
                process = BareProcess(folder, self.python, self.library)
            except OSError as error:
                raise SandboxFailure(f"a bot could not be started: {error}") from error
            undo.pop_all()
            return process
