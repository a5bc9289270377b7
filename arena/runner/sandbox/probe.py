"""A bot that tests its sandbox from the inside: it reads a task from one line and answers with its findings on another.

Nothing it tries does harm if it succeeds: what it creates it removes at once.
"""

import ctypes
import errno
import json
import os
import resource
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import pennant_kit  # type: ignore[import-not-found]

import engine.core

LIBC = ctypes.CDLL(None, use_errno=True)
IO_URING_SETUP = 425
"""The same number on all machines. The C library has no function for it."""
MAX_DESCRIPTORS = 64
FAMILIES = {"unix": 1, "internet": 2, "internet 6": 10, "netlink": 16, "AF_ALG": 38, "vsock": 40}
CALLS: dict[str, tuple[int, ...]] = {
    "ptrace": (3, 0, 0, 0),
    "unshare": (0,),
    "memfd_create": (0, 0),
    "inotify_init1": (0,),
    "flock": (0, 8),
    "kill": (0, 0),
    "sysinfo": (0,),
    "shmget": (1, 1, 0),
    "semget": (1, 1, 0),
    "msgget": (1, 0),
    "process_vm_readv": (1, 0, 0, 0, 0, 0),
    "vmsplice": (-1, 0, 0, 0),
    "tee": (-1, -1, 0, 0),
}
"""Arguments by function of the C library. Without a filter they are accepted or invalid, but never forbidden."""


def find_error(attempt: Callable[[], object]) -> str | None:
    """Return the name of the error that an attempt raises; None if it succeeds."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return None


def list_possible(attempt: Callable[[Any], object], things: Iterable[Any]) -> list[Any]:
    """Return the arguments with which an attempt succeeds."""
    return [thing for thing in things if find_error(partial(attempt, thing)) is None]


def call(function: Callable[..., int], *words: int) -> None:
    """Call a function of the C library. Raises OSError."""
    if function(*map(ctypes.c_long, words)) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def write(path: str) -> None:
    """Create a file and remove it."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    os.unlink(path)


def read(path: str) -> None:
    """Read a file or list a folder."""
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read(1)


def make_socket(family: int) -> None:
    """Open a socket and close it."""
    socket.socket(family, socket.SOCK_SEQPACKET).close()


def connect(port: int) -> None:
    """Connect to a port of this machine."""
    socket.create_connection(("127.0.0.1", port), timeout=1).close()


def fork() -> None:
    """Start a process."""
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def run_program() -> None:
    """Run another program."""
    subprocess.run(["/usr/bin/env"], check=False, capture_output=True)


def has_threads() -> bool:
    """Return whether a thread can be started."""
    ran = threading.Event()
    thread = threading.Thread(target=ran.set)
    thread.start()
    thread.join()
    return ran.is_set()


def read_limits() -> dict[str, list[int]]:
    """Return all resource limits of this process."""
    names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {name.removeprefix("RLIMIT_"): list(resource.getrlimit(getattr(resource, name))) for name in names}


def collect_findings(task: dict[str, Any]) -> dict[str, Any]:
    """Return what this process can do.

    In the task `hidden` are paths that should be out of reach, `new` paths of files that don't exist, `port` that of a
    listener.
    """
    descriptors = list_possible(os.fstat, range(MAX_DESCRIPTORS))  # first: some of what follows opens more
    calls = {name: find_error(partial(call, LIBC[name], *words)) for name, words in CALLS.items()}
    return {
        "root": list_names("/"),
        "host": os.uname().nodename,
        "seen": list_possible(os.lstat, task["hidden"]),
        "read": list_possible(read, task["hidden"]),
        "written": list_possible(write, task["new"]),
        "calls": calls | {"io_uring_setup": find_error(partial(call, LIBC.syscall, IO_URING_SETUP, 0, 0))},
        "sockets": {name: find_error(partial(make_socket, family)) for name, family in FAMILIES.items()},
        "connected": list_possible(connect, [task["port"]]) != [],
        "processes": {"fork": find_error(fork), "another program": find_error(run_program)},
        "threads": has_threads(),
        "limits": read_limits(),
        "environment": dict(os.environ),
        "descriptors": descriptors,
        "imported": [pennant_kit.__name__, engine.core.__name__],
    }


def list_names(folder: str) -> list[str]:
    """Return the names in a folder; none if it can't be listed."""
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


if __name__ == "__main__":
    print(json.dumps(collect_findings(json.loads(sys.stdin.readline()))), flush=True)
    sys.stdin.read()
