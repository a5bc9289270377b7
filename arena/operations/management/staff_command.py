"""The base of commands by which staff acts: they say what they will do, ask once, and leave a line in the audit log."""

import getpass
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.bots.models import Bot
from arena.bots.queries import find_bot
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import find_open_ladder
from arena.core.errors import ArenaError
from arena.operations.staff_acts import StaffAct, carry_out
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author, find_user
from arena.people.audit.models import Actor
from arena.people.groups.models import Group


def find_account(name: str) -> User:
    """Return the user of this name, those who may not sign in included. Raises CommandError."""
    user = find_user(name)
    if user is None:
        raise CommandError(f"There is no user called {name}.")
    return user


def find_named_group(slug: str | None) -> Group | None:
    """Return the group with this slug; None where none is named. Raises CommandError."""
    if slug is None:
        return None
    group = Group.objects.filter(slug=slug).first()
    if group is None:
        raise CommandError(f"There is no group at /groups/{slug}/.")
    return group


class StaffCommand(BaseCommand):
    """A command that carries out an act of staff."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add what all acts take; a subclass adds its subject."""
        parser.add_argument("--why", required=True, help="Why, for the audit log.")
        parser.add_argument("--by", metavar="NAME", help="User name of who acts. Default: the system's account.")
        parser.add_argument("--yes", action="store_true", help="Don't ask.")

    @abstractmethod
    def find_act(self, options: Mapping[str, Any]) -> StaffAct:
        """Return the act that the options ask for. Raises CommandError or ArenaError."""

    def handle(self, *, why: str, by: str | None, yes: bool, **options: Any) -> None:
        """Say what the act will do, ask, carry it out, and say what it did."""
        actor = self._find_actor(by)
        try:
            act = self.find_act(options)
            self.stdout.write(act.describe())
            if not yes and input("Do this? [y/N] ").lower() != "y":
                raise CommandError("Nothing was changed.")
            self.stdout.write(carry_out(act, by=actor, why=why))
        except ArenaError as error:
            raise CommandError(str(error)) from None

    def _find_actor(self, name: str | None) -> Actor:
        if name is None:
            return f"{getpass.getuser()} (command)"
        user = find_author(name)
        if user is None or not user.is_staff:
            raise CommandError(f"There is nobody of the staff called {name}.")
        return user


class BotCommand(StaffCommand):
    """An act on a bot."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the bot."""
        parser.add_argument("bot", help="Name of the bot in addresses: kingfisher in /bots/kingfisher/.")
        super().add_arguments(parser)

    def find_named_bot(self, options: Mapping[str, Any]) -> Bot:
        """Return the bot that the options name. Raises CommandError."""
        bot = find_bot(options["bot"])
        if bot is None:
            raise CommandError(f"There is no bot at /bots/{options['bot']}/.")
        return bot


class LadderCommand(StaffCommand):
    """An act on the running season of a ladder."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the ladder's address."""
        parser.add_argument("game", help="Key of the game, such as battleline.")
        parser.add_argument("edition", help="Key of the edition, such as standard.")
        parser.add_argument("--group", metavar="SLUG", help="The ladder of this group. Default: the public one.")
        super().add_arguments(parser)

    @abstractmethod
    def act_on(self, ladder: Ladder) -> StaffAct:
        """Return what the command does to a ladder."""

    def find_act(self, options: Mapping[str, Any]) -> StaffAct:
        """Return the act on the season that is open. Raises CommandError."""
        game, edition = options["game"], options["edition"]
        ladder = find_open_ladder(game, edition, find_named_group(options["group"]))
        if ladder is None:
            raise CommandError(f"No season of {game} {edition} is open.")
        return self.act_on(ladder)
