"""Find, build and run the bots that an author names on the command line, and choose their game and sandbox."""

import json
import re
import sys
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.cli import EXIT_NO, MachineError, NoError
from arena.cli.api import ROOT, find_api
from arena.cli.campaign import HomeClock
from arena.runner.archive import LARGEST_UPLOAD, ZIP_ERRORS, read_upload, unpack_files
from arena.runner.bot_packages import (
    InstallError,
    PackagesMissingError,
    choose_packages,
    find_current_set,
    install_packages,
    list_lines,
    name_versions,
)
from arena.runner.data_files import PACKAGES_LIST, SAMPLES_FOLDER, find_packages_folder
from arena.runner.languages import LANGUAGES, PYTHON_ENTRY, PYTHON_ENVIRONMENT, Toolchain, find_language
from arena.runner.portable import PortableProcess, PortableRunner, find_portable, has_sandbox
from arena.runner.program import BadProgramError, Limits, Program, is_left_out, read_program
from arena.runner.sandbox.base import LEVELS, BotProcess, BuildError, NoSandboxError, Report, Sandbox
from engine.core import Game, Json
from engine.games.battleline.value import has_value
from engine.message import gettext_noop, message, quote
from engine.options import BadOptions, write_value
from engine.registry import GAMES, PACKAGES, find_game
from engine.variants import Variant, find_variant

# Find and build the bots that an author names on the command line.


def find_program(text: str) -> Program:
    """Return the bot at the path of a file or folder, or the sample of this name. Raises BadProgramError."""
    path = Path(text)
    try:
        if path.exists():
            return find_packages(read_bot(path))
        if folder := list_samples().get(text):
            sample = read_program(folder)
            return find_packages(Program(text, 1, sample.files, sample.language))
    except OSError as error:
        raise BadProgramError(f"{text} can't be read: {error.strerror or error}") from error
    samples = list_samples()
    near = get_close_matches(text, [*samples, *_list_bots_here()], n=1)
    hint = f". Did you mean {near[0]}?" if near else ""
    raise BadProgramError(f"{text} isn't a file, a folder or a sample bot: {', '.join(samples)}{hint}")


def read_bot(path: Path) -> Program:
    """Return the bot in a file, a folder, or a zip that an arena would take. Raises BadProgramError and OSError."""
    if not (path.is_file() and path.suffix.lower() == ".zip"):
        program = read_program(path)
        note_files_beside(path, program)
        return program
    upload = read_upload(path.name, path.read_bytes(), LARGEST_UPLOAD)
    return Program(path.stem, 1, upload, upload.language.key)


def find_packages(program: Program) -> Program:
    """Return the program with the installed packages that it uses. Raises BadProgramError where one is missing."""
    if program.language != "python":
        return program
    found = find_current_set()
    try:
        packages = choose_packages(program.files, found)
    except PackagesMissingError as missing:
        there = ", ".join(name_versions(found.versions)) if found else "none"
        problem = f"{program.name} says that it uses packages which aren't installed for bots here (there: {there})"
        raise BadProgramError(f"{problem}. {missing} `pennant packages` installs them.") from None
    return replace(program, packages=packages, package_set=found.hash if found and packages else "")


def note_files_beside(path: Path, program: Program) -> None:
    """Say once that a folder's other files aren't taken where only its main file is named, as `bot.py`."""
    if not path.is_file() or path.name != LANGUAGES[program.language].entry:
        return
    names = sorted(one.name for one in path.resolve().parent.iterdir() if one.is_file())
    beside = [name for name in names if name != path.name and not is_left_out(name)]
    if beside:
        more = ", …" if len(beside) > 1 else ""
        click.echo(f"Only {path.name} is used. If it needs {beside[0]}{more}, name its folder: {path.parent}", err=True)


def _list_bots_here() -> list[str]:
    """Return the names in this folder that may be those of a bot."""
    entries = {language.entry for language in LANGUAGES.values()}
    suffixes = {Path(entry).suffix for entry in entries} - {""}
    return [
        path.name
        for path in Path().iterdir()
        if (path.suffix in suffixes if path.is_file() else any((path / entry).is_file() for entry in entries))
    ]


