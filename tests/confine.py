"""`python -m tests.confine PROFILE PROGRAM…`: run a program under a container engine's system call profile.

Through libseccomp, as an engine does it, since there may be no engine where tests run. The capabilities are those of a
root worker, or none where an ordinary user runs this.
"""

import ctypes
import ctypes.util
import errno
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
COMPARE = {"SCMP_CMP_NE": 1, "SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
UNKNOWN = -1
PR_CAPBSET_DROP = 24
KEPT = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}
"""Those that an engine gives to root unless it is told otherwise: CAP_CHOWN, CAP_KILL, CAP_SETUID and the like."""
LAST_CAPABILITY = 63


class Comparison(ctypes.Structure):
    _fields_ = [("index", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


def confine(profile: dict[str, Any]) -> None:
    """From now on this process and its children make only the calls that the profile allows."""
    name = ctypes.util.find_library("seccomp")
    assert name is not None, "libseccomp is missing: apt install libseccomp2"
    library = ctypes.CDLL(name, use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    architectures = [entry["architecture"].removeprefix("SCMP_ARCH_").lower() for entry in profile["archMap"]]
    assert platform.machine() in architectures
    context = ctypes.c_void_p(library.seccomp_init(ERRNO | profile["defaultErrnoRet"]))
    for rule in profile["syscalls"]:
        action = ALLOW if rule["action"] == "SCMP_ACT_ALLOW" else ERRNO | rule["errnoRet"]
        wanted = [Comparison(arg["index"], COMPARE[arg["op"]], arg["value"], 0) for arg in rule.get("args", ())]
        for call in rule["names"]:
            number = library.seccomp_syscall_resolve_name(call.encode())
            if number == UNKNOWN:
                continue
            added = library.seccomp_rule_add_array(
                context, ctypes.c_uint(action), number, len(wanted), (Comparison * len(wanted))(*wanted)
            )
            # A negative number is a call that this architecture does not have.
            assert added == 0 or number < 0, f"{call}: {os.strerror(-added)}"
    loaded = library.seccomp_load(context)
    assert loaded == 0, os.strerror(-loaded)


def drop_capabilities() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in set(range(LAST_CAPABILITY + 1)) - KEPT:
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            assert ctypes.get_errno() == errno.EINVAL, f"capability {capability} could not be dropped"


if __name__ == "__main__":
    if os.geteuid() == 0:
        drop_capabilities()
    confine(json.loads(Path(sys.argv[1]).read_text()))
    os.execv(sys.argv[2], sys.argv[2:])
