"""`pennant play`: play matches between bots on this machine."""

import json
import secrets
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena.cli.bot_paths import build_program, find_program
from arena.cli.files import write_match
from arena.cli.local_matches import MatchBatch, play_batch
from arena.cli.person.command import TerminalGame, play_at_terminal
from arena.cli.person.leg import PERSON_NAME
from arena.cli.results import Results
from arena.cli.rules import read_options, rule_option
from arena.cli.sandboxes import choose_sandbox
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError
from arena.runner.sandbox import Sandbox, SandboxError
from engine.core import Game
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.series import BadSeries, SeriesLength, check_series
from engine.variants import Variant, find_variant

MAX_FAULTS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of `pennant play`."""

    game: str
    edition: str | None
    rule_options: tuple[str, ...]
    matches: int
    series_games: int | None
    series_points: int | None
    seed: str | None
    out: Path | None
    as_json: bool
    no_sandbox: bool

    @property
    def series(self) -> SeriesLength | None:
        """Return the length of a series, or None where none is asked for. Raises BadSeries."""
        if self.series_games is None and self.series_points is None:
            return None
        return SeriesLength(self.series_games, self.series_points)


@click.command()
@click.argument("bots", metavar="BOT BOT [BOT [BOT]]", nargs=-1, required=True)
@click.option("--game", default="battleline", show_default=True, help="The game to play.")
@click.option("--edition", help="The edition of the game. [default: the game's first]")
@rule_option
@click.option(
    "--matches",
    default=1,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of matches, each of which is played in every seating, or of series.",
)
@click.option("--series-games", metavar="N", type=int, help="Play series of this number of games, from 1 to 15.")
@click.option(
    "--series-points", metavar="P", type=int, help="Play series until a bot has this number of points, from 5 to 50."
)
@click.option("--seed", help="Seed of the deals. By default a random one, which is printed.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write records and logs to this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--no-sandbox", is_flag=True, help="Run the bots without a sandbox. Only for bots you trust.")
def play(bots: tuple[str, ...], **options: Any) -> None:
    """Play matches between as many bots as the game has seats for.

    A BOT is a file (bot.py, bot.js, bot.c, …), a folder with such a file at its top, or the name of a sample (random,
    greedy). Bots in compiled languages are built first. A match has one leg for every rotation of the seats, all on
    the same deal.

    With `me` as a BOT you play yourself, one leg, from that seat: `pennant play me random`, `pennant play careful me
    --edition terrain`. Then the exit code is 1 if you left the game or a bot had a fault.

    Two bots can play series of games instead, where the game has them: each game has a new deal, the winner scores 5
    points and the loser its flags, and the winner starts the next game. A match of two legs on the same deal is
    fairer: both bots play the same cards from both seats. In a series the luck of the deal and of starting doesn't
    even out.
    """
    wanted = PlayOptions(**options)
    errors = Console(stderr=True, highlight=False)
    if PERSON_NAME in bots:
        sys.exit(_play_person(bots, wanted, errors))
    batch = _batch(bots, wanted)
    languages = {program.language for program in batch.programs}
    sandbox = choose_sandbox(languages, bare=wanted.no_sandbox, errors=errors)
    batch = _built(batch, sandbox)
    errors.print(f"seed {batch.seed}")
    results, faults = _run(batch, sandbox, wanted.out, errors)
    if wanted.as_json:
        click.echo(json.dumps(results.as_json()))
        return
    Console(highlight=False).print(_table(results))
    for _, fault in sorted(faults)[:MAX_FAULTS_SHOWN]:
        click.echo(fault)
    if len(faults) > MAX_FAULTS_SHOWN:
        click.echo(f"and {len(faults) - MAX_FAULTS_SHOWN} more")
    if faults and wanted.out is None:
        click.echo(f"To read what the bots wrote to stderr, play again with --seed {batch.seed} --out DIRECTORY")


def _play_person(bots: tuple[str, ...], wanted: PlayOptions, errors: Console) -> int:
    if bots.count(PERSON_NAME) > 1:
        raise click.UsageError(f"{PERSON_NAME} is one person, and sits at one seat")
    if wanted.matches > 1 or wanted.series:
        raise click.UsageError("a person plays one game at a time: leave out --matches and --series-…")
    try:
        game, variant = _rules(bots, wanted)
    except (UnknownGame, BadOptions, BadProgramError) as error:
        raise click.ClickException(str(error)) from error
    table = TerminalGame(game, variant, bots, wanted.seed, wanted.out, wanted.as_json, wanted.no_sandbox)
    return play_at_terminal(table, errors)


def _rules(bots: tuple[str, ...], wanted: PlayOptions) -> tuple[Game, Variant]:
    """Return the game and its variant. Raises UnknownGame, BadOptions and BadProgramError."""
    game = find_game(wanted.game)
    edition = wanted.edition or next(iter(game.editions))
    variant = find_variant(game, edition, read_options(game, wanted.rule_options))
    if len(bots) not in game.seats:
        low, high = game.seats[0], game.seats[-1]
        raise BadProgramError(f"{game.key} is for {low if low == high else f'{low} to {high}'} bots, not {len(bots)}")
    return game, variant


def _batch(bots: tuple[str, ...], wanted: PlayOptions) -> MatchBatch:
    seed = wanted.seed or str(secrets.randbelow(10**9))
    try:
        rules, variant = _rules(bots, wanted)
        if wanted.series:
            check_series(rules, len(bots))
        programs = tuple(find_program(bot) for bot in bots)
        return MatchBatch(rules.key, variant.edition, variant.options, programs, wanted.matches, seed, wanted.series)
    except (UnknownGame, BadOptions, BadProgramError, BadSeries) as error:
        raise click.ClickException(str(error)) from error


def _built(batch: MatchBatch, sandbox: Sandbox) -> MatchBatch:
    try:
        return replace(batch, programs=tuple(build_program(program, sandbox) for program in batch.programs))
    except (BadProgramError, SandboxError) as error:
        raise click.ClickException(str(error)) from error


def _run(
    batch: MatchBatch, sandbox: Sandbox, out: Path | None, errors: Console
) -> tuple[Results, list[tuple[int, str]]]:
    results = Results([program.name for program in batch.programs])
    faults: list[tuple[int, str]] = []
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        if out is not None:
            out.mkdir(parents=True, exist_ok=True)
        with Progress(*columns, console=errors, transient=True) as progress:
            task = progress.add_task("matches", total=batch.matches)
            for number, match in play_batch(batch, sandbox):
                if out is not None:
                    write_match(out, number, match)
                results.add(match)
                faults += _faults(batch, number, match)
                progress.advance(task)
    except SandboxError as failure:
        raise click.ClickException(f"The sandbox failed, so no bot loses by it: {failure}") from failure
    except OSError as error:
        raise click.ClickException(f"{out} can't be written: {error.strerror or error}") from error
    return results, faults


def _faults(batch: MatchBatch, number: int, match: MatchReport) -> list[tuple[int, str]]:
    """Return the faults of a match, each with the number of the match."""
    return [
        (number, f"{number}-{leg_number}: {batch.programs[participant].name} ({fault.verdict}): {fault.message}")
        for leg_number, leg in enumerate(match.legs, start=1)
        for participant, fault in zip(leg.seating, leg.faults, strict=True)
        if fault is not None
    ]


def _table(results: Results) -> Table:
    """Return a table of wins, losses and draws for two bots, of series where they play those; for more, of places."""
    table = Table(title=f"{results.series} series, {results.legs} games" if results.series else f"{results.legs} legs")
    table.add_column("bot")
    of_two = len(results.bots) == 2
    endings = ["won", "lost", "drawn"] if of_two else [ordinal(place + 1) for place in range(len(results.bots))]
    for heading in (*endings, "points"):
        table.add_column(heading, justify="right")
    table.add_column("verdicts")
    table.add_column("ms a move", justify="right")
    for bot in results.bots:
        verdicts = ", ".join(f"{verdict} {count}" for verdict, count in bot.verdicts.most_common())
        counted = bot.series if results.series else bot
        numbers = (counted.wins, counted.losses, counted.draws) if of_two else bot.places
        points = f"{round(counted.points, 2):g}"
        table.add_row(bot.name, *map(str, numbers), points, verdicts, f"{bot.ms_per_move:.2f}")
    return table


def ordinal(place: int) -> str:
    """Return the ordinal of a small number."""
    return f"{place}" + {1: "st", 2: "nd", 3: "rd"}.get(place, "th")
