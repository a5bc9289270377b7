"""`pennant play`, `rerun`, `options` and `schema`: play matches here, ask a bot again, list what a game has."""

import json
import os
import re
import secrets
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from rich.console import Console
from rich.table import Table

from arena.cli import MachineError
from arena.cli.api import ROOT, Api, find_api
from arena.cli.bot_paths import (
    bare_option,
    build_program,
    build_programs,
    choose_sandbox,
    choose_variants,
    clock_options,
    find_bot,
    is_own_version,
    json_option,
    many_rules_options,
    prepare_debugging,
    read_clock,
    tell_missing_values,
)
from arena.cli.campaign import EXIT_INTERRUPTED, HomeClock, MatchBatch, play_batches, show_progress
from arena.cli.files import (
    FAULT_SORT_KEY,
    FEW_MATCHES_WARNING,
    LOG_LINES_KEPT,
    NOT_KNOWN,
    BotResults,
    EloBounds,
    EloEstimate,
    FaultNote,
    Results,
    SequentialTest,
    UnreadableRecord,
    count_pairs,
    describe_faults,
    describe_stage,
    estimate_elo,
    estimate_share,
    format_elo,
    format_share,
    list_faults,
    read_record,
    sort_by_number,
    start_table,
    suggest_rerun,
    write_match,
)
from arena.cli.person import PERSON_NAME, TerminalGame, play_at_terminal
from arena.contests.comparisons.sprt import LLR_BOUND, MAX_PAIRS, MIN_PAIRS
from arena.runner.live_turn import RerunAnswer, rerun_seat
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError, Verdict, choose_level
from arena.runner.protocol import (
    MESSAGES,
    NoSchemaError,
    build_message_schema,
    list_example_messages,
    make_visible,
    read_vocabulary,
)
from arena.runner.sandbox.base import Sandbox, SandboxError
from engine.core import Game
from engine.options import ChoiceOption, NumberOption, RuleOption, write_value
from engine.registry import GAMES, find_game
from engine.replay import BadRecord, verify
from engine.series import SeriesLength, check_series
from engine.variants import Variant

# `pennant rerun`, `options` and `schema`: ask a bot again, list the options of games, and what bots are told.

# `pennant rerun`: ask a bot again what it was asked in a recorded leg.

NAMED = re.compile(r"(\d+)/(\d+)")
PAGE = re.compile(r"/matches/(\d+)/legs/(\d+)/record\.json")
MAX_DIFFERENCES_SHOWN = 20


