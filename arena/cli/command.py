"""`pennant play`: play matches between bots on this machine."""

import json
import secrets
import sys
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from arena.cli.bot_paths import build_program
from arena.cli.debugging import prepare_debugging
from arena.cli.faults import FaultNote, describe_faults, list_faults, suggest_rerun
from arena.cli.files import write_match
from arena.cli.local_matches import MatchBatch, play_batch
from arena.cli.match_report import build_json, build_table, describe_difference, list_leg_rows
from arena.cli.own_versions import find_bot
from arena.cli.person.command import TerminalGame, play_at_terminal
from arena.cli.person.leg import PERSON_NAME
from arena.cli.results import Results
from arena.cli.rules import read_options, rule_option
from arena.cli.sample_games import choose_game, game_option
from arena.cli.sandboxes import choose_sandbox, find_bare_sandbox
from arena.cli.sequential_test import EloBounds, SequentialTest, sort_by_number
from arena.comparisons.sprt import LLR_BOUND, MAX_PAIRS
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError
from arena.runner.sandbox import Sandbox, SandboxError
from engine.core import Game
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.series import BadSeries, SeriesLength, check_series
from engine.variants import Variant, find_variant


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of `pennant play`."""

    game: str | None
    edition: str | None
    rule_options: tuple[str, ...]
    matches: int | None
    sprt: tuple[float, float] | None
    series_games: int | None
    series_points: int | None
    seed: str | None
    out: Path | None
    as_json: bool
    allow_faults: bool
    debug: bool
    no_sandbox: bool

    @property
    def series(self) -> SeriesLength | None:
        """Return the length of a series, or None where none is asked for. Raises BadSeries."""
        if self.series_games is None and self.series_points is None:
            return None
        return SeriesLength(self.series_games, self.series_points)


@click.command()
@click.argument("bots", metavar="BOT BOT [BOT [BOT]]", nargs=-1, required=True)
@game_option
@click.option("--edition", help="The edition of the game. [default: the game's first]")
@rule_option
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    help=f"Number of matches, each of which is played in every seating, or of series. [default: 1; "
    f"with --sprt at most {MAX_PAIRS}]",
)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    type=EloBounds(),
    help="Stop as soon as it is known whether the first of two bots is better by the arena's test, as in 0,20.",
)
@click.option("--series-games", metavar="N", type=int, help="Play series of this number of games, from 1 to 15.")
@click.option(
    "--series-points", metavar="P", type=int, help="Play series until a bot has this number of points, from 5 to 50."
)
@click.option("--seed", help="Seed of the deals. By default a random one, which is printed.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write records and logs to this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--allow-faults", is_flag=True, help="Exit with 0 even if one of your bots had a fault.")
@click.option("--debug", is_flag=True, help="Let your bots wait for a debugger, without sandbox and clock.")
@click.option("--no-sandbox", is_flag=True, help="Run the bots without a sandbox. Only for bots you trust.")
def play(bots: tuple[str, ...], **options: Any) -> None:
    """Play matches between as many bots as the game has seats for.

    A BOT is a file (bot.py, bot.js, bot.c, …), a folder with such a file at its top, or the name of a sample (random,
    greedy). Bots in compiled languages are built first. A match has one leg for every rotation of the seats, all on
    the same deal.

    The results come with 95 % intervals, and for two bots with the difference in Elo. The exit code is 1 if a bot of
    yours, one that is no sample, had a fault, or if --sprt didn't find the first one better.

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
    own = {participant: bot for participant, bot in enumerate(bots) if Path(bot).exists()}
    if wanted.debug:
        if batch.matches > 1:
            raise click.UsageError("--debug is for one match: leave out --matches and --sprt")
        mine = [(batch.programs[participant], Path(bot)) for participant, bot in own.items()]
        sandbox = prepare_debugging(mine, sandbox, find_bare_sandbox({program.language for program, _ in mine}))
    errors.print(f"seed {batch.seed}")
    played = _run(batch, sandbox, wanted, errors)
    _report(played, batch, wanted, own)
    sys.exit(_choose_exit_code(played, wanted, own))


def _play_person(bots: tuple[str, ...], wanted: PlayOptions, errors: Console) -> int:
    if bots.count(PERSON_NAME) > 1:
        raise click.UsageError(f"{PERSON_NAME} is one person, and sits at one seat")
    if (wanted.matches or 1) > 1 or wanted.series or wanted.sprt:
        raise click.UsageError("a person plays one game at a time: leave out --matches, --sprt and --series-…")
    try:
        game, variant = _rules(bots, wanted)
    except (UnknownGame, BadOptions, BadProgramError) as error:
        raise click.ClickException(str(error)) from error
    table = TerminalGame(game, variant, bots, wanted.seed, wanted.out, wanted.as_json, wanted.no_sandbox)
    return play_at_terminal(table, errors)


