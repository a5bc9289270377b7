"""Hide in noise what a bot could tell the next leg by the numbers of pipes.

The kernel numbers all pipes and sockets of a machine with one counter for each processor. A bot can move it, by making
pipes, and read it, as the number of any pipe of its own. After each leg the arena makes a random number of pipes, up
to a multiple of the number by which the counter moved meanwhile, so that less than one bit gets through.
"""

import os
from collections.abc import Mapping
from random import SystemRandom

NOISE_FACTOR = 4
"""Uniform noise of this multiple of a signal's range leaves log2(1 + 1/4) = 0.32 bits of it."""
MIN_SIGNAL_RANGE = 64
"""Range of a signal that is always hidden, even where a leg moved the counter by less."""


class InodeNumbers:
    """The counters of the processors this process may use, as they were last read."""

    def __init__(self) -> None:
        self._before = read_counters()

    def add_noise(self) -> None:
        """Move each counter by a random number, after a leg that began when the counters were last read."""
        for processor, now in read_counters().items():
            moved = (now - self._before.get(processor, now)) % 2**32
            use_numbers(processor, SystemRandom().randrange(NOISE_FACTOR * max(MIN_SIGNAL_RANGE, moved)))
        self._before = read_counters()


def read_counters() -> Mapping[int, int]:
    """Return the number of a new pipe on each processor this process may use."""
    usable = os.sched_getaffinity(0)
    try:
        return {processor: _read_counter(processor) for processor in sorted(usable)}
    finally:
        os.sched_setaffinity(0, usable)


def use_numbers(processor: int, count: int) -> None:
    """Make so many pipes on a processor, one after the other."""
    usable = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {processor})
    try:
        for _ in range(count):
            for fd in os.pipe():
                os.close(fd)
    finally:
        os.sched_setaffinity(0, usable)


def _read_counter(processor: int) -> int:
    """Return the number of a new pipe on a processor, to which this process is kept from then on."""
    os.sched_setaffinity(0, {processor})
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for fd in ends:
        os.close(fd)
    return number
