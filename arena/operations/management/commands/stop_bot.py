"""Stop a bot everywhere at once."""

from collections.abc import Mapping
from typing import Any

from arena.operations.management.staff_command import BotCommand
from arena.operations.staff_acts import StopBot


class Command(BotCommand):
    """Stop a bot everywhere at once."""

    help = "Stop a bot at once on ladders, in tournaments, challenges, comparisons and live games."

    def find_act(self, options: Mapping[str, Any]) -> StopBot:
        """Return the act. Raises CommandError."""
        return StopBot(self.find_named_bot(options))
