"""Let a worker end its match and take no other."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from arena.matches.workers import find_worker
from arena.operations.management.staff_command import StaffCommand
from arena.operations.staff_acts import DrainWorker


class Command(StaffCommand):
    """Let a worker end its match and take no other."""

    help = "Let a worker end its match and take no other, also after a restart under the same name."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the worker's name."""
        parser.add_argument("worker", help="Host name of the worker, as the queue page shows it.")
        super().add_arguments(parser)

    def find_act(self, options: Mapping[str, Any]) -> DrainWorker:
        """Return the act. Raises UnknownWorker."""
        return DrainWorker(find_worker(options["worker"]))
