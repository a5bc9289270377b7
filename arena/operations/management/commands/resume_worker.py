"""Let a drained worker take matches again."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import ResumeWorker

Command = build_command(ResumeWorker)
