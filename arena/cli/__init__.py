"""The `pennant` command: matches on this machine, the check of records, seasons and sandboxes, and an arena's API.
No database, no site."""

from arena.cli.command import main
from arena.cli.comparing import compare
from arena.cli.recording import record
from arena.cli.sandbox import sandbox
from arena.cli.submitting import status, submit
from arena.cli.verifying import verify_files

for command in (verify_files, sandbox, submit, status, record, compare):
    main.add_command(command)

__all__ = ["main"]
