"""Let a worker end its match and take no other."""

from arena.operations.management.staff_command import build_command
from arena.operations.staff_acts import DrainWorker

Command = build_command(DrainWorker)
