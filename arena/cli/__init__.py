"""The `pennant` command: matches on this machine, and the check of records. No database, no site."""

from arena.cli.command import main

__all__ = ["main"]
