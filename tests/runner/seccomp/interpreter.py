"""Interpret the part of classic BPF that the filters use. See linux/filter.h and kernel/seccomp.c."""

import struct
from collections.abc import Sequence

STEP = struct.Struct("=HBBI")
DATA = struct.Struct("=iIQ6Q")
"""struct seccomp_data: number, architecture, instruction pointer, arguments."""
WORD = 0xFFFFFFFF


def load(program: bytes) -> list[tuple[int, int, int, int]]:
    return list(STEP.iter_unpack(program))


def verdict(program: Sequence[tuple[int, int, int, int]], audit: int, number: int, arguments: Sequence[int]) -> int:
    """Return the filter's result for a call, with arguments of 64 bits and signed numbers as in the kernel."""
    padded = [value & 0xFFFFFFFFFFFFFFFF for value in (*arguments, 0, 0, 0, 0, 0, 0)][:6]
    signed = (number & WORD) - (1 << 32 if number & 0x80000000 else 0)
    data = DATA.pack(signed, audit, 0, *padded)
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, operand)
            case 0x54:
                accumulator &= operand
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if accumulator == operand else if_false
            case 0x35:
                at += if_true if accumulator >= operand else if_false
            case 0x06:
                return operand
            case _:
                raise ValueError(f"no such instruction: {code:#x}")
