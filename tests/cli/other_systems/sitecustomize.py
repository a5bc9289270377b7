"""Take from our modules, in every Python process that finds this, what Windows or macOS lacks.

PENNANT_TEST_SYSTEM says which. Python and the libraries still are those of Linux, so they may import what they need.
"""

import builtins
import ctypes
import os
import select
import signal
from collections.abc import Mapping
from typing import Any

LINUX_ALONE = ("pidfd_open", "memfd_create", "unshare", "setns")
POSIX_ALONE = ("fork", "forkpty", "geteuid", "getuid", "getegid", "uname", "setsid", "setpgid", "wait4", "mkfifo")
POSIX_MODULES = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"}
OURS = {"arena", "engine", "pennant", "bots"}
SYSTEM = os.environ.get("PENNANT_TEST_SYSTEM", "")
import_before = builtins.__import__
load_library = ctypes.CDLL


def import_unless_missing(name: str, given: Mapping[str, Any] | None = None, *more: Any, **by_name: Any) -> Any:
    """Import as usual, unless one of our modules wants what isn't there."""
    importer = str((given or {}).get("__name__", "")).partition(".")[0]
    if SYSTEM == "windows" and importer in OURS and name in POSIX_MODULES:
        raise ModuleNotFoundError(f"No module named {name!r}")
    if importer in OURS and "arena.runner.sandbox" in name and name.rpartition(".")[2] not in ("sandbox", "base"):
        raise ModuleNotFoundError(f"{name} is for Linux")
    return import_before(name, given, *more, **by_name)


def load_library_unless_c(name: str | None, *more: Any, **options: Any) -> ctypes.CDLL:
    """Load a library as usual, but not the program itself, in which prctl and unshare are."""
    if name is None:
        raise OSError("there is no such library")
    return load_library(name, *more, **options)


if SYSTEM:
    import numpy  # noqa: F401 - as the next one, it is another one there
    import psutil  # noqa: F401

    removed = [name for name in dir(os) if name.startswith("sched_")]
    for name in (*removed, *LINUX_ALONE, *(POSIX_ALONE if SYSTEM == "windows" else ())):
        if hasattr(os, name):
            delattr(os, name)
    del select.epoll
    del signal.pidfd_send_signal
    if SYSTEM == "windows":
        del select.poll, signal.SIGSTOP, signal.SIGHUP
    builtins.__import__ = import_unless_missing
    ctypes.CDLL = load_library_unless_c  # type: ignore[assignment,misc]
