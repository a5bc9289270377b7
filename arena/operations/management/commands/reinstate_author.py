"""Take the suspension or the ban of an author back."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import ReinstateAuthor

Command = build_command(ReinstateAuthor)
