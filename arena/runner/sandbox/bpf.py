"""Compile decisions on system calls to a program of classic BPF for seccomp.

The number of a call is found by binary search, so a program for hundreds of calls takes about ten steps. Since version
5.11 the kernel remembers which calls are allowed whatever their arguments, and runs no program for those.
Source: Documentation/userspace-api/seccomp_filter.rst, linux/filter.h, linux/seccomp.h.
"""

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

LOAD_WORD = 0x20
"""BPF_LD | BPF_W | BPF_ABS: a word of struct seccomp_data."""
AND = 0x54
JUMP = 0x05
JUMP_IF_EQUAL = 0x15
JUMP_IF_AT_LEAST = 0x35
RETURN = 0x06

ALLOW = 0x7FFF0000
ERRNO = 0x00050000
KILL_PROCESS = 0x80000000

NUMBER_OFFSET = 0
ARCHITECTURE_OFFSET = 4
ARGUMENTS_OFFSET = 16
"""Byte offset of the arguments in struct seccomp_data."""
WORD_MASK = 0xFFFFFFFF
MAX_CONDITIONAL_JUMP = 255

Instruction = tuple[int, int, int, int]
"""Code, steps to jump if true, steps to jump if false, operand: struct sock_filter."""


@dataclass(frozen=True, slots=True)
class ArgumentCheck:
    """Holds if the low 32 bits of an argument, masked, are one of the values.

    The low half is enough where the kernel itself takes an int, and wrong for pointers and sizes.
    """

    argument: int
    values: tuple[int, ...]
    mask: int = WORD_MASK


@dataclass(frozen=True, slots=True)
class Rule:
    """A call that is allowed if all checks hold, and fails with the errno `refusal` otherwise."""

    checks: tuple[ArgumentCheck, ...] = ()
    refusal: int = 0


Decision = Rule | int
"""A rule, or the errno of a call that is always refused."""


@dataclass(frozen=True, slots=True)
class Machine:
    """The numbers that identify the system calls of an architecture."""

    audit: int
    """The constant AUDIT_ARCH_… of linux/audit.h."""
    foreign: int | None = None
    """First number of a second set of calls with the same constant, such as those of x32."""


def compile_filter(decisions: Mapping[int, Decision], unknown: Decision, machine: Machine) -> bytes:
    """Return an array of struct sock_filter. `unknown` is the decision for every other number.

    Calls of another architecture kill the process.
    """
    program = [
        _load(ARCHITECTURE_OFFSET),
        (JUMP_IF_EQUAL, 1, 0, machine.audit),
        _return(KILL_PROCESS),
        _load(NUMBER_OFFSET),
    ]
    if machine.foreign is not None:
        # -1 is no call of x32: programs use it to see how the kernel refuses an unknown call.
        program += [(JUMP_IF_EQUAL, 2, 0, WORD_MASK), (JUMP_IF_AT_LEAST, 0, 1, machine.foreign), _return(KILL_PROCESS)]
    program += _choose(_spans(decisions, unknown))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _spans(decisions: Mapping[int, Decision], unknown: Decision) -> list[tuple[int, Decision]]:
    """Return the first number and the decision of each range of numbers with the same decision, from 0."""
    last = max(decisions) + 1
    every = [(number, decisions.get(number, unknown)) for number in range(last)] + [(last, unknown)]
    return [next(run) for _, run in groupby(every, key=lambda pair: pair[1])]


def _choose(spans: Sequence[tuple[int, Decision]]) -> list[Instruction]:
    if len(spans) == 1:
        return _decide(spans[0][1])
    middle = len(spans) // 2
    low, high = _choose(spans[:middle]), _choose(spans[middle:])
    start = spans[middle][0]
    if len(low) <= MAX_CONDITIONAL_JUMP:
        return [(JUMP_IF_AT_LEAST, len(low), 0, start), *low, *high]
    return [(JUMP_IF_AT_LEAST, 0, 1, start), (JUMP, 0, 0, len(low)), *low, *high]


def _decide(decision: Decision) -> list[Instruction]:
    if isinstance(decision, int):
        return [_return(ERRNO | decision)]
    steps = [step for check in decision.checks for step in _check(check, decision.refusal)]
    return [*steps, _return(ALLOW)]


def _check(check: ArgumentCheck, refusal: int) -> list[Instruction]:
    steps = [_load(ARGUMENTS_OFFSET + 8 * check.argument)]
    if check.mask != WORD_MASK:
        steps.append((AND, 0, 0, check.mask))
    for left, value in zip(reversed(range(len(check.values))), check.values, strict=True):
        steps.append((JUMP_IF_EQUAL, left + 1, 0, value))
    return [*steps, _return(ERRNO | refusal)]


def _load(offset: int) -> Instruction:
    return (LOAD_WORD, 0, 0, offset)


def _return(value: int) -> Instruction:
    return (RETURN, 0, 0, value)
