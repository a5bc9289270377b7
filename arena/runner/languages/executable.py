"""Run programs that their authors have compiled: static, or linked with the C or C++ library of the machine alone."""

import os
import struct

from arena.runner.languages.base import EXECUTABLE_NAME, NATIVE_RUN, Language, Toolchain
from engine.message import gettext_noop, message

CANARY_OUTPUT = b'{"type":"ready"}\n'
CANARY_CODE_BY_MACHINE = {
    "x86_64": (
        62,
        "31ff4889e6ba0100000031c00f0583f8017520803c240a75e7bf01000000488d3517000000ba11000000b8010000000f05ebcd"
        "31ffb8e70000000f05",
    ),
    "aarch64": (
        183,
        "ff4300d1000080d2e1030091220080d2e80780d2010000d41f0400f141010054e30340397f280071e1feff54200080d2010100"
        "10220280d2080880d2010000d4f1ffff17000080d2c80b80d2010000d4",
    ),
}
"""By machine, its number in an ELF header and code that writes the data after it to stdout for each line on stdin."""
LOAD_ADDRESS = 0x400000
OWN_MACHINE = os.uname().machine


def canary(machine: str) -> bytes:
    """Return the smallest program for a kind of machine; empty where none is known."""
    if machine not in CANARY_CODE_BY_MACHINE:
        return b""
    number, code = CANARY_CODE_BY_MACHINE[machine]
    body = bytes.fromhex(code) + CANARY_OUTPUT
    start = struct.calcsize("<16sHHIQQQIHHHHHH") + struct.calcsize("<IIQQQQQQ")
    size = start + len(body)
    head = struct.pack(
        "<16sHHIQQQIHHHHHH",
        *(b"\x7fELF\2\1\1", 2, number, 1, LOAD_ADDRESS + start, start - 56, 0, 0, 64, 56, 1, 0, 0, 0),
    )
    readable_code = struct.pack("<IIQQQQQQ", 1, 5, 0, LOAD_ADDRESS, LOAD_ADDRESS, size, size, 0x1000)
    return head + readable_code + body


def find() -> Toolchain | None:
    """Return how an executable is run here, where its smallest program is known."""
    return Toolchain(OWN_MACHINE, NATIVE_RUN) if OWN_MACHINE in CANARY_CODE_BY_MACHINE else None


EXECUTABLE = Language(
    key="executable",
    title=gettext_noop("Executable"),
    entry=EXECUTABLE_NAME,
    canary={EXECUTABLE_NAME: canary(OWN_MACHINE)},
    find=find,
    advice=message(gettext_noop("nothing: it is there on x86_64 and aarch64")),
)
