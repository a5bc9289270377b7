"""Let nobody upload to this site."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import CloseUploads

Command = build_command(CloseUploads)
