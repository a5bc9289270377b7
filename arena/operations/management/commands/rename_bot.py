"""Give a bot another name."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import RenameBot

Command = build_command(RenameBot)