def list_samples() -> dict[str, Path]:
    """Return the folders with a sample bot by name: `random`, `faulty/NAME`, `languages/KEY`, those of other games."""
    folders = [SAMPLES_FOLDER, *(package.folder / "samples" for package in PACKAGES.values())]
    found = {
        entry.parent.relative_to(folder).as_posix(): entry.parent
        for folder in reversed(folders)
        for language in LANGUAGES.values()
        for entry in folder.rglob(language.entry)
    }
    return dict(sorted(found.items()))


class UnbuildableError(BadProgramError):
    """A bot doesn't compile: the answer to its author is no."""

    exit_code = EXIT_NO


def build_program(program: Program, sandbox: Sandbox) -> Program:
    """Return the program ready to run. Raises BadProgramError, with the log of the compiler, and SandboxError."""
    language = LANGUAGES[program.language]
    if language.key not in sandbox.languages:
        raise BadProgramError(f"{program.name} is in {language.title}, which doesn't run here: {language.advice}")
    try:
        built, _ = sandbox.build(program)
    except BuildError as failure:
        raise UnbuildableError(f"{program.name} can't be built:\n{failure.log}{failure}") from failure
    return built


def build_programs(programs: Iterable[Program], sandbox: Sandbox) -> tuple[Program, ...]:
    """Return the programs ready to run. Raises as `build_program`."""
    return tuple(build_program(program, sandbox) for program in programs)


# Choose the rules of a command: the game asked for, or the one that the named samples play, its edition and options.

DEFAULT_GAME = "battleline"
ALL_EDITIONS = "all"
VALUE_MODULE = b"battleline.value"
"""In the source of bots that use the value function of the engine."""
GAMES_FILE = "games.toml"

game_option = click.option("--game", help=f"Game to play. [default: the named samples' game, or {DEFAULT_GAME}]")
rule_option = click.option(
    "--option",
    "rule_options",
    metavar="OPTION=VALUE",
    multiple=True,
    help="Change a rule option, as in scout=at-once. Repeatable; `pennant options` lists them.",
)
edition_option = click.option("--edition", help="Edition to play. [default: the game's first]")
editions_option = click.option("--edition", help="Edition to play, or `all`. [default: the game's first]")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
bare_option = click.option(
    "--no-sandbox", is_flag=True, help="Run the bots without a sandbox. Only for bots you trust."
)


def clock_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for the time that bots have."""
    limits, whole = Limits(), click.IntRange(min=1)
    per_move = click.option(
        "--time-per-move",
        metavar="MS",
        type=whole,
        help=f"Time limit per answer. [default: {limits.move_ms}]",
    )
    bank = click.option(
        "--bank",
        metavar="MS",
        type=whole,
        help=f"Time bank per leg. Each answer's time beyond 20 ms is taken from it. [default: {limits.bank_ms}]",
    )
    none = click.option(
        "--no-clock", is_flag=True, help="Don't enforce time limits. Bots still get the usual limits and a full bank."
    )
    return per_move(bank(none(command)))


def read_clock(time_per_move: int | None, bank: int | None, no_clock: bool) -> HomeClock:
    """Return the clock of these options."""
    usual = Limits()
    limits = replace(usual, move_ms=time_per_move or usual.move_ms, bank_ms=bank or usual.bank_ms)
    return HomeClock(limits, is_kept=not no_clock)


def rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that play."""
    return game_option(edition_option(rule_option(command)))


