"""Stop all bots of an author at once."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import BanAuthor, SuspendAuthor

Command = build_command(SuspendAuthor, BanAuthor)