@click.command()
@click.argument("record")
@click.option("--bot", "bot", metavar="BOT", required=True, help="The bot to test, named as for gauntlet.")
@click.option("--seat", type=click.IntRange(min=0), help="The bot's seat, from 0. [default: the seat with its name]")
@click.option("--until", metavar="N", type=click.IntRange(min=0), help="Stop after decision N.")
@click.option("--debug", is_flag=True, help="Make the bot wait for a debugger, without sandbox or clock.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all answers.")
@click.option("--no-sandbox", is_flag=True, help="Run the bot without a sandbox. Only for bots you trust.")
def rerun(  # noqa: PLR0913 - a parameter an option
    record: str, bot: str, seat: int | None, until: int | None, debug: bool, as_json: bool, no_sandbox: bool
) -> None:
    """Replay a seat's requests from a recorded leg, and show where BOT's answers differ.

    RECORD is a file written by `play --out` or `record`, MATCH/LEG on the arena at PENNANT_URL, or a record's address.
    For records that only you can see, set PENNANT_TOKEN. The bot gets the same lines as in the record, except for
    `bank_ms`, which is measured again; a sample bot plays at the level in the record. Its answers don't change the leg.
    The exit code is 1 if the bot has a fault.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    found = _find_record(record)
    if is_own_version(bot) and record.startswith(("http://", "https://")) and not os.environ.get("PENNANT_URL"):
        origin = "://".join(urlsplit(record)[:2])  # it gets no token before the author says that it is for it
        ways = f"set PENNANT_URL={origin} and PENNANT_TOKEN to your token, or name a folder: --bot FOLDER"
        raise click.UsageError(f"{bot} is a version on an arena: {ways}")
    program = find_bot(bot)
    seat = _choose_seat(found, program.name) if seat is None else _check_seat(found, seat)
    if "level" in found["seats"][seat] and _is_named(found["seats"][seat], program.name):
        program = choose_level(program, found["seats"][seat]["level"])
    sandbox = choose_sandbox({program.language}, bare=no_sandbox, errors=errors)
    try:
        built = build_program(program, sandbox)
        if debug:
            sandbox = prepare_debugging([(built, Path(bot))], sandbox)
        answers = list(rerun_seat(found, seat, built, sandbox, until))
    except SandboxError as error:
        raise MachineError(str(error)) from error
    has_fault = any(answer.problem for answer in answers)
    if as_json:
        click.echo(json.dumps(_export(record, seat, answers)))
    else:
        for line in _describe(record, found, seat, answers):
            click.echo(line)
    sys.exit(int(has_fault))


def _find_record(text: str) -> dict[str, Any]:
    """Return the verified record of a file or an arena. Raises click.ClickException."""
    found: dict[str, Any]
    try:
        if text.startswith(("http://", "https://")):
            found = _fetch(text)
        elif not Path(text).exists() and (named := NAMED.fullmatch(text)):
            found = find_api(needs_token=False).get(f"matches/{named[1]}/legs/{named[2]}/record/")
        else:
            found = read_record(Path(text))
        verify(found)
    except (UnreadableRecord, BadRecord) as error:
        raise click.ClickException(f"{text}: {error}") from error
    return found


def _fetch(address: str) -> Any:
    scheme, host, path = urlsplit(address)[:3]
    page = PAGE.fullmatch(path)
    return _choose_api(f"{scheme}://{host}").get(f"{ROOT}matches/{page[1]}/legs/{page[2]}/record/" if page else path)


def _choose_api(origin: str) -> Api:
    """Return the client of an arena. It has the token of PENNANT_TOKEN only for the arena that this is for."""
    own = urlsplit(os.environ.get("PENNANT_URL", ""))
    return find_api(needs_token=False) if f"{own.scheme}://{own.netloc}" == origin else Api(origin)


def _choose_seat(record: dict[str, Any], name: str) -> int:
    """Return the seat at which a bot of this name sat. Raises click.ClickException unless there is one."""
    seats = [number for number, each in enumerate(record["seats"]) if _is_named(each, name)]
    if len(seats) != 1:
        raise click.ClickException(f"Which seat is {name}? {_list_seats(record)}")
    return seats[0]


def _is_named(seat: dict[str, Any], name: str) -> bool:
    return bool(seat["name"].casefold() == name.casefold())


def _check_seat(record: dict[str, Any], seat: int) -> int:
    if seat >= len(record["seats"]):
        raise click.ClickException(f"This leg has no seat {seat}: {_list_seats(record)}")
    return seat


def _list_seats(record: dict[str, Any]) -> str:
    names = (make_visible(each["name"]) for each in record["seats"])
    return ", ".join(f"--seat {number} ({name})" for number, name in enumerate(names))


def _describe(text: str, record: dict[str, Any], seat: int, answers: list[RerunAnswer]) -> Iterator[str]:
    """Yield the heading, a line for each difference, the fault if there is one, and the sum."""
    yield f"{text} · seat {seat} ({make_visible(record['seats'][seat]['name'])}) · {len(answers)} decisions"
    different = [answer for answer in answers if not answer.is_same or answer.problem]
    for answer in different[:MAX_DIFFERENCES_SHOWN]:
        stage = describe_stage(answer.request.get("view") or {})
        where = f"decision {answer.decision}{f' ({stage})' if stage else ''}"
        yield f"  {where:24} recorded {answer.recorded!r}   now {make_visible(answer.answer)!r}"
        if answer.problem:
            yield f"    {make_visible(answer.problem)}"
        yield from (f"    {line}" for line in answer.log.rstrip().splitlines()[-LOG_LINES_KEPT:])
    if len(different) > MAX_DIFFERENCES_SHOWN:
        yield f"  and {len(different) - MAX_DIFFERENCES_SHOWN} more"
    changed = sum(not answer.is_same for answer in answers)
    yield f"{changed} of {len(answers)} answers differ"


def _export(text: str, seat: int, answers: list[RerunAnswer]) -> dict[str, Any]:
    return {
        "record": text,
        "seat": seat,
        "different": sum(not answer.is_same for answer in answers),
        "answers": [
            {
                "decision": answer.decision,
                "recorded": answer.recorded,
                "now": answer.answer,
                "is_same": answer.is_same,
                "problem": answer.problem,
            }
            for answer in answers
        ],
    }


# `pennant options` and `pennant schema`: the rule options of games, and the messages that bots get.

# `pennant options`: list the rule options of games.


@click.command("options")
@click.argument("game", metavar="[GAME]", required=False)
def list_options(game: str | None) -> None:
    """List each game's rule options, their values and the editions that use them.

    An edition is a set of rule options. To change individual options, use --option with `play`, `tournament` and
    `compare`.
    """
    games = [find_game(game)] if game else list(GAMES.values())
    for number, each in enumerate(games):
        click.echo(f"{chr(10) if number else ''}{each.title} ({each.key})")
        for option in each.rule_options:
            click.echo(f"\n{option.key}: {option.title} ({', '.join(option.rulings)})\n  {option.description}")
            for line in _list_values(option):
                click.echo(f"  {line}")
        click.echo("\nEditions, and how they differ from the first:")
        for line in _list_editions(each):
            click.echo(line)


def _list_values(option: RuleOption) -> Iterator[str]:
    """Yield a line for each value, or for the range of a number."""
    if isinstance(option, ChoiceOption):
        for value in option.values:
            yield f"{option.key}={write_value(value.value)[0]}  {value.title}. {value.description}"
    elif isinstance(option, NumberOption):
        yield f"{option.key}=NUMBER  a whole number from {option.lowest} to {option.highest}"


def _list_editions(game: Game) -> Iterator[str]:
    """Yield a line for each edition: the options in which it differs from the first one."""
    usual = game.options(next(iter(game.editions)))
    width = max(map(len, game.editions))
    for key, title in game.editions.items():
        changes = {name: value for name, value in game.options(key).items() if value != usual[name]}
        listed = " ".join(f"{name}={write_value(value)[0]}" for name, value in changes.items())
        yield f"  {key:{width}}  {title}{': ' if changes else ''}{listed}"


# `pennant schema`: print what bots are told, as JSON Schema or by examples.


@click.command("schema")
@click.argument("game")
@click.argument("message", type=click.Choice(MESSAGES), required=False)
@click.option("--examples", is_flag=True, help="Print the messages of a random play instead, one per line.")
@click.option("--edition", help="Edition for the examples. [default: the game's first]")
@click.option("--actions", is_flag=True, help="Print all decisions, actions with their grammar, and cards instead.")
def print_schema(game: str, message: str | None, examples: bool, edition: str | None, actions: bool) -> None:
    """Print the JSON Schema of GAME's messages to bots, and of their answers.

    Without a message's name, print one object with all schemas by name.
    """
    found = find_game(game)
    try:
        if actions:
            click.echo(json.dumps(read_vocabulary(found), indent=2, ensure_ascii=False))
            return
        if examples:
            messages = list_example_messages(found, edition or next(iter(found.editions)))
            kept = [one for one in messages if message in (None, one.get("type", "answer"))]
            click.echo("\n".join(json.dumps(one, separators=(",", ":")) for one in kept))
            return
        schemas = {name: build_message_schema(found, name) for name in MESSAGES}
    except NoSchemaError as error:
        raise click.ClickException(f"{game} doesn't describe its messages") from error
    click.echo(json.dumps(schemas[message] if message else schemas, indent=2, ensure_ascii=False))


# `pennant play`: play matches between bots on this machine, and report their results.

# Report the results of `pennant play`: a table for people, one JSON object for programs.


def build_table(results: Results) -> Table:
    """Return a table of wins, draws and losses for two bots, of series where they play those; for more, of places."""
    title = f"{results.series} series, {results.legs} games" if results.series else f"{results.legs} legs"
    table = start_table(("bot", "points", *_list_headings(len(results.bots))), "bot", title)
    for bot in results.bots:
        points = (bot.series if results.series else bot).points
        table.add_row(bot.name, f"{round(points, 2):g}", *_list_cells(bot, results))
    return table


def build_edition_table(played: Mapping[str, Results]) -> Table:
    """Return one table of the results in several editions."""
    seats = len(next(iter(played.values())).bots)
    table = start_table(("edition", "bot", *_list_headings(seats)), "bot", "All editions")
    table.columns[0].justify = "left"
    for edition, results in played.items():
        for number, bot in enumerate(results.bots):
            table.add_row("" if number else edition, bot.name, *_list_cells(bot, results))
    return table


def _list_headings(seats: int) -> tuple[str, ...]:
    return ("share (95%)", "W–D–L" if seats == 2 else "places", "faults", "ms per move", "95%", "bank")


def _list_cells(bot: BotResults, results: Results) -> tuple[str, ...]:
    counted = bot.series if results.series else bot
    ended = (counted.wins, counted.draws, counted.losses) if len(results.bots) == 2 else bot.places
    left = "" if bot.bank_left_ms is None else f"{bot.bank_left_ms / 1000:.1f} s"
    return (
        format_share(estimate_share(bot.match_points)),
        "–".join(map(str, ended)),
        _describe_faults(bot.verdicts),
        f"{bot.ms_per_move:.2f}",
        f"{bot.ms_95:.1f}",
        left,
    )


def _describe_faults(verdicts: Counter[str]) -> str:
    """Return how often a bot had which fault, as `2 crash`."""
    listed = (f"{count} {verdict}" for verdict, count in verdicts.most_common() if verdict != Verdict.OK)
    return ", ".join(listed) or "none"


def find_elo(results: Results) -> EloEstimate | None:
    """Return how much better the first of two bots is; None for more, for series and without matches."""
    if len(results.bots) != 2 or results.series:
        return None
    return estimate_elo(count_pairs(results.bots[0].match_points))


def describe_difference(results: Results) -> Iterator[str]:
    """Yield a line on how much better the first of two bots is."""
    found = find_elo(results)
    if found is None:
        return
    first, second = (bot.name for bot in results.bots)
    is_ahead = found.likelihood >= 0.5
    better, sure = (first, found.likelihood) if is_ahead else (second, 1 - found.likelihood)
    certainty = "" if sure == 0.5 else f"{min(100 * sure, 99.9):.1f}% sure that {better} is better; "
    elo = format_elo(found)
    elo += "" if elo == NOT_KNOWN else " with 95% certainty"
    yield f"{first} against {second}: {certainty}Elo {elo}"


def list_leg_rows(number: int, match: MatchReport, names: list[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each leg of a match: who sat where, the seeds, and how it ended."""
    for leg_number, leg in enumerate(match.legs, start=1):
        record = leg.record
        yield {
            "match": number,
            "leg": leg_number,
            "bots": [names[participant] for participant in leg.seating],
            "participants": list(leg.seating),
            "deal_hash": record["deal_hash"],
            "seeds": [seat.get("seed") for seat in record["seats"]],
            "decisions": len(record["actions"]),
            **record["result"],
            "ms": [round(spent, 1) for spent in leg.spent_ms],
        }