def many_rules_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of commands that play one edition or all."""
    return game_option(editions_option(rule_option(command)))


def choose_rules(
    bots: Iterable[str], game: str | None, edition: str | None, rule_options: Sequence[str]
) -> tuple[Game, Variant]:
    """Return the game of a command, and its edition with the changed options. Raise MessageError."""
    rules = find_game(choose_game(bots, game))
    return rules, find_variant(rules, edition or next(iter(rules.editions)), read_options(rules, rule_options))


def choose_variants(
    bots: Iterable[str], game: str | None, edition: str | None, rule_options: Sequence[str]
) -> tuple[Game, list[Variant]]:
    """Return the game of a command, and the editions that it names with the changed options. Raise MessageError."""
    if edition != ALL_EDITIONS:
        rules, variant = choose_rules(bots, game, edition, rule_options)
        return rules, [variant]
    rules = find_game(choose_game(bots, game))
    changes = read_options(rules, rule_options)
    variants = {variant.edition: variant for key in rules.editions for variant in [find_variant(rules, key, changes)]}
    return rules, list(variants.values())


def tell_missing_values(
    programs: Iterable[Program], game: Game, rules: Iterable[tuple[str, Json]], errors: Console
) -> None:
    """Say which bots use the value function of Battle Line, and where they have to play without it.

    `rules` are editions with the options in force.
    """
    names = [one.name for one in programs if any(VALUE_MODULE in content for content in one.files.values())]
    without = [
        " with ".join([edition, *_list_changes(game, edition, options)])
        for edition, options in rules
        if game.key == DEFAULT_GAME and not has_value(edition, options)
    ]
    if names and without:
        known = ", ".join(key for key in game.editions if has_value(key))
        who = " and ".join(dict.fromkeys(names))
        errors.print(f"{who}: no value function in {'; '.join(without)}, only in {known} unchanged.", soft_wrap=True)


def _list_changes(game: Game, edition: str, options: Json) -> list[str]:
    changes = game.changed_options(edition, options)
    return [" ".join(f"{key}={write_value(value)[0]}" for key, value in changes.items())] if changes else []


def read_options(game: Game, texts: Sequence[str]) -> dict[str, Any]:
    """Return the values of options that are written as `scout=at-once`. Raises BadOptions."""
    changes: dict[str, Any] = {}
    for text in texts:
        key, value = game.parse_option(text)
        if changes.setdefault(key, value) != value:
            raise BadOptions(message(gettext_noop("option %(option)s is given twice"), option=quote(key)))
    return changes


def choose_game(bots: Iterable[str], wanted: str | None) -> str:
    """Return the key of the game to play. Raise UnknownGame, or BadProgramError if a sample doesn't play it."""
    played = {bot: games for bot in dict.fromkeys(bots) if (games := list_sample_games(bot)) is not None}
    if wanted is None:
        shared = [key for key in GAMES if all(key in games for games in played.values())]
        if not shared:
            listed = "; ".join(f"{bot} plays {' and '.join(games)}" for bot, games in played.items())
            raise BadProgramError(f"These sample bots have no game in common: {listed}")
        return DEFAULT_GAME if DEFAULT_GAME in shared else shared[0]
    game = find_game(wanted).key
    for bot, games in played.items():
        if game not in games:
            raise BadProgramError(f"The sample bot {bot} plays {' and '.join(games)}, not {game}")
    return game


def list_sample_games(bot: str) -> tuple[str, ...] | None:
    """Return the keys of the games that a bot plays if it names such a sample; None if it may play any."""
    if Path(bot).exists() or (folder := list_samples().get(bot)) is None:
        return None
    package = next((key for key, package in PACKAGES.items() if folder.is_relative_to(package.folder)), None)
    return (package,) if package else _read_games_by_sample().get(bot)


@cache
def _read_games_by_sample() -> dict[str, tuple[str, ...]]:
    stored = tomllib.loads((SAMPLES_FOLDER / GAMES_FILE).read_text())
    return {name: tuple(games) for name, games in stored.items()}


# `pennant sandbox`: test how this machine isolates bots, and choose the sandbox in which a command runs them.

# `pennant sandbox`: test how this machine isolates bots.


@click.command("sandbox")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of tables.")
def sandbox(as_json: bool) -> None:
    """Test this machine's sandbox for bots, and the languages available in it.

    The exit code is 1 if no bot can run.
    """
    if not has_sandbox():
        raise MachineError("The sandbox needs Linux. On Windows, use WSL; elsewhere, a container.")
    from arena.runner.sandbox.detection import examine  # noqa: PLC0415 - on Linux alone
    from arena.runner.sandbox.own_process import describe_network, find_separation_fault  # noqa: PLC0415 - likewise

    _, report = examine()
    network = describe_network(find_separation_fault())
    report = replace(report, layers=(*report.layers, network))
    if as_json:
        click.echo(json.dumps(report.as_json(write=lambda message: str(message or ""))))
    else:
        _print(report, Console(highlight=False, markup=False))
    sys.exit(0 if report.level else 1)


