"""The `pennant` command.

It plays matches and tournaments on this machine, checks records, seasons and sandboxes, and uses the API of an arena.
It needs neither a database nor the site.
"""

from importlib import import_module

import click

from engine.packages import BadGamePackage

COMMANDS = {
    "check-game": "arena.cli.games:check_game",
    "compare": "arena.cli.comparing:compare",
    "new-game": "arena.cli.games:new_game",
    "options": "arena.cli.rules:list_options",
    "play": "arena.cli.command:play",
    "record": "arena.cli.recording:record",
    "sandbox": "arena.cli.sandbox:sandbox",
    "status": "arena.cli.submitting:status",
    "submit": "arena.cli.submitting:submit",
    "tournament": "arena.cli.tournament:tournament",
    "verify": "arena.cli.verifying:verify_files",
}
"""Module and function by name. Each is imported when it is used, as what the others import takes its time."""
CREDITS = """\
Battle Line was designed by Reiner Knizia and is published by GMT Games. The medieval editions follow the Hungarian one
by László Hipszki, with tiles by Roland's Revenge Games. Battalion was created by Jonah Pezeshki and Raymond Cheong,
with Shawn Kwang and Jeremy Fogelman, of Queen Anne's Games. Pennant is an independent project.
"""


class Commands(click.Group):
    """The group of commands."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        try:
            found: click.Command = getattr(import_module(module), name)
        except BadGamePackage as error:
            raise click.ClickException(str(error)) from error
        return found


@click.command(cls=Commands, epilog=CREDITS, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Play matches between bots on this machine, verify an arena's records, and manage your bots on an arena."""


__all__ = ["main"]
