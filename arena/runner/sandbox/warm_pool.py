"""Sandboxes started ahead: an interpreter waits inside, its imports done, and becomes one bot. Each is used once.

What a bot sees and may do is the same as in a sandbox started for it: its files are laid out, made read-only, and the
filter goes on before its first line. What it does not pay for is the start of the interpreter.
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
from arena.runner.sandbox.bwrap_process import BwrapProcess, Handed
from arena.runner.sandbox.pipes import OverdueError
from arena.runner.sandbox.rlimits import MIB

LANGUAGE = "python"
LOADER = f"{KIT}/pennant_warm_start.py"
IMPORTS_MB = 6
"""Memory of what was imported ahead, which is not the bot's."""
LARGEST = 2 * MIB
"""Bytes of a program that an interpreter with little memory can still lay out."""
ROOM = (
    *("--cap-add", "CAP_SYS_ADMIN"),  # to make the folder read-only, and given up with that
    *("--perms", "0755", "--size", str(4 * LARGEST), "--tmpfs", BOT),
)
"""What bubblewrap adds: the bot's folder, to be filled later."""
FIRST = sys.stdlib_module_names | {"pennant_kit", "engine", "pennant_warm_start"}


def fits(program: Program) -> bool:
    """Whether a program would run the same after those imports: no file of it hides what was imported."""
    names = {path.partition("/")[0].partition(".")[0] for path in program.files}
    size = sum(map(len, program.files.values()))
    return program.language == LANGUAGE and size <= LARGEST and not names & FIRST


def waiting(argv: Sequence[str], door: str, parcel: str) -> list[str]:
    """Return the command of a program, with the loader in place of its entry."""
    return [*argv[: argv.index(f"{BOT}/{ENTRY}")], LOADER, door, parcel]


class Door:
    """The arena's side of what a parked sandbox waits for: see the loader."""

    def __init__(self, handed: Handed) -> None:
        self._parcel = os.memfd_create("parcel", os.MFD_CLOEXEC)
        handed.on_failure.append(self.close)
        self._ours, theirs = socket.socketpair()
        self._ours.setblocking(False)
        self._shut = False
        handed.fds += [theirs.detach(), os.dup(self._parcel)]
        self.arguments = [str(fd) for fd in handed.fds[-2:]]

    def hand_in(self, parts: Iterable[bytes]) -> None:
        """Write the program for the loader. Raises OSError where nobody is left inside."""
        with open(self._parcel, "wb", closefd=False) as parcel:
            for part in parts:
                parcel.write(len(part).to_bytes(8, "little") + part)
        self._ours.send(b"1")

    def is_shut(self) -> bool:
        """Whether the loader has said that the bot can't get out. Only then has a line of the bot been run."""
        if not self._shut:
            with contextlib.suppress(OSError):
                self._shut = self._ours.recv(1) == b"1"
        return self._shut

    def close(self) -> None:
        """Close the descriptors."""
        if self._parcel >= 0:
            os.close(self._parcel)
            self._parcel = -1
            self._ours.close()


class WarmProcess(BwrapProcess):
    """Becomes a bot when it is handed its program."""

    def __init__(self, argv: Sequence[str], handed: Handed, door: Door) -> None:
        self._door = door
        super().__init__(argv, handed.fds)

    def waits(self) -> bool:
        """Tell whether the process is alive."""
        return self._child.poll() is None

    def enter(self, files: Mapping[str, bytes], instructions: bytes) -> bool:
        """Hand in a program and the filter for it. False where the process has died while it waited."""
        if not self.waits():
            return False
        try:
            self._door.hand_in([instructions, *(part for path in files for part in (path.encode(), files[path]))])
        except OSError:
            return False
        self._start_counting()
        return True

    def _look(self, now: float) -> None:
        try:
            super()._look(now)
        except OverdueError:
            self._check()
            raise

    def _exit_code(self) -> int:
        self._check()
        return super()._exit_code()

    def _check(self) -> None:
        if not self._door.is_shut():
            raise SandboxError(f"a parked sandbox became no bot: {self._pipes.log.decode(errors='replace')}")

    def _release(self) -> None:
        super()._release()
        self._door.close()


class WarmPool:
    """Those that wait, by the limits they were started with. None of them goes along into another process."""

    def __init__(self) -> None:
        self._waiting: dict[Limits, list[WarmProcess]] = {}

    def __reduce__(self) -> tuple[type["WarmPool"], tuple[()]]:
        return WarmPool, ()

    def fill(self, limits: Limits, count: int, start: Callable[[], WarmProcess]) -> None:
        """Have so many wait, those that have died not counted."""
        waiting = self._waiting.setdefault(limits, [])
        for process in [process for process in waiting if not process.waits()]:
            waiting.remove(process)
            process.close()
        while len(waiting) < count:
            waiting.append(start())

    def take(self, program: Program, limits: Limits, instructions: bytes) -> WarmProcess | None:
        """One that has become this program, the longest waiting first; None where there is none."""
        waiting = self._waiting.get(limits, [])
        while waiting and fits(program):
            process = waiting.pop(0)
            if process.enter(program.files, instructions):
                return process
            process.close()
        return None

    def close(self) -> None:
        """End all that wait."""
        for waiting in self._waiting.values():
            while waiting:
                waiting.pop().close()
