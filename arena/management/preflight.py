"""Check whether `up` may begin, and whether the site answers already."""

import fcntl
import socket
from pathlib import Path
from typing import TextIO

from django.core.management.base import CommandError


def lock_data_folder(path: Path) -> TextIO:
    """Hold this installation; closing the file lets it go. Raises CommandError where another `up` holds it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = path.open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise CommandError(f"Another `up` is running with the data in {path.parent}. Stop that one first.") from None
    return lock


def check_port(host: str, port: int) -> None:
    """Check that one can listen there. Raises CommandError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise CommandError(
                f"Port {port} of {host} can't be used: {reason}. Choose another one: up --port {min(port, 65000) + 1}"
            ) from None


def is_answering(host: str, port: int) -> bool:
    """Return whether a server listens at the address."""
    try:
        socket.create_connection((choose_browser_host(host), port), timeout=0.2).close()
    except OSError:
        return False
    return True


def choose_browser_host(host: str) -> str:
    """Return what a browser on this machine calls an address to listen on."""
    return "localhost" if host in ("0.0.0.0", "127.0.0.1", "::", "::1") else host
