"""Start the command `pennant`."""

from arena.cli import main

__all__ = ["main"]