def build_json(
    header: dict[str, Any],
    results: Results,
    rows: list[dict[str, Any]],
    faults: list[FaultNote],
    test: SequentialTest | None,
) -> dict[str, Any]:
    """Return all that `--json` prints; `header` says what was played.

    Matches may have ended in another order than that of their numbers, in which they are printed.
    """
    printed = results.as_json()
    for bot, row in zip(results.bots, printed["bots"], strict=True):
        row["share"] = asdict(estimate_share(bot.match_points))
    found = find_elo(results)
    return {
        **header,
        **printed,
        **({"elo": asdict(found)} if found else {}),
        **({"sprt": test.as_json()} if test else {}),
        "faults": [asdict(fault) for fault in sorted(faults, key=FAULT_SORT_KEY)],
        "rows": sorted(rows, key=itemgetter("match", "leg")),
    }


# `pennant play`: play matches between bots on this machine.


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
    time_per_move: int | None
    bank: int | None
    no_clock: bool
    seed: str | None
    out: Path | None
    as_json: bool
    allow_faults: bool
    debug: bool
    no_sandbox: bool

    @property
    def clock(self) -> HomeClock:
        """Return the time that bots have."""
        return read_clock(self.time_per_move, self.bank, self.no_clock)

    @property
    def series(self) -> SeriesLength | None:
        """Return the length of a series, or None where none is asked for. Raises BadSeries."""
        if self.series_games is None and self.series_points is None:
            return None
        return SeriesLength(self.series_games, self.series_points)


