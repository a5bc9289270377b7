"""Define the limits of a bot in one leg."""

from dataclasses import dataclass


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
