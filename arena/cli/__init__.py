"""The `pennant` command.

It plays matches and tournaments on this machine, checks records, seasons and sandboxes, and uses the API of an arena.
It needs neither a database nor the site.
"""

from importlib import import_module

import click

from arena.cli import command
from arena.cli.comparing import compare
from arena.cli.games import check_game, new_game
from arena.cli.recording import record
from arena.cli.rules import list_options
from arena.cli.sandbox import sandbox
from arena.cli.submitting import status, submit
from arena.cli.verifying import verify_files

CREDITS = """\
Battle Line was designed by Reiner Knizia and is published by GMT Games. The medieval editions follow the Hungarian one
by László Hipszki, with tiles by Roland's Revenge Games. Battalion was created by Jonah Pezeshki and Raymond Cheong,
with Shawn Kwang and Jeremy Fogelman, of Queen Anne's Games. Pennant is an independent project.
"""
LAZY_COMMANDS = {"tournament": "arena.cli.tournament"}


class Commands(click.Group):
    """The group of commands.

    Those of LAZY_COMMANDS are imported at their first use: their imports are slow, and neither the other commands nor
    the processes that play matches need them.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*self.commands, *LAZY_COMMANDS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LAZY_COMMANDS:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(LAZY_COMMANDS[cmd_name]), cmd_name)
        return found


main = Commands(
    "main",
    command.main.commands,
    help=command.main.help,
    epilog=CREDITS,
    context_settings=command.main.context_settings,
)
for each in (verify_files, sandbox, submit, status, record, compare, list_options, new_game, check_game):
    main.add_command(each)

__all__ = ["main"]
