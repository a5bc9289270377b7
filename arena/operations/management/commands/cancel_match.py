"""Cancel a match, and let it be replayed."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import CancelMatch, ReplayMatch

Command = build_command(CancelMatch, ReplayMatch)
