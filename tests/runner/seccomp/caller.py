"""Make system calls by number, with or without a filter, and print the results.

Run as a program: reads one line of JSON, {"filter": base64 or null, "calls": [[number, argument, ...], ...]}, writes
one, [[result, errno], ...]. An argument is a number, or a string for a pointer to one, or null for a page of zeros.
"""

import base64
import ctypes
import json
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS = 38
PR_SET_SECCOMP = 22
NOBODY = 65534

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
zeros = ctypes.create_string_buffer(4096)


def install(program: bytes) -> None:
    held = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, 2, described, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter")


def argument(value: int | str | None) -> object:
    if value is None:
        return zeros
    return value.encode() if isinstance(value, str) else ctypes.c_long(value)


def main() -> None:
    order = json.loads(sys.stdin.readline())
    if os.getuid() == 0:
        os.setresuid(NOBODY, NOBODY, NOBODY)
    if order["filter"] is not None:
        install(base64.b64decode(order["filter"]))
    results = []
    for number, *values in order["calls"]:
        ctypes.set_errno(0)
        result = libc.syscall(ctypes.c_long(number), *[argument(value) for value in values])
        results.append([result, ctypes.get_errno()])
    print(json.dumps(results), flush=True)


if __name__ == "__main__":
    main()
