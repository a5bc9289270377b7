"""Let a stopped bot play again."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import ReleaseBot

Command = build_command(ReleaseBot)
