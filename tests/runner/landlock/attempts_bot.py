"""A bot that attempts forbidden things and reports the results: an errno, or "done"."""

import errno
import fcntl
import json
import mmap
import os
import resource
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Any


def outcome(attempt: Callable[[], Any]) -> str:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, str(error))
    return "done"


def opened(path: str) -> None:
    if os.path.isdir(path):
        os.listdir(path)
    else:
        with open(path, "rb") as file:
            file.read(1)


def connected(family: int, address: Any) -> None:
    with socket.socket(family) as caller:
        caller.connect(address)


def locked(path: str) -> None:
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def forked() -> None:
    if os.fork() == 0:
        os._exit(0)


def started() -> None:
    thread = threading.Thread(target=time.sleep, args=(0,))
    thread.start()
    thread.join()


def attempts(task: dict[str, Any]) -> dict[str, Callable[[], Any]]:
    folder, parent = task["folder"], os.getppid()
    mine = os.path.dirname(__file__)
    found: dict[str, Callable[[], Any]] = {f"read {path}": lambda path=path: opened(path) for path in task["read"]}
    for name, place in {"there": folder, "here": mine}.items():
        found[f"make a file {name}"] = lambda place=place: open(f"{place}/new", "x").close()
        found[f"make a folder {name}"] = lambda place=place: os.mkdir(f"{place}/folder")
        found[f"make a link {name}"] = lambda place=place: os.symlink("/etc", f"{place}/link")
        found[f"change a mode {name}"] = lambda place=place: os.chmod(place, 0o700)
    return found | {
        "write": lambda: open(f"{folder}/file", "a").close(),
        "truncate": lambda: os.truncate(f"{folder}/file", 0),
        "rename": lambda: os.rename(f"{folder}/file", f"{folder}/other"),
        "remove": lambda: os.unlink(f"{folder}/other"),
        "overwrite itself": lambda: open(__file__, "r+").close(),
        "connect": lambda: connected(socket.AF_INET, ("127.0.0.1", task["port"])),
        "connect by name": lambda: connected(socket.AF_UNIX, "\0" + task["name"]),
        "signal": lambda: os.kill(parent, 0),
        "spy on a clock": lambda: time.clock_gettime((~parent << 3) | 2),
        "slow down": lambda: os.setpriority(os.PRIO_PROCESS, parent, os.getpriority(os.PRIO_PROCESS, 0)),
        "move off a core": lambda: os.sched_setaffinity(parent, os.sched_getaffinity(0)),
        "see its cores": lambda: os.sched_getaffinity(parent),
        "see its limits": lambda: resource.prlimit(parent, resource.RLIMIT_CORE),
        "see its session": lambda: os.getsid(parent),
        "see its group": lambda: os.getpgid(parent),
        "see its policy": lambda: os.sched_getscheduler(parent),
        "see its priority": lambda: os.getpriority(os.PRIO_PROCESS, parent),
        "see how busy it is": os.getloadavg,
        "see how full a disk is": lambda: os.statvfs("/"),
        "hold its process": lambda: os.close(os.pidfd_open(parent)),
        "make a file in memory": lambda: os.close(os.memfd_create("new")),
        "lock a file": lambda: locked(__file__),
        "share memory": lambda: mmap.mmap(-1, mmap.PAGESIZE).close(),
        "start a process": forked,
        "use a shell": lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {}),
    }


if __name__ == "__main__":
    task = json.loads(sys.stdin.readline())
    told = {name: outcome(attempt) for name, attempt in attempts(task).items()}
    answer = {"told": told, "thread": outcome(started), "kit": outcome(lambda: __import__("pennant_kit"))}
    print(json.dumps(answer), flush=True)
    sys.stdin.readline()
