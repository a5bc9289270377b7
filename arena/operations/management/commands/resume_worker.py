"""Let a drained worker take matches again."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.matches.workers import find_worker
from arena.operations.management.staff_command import StaffCommand
from arena.operations.staff_acts import ResumeWorker


class Command(StaffCommand):
    """Let a drained worker take matches again."""

    help = "Let a drained worker take matches again."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the worker's name."""
        parser.add_argument("worker", help="Host name of the worker, as the queue page shows it.")
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> ResumeWorker:
        """Return the act. Raises UnknownWorker."""
        return ResumeWorker(find_worker(options["worker"]))
