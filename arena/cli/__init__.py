"""The `pennant` command: matches on this machine, the check of records, and of sandboxes. No database, no site."""

from arena.cli.command import main
from arena.cli.sandbox import sandbox

main.add_command(sandbox)

__all__ = ["main"]
