"""Let a stopped bot play again."""

from collections.abc import Mapping
from typing import Any

from arena.operations.management.staff_command import BotCommand
from arena.operations.staff_acts import ReleaseBot


class Command(BotCommand):
    """Let a stopped bot play again."""

    help = "Let a bot play again that was stopped, or of which the arena holds versions back."

    def find_act(self, options: Mapping[str, Any]) -> ReleaseBot:
        """Return the act. Raises CommandError."""
        return ReleaseBot(self.find_named_bot(options))
