"""Pair no new matches on a ladder."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import PauseLadder

Command = build_command(PauseLadder)
