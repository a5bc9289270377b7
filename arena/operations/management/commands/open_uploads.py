"""Let authors upload again."""

from collections.abc import Mapping
from typing import Any

from arena.operations.management.staff_command import StaffCommand
from arena.operations.staff_acts import OpenUploads


class Command(StaffCommand):
    """Let authors upload again."""

    help = "Let authors create bots and upload versions again."

    def find_act(self, options: Mapping[str, Any]) -> OpenUploads:
        """Return the act."""
        return OpenUploads()
