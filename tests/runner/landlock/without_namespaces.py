"""Print the report of `examine` without namespaces, as in a container with a common profile, as JSON."""

import ctypes
import errno
import json
import os

from arena.runner.sandbox.detection import examine
from arena.runner.sandbox.exec_bot import install_filter
from arena.runner.sandbox.seccomp import MACHINES, ArgumentCheck, Decision, Rule, compile_filter, read_numbers

NAMESPACES = 0x7E020000
"""CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET."""
SET_NO_NEW_PRIVS = 38
REFUSED: dict[str, Decision] = {
    **dict.fromkeys(("unshare", "setns", "mount", "umount2", "pivot_root"), errno.EPERM),
    "clone": Rule((ArgumentCheck(0, (0,), NAMESPACES),), errno.EPERM),
    "clone3": errno.ENOSYS,
}


def forbid_namespaces() -> None:
    """Forbid this process and its children to create namespaces and mounts."""
    machine = os.uname().machine
    known = read_numbers(machine)
    decisions = {known[name]: decision for name, decision in REFUSED.items()}
    ctypes.CDLL(None).prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    install_filter(compile_filter(decisions, Rule(), MACHINES[machine]))


if __name__ == "__main__":
    forbid_namespaces()
    print(json.dumps(examine({"python", "javascript"})[1].as_json()))