def _print(report: Report, console: Console) -> None:
    if report.level:
        console.print(f"Level {report.level}, by {report.sandbox}. {LEVELS[report.level]}")
    else:
        console.print("No level: bots can't run here.", style="bold red")
    layers = _table("layer", "", "tried just now")
    for layer in report.layers:
        layers.add_row(layer.name, "holds" if layer.holds else Text("open", "bold red"), str(layer.what))
    languages = _table("language", "version", "where it is missing")
    for language in report.languages:
        languages.add_row(language.title, language.version or "none", str(language.advice or ""))
    console.print(layers, languages, sep="\n")
    if report.hint:
        console.print(str(report.hint), soft_wrap=True)
    engine = "compiled" if report.is_engine_compiled else "in Python"
    console.print(f"The engine runs {engine}. The self-test took {report.took_ms:.0f} ms.")


def _table(*headings: str) -> Table:
    table = Table()
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


# `pennant packages`: the packages that bots in Python can import on this machine.


@click.command("packages")
@click.option(
    "--install",
    "source",
    type=click.Path(path_type=Path),
    help="Install a list of packages with hashes, or a folder of wheels. `numpy` is the list of a new arena.",
)
def packages(source: Path | None) -> None:
    """Show the packages that bots in Python can import here, or install others in their place.

    An arena has packages of its own: its page First steps names them. A bot says in requirements.txt, or in a line
    `# requirements: numpy` of its bot.py, which it uses.
    """
    top = find_packages_folder()
    if source is None:
        found = find_current_set(top)
        if found is None:
            raise NoError(f"No packages in {top}. Install numpy: pennant packages --install numpy")
    else:
        is_default = str(source) == "numpy" and not source.exists()
        try:
            found = install_packages(PACKAGES_LIST if is_default else source, top, click.echo)
        except InstallError as failure:
            raise MachineError(str(failure)) from failure
    click.echo("\n".join(list_lines(found)))


# The sandbox in which a command runs bots, or its refusal to run them without one.

NO_SANDBOX_WARNING = "NO SANDBOX: these bots run as you. They can read, change and send anything you can."

NO_SANDBOX_HERE = (
    "No sandbox: it needs Linux. Here bots run as you, and times are only a guide. Play only bots you trust."
)


def choose_sandbox(languages: Collection[str], *, bare: bool, errors: Console) -> Sandbox:
    """Return the sandbox for these languages; a bare one only by the author's wish. Raises click.ClickException."""
    if not has_sandbox():
        errors.print(NO_SANDBOX_HERE, style="bold", soft_wrap=True)
        return find_portable()
    from arena.runner.sandbox.detection import find_sandbox, find_unsandboxed  # noqa: PLC0415 - on Linux alone

    try:
        if bare:
            errors.print(NO_SANDBOX_WARNING, style="bold white on red", soft_wrap=True)
            return find_unsandboxed(languages)
        return find_sandbox(languages)
    except NoSandboxError as missing:
        raise MachineError(f"{missing} To run bots you trust without one: --no-sandbox") from missing


# Run bots of the author's own for a debugger: outside the sandbox, in their own folder, and without a clock.

FIRST_DEBUG_PORT = 5678
"""The port at which debuggers look for debugpy unless told otherwise."""
DEBUG_ALLOWANCE_S = 7 * 24 * 3600.0
"""Time that an answer may take while somebody debugs."""
LOCAL_ADDRESS = "127.0.0.1"


@dataclass(slots=True)
class FolderInPlace:
    """The author's folder in place of a temporary copy, so that breakpoints are where the source is."""

    name: str

    def cleanup(self) -> None:
        """Leave the folder as it is."""