@click.command()
@click.argument("bots", metavar="BOT BOT [BOT [BOT]]", nargs=-1, required=True)
@many_rules_options
@click.option(
    "--matches",
    type=click.IntRange(min=1),
    help=f"Number of matches (each played in every seating) or of series. [default: 1; "
    f"with --sprt at most {MAX_PAIRS}]",
)
@click.option(
    "--sprt",
    metavar="ELO0,ELO1",
    type=EloBounds(),
    help="Stop once the arena's test, with these bounds, shows whether the first of two bots is better, as in 0,20.",
)
@click.option("--series-games", metavar="N", type=int, help="Play series of N games, from 1 to 15.")
@click.option("--series-points", metavar="P", type=int, help="Play series until a bot has P points, from 5 to 50.")
@clock_options
@click.option("--seed", help="Seed for the deals. [default: random; it's printed]")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write records and logs to this folder.")
@json_option
@click.option("--allow-faults", is_flag=True, help="Exit with 0 even if one of your bots had a fault.")
@click.option("--debug", is_flag=True, help="Make your bots wait for a debugger, without sandbox or clock.")
@bare_option
def play(bots: tuple[str, ...], **options: Any) -> None:
    """Play matches between two or more bots.

    A BOT is a file (bot.py, bot.js, bot.c, …), a folder with such a file at its top, or the name of a sample bot
    (random, greedy). Bots in compiled languages are built first. Name as many bots as the game has seats. A match has
    one leg per rotation of the seats, all on the same deal.

    Results include 95% intervals and, for two bots, the difference in Elo. The table shows the mean time per move, the
    95th percentile, and the least time left in the bank. Ctrl-C ends the matches and shows the results so far. With
    --json, each finished match is also written to standard error as a line of JSON. The exit code is 1 if one of your
    bots (not a sample) had a fault, or if --sprt didn't find that the first bot is better.

    To play yourself, name `me` as a BOT: `pennant play me random`, `pennant play careful me --edition terrain`. You
    play one leg from that seat. The exit code is then 1 if you left the game or a bot had a fault.

    In some games, two bots can play a series instead: each game has a new deal, the winner scores 5 points and the
    loser one per flag, and the winner starts the next game. A match of two legs is fairer, as both bots play the same
    deal from both seats. In a series, the luck of the deal and of going first doesn't even out.
    """
    wanted = PlayOptions(**options)
    errors = Console(stderr=True, highlight=False)
    if PERSON_NAME in bots:
        sys.exit(_play_person(bots, wanted, errors))
    batches = _list_batches(bots, wanted)
    languages = {program.language for program in batches[0].programs}
    sandbox = choose_sandbox(languages, bare=wanted.no_sandbox, errors=errors)
    try:
        built = build_programs(batches[0].programs, sandbox)
    except SandboxError as error:
        raise MachineError(str(error)) from error
    batches = [replace(batch, programs=built) for batch in batches]
    own = {participant: bot for participant, bot in enumerate(bots) if Path(bot).exists()}
    if wanted.debug:
        if len(batches) > 1 or batches[0].matches > 1:
            raise click.UsageError("--debug is for one match: leave out --matches, --sprt and --edition all")
        mine = [(built[participant], Path(bot)) for participant, bot in own.items()]
        sandbox = prepare_debugging(mine, sandbox)
    errors.print(f"seed {batches[0].seed}")
    rules = [(batch.edition, batch.options) for batch in batches]
    tell_missing_values(built, find_game(batches[0].game), rules, errors)
    try:
        played = _start(batches, wanted)
    except OSError as error:
        raise click.ClickException(f"{wanted.out} can't be written: {error.strerror or error}") from error
    is_stopped = _run(played, sandbox, wanted, errors)
    _report(played, wanted, own)
    sys.exit(EXIT_INTERRUPTED if is_stopped else _choose_exit_code(played, wanted, own))


