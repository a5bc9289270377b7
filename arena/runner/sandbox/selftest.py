"""Which walls of a sandbox stand, tried just now: by a bot from inside, and by looking at its process from outside."""

import json
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotError, BotProcess, Sandbox, SandboxError
from arena.runner.sandbox.cgroup import PREFIX
from arena.runner.sandbox.layers import CHECKS, STOPPED, Facts
from arena.runner.sandbox.levels import Layer
from arena.runner.sandbox.rlimits import THREADS, bounds, tasks_of
from arena.runner.sandbox.warm_pool import IMPORTS_MB, LANGUAGE

PROBE = Path(__file__).with_name("probe.py")
PROBE_S = 5.0
LIMITS = Limits(memory_mb=128)
HIDDEN = ("/etc/passwd", "/etc/hostname", "/root", "/home", "/var/log", "/sys/kernel", "/dev/null", "/proc/self/status")
FOLDERS = ("/", "/bot", "/kit", "/usr/bin", "/tmp", "/var/tmp", "/dev/shm", "/run")
NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mnt")
SELF = Path("/proc/self")
SOON_S = 1.0
"""How long a stopped process may take to stand still, and a killed one to disappear, on a crowded machine."""
START = "start"


def self_test(sandbox: Sandbox, spare_mb: int = 0) -> tuple[Layer, ...]:
    """Return the layers of a sandbox's level, in the order of CHECKS; one fault where no bot can be started."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = _task(listener.getsockname()[1])
        try:
            process = sandbox.start(Program("probe", 1, {"bot.py": PROBE.read_bytes()}), LIMITS)
        except SandboxError as failure:
            return (Layer(START, False, str(failure).strip()),)
        try:
            facts = _facts(sandbox, process, task, spare_mb)
        except (BotError, SandboxError, OSError, LookupError, ValueError) as fault:
            process.close()
            return (Layer(START, False, f"{fault} {process.stderr()}".strip()),)
        pid = process.pid
        process.close()
    layers = [Layer(START, True, "a bot answered, with the kit and the engine at hand")]
    layers += [Layer(name, *check(facts)) for name, check in CHECKS[sandbox.level].items()]
    return (*layers, _end(pid))


def find_warm_start_fault(sandbox: Sandbox) -> str | None:
    """Return what makes a process of the warm pool worse than a fresh one; None where nothing does."""
    try:
        sandbox.park(LANGUAGE, LIMITS, 1)
        layers = self_test(sandbox, IMPORTS_MB)
    except SandboxError as failure:
        return str(failure).strip()
    finally:
        sandbox.close()
    return "; ".join(f"{layer.name}: {layer.what}" for layer in layers if not layer.holds) or None


def _task(port: int) -> dict[str, Any]:
    name = f"pennant-probe-{secrets.token_hex(8)}"
    new = [os.path.join(folder, name) for folder in FOLDERS]
    return {"hidden": [*HIDDEN, str(PROBE)], "new": new, "port": port}


def _facts(sandbox: Sandbox, process: BotProcess, task: Mapping[str, Any], spare_mb: int) -> Facts:
    """Return what the probe and a look from outside find.

    Raises BotError, SandboxError, and whatever comes of an answer or a process that isn't as it should be.
    """
    inside = json.loads(process.ask(json.dumps(task).encode() + b"\n", PROBE_S))
    if process.pid is None:
        raise SandboxError("the bot's process can't be found from outside")
    proc = Path("/proc", str(process.pid))
    _within(SOON_S, lambda: _status(proc)["State"].startswith(STOPPED))
    status, run = _status(proc), sandbox.languages[LANGUAGE].run
    expected = bounds(LIMITS, replace(run, spare_mb=run.spare_mb + spare_mb))
    if sandbox.level == "D":  # threads are counted together with all this user has, and those come and go
        expected["nproc"] += tasks_of(os.getuid()) + THREADS
    shared, unseen = _namespaces(proc, status, inside["host"], task["port"])
    return Facts(
        inside=inside,
        status=status,
        shared=shared,
        unseen=unseen,
        writable=_writable(proc),
        root=frozenset(tree.inside.split("/")[1] for tree in run.trees),
        environment=frozenset(run.environment),
        bounds=expected,
        is_grouped=f"/{PREFIX}" in (proc / "cgroup").read_text(),
    )


def _status(proc: Path) -> dict[str, str]:
    lines = (proc / "status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def _namespaces(proc: Path, status: Mapping[str, str], host: str, port: int) -> tuple[list[str], list[str]]:
    """Which are shared with us, and which can't be seen from here.

    A user who may not read the links of a process can still read a few of its files that show the same.
    """
    told = {
        "user": (proc / "uid_map").read_text() == (SELF / "uid_map").read_text(),
        "pid": status["NSpid"].count("\t") == _status(SELF)["NSpid"].count("\t"),
        "net": f":{port:04X} " in (proc / "net/tcp").read_text(),
        "uts": host == os.uname().nodename,
        "mnt": (proc / "mountinfo").read_text() == (SELF / "mountinfo").read_text(),
    }
    shared = [kind for kind, same in told.items() if same]
    unseen = []
    for kind in NAMESPACES:
        try:
            if os.readlink(proc / "ns" / kind) == os.readlink(SELF / "ns" / kind) and kind not in shared:
                shared.append(kind)
        except PermissionError:
            if kind not in told:
                unseen.append(kind)
    return shared, unseen


def _writable(proc: Path) -> list[str]:
    """Where file systems are mounted for it that are not read-only."""
    mounts = [line.split() for line in (proc / "mountinfo").read_text().splitlines()]
    return [mount[4] for mount in mounts if "ro" not in mount[5].split(",")]


def _end(pid: int | None) -> Layer:
    gone = _within(SOON_S, lambda: not os.path.exists(f"/proc/{pid}"))
    return Layer("end", gone, "killed with its match, and gone" if gone else "it lives on after its match")


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Whether it comes true in that time."""
    deadline = monotonic() + seconds
    while not condition():
        if monotonic() >= deadline:
            return False
        sleep(0.001)
    return True
