"""The noise that hides the numbers of pipes."""

import os

from arena.runner.sandbox.inode_numbers import NOISE_FACTOR, InodeNumbers, read_counters, use_numbers


def test_noise_is_as_large_as_what_it_hides() -> None:
    processor = min(os.sched_getaffinity(0))
    moves = []
    for _ in range(8):
        numbers = InodeNumbers()
        use_numbers(processor, 2000)
        before = read_counters()[processor]
        numbers.add_noise()
        moves.append((read_counters()[processor] - before) % 2**32)
    assert len(set(moves)) > 4
    assert max(moves) > 2000, "eight numbers from 0 to 8000 are all below 2000 once in 65,000 times"


def test_the_process_may_use_the_same_processors_afterwards() -> None:
    usable = os.sched_getaffinity(0)
    InodeNumbers().add_noise()
    assert os.sched_getaffinity(0) == usable
    assert read_counters().keys() == usable and NOISE_FACTOR > 1
