"""Start sandboxes ahead of use: an interpreter waits inside, with its imports done, and becomes one bot.

What a bot sees and may do is the same as in a sandbox started for it: its files are written and made read-only, and the
filter of system calls is installed before its first line runs. Only the start of the interpreter is saved.
"""

import contextlib
import os
import socket
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence

from arena.runner.languages.base import BOT, KIT
from arena.runner.languages.python import ENTRY
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.bwrap_process import BwrapProcess, PassedDescriptors
from arena.runner.sandbox.pipes import OverdueError
from arena.runner.sandbox.rlimits import MIB
from engine.registry import PACKAGES

LANGUAGE = "python"
WARM_START_SCRIPT = f"{KIT}/pennant_warm_start.py"
IMPORTS_MB = 6
"""Memory of the modules imported ahead, which does not count against the bot's limit."""
MAX_PROGRAM_BYTES = 2 * MIB
"""Size of a program that an interpreter at its memory limit can still write to its folder."""
BOT_FOLDER_OPTIONS = (
    *("--cap-add", "CAP_SYS_ADMIN"),  # to make the folder read-only, and given up with that
    *("--perms", "0755", "--size", str(4 * MAX_PROGRAM_BYTES), "--tmpfs", BOT),
)
"""Options of bubblewrap for the bot's folder, which is filled later."""
IMPORTED_NAMES = (
    sys.stdlib_module_names
    | {"pennant_kit", "engine", "pennant_warm_start"}
    | {package.name for package in PACKAGES.values()}
)


def is_suitable(program: Program) -> bool:
    """Return whether a program can run in a warm process: none of its files has the name of an imported module."""
    names = {path.partition("/")[0].partition(".")[0] for path in program.files}
    size = sum(map(len, program.files.values()))
    return program.language == LANGUAGE and size <= MAX_PROGRAM_BYTES and not names & IMPORTED_NAMES


def build_warm_command(argv: Sequence[str], handshake: str, parcel: str) -> list[str]:
    """Return the command of a program, with the warm start script in place of its entry file."""
    return [*argv[: argv.index(f"{BOT}/{ENTRY}")], WARM_START_SCRIPT, handshake, parcel]


class Handover:
    """The arena's end of the handover of a program to a warm process; `warm_start.py` is the other end."""

    def __init__(self, passed_fds: PassedDescriptors) -> None:
        self._parcel = os.memfd_create("parcel", os.MFD_CLOEXEC)
        passed_fds.on_failure.append(self.close)
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._is_confirmed = False
        passed_fds.fds += [theirs.detach(), os.dup(self._parcel)]
        self.arguments = [str(fd) for fd in passed_fds.fds[-2:]]

    def send(self, parts: Iterable[bytes]) -> None:
        """Write the program for the warm process. Raises OSError if that has ended."""
        with open(self._parcel, "wb", closefd=False) as parcel:
            for part in parts:
                parcel.write(len(part).to_bytes(8, "little") + part)
        self._ours.send(b"1")

    def is_confirmed(self) -> bool:
        """Return whether the process confirmed that all restrictions hold; no line of the bot runs before that."""
        if not self._is_confirmed:
            with contextlib.suppress(OSError):
                self._is_confirmed = self._ours.recv(1) == b"1"
        return self._is_confirmed

    def close(self) -> None:
        """Close the descriptors."""
        if self._parcel >= 0:
            os.close(self._parcel)
            self._parcel = -1
            self._ours.close()


class WarmProcess(BwrapProcess):
    """A process that becomes a bot when it receives its program."""

    def __init__(
        self, argv: Sequence[str], passed_fds: PassedDescriptors, handover: Handover, memory_bytes: int
    ) -> None:
        self._handover = handover
        super().__init__(argv, passed_fds.fds, memory_bytes)

    def is_alive(self) -> bool:
        """Return whether the process is alive."""
        return self._child.poll() is None

    def load_program(self, files: Mapping[str, bytes], instructions: bytes) -> bool:
        """Send a program and its filter of system calls. Return False if the process has died while it waited."""
        if not self.is_alive():
            return False
        try:
            self._handover.send([instructions, *(part for path in files for part in (path.encode(), files[path]))])
        except OSError:
            return False
        self._start_counting()
        return True

    def _check_clocks(self, now: float) -> None:
        try:
            super()._check_clocks(now)
        except OverdueError:
            self._check()
            raise

    def _exit_code(self) -> int:
        self._check()
        return super()._exit_code()

    def _check(self) -> None:
        if not self._handover.is_confirmed():
            raise SandboxError(f"a warm process did not become a bot: {self._pipes.log.decode(errors='replace')}")

    def _release(self) -> None:
        super()._release()
        self._handover.close()


class WarmPool:
    """Waiting processes, by the limits they were started with. A pickled pool is empty."""

    def __init__(self) -> None:
        self._waiting: dict[Limits, list[WarmProcess]] = {}

    def __reduce__(self) -> tuple[type["WarmPool"], tuple[()]]:
        return WarmPool, ()

    def fill(self, limits: Limits, count: int, start: Callable[[], WarmProcess]) -> None:
        """Start processes until `count` wait for these limits, not counting those that have died."""
        waiting = self._waiting.setdefault(limits, [])
        for process in [process for process in waiting if not process.is_alive()]:
            waiting.remove(process)
            process.close()
        while len(waiting) < count:
            waiting.append(start())

    def take(self, program: Program, limits: Limits, instructions: bytes) -> WarmProcess | None:
        """Load this program into the process that has waited longest, and return it; None if there is none."""
        waiting = self._waiting.get(limits, [])
        while waiting and is_suitable(program):
            process = waiting.pop(0)
            if process.load_program(program.files, instructions):
                return process
            process.close()
        return None

    def close(self) -> None:
        """End all waiting processes."""
        for waiting in self._waiting.values():
            while waiting:
                waiting.pop().close()
