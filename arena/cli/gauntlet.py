"""`pennant gauntlet`: play a bot against many, show all results in one table, and estimate its rating."""

import json
import os
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from arena.cli.api import find_api
from arena.cli.bot_paths import (
    OWN_VERSION,
    bare_option,
    build_programs,
    choose_sandbox,
    choose_variants,
    clock_options,
    find_bot,
    is_own_version,
    json_option,
    list_samples,
    many_rules_options,
    read_clock,
    tell_missing_values,
)
from arena.cli.campaign import Campaign, HomeClock, LockedLog, MatchBatch, Workers, play_due, show_progress
from arena.cli.files import (
    FEW_MATCHES_WARNING,
    MAX_FAULTS_SHOWN,
    EloEstimate,
    compute_digest,
    count_pairs,
    estimate_elo,
    estimate_share,
    format_elo,
    format_share,
    list_faults,
    start_table,
    write_match,
)
from arena.contests.comparisons.sprt import MIN_PAIRS
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError, Program
from engine.core import Game, Json
from engine.variants import Variant

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
        return (
            f"no rating on {title} yet: it needs at least {MIN_PAIRS} matches against {names}, with different results"
        )
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

GAUNTLET_FORMAT = "pennant-gauntlet/1"
DEFAULT_MATCHES = 50

MatchKey = tuple[int, int]
"""Number of an opponent, from 0, and of the match with it, from 1."""


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A finished match of the bot with one opponent, as a line of the log."""

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


@dataclass(frozen=True, slots=True)
class Opponent:
    """An opponent, and the matches with it that have ended."""

    program: Program
    sha256: str
    matches: dict[int, StoredMatch] = field(default_factory=dict)

    @property
    def points(self) -> list[float]:
        """Return the bot's points, in the order of the matches."""
        return [self.matches[number].points for number in sorted(self.matches)]

    @property
    def elo(self) -> EloEstimate | None:
        """Return how much better than this opponent the bot is."""
        return estimate_elo(count_pairs(self.points))

    @property
    def faults(self) -> list[str]:
        """Return the bot's faults, described."""
        return [fault for number in sorted(self.matches) for fault in self.matches[number].faults]


@dataclass(frozen=True, slots=True)
class Gauntlet:
    """A bot, its opponents, and the rules by which they play."""

    game: Game
    variant: Variant
    bot: Program
    opponents: tuple[Opponent, ...]
    matches: int
    clock: HomeClock

    def plan(self, seed: str | None) -> Json:
        """Return what is stored of it."""
        return {
            "format": GAUNTLET_FORMAT,
            "game": self.game.key,
            "edition": self.variant.edition,
            "options": self.variant.options,
            "bot": self.bot.name,
            "sha256": compute_digest(self.bot),
            "seed": seed,
            **({} if self.clock == HomeClock() else {"clock": asdict(self.clock)}),
        }

    def take(self, match: StoredMatch) -> None:
        """Count a stored match, unless the opponent's files have changed or fewer matches are wanted now."""
        for opponent in self.opponents:
            if (opponent.program.name, opponent.sha256) == (match.opponent, match.sha256):
                if match.number <= self.matches:
                    opponent.matches[match.number] = match

    def list_missing(self) -> Iterator[MatchKey]:
        """Yield the matches that are still to be played."""
        for key, opponent in enumerate(self.opponents):
            yield from ((key, number) for number in range(1, self.matches + 1) if number not in opponent.matches)


