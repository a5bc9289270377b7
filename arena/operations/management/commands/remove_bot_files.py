"""Remove the files of a bot for good."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import RemoveFiles

Command = build_command(RemoveFiles)
