"""Stop a bot everywhere at once."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import StopBot

Command = build_command(StopBot)
