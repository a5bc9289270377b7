"""Name worker processes so that others can tell whether they still live.

HOST/NAMESPACE/PID/START: the namespace is that of the process ids, the start is in clock ticks since boot.
"""

import os
import socket
from pathlib import Path


def this_worker() -> str:
    """Return the name of this process."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{_namespace()}/{pid}/{_start(pid)}"


def is_gone(worker: str) -> bool:
    """Return whether a process is known to have ended; False where it lives, or can't be looked at from here."""
    try:
        host, namespace, pid, start = worker.rsplit("/", 3)
    except ValueError:
        return False
    if host != socket.gethostname() or namespace != _namespace():
        return False
    return _start(int(pid)) != start


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _start(pid: int) -> str:
    """Return when a process started; empty where there is none, or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]
