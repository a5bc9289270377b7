"""What one bot may use in one leg."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    start_ms: int = 5000
    """From being started to the answer to `hello`."""
    move_ms: int = 1000
    """Hard limit for one answer."""
    bank_ms: int = 30000
    """For the whole leg: what answers take beyond the free part of each comes out of it."""
    memory_mb: int = 256