def _rules(bots: tuple[str, ...], wanted: PlayOptions) -> tuple[Game, Variant]:
    """Return the game and its variant. Raises UnknownGame, BadOptions and BadProgramError."""
    game = find_game(choose_game(bots, wanted.game))
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
        if wanted.sprt and (len(bots) != 2 or wanted.series):
            raise click.UsageError("--sprt compares two bots in mirrored matches: name two, without --series-…")
        programs = tuple(find_bot(bot) for bot in bots)
        matches = wanted.matches or (MAX_PAIRS if wanted.sprt else 1)
        return MatchBatch(rules.key, variant.edition, variant.options, programs, matches, seed, wanted.series)
    except (UnknownGame, BadOptions, BadProgramError, BadSeries) as error:
        raise click.ClickException(str(error)) from error


def _built(batch: MatchBatch, sandbox: Sandbox) -> MatchBatch:
    try:
        return replace(batch, programs=tuple(build_program(program, sandbox) for program in batch.programs))
    except (BadProgramError, SandboxError) as error:
        raise click.ClickException(str(error)) from error


@dataclass(slots=True)
class Played:
    """The results, rows and faults of the matches played so far."""

    results: Results
    faults: list[FaultNote]
    rows: list[dict[str, Any]]
    test: SequentialTest | None

    def add(self, number: int, match: MatchReport) -> bool:
        """Count a match, and return whether a sequential test is over."""
        names = [bot.name for bot in self.results.bots]
        self.results.add(match)
        self.faults += list_faults(number, match, names)
        self.rows += list_leg_rows(number, match, names)
        return self.test is not None and self.test.add(match.points[0])

    def describe(self) -> str:
        """Return the present state, for the progress bar."""
        first = self.results.bots[0]
        share = f"{first.name} {100 * sum(first.match_points) / len(first.match_points):.0f} %"
        return share if self.test is None else f"{share}, evidence {self.test.llr:+.2f} of ±{LLR_BOUND:.2f}"


def _run(batch: MatchBatch, sandbox: Sandbox, wanted: PlayOptions, errors: Console) -> Played:
    """Play the matches, or as many of them as a sequential test needs."""
    test = SequentialTest(*wanted.sprt) if wanted.sprt else None
    played = Played(Results([program.name for program in batch.programs]), [], [], test)
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    try:
        if wanted.out is not None:
            wanted.out.mkdir(parents=True, exist_ok=True)
        with (
            Progress(*columns, TimeRemainingColumn(), console=errors, transient=True) as progress,
            closing(play_batch(batch, sandbox)) as matches,
        ):
            task = progress.add_task("", total=batch.matches)
            for number, match in matches if test is None else sort_by_number(matches):
                if wanted.out is not None:
                    write_match(wanted.out, number, match)
                is_over = played.add(number, match)
                progress.update(task, advance=1, description=played.describe())
                if is_over:
                    break
    except SandboxError as failure:
        raise click.ClickException(f"The sandbox failed, so no bot loses by it: {failure}") from failure
    except OSError as error:
        raise click.ClickException(f"{wanted.out} can't be written: {error.strerror or error}") from error
    return played


def _report(played: Played, batch: MatchBatch, wanted: PlayOptions, own: Mapping[int, str]) -> None:
    """Print the results; `own` has the bots of the author by participant, as they were named."""
    if wanted.as_json:
        header = {"game": batch.game, "edition": batch.edition, "seed": batch.seed}
        click.echo(json.dumps(build_json(header, played.results, played.rows, played.faults, played.test)))
        return
    Console(highlight=False).print(build_table(played.results))
    for line in describe_difference(played.results):
        click.echo(line)
    if played.test is not None:
        click.echo(played.test.describe(batch.programs[0].name))
    for line in describe_faults(played.faults, wanted.out, batch.seed):
        click.echo(line)
    mine = [fault for fault in played.faults if fault.participant in own]
    if mine and wanted.out is not None:
        first = min(mine, key=lambda fault: (fault.match, fault.leg))  # matches end in any order
        click.echo(f"next: {suggest_rerun(first, wanted.out, own[first.participant])}", err=True)


def _choose_exit_code(played: Played, wanted: PlayOptions, own: Collection[int]) -> int:
    """Return 1 where a bot of the author's had a fault, or where a test didn't find it better."""
    has_fault = any(fault.participant in own for fault in played.faults)
    is_not_better = played.test is not None and not played.test.is_better
    return int(is_not_better or (has_fault and not wanted.allow_faults))
