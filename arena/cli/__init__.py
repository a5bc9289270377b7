"""The `pennant` command.

It plays matches and tournaments on this machine, checks records, seasons and sandboxes, and speaks to an arena's API.
It needs neither a database nor the site.
"""

from importlib import import_module

import click

from arena.cli import command
from arena.cli.comparing import compare
from arena.cli.recording import record
from arena.cli.sandbox import sandbox
from arena.cli.submitting import status, submit
from arena.cli.verifying import verify_files

LATER = {"tournament": "arena.cli.tournament"}


class Commands(click.Group):
    """The group of commands.

    Those of LATER are loaded at their first use: what they import takes long to load, and neither the other commands
    nor the processes that play need it.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted([*self.commands, *LATER])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in LATER:
            return super().get_command(ctx, cmd_name)
        found: click.Command = getattr(import_module(LATER[cmd_name]), cmd_name)
        return found


main = Commands("main", command.main.commands, help=command.main.help, context_settings=command.main.context_settings)
for each in (verify_files, sandbox, submit, status, record, compare):
    main.add_command(each)

__all__ = ["main"]