def _play_person(bots: tuple[str, ...], wanted: PlayOptions, errors: Console) -> int:
    if bots.count(PERSON_NAME) > 1:
        raise click.UsageError(f"{PERSON_NAME} can only take one seat")
    if (wanted.matches or 1) > 1 or wanted.series or wanted.sprt:
        raise click.UsageError("you play one game at a time: leave out --matches, --sprt and --series-…")
    game, variants = _rules(bots, wanted)
    if len(variants) > 1:
        raise click.UsageError("you play one game at a time: name an edition")
    (variant,) = variants
    table = TerminalGame(game, variant, bots, wanted.seed, wanted.out, wanted.as_json, wanted.no_sandbox, wanted.clock)
    return play_at_terminal(table, errors)


def _rules(bots: tuple[str, ...], wanted: PlayOptions) -> tuple[Game, list[Variant]]:
    """Return the game and its variants that are to be played. Raises MessageError."""
    game, variants = choose_variants(bots, wanted.game, wanted.edition, wanted.rule_options)
    if len(bots) not in game.seats:
        low, high = game.seats[0], game.seats[-1]
        raise BadProgramError(f"{game.key} is for {low if low == high else f'{low} to {high}'} bots, not {len(bots)}")
    return game, variants


def _list_batches(bots: tuple[str, ...], wanted: PlayOptions) -> list[MatchBatch]:
    """Return the matches of each edition. Raises MessageError."""
    seed = wanted.seed or str(secrets.randbelow(10**9))
    rules, variants = _rules(bots, wanted)
    if wanted.series:
        check_series(rules, len(bots))
    if wanted.sprt and (len(bots) != 2 or wanted.series or len(variants) > 1):
        raise click.UsageError("--sprt compares two bots in mirrored matches of one edition, without --series-…")
    programs = tuple(find_bot(bot) for bot in bots)
    matches = wanted.matches or (MAX_PAIRS if wanted.sprt else 1)
    played = (programs, matches, seed, wanted.series, wanted.clock)
    return [MatchBatch(rules.key, one.edition, one.options, *played) for one in variants]


