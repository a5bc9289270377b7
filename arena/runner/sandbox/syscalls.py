"""The numbers of system calls by name."""

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("syscalls.txt")
"""A call a line: its name, its number on x86_64, on aarch64; "-" where there is none. As libseccomp and the kernel's
unistd.h have them."""
MACHINES = ("x86_64", "aarch64")


@cache
def numbers(machine: str) -> dict[str, int]:
    """Of the calls that a machine of MACHINES has."""
    column = 1 + MACHINES.index(machine)
    rows = [line.split() for line in TABLE.read_text().splitlines()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
