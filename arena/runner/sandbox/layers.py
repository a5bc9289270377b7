"""What each layer of a level must show. Every one fails closed: what can't be seen to hold doesn't."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

REFUSED = {"EPERM", "ENOSYS"}
"""How a filter answers. Any other error comes from further down the kernel: the call got through."""
SYSTEM = {"bin", "lib", "lib64", "lib32", "usr", "bot", "kit"}
CAPABILITIES = ("CapInh", "CapPrm", "CapEff", "CapAmb")
FILTERED = "2"
STOPPED = "T"
STREAMS = [0, 1, 2]
PLAIN = {"PATH", "LANG", "PWD", "OPENSSL_CONF"}
"""What bots may find in their environment, whatever their language."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a probe found, and what its process looks like while it waits for the next question."""

    inside: Mapping[str, Any]
    """The answer of probe.py."""
    status: Mapping[str, str]
    """/proc/PID/status, by field."""
    shared: Sequence[str]
    """Namespaces it has in common with the arena."""
    unseen: Sequence[str]
    """Namespaces of which that can't be told from outside."""
    writable: Sequence[str]
    """Its mounts that are not read-only."""
    root: frozenset[str]
    """Names at its root that its language brings."""
    environment: frozenset[str]
    """Names in its environment that its language brings."""
    bounds: Mapping[str, int]
    """What the kernel should bound, by the names of `prlimit`."""
    is_grouped: bool
    """Whether it is in a control group of the arena's."""


Check = Callable[[Facts], tuple[bool, str]]


def _namespaces(facts: Facts) -> tuple[bool, str]:
    if facts.shared:
        return False, f"shared with the arena: {', '.join(facts.shared)}"
    calls = facts.inside["calls"]
    apart = "users, processes, network, System V objects, host name and mounts are its own"
    if not facts.unseen:
        return True, apart
    refused = facts.unseen == ["ipc"] and all(calls[name] in REFUSED for name in ("shmget", "semget", "msgget"))
    return refused, f"{apart}; of {', '.join(facts.unseen)} that can't be seen from here"


def _empty_root(facts: Facts) -> tuple[bool, str]:
    extra = set(facts.inside["root"]) - SYSTEM - facts.root
    seen = [*facts.inside["seen"], *(f"/{name}" for name in sorted(extra))]
    return _nothing(seen, "it can see", "it sees what it runs on and its own files: no /proc, no /dev, nothing of ours")


def _landlock(facts: Facts) -> tuple[bool, str]:
    return _nothing(facts.inside["read"], "it can read", "it can read what it runs on and its own files only")


def _read_only(facts: Facts) -> tuple[bool, str]:
    return _nothing([*facts.inside["written"], *facts.writable], "it can write to", "every mount it has is read-only")


def _unwritten(facts: Facts) -> tuple[bool, str]:
    return _nothing(facts.inside["written"], "it can write to", "it can make no file, not even where everybody may")


def _not_root(facts: Facts) -> tuple[bool, str]:
    uids = facts.status["Uid"].split()
    return "0" not in uids, f"on this machine it is user {uids[0]}"


def _own_user(facts: Facts) -> tuple[bool, str]:
    uids, groups = set(facts.status["Uid"].split()), set(facts.status["Groups"].split())
    others = {"0", str(os.geteuid())}
    own = len(uids) == 1 and not uids & others and not groups & others
    return own, f"on this machine it is user {', '.join(sorted(uids))}, and the arena user {os.geteuid()}"


def _no_capability(facts: Facts) -> tuple[bool, str]:
    held = [name for name in CAPABILITIES if int(facts.status[name], 16)]
    if facts.status["NoNewPrivs"] != "1":
        held.append("it may get more by a setuid program")
    return _nothing(held, "it has", "it has none, and no program can give it any")


def _system_calls(facts: Facts) -> tuple[bool, str]:
    calls = facts.inside["calls"]
    through = [name for name, error in calls.items() if error not in REFUSED]
    if facts.status["Seccomp"] != FILTERED:
        through.append("no filter is set")
    return _nothing(through, "not refused", f"filtered; {len(calls)} that no bot needs were tried and refused")


def _threads_only(facts: Facts) -> tuple[bool, str]:
    started = [name for name, error in facts.inside["processes"].items() if error not in REFUSED]
    if started or not facts.inside["threads"]:
        return _nothing(started or ["no thread"], "it can start", "")
    return True, "it can start threads, and neither a process nor a program"


def _no_network(facts: Facts) -> tuple[bool, str]:
    sockets = facts.inside["sockets"]
    opened = [name for name, error in sockets.items() if error not in REFUSED]
    if facts.inside["connected"]:
        opened.append("a listener of this machine")
    return _nothing(opened, "it reaches", f"sockets of {len(sockets)} families were tried and refused")


def _bounds(facts: Facts) -> tuple[bool, str]:
    found = facts.inside["limits"]
    loose = [key for key, most in facts.bounds.items() if not all(0 <= bound <= most for bound in found[key.upper()])]
    told = f"the kernel bounds {len(facts.bounds)} resources: memory, processor time, files, …"
    if facts.is_grouped:
        told += "; a control group bounds memory and threads of all bots together"
    return _nothing(loose, "not bounded", told)


def _nothing_inherited(facts: Facts) -> tuple[bool, str]:
    passed = sorted(set(facts.inside["environment"]) - PLAIN - facts.environment)
    passed += [f"descriptor {fd}" for fd in facts.inside["descriptors"] if fd not in STREAMS]
    return _nothing(passed, "handed on", "it has its three streams, and nothing of the arena's environment")


def _frozen(facts: Facts) -> tuple[bool, str]:
    stopped = facts.status["State"].startswith(STOPPED)
    return stopped, "stopped from its answer on" if stopped else "it runs on after its answer"


def _nothing(found: Sequence[str], trouble: str, otherwise: str) -> tuple[bool, str]:
    return not found, f"{trouble}: {', '.join(found)}" if found else otherwise


BEHIND_ALL: dict[str, Check] = {
    "no capability": _no_capability,
    "system calls": _system_calls,
    "only threads": _threads_only,
    "no network": _no_network,
    "memory and other bounds": _bounds,
    "nothing inherited": _nothing_inherited,
    "frozen between questions": _frozen,
}
CHECKS: dict[str, dict[str, Check]] = {
    "A": {
        "namespaces": _namespaces,
        "empty root": _empty_root,
        "nothing to write to": _read_only,
        "not root": _not_root,
        **BEHIND_ALL,
    },
    "C": {"own user": _own_user, "Landlock": _landlock, "nothing to write to": _unwritten, **BEHIND_ALL},
    "D": {"Landlock": _landlock, "nothing to write to": _unwritten, "not root": _not_root, **BEHIND_ALL},
}
"""By level, what each of its layers is called and how it is judged."""
