"""`pennant gauntlet`: play a bot against many, show all results in one table, and estimate its rating."""

import json
import os
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import click
import orjson
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from arena.cli.api import find_api
from arena.cli.bot_paths import (
    OWN_VERSION,
    build_program,
    choose_game,
    choose_sandbox,
    find_bot,
    game_option,
    is_own_version,
    list_samples,
)
from arena.cli.files import (
    EloEstimate,
    FaultNote,
    LockedLog,
    MatchBatch,
    UnreadableRecord,
    Workers,
    compute_digest,
    count_pairs,
    estimate_elo,
    estimate_share,
    format_elo,
    format_share,
    list_faults,
    play_due,
    read_record,
    write_match,
)
from arena.cli.playing import read_options, rule_option
from arena.contests.comparisons.sprt import MIN_PAIRS
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError, Program
from arena.runner.sandbox.base import Sandbox, SandboxError
from engine.core import Json
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.variants import find_variant

# Store a gauntlet in a folder: what is played, and a line for every finished match.

GAUNTLET_FORMAT = "pennant-gauntlet/1"
GAUNTLET_FILE = "gauntlet.json"


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A finished match of the bot with one opponent."""

    opponent: str
    sha256: str
    """Digest of the opponent's files."""
    number: int
    """Number of the match with this opponent, from 1."""
    points: float
    """Points of the bot, from 0 to 1."""
    faults: tuple[str, ...] = ()
    """Faults of the bot, described."""
    opponent_faults: int = 0


def _list_differences(stored: Json, now: Json) -> Iterator[str]:
    """Yield what is different in a stored plan and this one; a seed only where one is asked for."""
    for key in ("game", "edition", "options", "bot"):
        if stored.get(key) != now[key]:
            yield f"{key} was {stored.get(key)}, and is {now[key]}"
    if stored.get("sha256") != now["sha256"] and stored.get("bot") == now["bot"]:
        yield "the files of the bot have changed"
    if now["seed"] is not None and now["seed"] != stored.get("seed"):
        yield f"seed was {stored.get('seed')}, and is {now['seed']}"


class GauntletLog(LockedLog):
    """The matches of a gauntlet on disk, one line each."""

    def __init__(self, folder: Path, plan: Json) -> None:
        """Open the folder. Raise OSError, or click.ClickException if it holds another gauntlet."""
        super().__init__(folder, "gauntlet")
        self.plan = self._open_plan(folder / GAUNTLET_FILE, plan)

    def _open_plan(self, path: Path, plan: Json) -> Json:
        """Return the stored plan, or this one after it was stored. Raise click.ClickException if they differ."""
        if not path.exists():
            plan = plan | {"seed": plan["seed"] or str(secrets.randbelow(10**9))}
            path.write_bytes(orjson.dumps({"format": GAUNTLET_FORMAT, **plan}, option=orjson.OPT_INDENT_2) + b"\n")
            return plan
        try:
            stored = read_record(path)
        except UnreadableRecord as error:
            raise click.ClickException(f"{path}: {error}") from error
        differences = list(_list_differences(stored, plan))
        if differences:
            raise click.ClickException(
                f"The gauntlet in {path.parent} is different: {', '.join(differences)}. "
                "To play a new one, name another folder: --out"
            )
        return stored

    def read(self) -> list[StoredMatch]:
        """Return all finished matches; an incomplete last line is dropped. Raise click.ClickException."""
        lines = self.read_lines()
        try:
            return [StoredMatch(**orjson.loads(line)) for line in lines]
        except (ValueError, TypeError) as error:
            raise click.ClickException(f"{self.path} is damaged: {error}") from error

    def add(self, stored: StoredMatch, match: MatchReport, faults: list[FaultNote]) -> None:
        """Write a match, and its records where there was a fault. It is on disk for good when this returns."""
        if faults:
            folder = self.records / stored.opponent.replace("/", "-")
            folder.mkdir(exist_ok=True)
            write_match(folder, stored.number, match)
        self.write_line(asdict(stored))


# Estimate the rating of a bot on a ladder from its matches at home against bots that an arena has rated.

