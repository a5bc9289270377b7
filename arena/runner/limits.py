"""What one bot may use in one leg."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and memory one bot may use in one leg."""

    start_ms: int = 5000
    """What getting ready may cost: from being started to the answer to `hello`. Of costs, see `Spent`."""
    move_ms: int = 1000
    """What one answer may cost."""
    bank_ms: int = 30000
    """For the whole leg: what answers cost beyond the free part of each comes out of it."""
    memory_mb: int = 256
