"""Import what bots import, wait for one program, apply the last restrictions and run it: a process of the warm pool.

The arena passes two descriptors. On a socket one byte announces the program, and one byte in return confirms that all
restrictions hold. A file in memory contains the filter of system calls and the program. Until the confirmation this
process alone can write to the bot's folder. Any failure ends it before a line of the bot has run.
"""

import ctypes
import errno
import os
import resource
import sys
from collections.abc import Iterator
from importlib import import_module

IMPORTED = ("pennant_kit", "engine.registry")
BOT = "/bot"
ENTRY = "bot.py"
READ_ONLY = 1 | 2 | 4 | 32 | 4096
"""MS_RDONLY, MS_NOSUID, MS_NODEV, MS_REMOUNT and MS_BIND."""
SET_SECCOMP, GET_SECCOMP, SET_NO_NEW_PRIVS, CAP_AMBIENT, IS_IN_BOUND, DROP_FROM_BOUND = 22, 21, 38, 47, 23, 24
FILTER, CLEAR_ALL = 2, 4
INSTRUCTION = 8
CAPABILITY_VERSION = 0x20080522
LIBC = ctypes.CDLL(None, use_errno=True)


class FilterProgram(ctypes.Structure):
    """The C structure sock_fprog."""

    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


def split_parcel(parcel: bytes) -> Iterator[bytes]:
    """Yield the parts of a parcel, each of which follows its length in eight bytes."""
    at = 0
    while at < len(parcel):
        size = int.from_bytes(parcel[at : at + 8], "little")
        yield parcel[at + 8 : at + 8 + size]
        at += 8 + size


def write_files(files: dict[str, bytes]) -> None:
    """Write the files of the bot."""
    for path, content in files.items():
        target = os.path.join(BOT, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o555), "wb") as copy:
            copy.write(content)


def drop_write_access() -> None:
    """Make the bot's folder read-only, drop the capability to undo that for ever, and check both."""
    require(LIBC.mount(None, BOT.encode(), None, READ_ONLY, None) == 0, "the bot's folder can't be made read-only")
    capability = 0
    while (is_in_bound := LIBC.prctl(IS_IN_BOUND, capability, 0, 0, 0)) >= 0:
        if is_in_bound:
            require(LIBC.prctl(DROP_FROM_BOUND, capability, 0, 0, 0) == 0, "a capability can be had again")
        capability += 1
    LIBC.prctl(CAP_AMBIENT, CLEAR_ALL, 0, 0, 0)
    header, held = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    LIBC.capset(header, held)
    require(LIBC.capget(header, held) == 0 and not any(held), "a capability is left")
    try:
        os.chmod(BOT, 0o755)  # the folder itself: it exists whatever files the program has
        require(False, "the bot's folder can be written to")
    except OSError as error:
        require(error.errno == errno.EROFS, f"the bot's folder is not read-only: {error}")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def install_filter(instructions: bytes) -> None:
    """Install the filter of system calls, and check that it refuses a forbidden one."""
    LIBC.prctl(SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    program = FilterProgram(len(instructions) // INSTRUCTION, instructions)
    require(LIBC.prctl(SET_SECCOMP, FILTER, ctypes.byref(program), 0, 0) == 0, "the filter was not accepted")
    require(LIBC.prctl(GET_SECCOMP, 0, 0, 0, 0) == FILTER, "there is no filter")
    require(LIBC.unshare(0) == -1 and ctypes.get_errno() == errno.EPERM, "the filter lets everything through")


def require(holds: bool, otherwise: str) -> None:
    """Exit with a reason unless a condition holds."""
    if not holds:
        raise SystemExit(otherwise)


def prepare_program(handshake: int, parcel: int, packages: list[str]) -> bytes:
    """Wait for a program, prepare everything and return its source; exit if no program comes.

    `packages` are the modules that it imports beyond the kit.
    """
    for module in (*IMPORTED, *packages):
        import_module(module)
    if not os.read(handshake, 1):
        raise SystemExit
    instructions, *files = split_parcel(os.pread(parcel, os.fstat(parcel).st_size, 0))
    os.close(parcel)
    contents = {path.decode(): content for path, content in zip(files[::2], files[1::2], strict=True)}
    write_files(contents)
    drop_write_access()
    install_filter(instructions)
    os.write(handshake, b"1")
    os.close(handshake)
    return contents[ENTRY]


if __name__ == "__main__":
    script = f"{BOT}/{ENTRY}"
    start = import_module("pennant_start")
    start.make_pair()
    source = prepare_program(int(sys.argv[1]), int(sys.argv[2]), list(filter(None, sys.argv[3].split(","))))
    sys.orig_argv[-4:] = [script]
    names = start.set_up_main_module(script, BOT)
    start.prepare_interpreter(script)
    start.run_bot(source, script, names)
