"""Bubblewrap: all namespaces new, a few read-only binds, no capability, no network, no /proc, no writable path."""

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from arena.runner.limits import Limits
from arena.runner.program import ENTRY, Program
from arena.runner.sandbox.base import SandboxFailure
from arena.runner.sandbox.process import ChildProcess, describe_exit
from arena.runner.sandbox.runtime import MOUNT, Runtime

SLOT = 60001
"""The user a root worker becomes before it builds a sandbox. Nothing on the machine should belong to it."""
WALLS = (
    *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv"),
    *("--uid", "1000", "--gid", "1000", "--hostname", "bot"),
)
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONPATH": "/kit",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
SYSTEM_FOLDERS = tuple(top + folder for top in ("/usr/", "/") for folder in ("bin", "lib", "lib64", "lib32"))
RLIMITS = (
    *("--core=0", "--fsize=0", "--memlock=65536", "--msgqueue=0", "--nofile=64", "--nproc=32"),
    *("--rtprio=0", "--sigpending=64"),
)
STACK = 8 * 1024 * 1024
ADDRESS_SPARE_MB = 256
"""Address space beyond the memory limit: libraries, and what runtimes reserve without using it."""
CPU_SPARE_S = 30
"""The kernel's own bound on CPU seconds: beyond what the clocks can allow, for a bot nobody waits for."""


class BwrapProcess(ChildProcess):
    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int], status: int) -> None:
        self._status = status
        self._said = b""
        self._init: int | None = None
        super().__init__(argv, {}, pass_fds)

    def _find_bot(self) -> int | None:
        """The first child of the process that is init inside, if the kernel lists children: orphans come after it."""
        if self._init is None:
            self._init = self._reported("child-pid")
        try:
            listing = os.open(f"/proc/{self._init}/task/{self._init}/children", os.O_RDONLY)
        except OSError:
            return None
        try:
            children = os.read(listing, 4096).split()
        finally:
            os.close(listing)
        return int(children[0]) if children else None

    def _ending(self) -> str:
        code = self._reported("exit-code")
        if code is None:
            raise SandboxFailure(
                f"bubblewrap did not get as far as the bot: {self._pipes.log.decode(errors='replace')}"
            )
        return describe_exit(code)

    def _kill(self) -> None:
        """The init of the sandbox dies with bubblewrap, and everything inside with that init."""
        self._child.kill()

    def _release(self) -> None:
        super()._release()
        if self._status >= 0:
            os.close(self._status)
            self._status = -1

    def _reported(self, key: str) -> int | None:
        with contextlib.suppress(BlockingIOError):
            self._said += os.read(self._status, 4096)
        for line in self._said.splitlines():
            report = json.loads(line)
            if key in report:
                return int(report[key])
        return None


@dataclass(frozen=True, slots=True)
class BwrapSandbox:
    bwrap: str
    setpriv: str | None
    """Set for a root worker, which must not be root on the other side of the wall either."""
    prlimit: str
    runtime: Runtime
    library: str
    """The folder bots see as /kit."""
    name: str = "bwrap"

    def start(self, program: Program, limits: Limits) -> BwrapProcess:
        given: list[int] = []
        status = -1
        try:
            status, reporting = os.pipe()
            given.append(reporting)
            os.set_blocking(status, False)
            files = self._files(program, given)
            argv = [*self._become(), self.bwrap, *WALLS, *self._view(), *files]
            argv += [
                "--chdir",
                "/bot",
                "--remount-ro",
                "/",
                "--json-status-fd",
                str(reporting),
                "--",
                *self._command(limits),
            ]
            return BwrapProcess(argv, given, status)
        except OSError as error:
            if status >= 0:
                os.close(status)
            raise SandboxFailure(f"a sandbox could not be started: {error}") from error
        finally:
            for fd in given:
                os.close(fd)

    def _become(self) -> list[str]:
        return [self.setpriv, f"--reuid={SLOT}", f"--regid={SLOT}", "--clear-groups", "--"] if self.setpriv else []

    def _view(self) -> list[str]:
        view = [part for key, value in ENVIRONMENT.items() for part in ("--setenv", key, value)]
        if self.runtime.tree:
            view += ["--ro-bind", self.runtime.tree, MOUNT, "--setenv", "LD_LIBRARY_PATH", f"{MOUNT}/lib"]
        for folder in SYSTEM_FOLDERS:
            if os.path.islink(folder):
                view += ["--symlink", os.readlink(folder), folder]
            elif os.path.isdir(folder):
                view += ["--ro-bind", folder, folder]
        return [*view, "--ro-bind", self.library, "/kit"]

    def _files(self, program: Program, given: list[int]) -> list[str]:
        """The bot's files by value: no path of this machine is shared with it."""
        argv: list[str] = []
        for path, content in program.files.items():
            given.append(os.memfd_create("bot", os.MFD_CLOEXEC))
            with open(given[-1], "wb", closefd=False) as copy:
                copy.write(content)
            os.lseek(given[-1], 0, os.SEEK_SET)
            argv += [
                "--perms",
                "0444",
                "--ro-bind-data",
                str(given[-1]),
                f"/bot/{path}",
            ]
        return argv

    def _command(self, limits: Limits) -> list[str]:
        memory = limits.memory_mb * 1024 * 1024
        sizes = {
            "data": memory,
            "as": memory + ADDRESS_SPARE_MB * 1024 * 1024,
            "stack": min(STACK, memory),
            "cpu": ceil((limits.start_ms + limits.bank_ms) / 1000) + CPU_SPARE_S,
        }
        bounds = [f"--{key}={value}" for key, value in sizes.items()]
        python = [self.runtime.inside, "-s", "-S", "-B", "-X", "utf8", f"/bot/{ENTRY}"]
        return [self.prlimit, *RLIMITS, *bounds, "--", *python]
