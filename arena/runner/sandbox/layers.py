"""Check each layer of a sandbox level. A layer whose protection can't be observed fails."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

REFUSAL_ERRORS = {"EPERM", "ENOSYS"}
"""Errors by which a filter refuses a system call. Any other error means that the call passed the filter."""
SYSTEM_NAMES = {"bin", "lib", "lib64", "lib32", "usr", "bot", "kit"}
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")
SECCOMP_FILTER_MODE = "2"
STOPPED_STATE = "T"
STANDARD_STREAMS = [0, 1, 2]
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
    root: frozenset[str]
    """Names in the root folder that the language adds."""
    environment: frozenset[str]
    """Environment variables that the language adds."""
    limits: Mapping[str, int]
    """Expected resource limits, by the names of `prlimit`."""
    is_grouped: bool
    """Whether the process is in a control group of the arena."""


Check = Callable[[Facts], tuple[bool, str]]


def _check_namespaces(facts: Facts) -> tuple[bool, str]:
    if facts.shared:
        return False, f"shared with the arena: {', '.join(facts.shared)}"
    calls = facts.inside["calls"]
    apart = "users, processes, network, System V objects, host name and mounts are its own"
    if not facts.unseen:
        return True, apart
    refused = facts.unseen == ["ipc"] and all(calls[name] in REFUSAL_ERRORS for name in ("shmget", "semget", "msgget"))
    return refused, f"{apart}; of {', '.join(facts.unseen)} that can't be seen from here"


def _check_root_folder(facts: Facts) -> tuple[bool, str]:
    extra = set(facts.inside["root"]) - SYSTEM_NAMES - facts.root
    seen = [*facts.inside["seen"], *(f"/{name}" for name in sorted(extra))]
    return _expect_none(
        seen, "it can see", "it sees what it runs on and its own files: no /proc, no /dev, nothing of ours"
    )


def _check_landlock(facts: Facts) -> tuple[bool, str]:
    return _expect_none(facts.inside["read"], "it can read", "it can read what it runs on and its own files only")


def _check_mounts(facts: Facts) -> tuple[bool, str]:
    return _expect_none(
        [*facts.inside["written"], *facts.writable], "it can write to", "every mount it has is read-only"
    )


def _check_writing(facts: Facts) -> tuple[bool, str]:
    return _expect_none(facts.inside["written"], "it can write to", "it can make no file, not even where everybody may")


def _check_not_root(facts: Facts) -> tuple[bool, str]:
    uids = facts.status["Uid"].split()
    return "0" not in uids, f"on this machine it is user {uids[0]}"


def _check_own_user(facts: Facts) -> tuple[bool, str]:
    uids, groups = set(facts.status["Uid"].split()), set(facts.status["Groups"].split())
    others = {"0", str(os.geteuid())}
    own = len(uids) == 1 and not uids & others and not groups & others
    return own, f"on this machine it is user {', '.join(sorted(uids))}, and the arena user {os.geteuid()}"


def _check_capabilities(facts: Facts) -> tuple[bool, str]:
    held = [name for name in CAPABILITIES if int(facts.status[name], 16)]
    if facts.status["NoNewPrivs"] != "1":
        held.append("it may get more by a setuid program")
    return _expect_none(held, "it has", "it has none, and no program can give it any")


def _check_system_calls(facts: Facts) -> tuple[bool, str]:
    calls = facts.inside["calls"]
    through = [name for name, error in calls.items() if error not in REFUSAL_ERRORS]
    if facts.status["Seccomp"] != SECCOMP_FILTER_MODE:
        through.append("no filter is set")
    return _expect_none(through, "not refused", f"filtered; {len(calls)} that no bot needs were tried and refused")


def _check_processes(facts: Facts) -> tuple[bool, str]:
    started = [name for name, error in facts.inside["processes"].items() if error not in REFUSAL_ERRORS]
    if started or not facts.inside["threads"]:
        return _expect_none(started or ["no thread"], "it can start", "")
    return True, "it can start threads, and neither a process nor a program"


def _check_network(facts: Facts) -> tuple[bool, str]:
    sockets = facts.inside["sockets"]
    opened = [name for name, error in sockets.items() if error not in REFUSAL_ERRORS]
    if facts.inside["connected"]:
        opened.append("a listener of this machine")
    return _expect_none(opened, "it reaches", f"sockets of {len(sockets)} families were tried and refused")


def _check_limits(facts: Facts) -> tuple[bool, str]:
    found = facts.inside["limits"]
    loose = [key for key, most in facts.limits.items() if not all(0 <= bound <= most for bound in found[key.upper()])]
    told = f"the kernel bounds {len(facts.limits)} resources: memory, processor time, files, …"
    if facts.is_grouped:
        told += "; a control group bounds memory and threads of all bots together"
    return _expect_none(loose, "not bounded", told)


def _check_inherited(facts: Facts) -> tuple[bool, str]:
    passed = sorted(set(facts.inside["environment"]) - COMMON_VARIABLES - facts.environment)
    passed += [f"descriptor {fd}" for fd in facts.inside["descriptors"] if fd not in STANDARD_STREAMS]
    return _expect_none(passed, "handed on", "it has its three streams, and nothing of the arena's environment")


def _check_stopped(facts: Facts) -> tuple[bool, str]:
    stopped = facts.status["State"].startswith(STOPPED_STATE)
    return stopped, "stopped from its answer on" if stopped else "it runs on after its answer"


def _expect_none(found: Sequence[str], trouble: str, otherwise: str) -> tuple[bool, str]:
    return not found, f"{trouble}: {', '.join(found)}" if found else otherwise


COMMON_CHECKS: dict[str, Check] = {
    "no capability": _check_capabilities,
    "system calls": _check_system_calls,
    "only threads": _check_processes,
    "no network": _check_network,
    "memory and other bounds": _check_limits,
    "nothing inherited": _check_inherited,
    "frozen between questions": _check_stopped,
}
CHECKS: dict[str, dict[str, Check]] = {
    "A": {
        "namespaces": _check_namespaces,
        "empty root": _check_root_folder,
        "nothing to write to": _check_mounts,
        "not root": _check_not_root,
        **COMMON_CHECKS,
    },
    "C": {
        "own user": _check_own_user,
        "Landlock": _check_landlock,
        "nothing to write to": _check_writing,
        **COMMON_CHECKS,
    },
    "D": {
        "Landlock": _check_landlock,
        "nothing to write to": _check_writing,
        "not root": _check_not_root,
        **COMMON_CHECKS,
    },
}
"""Names and checks of the layers by level."""
