"""The processes that `up` starts: forked or run, and kept alive while it lives.

Nothing here needs Django to be set up, so that programs which start an arena from outside know these processes, too.
"""

import gc
import os
import runpy
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from io import BufferedWriter
from pathlib import Path
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from types import FrameType

from billiard import get_context
from django.core.cache import caches
from django.db import connections

from arena.celery import app
from arena.core.brokers import QUEUES
from arena.core.handover import Channel
from arena.runner.sandbox.own_process import die_with_parent, rename_process

# Notice the signals by which this process is asked to stop.

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """The signals that have arrived since this was made.

    Two may come at once, as from a terminal and from the program that started this one. A second handler then runs in
    the middle of the first, which the lock of `threading.Event` doesn't survive; `SimpleQueue.put` may be interrupted
    by itself.
    """

    def __init__(self) -> None:
        """Take over the signals."""
        self._arrived: SimpleQueue[int] = SimpleQueue()
        self._error: Exception | None = None
        for number in STOP_SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._arrived.put(number)
        if error := self._error:
            self._error = None
            raise error

    @contextmanager
    def raised_as(self, error: Exception) -> Iterator[None]:
        """Raise this error at the first signal that arrives meanwhile, in the middle of whatever is done."""
        self._error = error
        try:
            yield
        finally:
            self._error = None

    def wait(self, timeout_s: float) -> bool:
        """Return whether a signal has arrived, or arrives within this time."""
        try:
            self._arrived.get(timeout=timeout_s)
        except Empty:
            return False
        return True


# Run a module in a copy of this process, with which it shares the memory of all that is loaded.
#
# Memory that neither of them writes to is there once. Python writes to an object whenever it is used, and the
# collection of garbage to each it looks at, so `share_loaded_modules` leaves out what is loaded before the copies are
# made.

SHARED_MODULES = ("celery.bin.celery", "celery.apps.worker", "celery.concurrency.prefork", "celery.concurrency.thread")
"""What a worker loads beside the tasks."""
MAIN_PROCESS = "MainProcess"
"""The name by which Celery knows the process that handles signals."""


def share_loaded_modules() -> None:
    """Load what workers need, and have no collection of garbage look at it."""
    app.loader.import_default_modules()
    for name in SHARED_MODULES:
        import_module(name)
    gc.collect()
    gc.freeze()


