"""The numbers in syscalls.txt are those of libseccomp."""

import ctypes
import ctypes.util

import pytest

from arena.runner.sandbox.seccomp import MACHINES, PURPOSES, SYSCALL_TABLE, list_decisions, read_numbers

NOT_THERE = -1
NAMED_LATER = {"cachestat", "fchmodat2", "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue"}
"""Calls of Linux 6.5 to 6.7, which a libseccomp before 2.6 may not know."""


@pytest.fixture(scope="module")
def libseccomp() -> ctypes.CDLL:
    name = ctypes.util.find_library("seccomp")
    if name is None:
        pytest.skip("libseccomp isn't installed")
    return ctypes.CDLL(name)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_number_is_the_one_libseccomp_has(libseccomp: ctypes.CDLL, machine: str) -> None:
    def number(name: str) -> int:
        audit = ctypes.c_uint32(MACHINES[machine].audit)
        return int(libseccomp.seccomp_syscall_resolve_name_arch(audit, name.encode()))

    ours = read_numbers(machine)
    differing = {name: (ours[name], theirs) for name in ours if (theirs := number(name)) != ours[name]}
    assert {name for name, (_, theirs) in differing.items() if theirs != NOT_THERE} == set()
    assert set(differing) <= NAMED_LATER
    missing = {line.split()[0] for line in SYSCALL_TABLE.read_text().splitlines()} - set(ours)
    assert {name for name in missing if number(name) >= 0} == set()


@pytest.mark.parametrize("machine", MACHINES)
def test_no_number_stands_for_two_calls(machine: str) -> None:
    assert len(set(read_numbers(machine).values())) == len(read_numbers(machine))


def test_all_calls_decided_on_are_in_the_table() -> None:
    known = {name for machine in MACHINES for name in read_numbers(machine)}
    assert {name for purpose in PURPOSES for name in list_decisions(purpose)} - known == set()


def test_what_x86_64_has_beyond_the_others_is_only_what_is_old() -> None:
    """A call that only one architecture knows may be a typing mistake."""
    only_here = set(list_decisions("play")) & (set(read_numbers("x86_64")) - set(read_numbers("aarch64")))
    replaced = {"open", "stat", "lstat", "access", "fork", "vfork", "pipe", "dup2", "poll", "select", "getdents"}
    assert replaced <= only_here
    assert set(list_decisions("play")) - set(read_numbers("x86_64")) == set()
    assert len(set(list_decisions("play")) & set(read_numbers("aarch64"))) > 200
