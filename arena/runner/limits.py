"""Define the limits of a bot in one leg."""

from dataclasses import dataclass

ELAPSED_FACTOR = 1.5
"""Elapsed time that a leg allows one bot, as a multiple of its start limit and time bank together."""
EXTRA_ELAPSED_MS = 1000.0
"""Elapsed time that a leg allows one bot beyond that multiple."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and memory one bot may use in one leg."""

    start_ms: int = 5000
    """Cost limit of the start, up to the answer to `hello`. See `TimeSpent` for costs."""
    move_ms: int = 1000
    """Cost limit of one answer."""
    bank_ms: int = 30000
    """Time bank of the leg: what answers cost beyond the free part of each is taken from it."""
    memory_mb: int = 256

    @property
    def elapsed_ms(self) -> float:
        """Return the elapsed time of a leg for one bot, start included, without delays by this machine.

        A bot that computes needs about its processor time. One that sleeps is ended before it has cost a worker twice
        its start limit and time bank, which is the most that these limits allow.
        """
        return ELAPSED_FACTOR * (self.start_ms + self.bank_ms) + EXTRA_ELAPSED_MS
