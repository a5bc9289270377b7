"""The `pennant` command.

It plays matches and tournaments on this machine, checks records, seasons and sandboxes, and uses the API of an arena.
It needs neither a database nor the site.
"""

import os
import sys
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from engine.message import MessageError
from engine.packages import BadGamePackage


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: where it is defined, and its line in the help of `pennant`.

    A command is imported when it is used, as what the others import takes its time.
    """

    location: str
    """Module and function."""
    help: str
    extra: str = ""
    """The extra of the distribution that has what the command needs beyond the others; empty for none."""


CHECKOUT = Path(__file__).resolve().parents[2]
"""The folder of the checkout, where the command runs in one."""
COMMAND_GROUPS = {
    "Make": {
        "init": Entry(
            "arena.cli.starting:init",
            "Create a starter bot in seven languages, or for a language model.",
        ),
        "new-game": Entry("arena.cli.starting:new_game", "Create a package for a new game."),
    },
    "Try": {
        "play": Entry("arena.cli.playing:play", "Play matches between bots, or play one yourself."),
        "gauntlet": Entry("arena.cli.gauntlet:gauntlet", "Play a bot against several opponents."),
        "rerun": Entry("arena.cli.playing:rerun", "Replay a recorded leg's requests to your bot."),
        "analyse": Entry("arena.cli.analysing:analyse_files", "Find the mistakes in recorded legs."),
        "puzzle": Entry("arena.cli.puzzles:puzzle", "Solve puzzles, or test your bot's claim logic on them."),
        "tune": Entry("arena.cli.tuning:tune", "Find better parameters for a bot.", extra="tune"),
        "tournament": Entry("arena.cli.tournament:tournament", "Play a tournament between bots."),
        "options": Entry("arena.cli.playing:list_options", "List the games' rule options."),
        "schema": Entry("arena.cli.playing:print_schema", "Print the messages to bots, as JSON Schema or examples."),
    },
    "Compete": {
        "submit": Entry("arena.cli.submitting:submit", "Upload a version of a bot."),
        "remote": Entry("arena.cli.remote:remote", "Play on an arena with a bot that runs on this machine."),
        "status": Entry("arena.cli.submitting:status", "Show the versions and ratings of your bots."),
        "compare": Entry("arena.cli.submitting:compare", "Test whether one version is better than another."),
        "team": Entry("arena.cli.api:team", "Show or change a bot's team."),
        "group": Entry("arena.cli.api:group", "Show, export or delete one of your groups."),
        "record": Entry("arena.cli.api:record", "Download a match's records."),
        "archive": Entry("arena.cli.verifying:archive", "Download an archive of a finished tournament."),
        "download": Entry("arena.cli.api:download", "Download many records into one file."),
        "mcp": Entry("arena.cli.assistant:serve", "Let an assistant play live games on an arena.", extra="mcp"),
    },
    "Check": {
        "verify": Entry("arena.cli.verifying:verify_files", "Check records, seasons, tournaments and archives."),
        "packages": Entry("arena.cli.bot_paths:packages", "Show or install the packages that bots can import here."),
        "sandbox": Entry("arena.cli.bot_paths:sandbox", "Test this machine's sandbox and languages."),
        "check-game": Entry("arena.cli.starting:check_game", "Check a new game against the engine's contract."),
    },
}
COMMANDS = {name: entry for group in COMMAND_GROUPS.values() for name, entry in group.items()}
CREDITS = """\
Battle Line was designed by Reiner Knizia and is published by GMT Games. The medieval editions follow the Hungarian one
by László Hipszki, with tiles by Roland's Revenge Games. Battalion was created by Jonah Pezeshki and Raymond Cheong,
with Shawn Kwang and Jeremy Fogelman, of Queen Anne's Games. Pennant is an independent project.
"""


EXIT_NO, EXIT_USAGE, EXIT_MACHINE = 1, 2, 3
"""The answer is no; what was asked can't be done as it was asked; the arena, the network or this machine failed."""


class NoError(click.ClickException):
    """The answer is no: a bot of the author's can't be built, or a check failed."""

    exit_code = EXIT_NO


class RequestError(click.ClickException):
    """What was asked can't be done as it was asked."""

    exit_code = EXIT_USAGE


class MachineError(click.ClickException):
    """The arena, the network or this machine failed, and nobody is to blame."""

    exit_code = EXIT_MACHINE


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise click.ClickException where a file or folder can't be written."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{path} can't be written: {error.strerror or error}") from error


class Commands(click.Group):
    """The group of commands."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; what a person should know is printed, with an exit code of the table in the manual."""
        try:
            return super().invoke(ctx)
        except MessageError as error:
            kind = NoError if getattr(error, "exit_code", EXIT_USAGE) == EXIT_NO else RequestError
            raise kind(str(error)) from error
        except click.ClickException as error:
            if type(error) is click.ClickException:
                raise RequestError(error.message) from error
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        entry = COMMANDS[cmd_name]
        module, name = entry.location.split(":")
        try:
            found: click.Command = getattr(import_module(module), name)
        except BadGamePackage as error:
            raise click.ClickException(str(error)) from error
        except ModuleNotFoundError as missing:
            if not entry.extra:
                raise
            sentence = f"pennant {cmd_name} needs {missing.name}: {describe_install(entry.extra)}"
            raise click.ClickException(sentence) from missing
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        width = max(map(len, COMMANDS))
        for title, entries in COMMAND_GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), entry.help) for name, entry in entries.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(describe_unknown(args[0], list(COMMANDS)))
        return super().resolve_command(ctx, args)


def describe_install(extra: str) -> str:
    """Return the command that adds an extra to the distribution, by the tool with which it was installed."""
    folder, what = Path(sys.prefix), f'"pennant-arena[{extra}]"'
    arena = os.environ.get("PENNANT_URL", "").rstrip("/")
    source = f"--find-links {arena}/install/ " if arena else ""
    if (receipt := folder / "uv-receipt.toml").exists():
        stored = tomllib.loads(receipt.read_text()).get("tool", {}).get("options", {}).get("find-links", [])
        links = [link["url"] if isinstance(link, dict) else link for link in stored]
        return f"uv tool install {''.join(f'--find-links {link} ' for link in links) or source}{what}"
    if (folder / "pipx_metadata.json").exists():
        pip = f"--pip-args '{source.strip()}' " if source else ""
        return f"pipx install --force {pip}{what}"
    if (CHECKOUT / "uv.lock").exists():
        return f"uv sync --extra {extra}"
    return f"pip install {source}{what}"


def describe_unknown(name: str, known: Sequence[str]) -> str:
    """Return the sentence about a command that doesn't exist, with those that do."""
    near = get_close_matches(name, known, n=1)
    asked = f" Did you mean {near[0]}?" if near else ""
    return f"No command {name!r}.{asked} Commands: {', '.join(known)}"


@click.command(cls=Commands, epilog=CREDITS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pennant-arena", prog_name="pennant", message="%(prog)s %(version)s")
def main() -> None:
    """Write, test and submit bots for card battles, and verify an arena's records."""


__all__ = ["EXIT_MACHINE", "EXIT_NO", "EXIT_USAGE", "MachineError", "NoError", "main", "writing"]
