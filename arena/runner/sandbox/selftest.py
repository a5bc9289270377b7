"""Test each layer of a sandbox: by a bot from the inside, and by examining its process from the outside."""

import json
import os
import secrets
import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import BotError, BotProcess, Sandbox, SandboxError
from arena.runner.sandbox.cgroup import GROUP_NAME_PREFIX
from arena.runner.sandbox.layers import CHECKS, OPTIONAL_CHECKS, STOPPED_STATE, Facts
from arena.runner.sandbox.levels import Layer
from arena.runner.sandbox.rlimits import MAX_THREADS, compute_limits, count_threads_of_user
from arena.runner.sandbox.runtime_files import TMPFS_NAMES
from arena.runner.sandbox.warm_pool import IMPORTS_MB, LANGUAGE
from engine.message import Message, gettext_noop, join_messages, literal, message

PROBE = Path(__file__).with_name("probe.py")
PROBE_TIMEOUT_S = 5.0
LIMITS = Limits(memory_mb=128)
HIDDEN_PATHS = (
    "/etc/passwd",
    "/etc/hostname",
    "/root",
    "/home",
    "/var/log",
    "/sys/kernel",
    "/dev/null",
    "/proc/self/status",
)
READ_ONLY_FOLDERS = ("/", "/bot", "/kit", "/usr/bin", "/tmp", "/var/tmp", "/dev/shm", "/run")
NAMESPACES = ("user", "pid", "net", "ipc", "uts", "mnt")
OWN_PROC = Path("/proc/self")
STATE_CHANGE_TIMEOUT_S = 1.0
"""A process may take this long to stop after its signal, or to disappear when it was killed, on a busy machine."""
START_LAYER = gettext_noop("start")
END_LAYER = gettext_noop("end")


def self_test(sandbox: Sandbox, spare_mb: int = 0) -> tuple[Layer, ...]:
    """Return the layers of a sandbox's level, in the order of CHECKS; one failed layer if no bot starts."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        task = _build_task(listener.getsockname()[1])
        try:
            process = sandbox.start(Program("probe", 1, {"bot.py": PROBE.read_bytes()}), LIMITS)
        except SandboxError as failure:
            return (Layer(START_LAYER, False, literal(str(failure).strip())),)
        try:
            facts = _collect_facts(sandbox, process, task, spare_mb)
        except (BotError, SandboxError, OSError, LookupError, ValueError) as fault:
            process.close()
            return (Layer(START_LAYER, False, _describe_fault(fault, process.stderr().strip())),)
        pid = process.pid
        process.close()
    layers = [Layer(START_LAYER, True, message(gettext_noop("a bot answered, with the kit and the engine at hand")))]
    layers += [Layer(name, *check(facts)) for name, check in CHECKS[sandbox.level].items()]
    layers += [Layer(name, *check(facts), is_needed=False) for name, check in OPTIONAL_CHECKS.items()]
    return (*layers, _check_end(pid))


def find_warm_start_fault(sandbox: Sandbox) -> Message | None:
    """Return what makes a process of the warm pool worse than a fresh one; None where nothing does."""
    try:
        sandbox.fill_warm_pool(LANGUAGE, LIMITS, 1)
        layers = self_test(sandbox, IMPORTS_MB)
    except SandboxError as failure:
        return literal(str(failure).strip())
    finally:
        sandbox.close()
    return describe_open_layers(layers)


def describe_open_layers(layers: Iterable[Layer]) -> Message | None:
    """Return the layers that the level needs and that don't hold, each with its result; None where all hold."""
    open_layers = [
        join_messages(message(layer.name), layer.what, separator=": ")
        for layer in layers
        if layer.is_needed and not layer.holds
    ]
    return join_messages(*open_layers, separator="; ") if open_layers else None


def _describe_fault(fault: Exception, stderr: str) -> Message:
    """Return why the probe gave no facts, followed by what it wrote to its log."""
    reason = fault.message if isinstance(fault, BotError) else literal(str(fault))
    return join_messages(reason, literal(stderr) if stderr else None)


def _build_task(port: int) -> dict[str, Any]:
    name = f"pennant-probe-{secrets.token_hex(8)}"
    new = [os.path.join(folder, name) for folder in READ_ONLY_FOLDERS]
    return {"hidden": [*HIDDEN_PATHS, str(PROBE)], "new": new, "port": port}


