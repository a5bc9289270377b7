"""Landlock, for machines where no namespace can be had: a bot fenced in among the machine's own files.

Beneath the folders of its program it may read, everything else it can't open; a filter refuses processes, sockets,
signals and writing; resource limits bound the rest. A root arena gives each bot a user of its own on top. What no
fence hides is whether a path exists.
"""

import contextlib
import marshal
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.runner.languages.base import BOT, KIT, Run, Toolchain
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import NoSandbox, SandboxFailure
from arena.runner.sandbox.bounds import bounds
from arena.runner.sandbox.landlock import READ, RUN, handled, kernel_abi
from arena.runner.sandbox.launch import READY
from arena.runner.sandbox.places import ENVIRONMENT, SYSTEM_FOLDERS, command, here, known, tree_places
from arena.runner.sandbox.process import ChildProcess, describe_exit
from arena.runner.sandbox.seccomp import filter_bytes
from arena.runner.sandbox.slots import Slot, Slots

LAUNCHER = (os.path.realpath(sys.executable), "-I", "-S", str(Path(__file__).with_name("launch.py")))
MISSING = "no-openssl.cnf"
"""OpenSSL passes over a configuration that isn't there, but not one that it may not read, as the machine's is here."""


class FenceProcess(ChildProcess):
    def __init__(self, slot: Slot) -> None:
        """Started, and waiting for its job. Takes the slot over, to release it when the bot is gone."""
        self.slot = slot
        self._said = b""
        source, self._job = os.pipe()
        self._report, reporting = os.pipe()
        os.set_blocking(self._report, False)
        try:
            super().__init__([*LAUNCHER, str(source), str(reporting)], {}, (source, reporting))
        except BaseException:
            os.close(self._job)
            os.close(self._report)
            raise
        finally:
            os.close(source)
            os.close(reporting)

    def launch(self, job: dict[str, Any]) -> None:
        """The filter names its process, so a job is whole only when there is one. Raises OSError."""
        code = filter_bytes("play", os.uname().machine, self._child.pid)
        with contextlib.suppress(BrokenPipeError):  # a launcher that is gone already says why when it is asked
            os.write(self._job, marshal.dumps(job | {"filter": code, "parent": os.getpid()}))
        os.close(self._job)
        self._job = -1

    def _find_bot(self) -> int | None:
        """The launcher becomes the bot."""
        return self._child.pid

    def _ending(self) -> str:
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self._report, 4096)
        if self._said != READY:
            words = self._said.removeprefix(READY) + b" " + self._pipes.log
            raise SandboxFailure(f"the fence did not get as far as the bot: {words.decode(errors='replace').strip()}")
        return describe_exit(self._child.returncode)

    def _kill(self) -> None:
        """One process is all there can be."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, signal.SIGKILL)

    def _release(self) -> None:
        super()._release()
        os.close(self._report)
        if self._job >= 0:
            os.close(self._job)
        if self._child.returncode is not None:  # else the slot stays taken for as long as this arena lives
            self.slot.release()


@dataclass(slots=True)
class FenceSandbox:
    library: str
    """The folder bots see as /kit. The folders of bots lie beside the one it is in."""
    languages: Mapping[str, Toolchain]
    abi: int = field(default_factory=kernel_abi)
    """Of Landlock. A lower one than the kernel's asks for as little as an older kernel could do."""
    name: str = "fence"
    level: str = field(init=False, default_factory=lambda: "D" if os.geteuid() else "C")
    slots: Slots = field(init=False)

    def __post_init__(self) -> None:
        if self.abi < 1:
            raise NoSandbox("The kernel has no Landlock (Linux 5.13 or later, and switched on: `lsm=landlock,…`).")
        filter_bytes("play", os.uname().machine)
        self.slots = Slots(Path(self.library).parents[1])

    def start(self, program: Program, limits: Limits) -> FenceProcess:
        known(self.languages, program.language)
        run = self.languages[program.language].run
        if run.needs_proc:
            raise SandboxFailure(f"programs in {program.language} need /proc, which would show all processes here")
        try:
            process = self._waiting(program)
            try:
                process.launch(self._job(run, limits, process.slot))
            except BaseException:
                process.close()
                raise
        except OSError as error:
            raise SandboxFailure(f"a fence could not be put up: {error}") from error
        return process

    def build(self, program: Program) -> tuple[Program, str]:
        """A compiler starts processes and writes files, and a fence can't bound either."""
        known(self.languages, program.language)
        if self.languages[program.language].build is None:
            return program, ""
        raise SandboxFailure(f"programs in {program.language} can't be built behind a fence")

    def park(self, language: str, limits: Limits, count: int) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing is parked here."""

    def _waiting(self, program: Program) -> FenceProcess:
        slot = self.slots.take()
        try:
            slot.lay_out(program.files)
            return FenceProcess(slot)
        except BaseException:
            slot.release()
            raise

    def _job(self, run: Run, limits: Limits, slot: Slot) -> dict[str, Any]:
        """For launch.py."""
        places = {BOT: str(slot.folder), KIT: self.library, **tree_places(run.trees)}
        folders = {os.path.realpath(folder) for folder in SYSTEM_FOLDERS if os.path.isdir(folder)}
        folders.update(places[inside] for inside in places if inside != KIT)
        taken = handled(self.abi)
        environment = {**ENVIRONMENT, "OPENSSL_CONF": f"{KIT}/{MISSING}", **run.environment}
        return {
            "bounds": bounds(limits, run),
            "user": slot.user if self.level == "C" else None,
            "folder": str(slot.folder),
            "ruleset": taken.attribute,
            "rules": [(self.library, READ), *((folder, RUN) for folder in sorted(folders))],
            "argv": [here(word, places) for word in command(run, limits)],
            "environment": {key: here(value, places) for key, value in environment.items()},
        }
