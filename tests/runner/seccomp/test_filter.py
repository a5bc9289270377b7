"""The filters, run by an interpreter: every number, both architectures and all relevant arguments."""

import errno
from itertools import product

import pytest

from arena.runner.sandbox.seccomp import (
    ALLOW,
    ERRNO,
    INIT_CHILD,
    KILL_PROCESS,
    MACHINES,
    PURPOSES,
    Decision,
    NoFilterError,
    Rule,
    build_filter,
    list_decisions,
    read_numbers,
)
from tests.runner.seccomp.interpreter import load, verdict

EVERYWHERE = list(product(MACHINES, PURPOSES))
ARCHITECTURES = {"i386": 0x40000003, "arm": 0x40000028, "x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HIGH = 0xDEADBEEF << 32
"""Upper half of an argument that the kernel reads as an int, which must have no effect."""
NUMBERS = range(1024)
MAX_INSTRUCTIONS = 4096


def expected(decision: Decision, arguments: list[int]) -> int:
    if isinstance(decision, int):
        return ERRNO | decision
    holds = all(arguments[check.argument] & check.mask & 0xFFFFFFFF in check.values for check in decision.checks)
    return ALLOW if holds else ERRNO | decision.refusal


def trials(decision: Decision) -> list[list[int]]:
    """Return arguments at, beside and between the values of a rule."""
    if isinstance(decision, int) or not decision.checks:
        return [[0] * 6, [0xFFFFFFFF] * 6]
    candidates = []
    for check in decision.checks:
        values = {near for value in check.values for near in (value - 1, value, value + 1, value | HIGH)}
        bits = {check.values[0] | 1 << bit for bit in range(64)}
        candidates.append(sorted(value & 0xFFFFFFFFFFFFFFFF for value in {*values, *bits, 0, 0xFFFFFFFF}))
    good = {check.argument: check.values[0] for check in decision.checks}
    tried = []
    for check, values in zip(decision.checks, candidates, strict=True):
        for value in values:
            settled = {**good, check.argument: value}
            tried.append([settled.get(index, 7) for index in range(6)])
    return tried


@pytest.mark.parametrize(("machine", "purpose"), EVERYWHERE)
def test_every_number_is_decided_as_the_list_says(machine: str, purpose: str) -> None:
    program = load(build_filter(purpose, machine, pid=77))
    audit = MACHINES[machine].audit
    by_number = {
        number: list_decisions(purpose, 77).get(name, errno.ENOSYS) for name, number in read_numbers(machine).items()
    }
    wrong = [
        (number, arguments)
        for number in NUMBERS
        for arguments in trials(by_number.get(number, errno.ENOSYS))
        if verdict(program, audit, number, arguments) != expected(by_number.get(number, errno.ENOSYS), arguments)
    ]
    assert wrong == []


@pytest.mark.parametrize(("machine", "purpose"), EVERYWHERE)
def test_calls_of_other_architectures_kill(machine: str, purpose: str) -> None:
    program = load(build_filter(purpose, machine))
    for name, audit in ARCHITECTURES.items():
        verdicts = {verdict(program, audit, number, [0] * 6) for number in NUMBERS}
        assert (verdicts == {KILL_PROCESS}) == (name != machine)


@pytest.mark.parametrize("purpose", PURPOSES)
def test_calls_of_x32_kill_and_no_call_at_all_does_not(purpose: str) -> None:
    program = load(build_filter(purpose, "x86_64"))
    audit = MACHINES["x86_64"].audit
    for number in (0x40000000, 0x40000000 + 39, 0x400001FF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE):
        assert verdict(program, audit, number, [0] * 6) == KILL_PROCESS
    assert verdict(program, audit, 0xFFFFFFFF, [0] * 6) == ERRNO | errno.ENOSYS
    assert verdict(program, audit, 0x3FFFFFFF, [0] * 6) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize(("machine", "purpose"), EVERYWHERE)
def test_a_filter_is_one_the_kernel_takes(machine: str, purpose: str) -> None:
    program = load(build_filter(purpose, machine))
    assert 100 < len(program) < MAX_INSTRUCTIONS
    for at, (code, if_true, if_false, operand) in enumerate(program):
        jumps = {0x05: (operand,), 0x15: (if_true, if_false), 0x35: (if_true, if_false)}.get(code, ())
        assert all(at + 1 + jump < len(program) for jump in jumps)
    assert program[-1][0] == 0x06


def test_the_process_that_may_be_signalled_is_the_one_named() -> None:
    for pid in (INIT_CHILD, 4_000_000):
        program = load(build_filter("play", "x86_64", pid))
        audit, tgkill = MACHINES["x86_64"].audit, read_numbers("x86_64")["tgkill"]
        allowed = [
            target for target in (0, 1, 2, 3, 4_000_000) if verdict(program, audit, tgkill, [target, 9, 6]) == ALLOW
        ]
        assert allowed == [pid]


def test_a_machine_without_a_table_has_no_filter() -> None:
    with pytest.raises(NoFilterError, match="riscv64"):
        build_filter("play", "riscv64")


def test_an_unlisted_call_is_unknown_even_beyond_the_table() -> None:
    for machine in MACHINES:
        program = load(build_filter("play", machine))
        last = max(read_numbers(machine).values())
        for number in (last + 1, last + 100, 2000, 100_000):
            assert verdict(program, MACHINES[machine].audit, number, [0] * 6) == ERRNO | errno.ENOSYS


def test_building_allows_all_that_playing_allows() -> None:
    playing, building = list_decisions("play"), list_decisions("build")
    unchecked = {name for name, decision in playing.items() if decision == Rule()}
    assert unchecked <= {name for name, decision in building.items() if decision == Rule()}
