"""Separate the process that plays matches from the network and the memory of the worker that started it.

An escaped bot would have what this process has. An ordinary user needs a new user namespace for a new network, which
also keeps the process from reading the memory of any process outside: network_namespaces(7), user_namespaces(7).
"""

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
from contextlib import closing
from pathlib import Path

from arena.runner.sandbox.bpf import ArgumentCheck, Decision, Rule, compile_filter
from arena.runner.sandbox.levels import Layer
from arena.runner.sandbox.seccomp import AF_UNIX, MACHINES
from arena.runner.sandbox.syscalls import read_numbers
from arena.runner.sandbox.warm_start import INSTRUCTION, FilterProgram
from engine.message import Message, gettext_noop, message

CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCGIFFLAGS = 0x8913
SIOCSIFFLAGS = 0x8914
IFREQ = struct.Struct("16sh22x")
"""The C structure ifreq, with the flags of an interface."""
PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
NETWORK_LAYER = gettext_noop("network of the worker")
MEMORY_LAYER = gettext_noop("memory of the worker")
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
    apart = gettext_noop("the process that plays matches reaches no network and no socket of this machine")
    return Layer(NETWORK_LAYER, True, message(apart), is_needed=False)


def describe_memory(parent: int) -> Layer:
    """Return the layer on the memory of the process that started this one, by trying to read it."""
    if os.geteuid() == 0:
        advice = gettext_noop(
            "the process that plays matches runs as root, which reads everything: run workers as a user"
        )
        return Layer(MEMORY_LAYER, False, message(advice), is_needed=False)
    try:
        Path("/proc", str(parent), "environ").read_bytes()
    except OSError:
        closed = gettext_noop("the process that plays matches can read neither it nor the worker's environment")
        return Layer(MEMORY_LAYER, True, message(closed), is_needed=False)
    open_memory = gettext_noop("the process that plays matches can read it, as it has the same user")
    return Layer(MEMORY_LAYER, False, message(open_memory), is_needed=False)


def _suggest_namespaces(fault: str) -> Message:
    template = gettext_noop(
        "the process that plays matches shares it (%(fault)s): allow user namespaces, and in containers give the "
        "present .docker/worker-seccomp.json"
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
