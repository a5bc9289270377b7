"""Let authors upload again."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import OpenUploads

Command = build_command(OpenUploads)
