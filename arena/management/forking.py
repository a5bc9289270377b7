"""Run a module in a copy of this process, with which it shares the memory of all that is loaded.

Memory that neither of them writes to is there once. Python writes to an object whenever it is used, and the collection
of garbage to each it looks at, so `share_loaded_modules` leaves out what is loaded before the copies are made.
"""

import ctypes
import gc
import os
import runpy
import signal
import sys
from importlib import import_module
from io import BufferedWriter

from billiard import get_context
from django.core.cache import caches
from django.db import connections

from arena.celery import app
from arena.management.stop_signals import STOP_SIGNALS

PR_SET_PDEATHSIG = 1
PR_SET_NAME = 15
SHARED_MODULES = ("celery.bin.celery", "celery.apps.worker", "celery.concurrency.prefork", "celery.concurrency.solo")
"""What a worker loads beside the tasks."""
MAIN_PROCESS = "MainProcess"
"""The name by which Celery knows the process that handles signals."""
_libc = ctypes.CDLL(None)


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
            name=MAIN_PROCESS, target=_run_module, args=(name, command, log.fileno(), env)
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


def end_with_parent() -> None:
    """Have the kernel kill this process when the one that started it ends, however that ends."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def _run_module(name: str, command: list[str], log: int, env: dict[str, str]) -> None:
    """Become what `python -m` would start: its own signals, output, arguments and environment."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    end_with_parent()
    _libc.prctl(PR_SET_NAME, name.encode())
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
