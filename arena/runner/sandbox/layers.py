"""Check each layer of a sandbox level. A layer whose protection can't be observed fails."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arena.runner.sandbox.process import CHECK_INTERVAL_S
from engine.message import Message, gettext_noop, join_messages, literal, message

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
    own = message(gettext_noop("users, processes, network, System V objects, host name and mounts are its own"))
    if not facts.unseen:
        return True, own
    refused = facts.unseen == ["ipc"] and all(calls[name] in REFUSAL_ERRORS for name in ("shmget", "semget", "msgget"))
    template = gettext_noop("%(own)s; of %(unseen)s that can't be seen from here")
    return refused, message(template, own=own, unseen=", ".join(facts.unseen))


def _check_root_folder(facts: Facts) -> Result:
    extra = set(facts.inside["root"]) - SYSTEM_NAMES - facts.root
    return _expect_none(
        [*facts.inside["seen"], *(f"/{name}" for name in sorted(extra))],
        gettext_noop("it can see: %(found)s"),
        message(gettext_noop("it sees what it runs on and its own files: no /proc, no /dev, nothing of ours")),
    )


def _check_shared_files(facts: Facts) -> Result:
    return _expect_none(
        facts.on_disk,
        gettext_noop("these files are on a disk, and bots can tell each other by them what they saw: %(found)s"),
        message(gettext_noop("what it sees of this machine is in memory, where it leaves no trace for later bots")),
    )


def _check_landlock(facts: Facts) -> Result:
    return _expect_none(
        facts.inside["read"],
        gettext_noop("it can read: %(found)s"),
        message(gettext_noop("it can read what it runs on and its own files only")),
    )


def _check_mounts(facts: Facts) -> Result:
    return _expect_none(
        [*facts.inside["written"], *facts.writable],
        gettext_noop("it can write to: %(found)s"),
        message(gettext_noop("every mount it has is read-only")),
    )


def _check_writing(facts: Facts) -> Result:
    return _expect_none(
        facts.inside["written"],
        gettext_noop("it can write to: %(found)s"),
        message(gettext_noop("it can make no file, not even where everybody may")),
    )


def _check_not_root(facts: Facts) -> Result:
    uids = facts.status["Uid"].split()
    return "0" not in uids, message(gettext_noop("on this machine it is user %(user)s"), user=uids[0])


def _check_own_user(facts: Facts) -> Result:
    uids, groups = set(facts.status["Uid"].split()), set(facts.status["Groups"].split())
    others = {"0", str(os.geteuid())}
    own = len(uids) == 1 and not uids & others and not groups & others
    template = gettext_noop("on this machine it is user %(user)s, and the arena user %(arena)s")
    return own, message(template, user=", ".join(sorted(uids)), arena=os.geteuid())


def _check_capabilities(facts: Facts) -> Result:
    held: list[str | Message] = [name for name in CAPABILITIES if int(facts.status[name], 16)]
    if facts.status["NoNewPrivs"] != "1":
        held.append(message(gettext_noop("it may get more by a setuid program")))
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
        return False, message(gettext_noop("it can start: no thread"))
    return _expect_none(
        started,
        gettext_noop("it can start: %(found)s"),
        message(gettext_noop("it can start threads, and neither a process nor a program")),
    )


def _check_network(facts: Facts) -> Result:
    sockets = facts.inside["sockets"]
    opened: list[str | Message] = [name for name, error in sockets.items() if error not in REFUSAL_ERRORS]
    if facts.inside["connected"]:
        opened.append(message(gettext_noop("a listener of this machine")))
    refused = gettext_noop("sockets of %(count)s families were tried and refused")
    return _expect_none(opened, gettext_noop("it reaches: %(found)s"), message(refused, count=len(sockets)))


def _check_limits(facts: Facts) -> Result:
    found = facts.inside["limits"]
    loose = [key for key, most in facts.limits.items() if not all(0 <= bound <= most for bound in found[key.upper()])]
    template = gettext_noop(
        "the kernel bounds %(count)s resources: address space, processor time, files, …; "
        "the memory that a bot holds is read every %(ms)s ms"
    )
    bounded = message(template, count=len(facts.limits), ms=round(CHECK_INTERVAL_S * 1000))
    if facts.is_grouped:
        template = gettext_noop("%(bounded)s; a control group bounds memory and threads of all bots together")
        bounded = message(template, bounded=bounded)
    return _expect_none(loose, gettext_noop("not bounded: %(found)s"), bounded)


def _check_inherited(facts: Facts) -> Result:
    passed: list[str | Message] = [*sorted(set(facts.inside["environment"]) - COMMON_VARIABLES - facts.environment)]
    passed += [
        message(gettext_noop("descriptor %(number)s"), number=fd)
        for fd in facts.inside["descriptors"]
        if fd not in STANDARD_STREAMS
    ]
    return _expect_none(
        passed,
        gettext_noop("handed on: %(found)s"),
        message(gettext_noop("it has its three streams, and nothing of the arena's environment")),
    )


def _check_stopped(facts: Facts) -> Result:
    if facts.status["State"].startswith(STOPPED_STATE):
        return True, message(gettext_noop("stopped from its answer on"))
    return False, message(gettext_noop("it runs on after its answer"))


def _expect_none(found: Sequence[str | Message], trouble: str, otherwise: Message) -> Result:
    """Return the template `trouble` with what was found, or `otherwise` where nothing was."""
    if not found:
        return True, otherwise
    parts = (literal(part) if isinstance(part, str) else part for part in found)
    return False, message(trouble, found=join_messages(*parts, separator=", "))


COMMON_CHECKS: dict[str, Check] = {
    gettext_noop("no capability"): _check_capabilities,
    gettext_noop("system calls"): _check_system_calls,
    gettext_noop("only threads"): _check_processes,
    gettext_noop("no network"): _check_network,
    gettext_noop("memory and other bounds"): _check_limits,
    gettext_noop("nothing inherited"): _check_inherited,
    gettext_noop("frozen between questions"): _check_stopped,
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
SHARED_FILES = gettext_noop("nothing told to later bots")
"""English name of a layer that a level may lack. Without it, a bot might tell a later leg what it knows of the deal."""
OPTIONAL_CHECKS: dict[str, Check] = {SHARED_FILES: _check_shared_files}
"""English names and checks of the layers that no level needs."""