def _collect_facts(sandbox: Sandbox, process: BotProcess, task: Mapping[str, Any], spare_mb: int) -> Facts:
    """Return what the probe found inside, and what its process looks like from outside.

    Raises BotError and SandboxError, and OSError, LookupError or ValueError for an unexpected answer or process.
    """
    inside = json.loads(process.ask(json.dumps(task).encode() + b"\n", PROBE_TIMEOUT_S))
    if process.pid is None:
        raise SandboxError("the bot's process can't be found from outside")
    proc = Path("/proc", str(process.pid))
    _wait_until(STATE_CHANGE_TIMEOUT_S, lambda: _read_status(proc)["State"].startswith(STOPPED_STATE))
    status, run = _read_status(proc), sandbox.languages[LANGUAGE].run
    expected = compute_limits(LIMITS, replace(run, spare_mb=run.spare_mb + spare_mb))
    if sandbox.level == "D":  # all threads of this user count together, and others start and end meanwhile
        expected["nproc"] += count_threads_of_user(os.getuid()) + MAX_THREADS
    shared, unseen = _compare_namespaces(proc, status, inside["host"], task["port"])
    return Facts(
        inside=inside,
        status=status,
        shared=shared,
        unseen=unseen,
        writable=_list_writable_mounts(proc),
        on_disk=_list_mounts_on_disk(proc),
        root=frozenset(tree.inside.split("/")[1] for tree in run.trees),
        environment=frozenset(run.environment),
        limits=expected,
        is_grouped=f"/{GROUP_NAME_PREFIX}" in (proc / "cgroup").read_text(),
    )


def _read_status(proc: Path) -> dict[str, str]:
    lines = (proc / "status").read_text().splitlines()
    return dict(line.split(":\t", 1) for line in lines if ":\t" in line)


def _compare_namespaces(proc: Path, status: Mapping[str, str], host: str, port: int) -> tuple[list[str], list[str]]:
    """Return the namespaces shared with the arena, and those that can't be compared from here.

    Without permission to read the links of a process, some of its other files still show whether they are shared.
    """
    is_shared = {
        "user": (proc / "uid_map").read_text() == (OWN_PROC / "uid_map").read_text(),
        "pid": status["NSpid"].count("\t") == _read_status(OWN_PROC)["NSpid"].count("\t"),
        "net": f":{port:04X} " in (proc / "net/tcp").read_text(),
        "uts": host == os.uname().nodename,
        "mnt": (proc / "mountinfo").read_text() == (OWN_PROC / "mountinfo").read_text(),
    }
    shared = [kind for kind, same in is_shared.items() if same]
    unseen = []
    for kind in NAMESPACES:
        try:
            if os.readlink(proc / "ns" / kind) == os.readlink(OWN_PROC / "ns" / kind) and kind not in shared:
                shared.append(kind)
        except PermissionError:
            if kind not in is_shared:
                unseen.append(kind)
    return shared, unseen


def _list_writable_mounts(proc: Path) -> list[str]:
    """Return the mount points of the process that are not read-only."""
    mounts = [line.split() for line in (proc / "mountinfo").read_text().splitlines()]
    return [mount[4] for mount in mounts if "ro" not in mount[5].split(",")]


def _list_mounts_on_disk(proc: Path) -> list[str]:
    """Return the mount points of the process whose files are not in memory. See proc_pid_mountinfo(5)."""
    found = []
    for line in (proc / "mountinfo").read_text().splitlines():
        mount, _, source = line.partition(" - ")
        if source.split()[0] not in TMPFS_NAMES:
            found.append(mount.split()[4])
    return found


def _check_end(pid: int | None) -> Layer:
    gone = _wait_until(STATE_CHANGE_TIMEOUT_S, lambda: not os.path.exists(f"/proc/{pid}"))
    if gone:
        return Layer(END_LAYER, True, message(gettext_noop("killed with its match, and gone")))
    return Layer(END_LAYER, False, message(gettext_noop("it lives on after its match")))


def _wait_until(seconds: float, condition: Callable[[], bool]) -> bool:
    """Return whether the condition becomes true within that time."""
    deadline = monotonic() + seconds
    while not condition():
        if monotonic() >= deadline:
            return False
        sleep(0.001)
    return True
