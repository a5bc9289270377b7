"""Commands of staff: they say what they will do, ask once, and leave a line in the audit log."""

import getpass
from collections.abc import Callable, Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from arena.bots.models import Bot
from arena.bots.queries import find_bot
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import find_open_ladder
from arena.core.errors import ArenaError
from arena.matches.models import Match
from arena.matches.workers import find_worker
from arena.operations.staff_acts import (
    AuthorAct,
    BotAct,
    CancelMatch,
    LadderAct,
    Parameter,
    SiteAct,
    StaffAct,
    WorkerAct,
    carry_out,
)
from arena.people.accounts.models import User
from arena.people.accounts.names import find_author, find_user
from arena.people.audit.models import Actor
from arena.people.groups.models import Group

# Find on the command line what commands are about.


def find_account(name: str) -> User:
    """Return the user of this name, those who may not sign in included. Raises CommandError."""
    user = find_user(name)
    if user is None:
        raise CommandError(f"No user called {name}.")
    return user


def find_named_group(slug: str | None) -> Group | None:
    """Return the group with this slug; None where none is named. Raises CommandError."""
    if slug is None:
        return None
    group = Group.objects.filter(slug=slug).first()
    if group is None:
        raise CommandError(f"There's no group at /groups/{slug}/.")
    return group


def find_named_bot(slug: str) -> Bot:
    """Return the bot with this slug. Raises CommandError."""
    bot = find_bot(slug)
    if bot is None:
        raise CommandError(f"There's no bot at /bots/{slug}/.")
    return bot


def find_numbered_match(number: int) -> Match:
    """Return the match with this number. Raises CommandError."""
    match = Match.objects.filter(pk=number).first()
    if match is None:
        raise CommandError(f"Match {number} doesn't exist.")
    return match


def find_running_season(game: str, edition: str, group: str | None) -> Ladder:
    """Return the season of a ladder that is open. Raises CommandError."""
    ladder = find_open_ladder(game, edition, find_named_group(group))
    if ladder is None:
        raise CommandError(f"{game} {edition} has no open season.")
    return ladder


USER_NAME = Parameter("name", help="Username.")
LADDER_PARAMETERS = (
    Parameter("game", help="The game's key, such as battleline."),
    Parameter("edition", help="The edition's key, such as standard."),
    Parameter("--group", metavar="SLUG", help="Slug of the group whose ladder it is. Default: the public ladder."),
)
SUBJECTS: dict[Any, tuple[Sequence[Parameter], Callable[..., Any] | None]] = {
    AuthorAct: ((USER_NAME,), find_account),
    BotAct: (
        (Parameter("bot", help="The bot's slug: kingfisher in /bots/kingfisher/."),),
        find_named_bot,
    ),
    LadderAct: (LADDER_PARAMETERS, find_running_season),
    CancelMatch: ((Parameter("match", type=int, help="The match's number."),), find_numbered_match),
    SiteAct: ((), None),
    WorkerAct: ((Parameter("worker", help="The worker's host name, as shown on the queue page."),), find_worker),
}
"""What names the subject of each kind of acts, and finds it."""


# Commands, built from what they take.


class ParameterCommand(BaseCommand):
    """A command with declared parameters, which refuses in one sentence."""

    parameters: Sequence[Parameter] = ()
    run: Callable[..., None]
    """A method that does what the command is for. Raises ArenaError or CommandError."""

    def add_arguments(self, parser: CommandParser) -> None:
        """Add the parameters."""
        for parameter in self.parameters:
            parser.add_argument(parameter.name, **parameter.options)

    def handle(self, **options: Any) -> None:
        """Run the command with its parameters. Raises CommandError."""
        try:
            self.run(**{one.key: options[one.key] for one in self.parameters})
        except ArenaError as error:
            raise CommandError(str(error)) from None

    def confirm(self, question: str, *, yes: bool) -> None:
        """Ask unless that was answered with `--yes`. Raises CommandError where the answer is no."""
        if not yes and input(f"{question} [y/N] ").lower() != "y":
            raise CommandError("Nothing was changed.")


YES = Parameter("--yes", action="store_true", help="Don't ask.")
COMMON_PARAMETERS = (
    Parameter("--why", required=True, help="Reason, recorded in the audit log."),
    Parameter("--by", metavar="NAME", help="Username of the staff member. Default: the system's account."),
    YES,
)


class StaffCommand(ParameterCommand):
    """A command that carries out an act of staff, or one that an option names."""

    acts: Sequence[type[StaffAct]]

    def run(self, *, why: str, by: str | None, yes: bool, **options: Any) -> None:
        """Say what the act will do, ask, carry it out, and say what it did."""
        actor = find_actor(by)
        act = self.build_act(options)
        self.stdout.write(act.describe())
        self.confirm("Continue?", yes=yes)
        self.stdout.write(carry_out(act, by=actor, why=why))
        if act.left:
            self.stdout.write(str(act.left))

    def build_act(self, options: dict[str, Any]) -> StaffAct:
        """Return the act that the options ask for. Raises CommandError or ArenaError."""
        act = next((one for one in self.acts[1:] if options[one.verb()]), self.acts[0])
        named, find = find_subject(act)
        subject = [find(*(options[one.key] for one in named))] if find else []
        return act(*subject, *(options[one.key] for one in act.parameters))


def find_subject(act: type[StaffAct]) -> tuple[Sequence[Parameter], Callable[..., Any] | None]:
    """Return what names the subject of an act, and finds it."""
    return next(subject for kind, subject in SUBJECTS.items() if issubclass(act, kind))


def find_actor(name: str | None) -> Actor:
    """Return the member of staff of this name, or the name of the system's account. Raises CommandError."""
    if name is None:
        return f"{getpass.getuser()} (command)"
    user = find_author(name)
    if user is None or not user.is_staff:
        raise CommandError(f"No staff member called {name}.")
    return user


def build_command(act: type[StaffAct], *optional: type[StaffAct]) -> type[StaffCommand]:
    """Return the command of an act, which has an option for each of the others."""
    flags = [Parameter(f"--{one.verb()}", action="store_true", help=one.help) for one in optional]
    parameters = (*find_subject(act)[0], *act.parameters, *flags, *COMMON_PARAMETERS)
    return type("Command", (StaffCommand,), {"help": act.help, "acts": (act, *optional), "parameters": parameters})