@dataclass(slots=True)
class Played:
    """The results, rows and faults of the matches of an edition that have been played so far."""

    batch: MatchBatch
    out: Path | None
    """The folder for records and logs."""
    test: SequentialTest | None
    results: Results
    faults: list[FaultNote] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def add(self, number: int, match: MatchReport) -> bool:
        """Count a match, and return whether a sequential test is over. Raises OSError."""
        if self.out is not None:
            self.out.mkdir(parents=True, exist_ok=True)
            write_match(self.out, number, match)
        names = [bot.name for bot in self.results.bots]
        self.results.add(match)
        self.faults += list_faults(number, match, names)
        self.rows += list_leg_rows(number, match, names)
        return self.test is not None and self.test.add(match.points[0])

    def describe(self) -> str:
        """Return the present state, for the progress bar."""
        first = self.results.bots[0]
        share = f"{first.name} {100 * sum(first.match_points) / len(first.match_points):.0f}%"
        return share if self.test is None else f"{share}, evidence {self.test.llr:+.2f} of ±{LLR_BOUND:.2f}"

    def export(self) -> dict[str, Any]:
        """Return what `--json` prints."""
        header = {"game": self.batch.game, "edition": self.batch.edition, "seed": self.batch.seed}
        return build_json(header, self.results, self.rows, self.faults, self.test)