HOUSE_USERNAME = "house"


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating in Elo, with half of its 95 % interval."""

    value: float
    margin: float


def fetch_ratings(game: str, edition: str, opponents: Iterable[str]) -> dict[str, Rating]:
    """Return the ratings of samples and of own versions, by the texts that name them, on the arena at PENNANT_URL.

    Those that aren't on the ladder of the edition are left out; without PENNANT_URL all are. Raise click.ClickException
    if the arena doesn't answer.
    """
    keys = {text: key for text in opponents if (key := _find_key(text)) is not None}
    if not keys or not os.environ.get("PENNANT_URL"):
        return {}
    rated: dict[tuple[str, ...], Rating] = {}
    for row in find_api(needs_token=False).pages(f"ladders/{game}/{edition}/standings/"):
        rating = Rating(row["rating"], row["margin_95"])
        rated[row["bot"], str(row["version"])] = rating
        if row["authors"] == [HOUSE_USERNAME]:
            rated[(row["name"],)] = rating
    return {text: rated[key] for text, key in keys.items() if key in rated}


def estimate_rating(ratings: Sequence[Rating], differences: Sequence[EloEstimate | None]) -> Rating | None:
    """Return the rating that results against rated opponents show; None if they show only bounds.

    Each opponent's rating plus the difference is an estimate with the variances of both; they are averaged with the
    reciprocals of these as weights.
    """
    weights, values = [], []
    for rating, found in zip(ratings, differences, strict=True):
        if found is not None and found.elo is not None and found.low is not None and found.high is not None:
            weights.append(1 / hypot(rating.margin, (found.high - found.low) / 2) ** 2)
            values.append(rating.value + found.elo)
    if not weights:
        return None
    total = sum(weights)
    return Rating(sum(weight * value for weight, value in zip(weights, values, strict=True)) / total, sqrt(1 / total))


def describe_rating(title: str, found: Rating | None, ratings: Mapping[str, Rating]) -> str:
    """Return the sentence on an estimated rating, with the opponents between whose ratings it lies.

    None stands for a rating that the results are too few, or too much the same, to estimate.
    """
    if found is None:
        names = " or ".join(ratings)
        return f"no rating on {title} yet: it takes {MIN_PAIRS} matches or more against {names}, not all alike"
    below = [name for name, rating in ratings.items() if rating.value < found.value]
    above = [name for name, rating in ratings.items() if rating.value >= found.value]
    lower = max(below, key=lambda name: ratings[name].value, default=None)
    upper = min(above, key=lambda name: ratings[name].value, default=None)
    place = f"between {lower} and {upper}" if lower and upper else f"above {lower}" if lower else f"below {upper}"
    return f"estimated rating on {title}: {found.value:.0f} ± {found.margin:.0f}, {place}"


def _find_key(text: str) -> tuple[str, ...] | None:
    """Return what a rating is looked up by: the name of a sample, or slug and number of a version of one's own."""
    if is_own_version(text):
        named = OWN_VERSION.fullmatch(text)
        assert named is not None
        return named[1], named[2]
    return (text,) if text in list_samples() and not Path(text).exists() else None


# `pennant gauntlet`: play a bot against many, and show all results in one table.

EXIT_INTERRUPTED = 130
DEFAULT_MATCHES = 50
MAX_FAULTS_SHOWN = 5

MatchKey = tuple[int, int]
"""Number of an opponent, from 0, and of the match with it, from 1."""


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """A bot, its opponents, and the rules by which they play."""

    game: str
    edition: str
    options: dict[str, Any]
    bot: Program
    opponents: tuple[Program, ...]
    matches: int

    def plan(self, seed: str | None) -> dict[str, Any]:
        """Return what is stored of it."""
        return {
            "game": self.game,
            "edition": self.edition,
            "options": self.options,
            "bot": self.bot.name,
            "sha256": compute_digest(self.bot),
            "seed": seed,
        }

    def batch(self, opponent: int, seed: str) -> MatchBatch:
        """Return the matches with an opponent. All opponents play the same deals."""
        pair = (self.bot, self.opponents[opponent])
        return MatchBatch(self.game, self.edition, self.options, pair, self.matches, seed)


@click.command()
@click.argument("bot")
@click.argument("opponents", metavar="OPPONENT…", nargs=-1, required=True)
@game_option
@click.option("--edition", help="The edition of the game. [default: the game's first]")
@rule_option
@click.option(
    "--matches",
    default=DEFAULT_MATCHES,
    show_default=True,
    type=click.IntRange(min=1),
    help="Number of mirrored matches with each opponent. A larger number goes on where the last command ended.",
)
@click.option("--seed", help="Seed of the deals. By default a random one, which is stored.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("gauntlet"),
    show_default=True,
    help="Keep the results, and the records of legs with faults, in this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--allow-faults", is_flag=True, help="Exit with 0 even if BOT had a fault.")