class ForkedModule:
    """A child that runs a module as `python -m` would, handled like `subprocess.Popen`.

    Its settings are those of this process, whatever `env` says. No connection is open while it is made.
    """

    def __init__(self, name: str, command: list[str], log: BufferedWriter, env: dict[str, str]) -> None:
        self.returncode: int | None = None
        connections.close_all()
        caches.close_all()
        self._process = get_context("fork").Process(
            name=MAIN_PROCESS, target=_run_module, args=(name, command, log.fileno(), env, os.getpid())
        )
        held = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held)
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None and (code := self._process.exitcode) is not None:
            self.returncode = code
            self._process.close()
        return self.returncode

    def wait(self) -> int | None:
        """Wait for its end and return the exit code."""
        if self.returncode is None:
            self._process.join()
        return self.poll()

    def send_signal(self, number: int) -> None:
        """Send a signal to it, if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)


def end_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent, which has this number, ends, however that ends."""
    die_with_parent()
    if os.getppid() != parent:  # it ended before the kernel was asked
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _run_module(name: str, command: list[str], log: int, env: dict[str, str], parent: int) -> None:
    """Become what `python -m` would start: its own signals, output, arguments and environment."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    end_with_parent(parent)
    rename_process(name)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    sys.stdout, sys.stderr = (
        open(os.dup2(log, number), "w", buffering=1, errors="backslashreplace", closefd=False) for number in (1, 2)
    )
    os.environ.clear()
    os.environ.update(env)
    sys.argv = list(command)
    try:
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:  # Billiard takes None for a failure, and a text for none
        if not isinstance(end.code, int | None):
            sys.stderr.write(f"{end.code}\n")
            raise SystemExit(1) from None
        raise SystemExit(end.code or 0) from None


# The processes that `up` starts: kept alive while it lives, and ended with it.

MATCH_SHUTDOWN_GRACE_S = 3.0
"""Time to finish matches when `up` stops. A match that takes longer is played again at the next start."""
IDLE_SHUTDOWN_GRACE_S = 0.5
"""Time to finish requests. An idle worker would take some five seconds to end by itself."""
ORPHANS_TIMEOUT_S = 2.0
MAX_RESTARTS_PER_WINDOW = 3
RESTART_WINDOW_S = 60.0
"""A process that ends MAX_RESTARTS_PER_WINDOW times within this time is not started again."""
LOG_LINES_SHOWN = 15
LIVE_THREADS = 6
"""Turns and hints, an upload, mail, and periodic tasks side by side; each thread waits most of the time. Webhooks have
threads of their own (`arena/people/notices/services.py`)."""


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
    is_wanted: Callable[[], bool] | None = None
    """Says whether to start it; None: at once, and the arena ends where it keeps failing."""
    rests_until: float = 0.0
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
                preexec_fn=partial(end_with_parent, os.getpid()),
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
        """Start all processes that are wanted already, with empty logs."""
        for child in self.children:
            child.log.parent.mkdir(parents=True, exist_ok=True)
            child.log.write_bytes(b"")
            if child.is_wanted is None:
                child.start(self.env)

    def watch(self) -> None:
        """Start the processes that are wanted now, and again those that have ended. Raises KeepsFailingError."""
        for child in self.children:
            if child.is_alive:
                continue
            if child.process is None:
                if child.is_wanted is None or (monotonic() > child.rests_until and child.is_wanted()):
                    child.start(self.env)
                continue
            assert child.process.returncode is not None
            ending = f"The {child.name} stopped ({_describe_exit(child.process.returncode)})"
            child.ends.append(monotonic())
            if len(child.ends) == MAX_RESTARTS_PER_WINDOW and child.ends[-1] - child.ends[0] < RESTART_WINDOW_S:
                if child.is_wanted is None:
                    raise KeepsFailingError(f"{ending} repeatedly. The end of {child.log}:\n{child.read_log_tail()}")
                self.say(f"{ending} repeatedly, and rests for {RESTART_WINDOW_S:.0f} s. See {child.log}.")
                child.process, child.rests_until = None, monotonic() + RESTART_WINDOW_S
                continue
            self.say(f"{ending} and is being restarted. See {child.log}.")
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


def build_processes(
    *, address: str, logs: Path, has_live_worker: bool = True, channel: Channel | None = None
) -> list[ManagedProcess]:
    """Return the web and worker processes of one installation, with or without a worker for live games alone.

    They are copies of this process. With a channel, the web passes connections of remote bots to a server that is
    started when the first one comes.
    """
    queues = [queue for queue in QUEUES if queue != "deliveries"] if has_live_worker else QUEUES
    processes = [
        ManagedProcess(
            "worker",
            [*CELERY_COMMAND, "worker", "--queues", ",".join(queues), *WORKER_TRAFFIC_OPTIONS],
            logs / "worker.log",
            is_forked=True,
        ),
        ManagedProcess("web", [*WEB_COMMAND, "--bind", address], logs / "web.log", is_forked=True),
    ]
    if has_live_worker:
        command = [*CELERY_COMMAND, "worker", *LIVE_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS]
        processes.append(ManagedProcess("live worker", command, logs / "live.log", is_forked=True))
    if channel is not None:
        log = logs / "remote.log"
        server = ManagedProcess("remote-bot server", REMOTE_COMMAND, log, is_forked=True, is_wanted=channel.has_waiting)
        processes.append(server)
    return processes


WEB_KEEP_ALIVE_S = 130
"""Time for which idle connections stay open. Proxies close theirs earlier (Caddy after two minutes), so none asks by a
connection that is just being closed."""
WEB_COMMAND = (
    "gunicorn arena.wsgi --worker-class arena.core.web_worker.Worker --workers 2 --threads 4 --preload".split()
)
WEB_COMMAND += ["--keep-alive", str(WEB_KEEP_ALIVE_S), "--graceful-timeout", "2", "--no-control-socket"]
REMOTE_COMMAND = ["django", "serve_remote_bots", "--handed-over"]
CELERY_COMMAND = ["celery", "--quiet", "--app", "arena.celery"]
WORKER_QUEUE_OPTIONS = ["--queues", ",".join(QUEUES)]
LIVE_QUEUE_OPTIONS = ["--queues", "live,control,deliveries", "--pool", "threads", "--hostname", "live@%h"]
LIVE_QUEUE_OPTIONS += ["--concurrency", str(LIVE_THREADS)]
"""One process with threads for all that people and the scheduler wait for, so that none of it waits for a match."""
WORKER_TRAFFIC_OPTIONS = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