@click.command()
@click.argument("bot")
@click.argument("opponents", metavar="OPPONENT…", nargs=-1, required=True)
@many_rules_options
@click.option(
    "--matches",
    default=DEFAULT_MATCHES,
    show_default=True,
    type=click.IntRange(min=1),
    help="Mirrored matches against each opponent. A larger number continues an earlier run.",
)
@clock_options
@click.option("--seed", help="Seed for the deals. [default: random; it's stored]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("gauntlet"),
    show_default=True,
    help="Folder for the results and the records of legs with faults.",
)
@json_option
@click.option("--allow-faults", is_flag=True, help="Exit with 0 even if BOT had a fault.")
@bare_option
def gauntlet(bot: str, opponents: tuple[str, ...], out: Path, **given: Any) -> None:
    """Play BOT against each OPPONENT, and show one table with 95% intervals.

    Name bots as for `pennant play`; kingfisher/3 is version 3 of your bot kingfisher on the arena at PENNANT_URL. All
    opponents play the same deals. Each finished match is saved: to continue after Ctrl-C, add opponents or play more
    matches, use the same folder. The exit code is 1 if BOT had a fault.

    With PENNANT_URL set, BOT's rating on the arena's ladder is estimated from its opponents' ratings. That needs at
    least 16 matches against one of them, with different results. With `--edition all`, each edition has its own folder,
    and all share one table.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    wanted = _read_gauntlets(bot, opponents, given)
    played: list[PlayedGauntlet] = []
    drawn_seed = str(secrets.randbelow(10**9))
    report = partial(_report, played, opponents, errors, as_json=given["as_json"], are_several=len(wanted) > 1)
    for one in wanted:
        folder = out / one.variant.edition if len(wanted) > 1 else out
        campaign = Campaign("gauntlet", folder, errors, as_json=given["as_json"])
        with campaign.report_stop(report), LockedLog(campaign) as log:
            seed = _open_plan(campaign, one.plan(given["seed"]), drawn_seed)
            log.replay(StoredMatch, one.take)
            played.append(PlayedGauntlet(one, seed, log.records))
            if seed not in {before.seed for before in played[:-1]}:
                errors.print(f"seed {seed}")
            _play(one, seed, log, given["no_sandbox"])
    report()
    has_fault = any(opponent.faults for one in wanted for opponent in one.opponents)
    sys.exit(int(has_fault and not given["allow_faults"]))


@dataclass(frozen=True, slots=True)
class PlayedGauntlet:
    """A gauntlet that has begun."""

    wanted: Gauntlet
    seed: str
    records: Path


def _report(
    played: Sequence[PlayedGauntlet], texts: Sequence[str], errors: Console, *, as_json: bool, are_several: bool
) -> None:
    """Print the results so far."""
    told = []
    sentences: list[str] = []
    for one in played:
        wanted = one.wanted
        ratings = _fetch_ratings(wanted, texts, errors)
        rated = [each for each in wanted.opponents if each.program.name in ratings and len(each.points) >= MIN_PAIRS]
        estimated = estimate_rating([ratings[each.program.name] for each in rated], [each.elo for each in rated])
        told.append(_export(wanted, one.seed, estimated))
        if ratings:
            title = f"{wanted.game.title}, {wanted.game.editions[wanted.variant.edition]}"
            sentences.append(describe_rating(title, estimated, ratings))
        faults = [fault for opponent in wanted.opponents for fault in opponent.faults]
        sentences += faults[:MAX_FAULTS_SHOWN]
        if len(faults) > MAX_FAULTS_SHOWN:
            sentences.append(f"and {len(faults) - MAX_FAULTS_SHOWN} more faults; all records are in {one.records}")
    if as_json:
        click.echo(json.dumps({"editions": told} if are_several else told[0] if told else {}))
    elif any(each.points for one in played for each in one.wanted.opponents):
        Console(highlight=False, markup=False).print(_build_table([one.wanted for one in played], are_several))
        for sentence in sentences:
            click.echo(sentence)
    if any(0 < len(each.points) < MIN_PAIRS for one in played for each in one.wanted.opponents):
        click.echo(FEW_MATCHES_WARNING, err=True)


def _read_gauntlets(bot: str, opponents: tuple[str, ...], given: dict[str, Any]) -> list[Gauntlet]:
    """Return what is to be played in each edition. Raise MessageError or click.UsageError."""
    game, variants = choose_variants((bot, *opponents), given["game"], given["edition"], given["rule_options"])
    if 2 not in game.seats:
        raise BadProgramError(f"{game.key} is not for two bots")
    own, *others = (find_bot(text) for text in (bot, *opponents))
    names = [program.name for program in others]
    if twice := {name for name in names if names.count(name) > 1}:
        raise click.UsageError(f"{', '.join(sorted(twice))} is named twice. Give opponents different names.")
    clock = read_clock(given["time_per_move"], given["bank"], given["no_clock"])
    digests = [(program, compute_digest(program)) for program in others]
    return [
        Gauntlet(game, variant, own, tuple(Opponent(*each) for each in digests), given["matches"], clock)
        for variant in variants
    ]


def _open_plan(campaign: Campaign, plan: Json, drawn_seed: str) -> str:
    """Return the seed; store the plan if there is none yet. Raise click.ClickException if it is another one."""
    stored = campaign.read_plan()
    if stored is None:
        seed = plan["seed"] or drawn_seed
        campaign.store_plan(plan | {"seed": seed})
        return str(seed)
    asked = ("game", "edition", "options", "bot", "clock") + ("seed",) * (plan["seed"] is not None)
    changes = [f"{key} was {stored.get(key)}, now {plan.get(key)}" for key in asked if stored.get(key) != plan.get(key)]
    if stored.get("sha256") != plan["sha256"] and stored.get("bot") == plan["bot"]:
        changes.append("the bot's files have changed")
    campaign.refuse_changes(changes)
    return str(stored["seed"])


def _play(wanted: Gauntlet, seed: str, log: LockedLog, bare: bool) -> None:
    """Play what is missing. Raise SandboxError, BadProgramError and OSError."""
    missing = dict.fromkeys(wanted.list_missing())
    if not missing:
        return
    errors, programs = log.campaign.errors, [wanted.bot, *(opponent.program for opponent in wanted.opponents)]
    sandbox = choose_sandbox({program.language for program in programs}, bare=bare, errors=errors)
    bot, *others = build_programs(programs, sandbox)
    tell_missing_values(programs, wanted.game, [(wanted.variant.edition, wanted.variant.options)], errors)
    rules = (wanted.game.key, wanted.variant.edition, wanted.variant.options)
    batches = [  # all play the same deals
        MatchBatch(*rules, (bot, other), wanted.matches, seed, clock=wanted.clock) for other in others
    ]
    progress = show_progress(errors, "playing", len(missing), as_json=log.campaign.as_json)
    with Workers(sandbox, len(missing)) as workers, progress as update:
        for key, match in play_due(lambda: missing, lambda key: batches[key[0]].match(key[1]), workers):
            del missing[key]
            _store(wanted, key, match, log)
            note = {"edition": wanted.variant.edition, "opponent": wanted.opponents[key[0]].program.name}
            update({**note, "match": key[1], "points": list(match.points)}, advance=1)


def _store(wanted: Gauntlet, key: MatchKey, match: MatchReport, log: LockedLog) -> None:
    """Write a match, and its records where there was a fault, and count it."""
    opponent, number = wanted.opponents[key[0]], key[1]
    name = opponent.program.name
    faults = list(list_faults(number, match, [wanted.bot.name, name]))
    if faults:
        folder = log.records / name.replace("/", "-")
        folder.mkdir(exist_ok=True)
        write_match(folder, number, match)
    own = tuple(f"against {name}, {fault.heading}" for fault in faults if fault.participant == 0)
    stored = StoredMatch(name, opponent.sha256, number, match.points[0], own, len(faults) - len(own))
    log.write_line(stored)
    wanted.take(stored)


def _fetch_ratings(wanted: Gauntlet, texts: Sequence[str], errors: Console) -> dict[str, Rating]:
    """Return the ratings of opponents by name where the arena has them; report an arena that can't be asked."""
    if wanted.variant.changed_options:
        return {}
    try:
        found = fetch_ratings(wanted.game.key, wanted.variant.edition, texts)
    except click.ClickException as error:
        errors.print(f"No rating is estimated: {error.message}", soft_wrap=True)
        return {}
    names = (opponent.program.name for opponent in wanted.opponents)
    return {name: found[text] for text, name in zip(texts, names, strict=True) if text in found}


