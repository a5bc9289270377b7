"""Change this process of the arena, on Linux: separate it from the network, tie it to its parent and to a core."""

import ctypes
import errno
import fcntl
import os
import platform
import signal
import socket
import stat
import struct
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from arena.runner.sandbox.base import Layer
from arena.runner.sandbox.seccomp import AF_UNIX, MACHINES, ArgumentCheck, Decision, Rule, compile_filter, read_numbers
from arena.runner.sandbox.warm_start import INSTRUCTION, FilterProgram
from engine.message import Message, gettext_noop, message

# Separate the process that plays matches from the network and the memory of the worker that started it.
#
# An escaped bot would have what this process has. An ordinary user needs a new user namespace for a new network, which
# also keeps the process from reading the memory of any process outside: network_namespaces(7), user_namespaces(7).

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFREQ = struct.Struct("16sh22x")
"""The C structure ifreq, with the flags of an interface."""
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
NETWORK_LAYER = gettext_noop("worker's network")
MEMORY_LAYER = gettext_noop("worker's memory")
_libc = ctypes.CDLL(None, use_errno=True)


def separate() -> str | None:
    """Enter namespaces of its own, and return None; or the reason why this machine doesn't allow that.

    It must be called before this process is closed to others (PR_SET_DUMPABLE), as its files in /proc belong to root
    then, and before it has threads.
    """
    fault = find_separation_fault()
    if fault is None:
        _enter_namespaces()
    return fault


def find_separation_fault() -> str | None:
    """Return why this machine doesn't allow namespaces, or None: a child process tries, as they can't be left again."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _enter_namespaces()
        except Exception as error:  # whatever it is, it would end the parent
            os.write(writing, str(error).encode() or b"?")
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:
        fault = answer.read().decode()
    os.waitpid(child, 0)
    return fault or None


def describe_network(fault: str | None) -> Layer:
    """Return the layer on the network, given the reason why it is shared, if it is."""
    if fault is not None:
        return Layer(NETWORK_LAYER, False, _suggest_namespaces(fault), is_needed=False)
    apart = gettext_noop("the process that plays matches can't reach the network or any socket of this machine")
    return Layer(NETWORK_LAYER, True, message(apart), is_needed=False)


def describe_memory(parent: int) -> Layer:
    """Return the layer on the memory of the process that started this one, by trying to read it."""
    if os.geteuid() == 0:
        advice = gettext_noop(
            "the process that plays matches runs as root and can read everything; run workers as an ordinary user"
        )
        return Layer(MEMORY_LAYER, False, message(advice), is_needed=False)
    try:
        Path("/proc", str(parent), "environ").read_bytes()
    except OSError:
        closed = gettext_noop("the process that plays matches can't read it or the worker's environment")
        return Layer(MEMORY_LAYER, True, message(closed), is_needed=False)
    open_memory = gettext_noop("the process that plays matches can read it, because it runs as the same user")
    return Layer(MEMORY_LAYER, False, message(open_memory), is_needed=False)


def _suggest_namespaces(fault: str) -> Message:
    template = gettext_noop(
        "the process that plays matches shares it (%(fault)s); allow user namespaces, and in containers use "
        "the current .docker/worker-seccomp.json"
    )
    return message(template, fault=fault)


def _enter_namespaces() -> None:
    """Enter a network of its own, with a loopback of its own, and give up sockets that lie in files. Raises OSError."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        _check(_libc.unshare(CLONE_NEWNET))
    else:
        _check(_libc.unshare(CLONE_NEWUSER | CLONE_NEWNET))
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _bring_up_loopback()
    _refuse_unix_sockets()


def _bring_up_loopback() -> None:
    """Bring up the loopback: the self-test of sandboxes has bots try to reach a port of it."""
    with closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as any_socket:
        name, flags = IFREQ.unpack(fcntl.ioctl(any_socket, SIOCGIFFLAGS, IFREQ.pack(b"lo", 0)))
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, IFREQ.pack(name, flags | 1))


def _refuse_unix_sockets() -> None:
    """Refuse new Unix sockets: those with a path, as PostgreSQL has one, are reached from every network namespace.

    Pairs of connected sockets are still made. Rings of requests (io_uring) go past filters, so they are refused, too.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None:
        raise OSError(errno.ENOSYS, "the system calls of this processor are not listed")
    numbers = read_numbers(platform.machine())
    families = tuple(family for family in range(socket.AF_NETLINK + 1) if family != AF_UNIX)
    decisions: dict[int, Decision] = {
        numbers["socket"]: Rule((ArgumentCheck(0, families),), errno.EACCES),
        numbers["io_uring_setup"]: errno.ENOSYS,
    }
    instructions = compile_filter(decisions, Rule(), machine)
    program = FilterProgram(len(instructions) // INSTRUCTION, instructions)
    _check(_libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    _check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0))


def _check(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# Set attributes of this process, see prctl(2).

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 4, 15, 36


def die_with_parent() -> None:
    """Have the kernel kill this process with the thread that started it. It may have ended before."""
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def forbid_inspection() -> None:
    """Keep other processes of the same user from reading this one's memory and environment."""
    _libc.prctl(PR_SET_DUMPABLE, 0)


def rename_process(name: str) -> None:
    """Change the name under which `ps` shows this process."""
    _libc.prctl(PR_SET_NAME, name.encode())


def adopt_orphans() -> None:
    """Make this process the parent of the processes that its children leave behind."""
    _libc.prctl(PR_SET_CHILD_SUBREAPER, 1)


# Give each process that plays matches a core of its own, also beside other programs and containers of this machine.
#
# A core is claimed by locking a file, which the kernel unlocks when the process ends, even when it is killed.
# Containers on one machine share the folder of these files, as `docker-compose.yml` shows.

LOCK_FOLDER = Path("/run/lock")
"""The folder for lock files, see the Filesystem Hierarchy Standard."""
MAX_PROCESSES_PER_CORE = 64


def pin_to_free_core(first: int, parent: Path | None = None) -> int:
    """Keep this process and its future children on the core that the fewest others have claimed, and return its number.

    Among several of these, the search begins with the core number `first`, modulo the number of cores that this process
    may use. One core makes round trips many times faster.
    """
    cores = sorted(os.sched_getaffinity(0))
    first %= len(cores)
    core = claim_core([*cores[first:], *cores[:first]], parent)
    os.sched_setaffinity(0, {core})
    return core


def claim_core(cores: Sequence[int], parent: Path | None = None) -> int:
    """Return the core that the fewest others have claimed; of several, the first. Where nobody can lock, the first.

    The claim holds until this process ends.
    """
    try:
        folder = _create_folder(_find_parent() if parent is None else parent)
        for others in range(MAX_PROCESSES_PER_CORE):
            for core in cores:
                if _lock(folder / f"core-{core}-{others}"):
                    return core
    except OSError:
        pass
    return cores[0]


def _find_parent() -> Path:
    return LOCK_FOLDER if os.access(LOCK_FOLDER, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def _create_folder(parent: Path) -> Path:
    """Return the folder of this user's claims. Raises OSError where it is somebody else's."""
    folder = parent / f"pennant-cores-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} belongs to somebody else")
    return folder


def _lock(path: Path) -> bool:
    """Lock a file until this process ends, and return whether it was free. Raises OSError."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return False
    return True


def pin_to_core(core: int) -> None:
    """Run this process and its future children on one core, which makes round trips many times faster.

    `core` is a number from 0 among the cores this process may use, modulo their number.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})
