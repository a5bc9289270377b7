"""The processes that `up` starts: kept alive while it lives, and ended with it."""

import ctypes
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep

from arena.management.forking import ForkedModule, end_with_parent

PR_SET_CHILD_SUBREAPER = 36
MATCH_SHUTDOWN_GRACE_S = 3.0
"""Time to finish matches when `up` stops. A match that takes longer is played again at the next start."""
IDLE_SHUTDOWN_GRACE_S = 0.5
"""Time to finish requests. An idle worker would take some five seconds to end by itself."""
ORPHANS_TIMEOUT_S = 2.0
MAX_RESTARTS_PER_WINDOW = 3
RESTART_WINDOW_S = 60.0
"""A process that ends MAX_RESTARTS_PER_WINDOW times within this time is not started again."""
LOG_LINES_SHOWN = 15

_libc = ctypes.CDLL(None)


class KeepsFailingError(Exception):
    """A process ends again and again. The message shows what it said."""


@dataclass
class ManagedProcess:
    """A process that is kept alive, with a log file of its own."""

    name: str
    command: list[str]
    log: Path
    is_forked: bool = False
    """Whether it is a copy of this process, with its settings, which takes much less memory."""
    process: subprocess.Popen[bytes] | ForkedModule | None = None
    ends: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_RESTARTS_PER_WINDOW))

    def start(self, env: dict[str, str]) -> None:
        """Start the process; it is killed when this one ends."""
        with self.log.open("ab") as log:
            if self.is_forked:
                self.process = ForkedModule(self.name, self.command, log, env)
                return
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=env,
                preexec_fn=end_with_parent,
            )

    def read_log_tail(self) -> str:
        """Return the last lines of the log."""
        return "\n".join(f"  {line}" for line in self.log.read_text(errors="replace").splitlines()[-LOG_LINES_SHOWN:])

    @property
    def is_alive(self) -> bool:
        """Return whether the process runs."""
        return self.process is not None and self.process.poll() is None


class Supervisor:
    """Start processes, start again those that end, and stop all of them."""

    def __init__(self, children: list[ManagedProcess], env: dict[str, str], say: Callable[[str], None]) -> None:
        self.children = children
        self.env = env
        self.say = say

    def start(self) -> None:
        """Start all processes with empty logs."""
        for child in self.children:
            child.log.parent.mkdir(parents=True, exist_ok=True)
            child.log.write_bytes(b"")
            child.start(self.env)

    def watch(self) -> None:
        """Start again the processes that have ended. Raises KeepsFailingError."""
        for child in self.children:
            if child.is_alive:
                continue
            assert child.process is not None and child.process.returncode is not None
            ending = f"The {child.name} ended ({_describe_exit(child.process.returncode)})"
            child.ends.append(monotonic())
            if len(child.ends) == MAX_RESTARTS_PER_WINDOW and child.ends[-1] - child.ends[0] < RESTART_WINDOW_S:
                raise KeepsFailingError(f"{ending}, again and again. The end of {child.log}:\n{child.read_log_tail()}")
            self.say(f"{ending}, and is started again. See {child.log}.")
            child.start(self.env)

    def stop(self, is_busy: Callable[[], bool]) -> None:
        """Ask all processes to end; kill them once no match is played, or after MATCH_SHUTDOWN_GRACE_S."""
        living = [child.process for child in self.children if child.process is not None and child.is_alive]
        for process in living:
            process.terminate()
        began = monotonic()
        while any(process.poll() is None for process in living) and monotonic() - began < MATCH_SHUTDOWN_GRACE_S:
            if monotonic() - began > IDLE_SHUTDOWN_GRACE_S and not is_busy():
                break
            sleep(0.05)
        for process in living:
            process.kill()
            process.wait()


def adopt_orphans() -> None:
    """Make this process the parent of the processes that its children leave behind."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


def wait_for_orphans() -> None:
    """Wait until all adopted processes have ended; kill them after ORPHANS_TIMEOUT_S."""
    deadline = monotonic() + ORPHANS_TIMEOUT_S
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                sleep(0.01)
        except ChildProcessError:
            return
        if monotonic() > deadline:
            _kill_orphans()


def _kill_orphans() -> None:
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    for pid in children.read_text().split():
        with suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def _describe_exit(exit_code: int) -> str:
    return f"by {signal.Signals(-exit_code).name}" if exit_code < 0 else f"exit code {exit_code}"


def build_processes(*, address: str, logs: Path, has_live_worker: bool = True) -> list[ManagedProcess]:
    """Return the web and worker processes of one installation, with or without a worker for live games alone.

    They are copies of this process.
    """
    processes = [
        ManagedProcess(
            "worker",
            [*CELERY_COMMAND, "worker", *WORKER_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS],
            logs / "worker.log",
            is_forked=True,
        ),
        ManagedProcess("web", [*WEB_COMMAND, "--bind", address], logs / "web.log", is_forked=True),
    ]
    if has_live_worker:
        command = [*CELERY_COMMAND, "worker", *LIVE_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS]
        processes.append(ManagedProcess("live worker", command, logs / "live.log", is_forked=True))
    return processes


WEB_KEEP_ALIVE_S = 130
"""Time for which idle connections stay open. Proxies close theirs earlier (Caddy after two minutes), so none asks by a
connection that is just being closed."""
WEB_COMMAND = "gunicorn arena.wsgi --worker-class gthread --workers 2 --threads 4 --preload".split()
WEB_COMMAND += ["--keep-alive", str(WEB_KEEP_ALIVE_S), "--graceful-timeout", "2", "--no-control-socket"]
CELERY_COMMAND = ["celery", "--quiet", "--app", "arena.celery"]
WORKER_QUEUE_OPTIONS = ["--queues", "celery,deliveries,live,analysis"]
LIVE_QUEUE_OPTIONS = ["--queues", "live", "--pool", "solo", "--hostname", "live@%h"]
"""One process that plays no matches, so that people never wait for the end of one."""
WORKER_TRAFFIC_OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
