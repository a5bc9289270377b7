"""The numbers of system calls by name."""

from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("syscalls.txt")
"""Table of system calls from libseccomp and unistd.h: name, number on x86_64, on aarch64; "-" if there is none."""
MACHINES = ("x86_64", "aarch64")


@cache
def read_numbers(machine: str) -> dict[str, int]:
    """Return the numbers of the calls that a machine of MACHINES has, by name."""
    column = 1 + MACHINES.index(machine)
    rows = [line.split() for line in TABLE.read_text().splitlines()]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
