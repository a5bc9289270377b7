"""Let nobody upload to this site."""

from collections.abc import Mapping
from typing import Any

from arena.operations.management.staff_command import StaffCommand
from arena.operations.staff_acts import CloseUploads


class Command(StaffCommand):
    """Let nobody upload to this site."""

    help = "Let nobody create bots or upload versions; pages and API say so, and matches go on."

    def find_act(self, options: Mapping[str, Any]) -> CloseUploads:
        """Return the act."""
        return CloseUploads()
