"""Let authors upload again."""

from collections.abc import Mapping
from typing import Any

from arena.management.staff_command import StaffCommand
from arena.staff_acts.uploads import OpenUploads


class Command(StaffCommand):
    """Let authors upload again."""

    help = "Let authors create bots and upload versions again."

    def find_act(self, options: Mapping[str, Any]) -> OpenUploads:
        """Return the act."""
        return OpenUploads()