def _build_table(played: Sequence[Gauntlet], are_several: bool) -> Table:
    heading = f"{played[0].bot.name} against"
    edition = ("edition",) * are_several
    table = start_table((*edition, heading, "matches", "share (95%)", "Elo (95%)", "faults"), heading)
    table.columns[0].justify = "left"
    for wanted in played:
        for number, one in enumerate(each for each in wanted.opponents if each.points):
            first = ("" if number else wanted.variant.edition,) * are_several
            share, elo = format_share(estimate_share(one.points)), format_elo(one.elo)
            table.add_row(*first, one.program.name, str(len(one.points)), share, elo, str(len(one.faults)))
    return table


def _export(wanted: Gauntlet, seed: str, estimated: Rating | None) -> Json:
    """Return what `--json` prints."""
    return {
        "bot": wanted.bot.name,
        "game": wanted.game.key,
        "edition": wanted.variant.edition,
        "seed": seed,
        "opponents": [
            {
                "opponent": one.program.name,
                "matches": len(one.points),
                "points": sum(one.points),
                "pentanomial": count_pairs(one.points),
                "share": asdict(estimate_share(one.points)) if one.points else None,
                "elo": asdict(one.elo) if one.elo else None,
                "faults": one.faults,
                "opponent_faults": sum(match.opponent_faults for match in one.matches.values()),
            }
            for one in wanted.opponents
        ],
        "rating": asdict(estimated) if estimated else None,
    }
