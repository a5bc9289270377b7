"""Let the arena play for a class until a time."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import EndLesson, StartLesson

Command = build_command(StartLesson, EndLesson)