@click.option("--no-sandbox", is_flag=True, help="Run the bots without a sandbox. Only for bots you trust.")
def gauntlet(bot: str, opponents: tuple[str, ...], out: Path, **given: Any) -> None:
    """Play BOT against each OPPONENT, and show all results in one table with 95 % intervals.

    Bots are named as for `pennant play`; kingfisher/3 is version 3 of your bot on the arena at PENNANT_URL. All
    opponents play the same deals. Every match is written to disk when it ends: to go on after Ctrl-C, to add opponents
    or to play more matches, name the same folder. The exit code is 1 if BOT had a fault.

    With PENNANT_URL set, BOT's rating on the arena's ladder is estimated from the ratings of the opponents there. It
    takes 16 matches or more against one of them, not all with the same result.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    wanted = _read_gauntlet(bot, opponents, given)
    with _open_log(out, wanted.plan(given["seed"])) as log:
        seed = log.plan["seed"]
        finished = _sort_finished(wanted, log.read())
        try:
            _play(wanted, seed, log, finished, given["no_sandbox"], errors)
        except KeyboardInterrupt:
            errors.print("\nStopped. The same command goes on from here.")
            sys.exit(EXIT_INTERRUPTED)
        except (SandboxError, BadProgramError, OSError) as error:
            raise click.ClickException(f"{error}") from error
    faults = [fault for matches in finished for match in matches.values() for fault in match.faults]
    ratings = _fetch_ratings(wanted, opponents, errors)
    estimated = _estimate_rating(wanted, finished, ratings)
    if given["as_json"]:
        click.echo(json.dumps(_export(wanted, seed, finished, estimated)))
    else:
        Console(highlight=False, markup=False).print(_build_table(wanted, finished))
        if ratings:
            game = find_game(wanted.game)
            click.echo(describe_rating(f"{game.title}, {game.editions[wanted.edition]}", estimated, ratings))
        for fault in faults[:MAX_FAULTS_SHOWN]:
            click.echo(fault)
        if len(faults) > MAX_FAULTS_SHOWN:
            click.echo(f"and {len(faults) - MAX_FAULTS_SHOWN} more faults; the records of all are in {log.records}")
    sys.exit(int(bool(faults) and not given["allow_faults"]))


def _read_gauntlet(bot: str, opponents: tuple[str, ...], given: dict[str, Any]) -> Gauntlet:
    """Return what is to be played. Raise click.ClickException."""
    try:
        game = find_game(choose_game((bot, *opponents), given["game"]))
        edition = given["edition"] or next(iter(game.editions))
        variant = find_variant(game, edition, read_options(game, given["rule_options"]))
        if 2 not in game.seats:
            raise BadProgramError(f"{game.key} is not for two bots")
        programs = [find_bot(text) for text in (bot, *opponents)]
    except (UnknownGame, BadOptions, BadProgramError) as error:
        raise click.ClickException(str(error)) from error
    names = [program.name for program in programs[1:]]
    if twice := {name for name in names if names.count(name) > 1}:
        raise click.UsageError(f"{', '.join(sorted(twice))} is named twice: give opponents different names")
    return Gauntlet(game.key, variant.edition, variant.options, programs[0], tuple(programs[1:]), given["matches"])


def _open_log(out: Path, plan: dict[str, Any]) -> GauntletLog:
    try:
        return GauntletLog(out, plan)
    except OSError as error:
        raise click.ClickException(f"{out} can't be written: {error.strerror or error}") from error


def _sort_finished(wanted: Gauntlet, stored: list[StoredMatch]) -> list[dict[int, StoredMatch]]:
    """Return the finished matches by opponent and number. Those of an opponent whose files changed don't count."""
    digests = [compute_digest(opponent) for opponent in wanted.opponents]
    return [
        {
            match.number: match
            for match in stored
            if (match.opponent, match.sha256) == (opponent.name, digest) and match.number <= wanted.matches
        }
        for opponent, digest in zip(wanted.opponents, digests, strict=True)
    ]