class DebuggedProcess(PortableProcess):
    """A bot that may take its time."""

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line, however long it takes; nothing is charged."""
        answer = super().ask(line, DEBUG_ALLOWANCE_S)
        self.wall_s = self.cpu_s = self.late_s = 0.0
        return answer


@dataclass(frozen=True, slots=True)
class DebugSandbox:
    """A sandbox for all bots but the author's own, which wait for a debugger when they start."""

    others: Sandbox
    bare: PortableRunner
    own: Sequence[tuple[Program, Path]]
    """The built programs of the author's, with where they were found."""
    name: str = "debug"
    level: str = "bare"
    languages: Mapping[str, Toolchain] = field(default_factory=dict)

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """Start a bot. Raises SandboxError."""
        for number, (own, path) in enumerate(self.own):
            if own is program:
                return self._start_python(path, number) if own.language == "python" else self._start_other(own, limits)
        return self.others.start(program, limits)

    def _start_python(self, path: Path, number: int) -> DebuggedProcess:
        port = FIRST_DEBUG_PORT + number
        folder, script = (path, path / PYTHON_ENTRY) if path.is_dir() else (path.parent, path)
        address = f"{LOCAL_ADDRESS}:{port}"
        command = [sys.executable, "-X", "frozen_modules=off", "-m", "debugpy", "--listen", address]
        environment = {**PYTHON_ENVIRONMENT, "PYTHONPATH": self.bare.library, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        click.echo(f"{script} waits for a debugger at {address}", err=True)
        folder_in_place = FolderInPlace(str(folder.resolve()))
        argv = [*command, "--wait-for-client", str(script.resolve())]
        return DebuggedProcess(folder_in_place, argv, environment)

    def _start_other(self, program: Program, limits: Limits) -> PortableProcess:
        process = self.bare.start(program, limits, DebuggedProcess)
        title = LANGUAGES[program.language].title
        click.echo(
            f"{program.name} ({title}) is process {process.child_id}. Attach a debugger, then press Enter", err=True
        )
        sys.stdin.readline()
        return process

    def build(self, program: Program) -> tuple[Program, str]:
        """Build a program as the others' sandbox does. Raises BuildError and SandboxError."""
        return self.others.build(program)

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Do nothing: bots to debug start afresh."""

    def close(self) -> None:
        """End what the others' sandbox holds."""
        self.others.close()


def prepare_debugging(own: Sequence[tuple[Program, Path]], others: Sandbox) -> DebugSandbox:
    """Return the sandbox in which these built programs wait for a debugger. Raises click.ClickException."""
    if any(program.language == "python" for program, _ in own) and find_spec("debugpy") is None:
        raise click.ClickException("--debug needs debugpy for a bot in Python: pip install debugpy")
    bare = find_portable()
    bare = replace(bare, languages={**others.languages, **bare.languages})
    return DebugSandbox(others, bare, own, languages=others.languages)


# Fetch older versions of one's own bots from an arena, to play against them at home.

OWN_VERSION = re.compile(r"([a-z0-9][\w-]*)/v?(\d+)")


def is_own_version(text: str) -> bool:
    """Return whether a text names a version on an arena, as kingfisher/3, and no file."""
    return OWN_VERSION.fullmatch(text) is not None and not Path(text).exists()


def fetch_version(text: str) -> Program:
    """Return the source of a version of one's own, named as kingfisher/3. Raises click.ClickException."""
    named = OWN_VERSION.fullmatch(text)
    assert named is not None
    api = find_api()
    packed = api.download(f"{ROOT}bots/{named[1]}/versions/{named[2]}/source/")
    try:
        files = unpack_files(packed)
        return find_packages(Program(f"{named[1]}/{named[2]}", int(named[2]), files, find_language(files).key))
    except (BadProgramError, *ZIP_ERRORS) as error:
        raise click.ClickException(f"the source of {text} can't be read: {error}") from error


def find_bot(text: str) -> Program:
    """Return the bot of a file, a folder, a sample or a version of one's own. Raises BadProgramError."""
    return fetch_version(text) if is_own_version(text) else find_program(text)