def _start(batches: Sequence[MatchBatch], wanted: PlayOptions) -> list[Played]:
    """Return what nothing has been played of yet; several editions have a folder each. Raises OSError."""
    test = SequentialTest(*wanted.sprt) if wanted.sprt else None
    if wanted.out is not None:
        wanted.out.mkdir(parents=True, exist_ok=True)
    return [
        Played(
            batch,
            wanted.out / batch.edition if wanted.out and len(batches) > 1 else wanted.out,
            test,
            Results([program.name for program in batch.programs]),
        )
        for batch in batches
    ]


def _run(played: Sequence[Played], sandbox: Sandbox, wanted: PlayOptions, errors: Console) -> bool:
    """Play the matches, or as many of them as a sequential test needs; return whether somebody stopped them."""
    batches = [one.batch for one in played]
    total = sum(batch.matches for batch in batches)
    try:
        with (
            show_progress(errors, "playing", total, as_json=wanted.as_json) as update,
            closing(play_batches(batches, sandbox)) as matches,
        ):
            by_number = ((number, match) for (_, number), match in matches)
            in_order = (((0, number), match) for number, match in sort_by_number(by_number))
            for (place, number), match in in_order if wanted.sprt else matches:
                one = played[place]
                is_over = one.add(number, match)
                note = {"edition": one.batch.edition, "match": number, "points": list(match.points)}
                update(note, advance=1, description=one.describe())
                if is_over:
                    break
    except KeyboardInterrupt:
        done = sum(len(one.results.bots[0].match_points) for one in played)
        errors.print(f"\nStopped after {done} of {total} matches.", soft_wrap=True)
        return True
    except SandboxError as failure:
        raise MachineError(f"The sandbox failed, so no bot is to blame: {failure}") from failure
    except OSError as error:
        raise click.ClickException(f"{wanted.out} can't be written: {error.strerror or error}") from error
    return False


def _report(played: Sequence[Played], wanted: PlayOptions, own: Mapping[int, str]) -> None:
    """Print the results; `own` has the bots of the author by participant, as they were named."""
    done = [one for one in played if one.rows]
    if wanted.as_json:
        told = [one.export() for one in done]
        seed = played[0].batch.seed
        click.echo(json.dumps({"seed": seed, "editions": told} if len(played) > 1 else told[0] if told else {}))
    elif done:
        tables = {one.batch.edition: one.results for one in done}
        table = build_edition_table(tables) if len(played) > 1 else build_table(done[0].results)
        Console(highlight=False).print(table)
        for one in done:
            _tell(one, f"{one.batch.edition}: " if len(played) > 1 else "")
    if any(len(one.results.bots[0].match_points) < MIN_PAIRS for one in done):
        click.echo(FEW_MATCHES_WARNING, err=True)
    for one in done:
        mine = [fault for fault in one.faults if fault.participant in own]
        if mine and one.out is not None and not wanted.as_json:
            first = min(mine, key=lambda fault: (fault.match, fault.leg))  # matches end in any order
            click.echo(f"next: {suggest_rerun(first, one.out, own[first.participant])}", err=True)
            return


def _tell(one: Played, before: str) -> None:
    """Print the lines on one edition."""
    for line in describe_difference(one.results):
        click.echo(before + line)
    if one.test is not None:
        click.echo(one.test.describe(one.batch.programs[0].name))
    for line in describe_faults(one.faults, one.out, one.batch.seed):
        click.echo(before + line if line == line.lstrip() else line)


def _choose_exit_code(played: Sequence[Played], wanted: PlayOptions, own: Collection[int]) -> int:
    """Return 1 where a bot of the author's had a fault, or where a test didn't find it better."""
    has_fault = any(fault.participant in own for one in played for fault in one.faults)
    is_not_better = any(one.test is not None and not one.test.is_better for one in played)
    return int(is_not_better or (has_fault and not wanted.allow_faults))