def _play(
    wanted: Gauntlet,
    seed: str,
    log: GauntletLog,
    finished: list[dict[int, StoredMatch]],
    no_sandbox: bool,
    errors: Console,
) -> None:
    """Play what is missing. Raise SandboxError, BadProgramError and OSError."""
    missing = {
        (opponent, number): None
        for opponent in range(len(wanted.opponents))
        for number in range(1, wanted.matches + 1)
        if number not in finished[opponent]
    }
    if not missing:
        return
    programs = (wanted.bot, *wanted.opponents)
    sandbox = choose_sandbox({program.language for program in programs}, bare=no_sandbox, errors=errors)
    built = _build(wanted, sandbox)
    digests = [compute_digest(opponent) for opponent in wanted.opponents]
    errors.print(f"seed {seed}")
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Workers(sandbox, len(missing)) as workers, Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("", total=len(missing))
        batches = [built.batch(opponent, seed) for opponent in range(len(built.opponents))]

        def spec(key: MatchKey) -> Any:
            return batches[key[0]].match(key[1])

        for (opponent, number), match in play_due(lambda: missing, spec, workers):
            del missing[opponent, number]
            finished[opponent][number] = _store(log, wanted, opponent, digests[opponent], number, match)
            progress.advance(task)


def _build(wanted: Gauntlet, sandbox: Sandbox) -> Gauntlet:
    return replace(
        wanted,
        bot=build_program(wanted.bot, sandbox),
        opponents=tuple(build_program(opponent, sandbox) for opponent in wanted.opponents),
    )


def _store(
    log: GauntletLog, wanted: Gauntlet, opponent: int, digest: str, number: int, match: MatchReport
) -> StoredMatch:
    name = wanted.opponents[opponent].name
    faults = list(list_faults(number, match, [wanted.bot.name, name]))
    stored = StoredMatch(
        name,
        digest,
        number,
        match.points[0],
        tuple(f"against {name}, {fault.heading}" for fault in faults if fault.participant == 0),
        sum(fault.participant == 1 for fault in faults),
    )
    log.add(stored, match, faults)
    return stored


def _fetch_ratings(wanted: Gauntlet, texts: Sequence[str], errors: Console) -> dict[str, Rating]:
    """Return the ratings of opponents by name where the arena has them; report an arena that can't be asked."""
    if wanted.options != find_game(wanted.game).options(wanted.edition):
        return {}
    try:
        found = fetch_ratings(wanted.game, wanted.edition, texts)
    except click.ClickException as error:
        errors.print(f"No rating is estimated: {error.message}", soft_wrap=True)
        return {}
    names = (opponent.name for opponent in wanted.opponents)
    return {name: found[text] for text, name in zip(texts, names, strict=True) if text in found}


def _estimate_rating(
    wanted: Gauntlet, finished: list[dict[int, StoredMatch]], ratings: dict[str, Rating]
) -> Rating | None:
    rated = [
        (ratings[opponent.name], estimate_elo(count_pairs(_points(matches))))
        for opponent, matches in zip(wanted.opponents, finished, strict=True)
        if opponent.name in ratings
    ]
    return estimate_rating([rating for rating, _ in rated], [found for _, found in rated])


def _points(matches: dict[int, StoredMatch]) -> list[float]:
    return [matches[number].points for number in sorted(matches)]


def _build_table(wanted: Gauntlet, finished: list[dict[int, StoredMatch]]) -> Table:
    table = Table(box=SIMPLE, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(f"{wanted.bot.name} against", overflow="fold")
    for heading in ("matches", "share (95 %)", "Elo (95 %)", "faults"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in _list_rows(wanted, finished):
        table.add_row(*row)
    return table


def _list_rows(wanted: Gauntlet, finished: list[dict[int, StoredMatch]]) -> Iterator[tuple[str, ...]]:
    for opponent, matches in zip(wanted.opponents, finished, strict=True):
        points = _points(matches)
        faults = sum(len(match.faults) for match in matches.values())
        elo = format_elo(estimate_elo(count_pairs(points)))
        yield opponent.name, str(len(points)), format_share(estimate_share(points)), elo, str(faults)


def _export(
    wanted: Gauntlet, seed: str, finished: list[dict[int, StoredMatch]], estimated: Rating | None
) -> dict[str, Any]:
    rows = []
    for opponent, matches in zip(wanted.opponents, finished, strict=True):
        points = _points(matches)
        found = estimate_elo(count_pairs(points))
        rows.append(
            {
                "opponent": opponent.name,
                "matches": len(points),
                "points": sum(points),
                "pentanomial": count_pairs(points),
                "share": asdict(estimate_share(points)),
                "elo": asdict(found) if found else None,
                "faults": [fault for number in sorted(matches) for fault in matches[number].faults],
                "opponent_faults": sum(match.opponent_faults for match in matches.values()),
            }
        )
    return {
        "bot": wanted.bot.name,
        "game": wanted.game,
        "edition": wanted.edition,
        "seed": seed,
        "opponents": rows,
        "rating": asdict(estimated) if estimated else None,
    }
