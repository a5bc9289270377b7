"""The processes of an installation, one by one: started again when they end, as containers and systemd do it."""

import os
import signal
from collections import Counter
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

from arena.operations.management.supervisor import (
    CELERY_COMMAND,
    LIVE_QUEUE_OPTIONS,
    WEB_COMMAND,
    WORKER_QUEUE_OPTIONS,
    WORKER_TRAFFIC_OPTIONS,
    ManagedProcess,
)
from tests.chaos.clocks import Clocks
from tests.players import find_descendants, is_player, read_parents
from tests.story.installation import SCHEDULER_COMMAND, Installation

WORKERS = ("worker 1", "worker 2", "live worker")
SERVERS = ("postgres", "redis-server")
STOP_TIMEOUT_S = 30.0
IN_A_MATCH = 4
"""A player with this many processes below it plays: each bot has its bubblewrap. Its warm pool looks the same."""


class Services:
    """Web, scheduler, two workers with one process each, and the one that serves people with threads."""

    def __init__(self, installation: Installation, clocks: Clocks | None) -> None:
        self.installation, self.clocks = installation, clocks
        self.logs = installation.data / "logs"
        worker = [*CELERY_COMMAND, "worker", "--concurrency", "1", *WORKER_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS]
        commands = {name: [*worker, "--hostname", f"{name[-1]}@%h"] for name in WORKERS[:2]}
        commands["live worker"] = [*CELERY_COMMAND, "worker", *LIVE_QUEUE_OPTIONS, *WORKER_TRAFFIC_OPTIONS]
        commands["scheduler"] = SCHEDULER_COMMAND
        commands["web"] = [*WEB_COMMAND, "--bind", f"127.0.0.1:{installation.port}"]
        self.processes = {
            name: ManagedProcess(name, command, self.logs / f"{name.replace(' ', '-')}.log")
            for name, command in commands.items()
        }
        self.starts: Counter[str] = Counter()

    def start(self) -> None:
        self.logs.mkdir(exist_ok=True)
        self.watch()

    def watch(self) -> None:
        """Start every service that doesn't run."""
        for name, service in self.processes.items():
            if not service.is_alive:
                env = self.installation.env | {"DJANGO_SETTINGS_MODULE": "arena.settings"}
                service.start(env | (self.clocks.add(name) if self.clocks else {}))
                self.starts[name] += 1

    def pid(self, name: str) -> int:
        process = self.processes[name].process
        assert process is not None
        return process.pid

    def children(self, name: str) -> list[int]:
        """The processes that a service has forked or started itself."""
        return sorted(pid for pid, parent in read_parents().items() if parent == self.pid(name))

    def players(self) -> list[int]:
        """The runner processes, those first that have bots."""
        found = [pid for name in WORKERS for pid in find_descendants(self.pid(name)) if is_player(pid)]
        return sorted(found, key=lambda pid: (len(find_descendants(pid)) < IN_A_MATCH, pid))

    def stop(self, *names: str) -> list[str]:
        """Ask services to end, and return the names of those that had to be killed."""
        stopped = [(name, self.processes[name].process) for name in names or self.processes]
        for _, process in stopped:
            if process is not None:
                process.send_signal(signal.SIGCONT)
                process.send_signal(signal.SIGTERM)
        deadline = monotonic() + STOP_TIMEOUT_S
        while monotonic() < deadline and any(process and process.poll() is None for _, process in stopped):
            sleep(0.1)
        killed = []
        for name, process in stopped:
            if process is not None and process.poll() is None:
                killed.append(name)
                process.kill()
                process.wait()
        return killed

    def reap_orphans(self) -> None:
        """Do what the init process of a machine or a container does: a zombie counts towards limits on processes."""
        own = {service.process.pid for service in self.processes.values() if service.process is not None}
        for pid in list_zombies() - own:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)

    def count_in_logs(self, needle: str) -> int:
        return sum(path.read_text(errors="replace").count(needle) for path in self.logs.glob("*.log"))


def list_zombies() -> set[int]:
    """The children of this process that have ended."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
            if state == "Z" and int(parent) == os.getpid():
                found.add(int(stat.parent.name))
    return found


def list_server_processes(name: str) -> list[int]:
    """The processes of database or broker."""
    return sorted(pid for pid in find_descendants(os.getpid()) if name in _command(pid))


def list_left_processes() -> list[str]:
    """Everything that still runs below this process, but for database and broker."""
    left = {pid: _command(pid) for pid in sorted(find_descendants(os.getpid()))}
    return [f"{pid}: {command}" for pid, command in left.items() if not any(name in command for name in SERVERS)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:100]
    except OSError:
        return "(ended)"
