"""Tell how long this process stood still, as when it is stopped, or paused with its container."""

MIN_STALL_S = 0.1
"""A process that wakes up later than it asked for by less than this is busy or waits for a processor."""


def measure_stall(due: float, now: float) -> float:
    """Return for how long this process stood still, if it was to wake up at `due` at the latest and did so `now`."""
    late = now - due
    return late if late > MIN_STALL_S else 0.0
