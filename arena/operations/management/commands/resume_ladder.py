"""Pair matches again on a ladder."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import ResumeLadder

Command = build_command(ResumeLadder)
