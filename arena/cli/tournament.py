"""`pennant tournament`: plan, play and report a tournament between bots on this machine, also as a page."""

import json
import secrets
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from string import Template
from typing import Any

import click
import orjson
from rich.console import Console
from rich.table import Table

from arena.cli.bot_paths import (
    bare_option,
    build_programs,
    choose_game,
    choose_sandbox,
    find_program,
    json_option,
    read_options,
    rules_options,
)
from arena.cli.campaign import Campaign, LockedLog, Workers, play_due, show_progress
from arena.cli.files import (
    FAULT_SORT_KEY,
    FaultNote,
    compute_digest,
    describe_faults,
    list_faults,
    start_table,
    suggest_rerun,
    write_match,
)
from arena.cli.submissions import (
    BOTS_FOLDER,
    HandedInBot,
    SubmissionTable,
    check_submissions,
    describe_failures,
    export_submissions,
    is_submission_folder,
    read_results,
)
from arena.contests.tournaments.document import Course, NotDueError, ScheduledMatch
from arena.contests.tournaments.formats import FORMATS, find_format
from arena.contests.tournaments.formats.base import Entrant, Result
from arena.contests.tournaments.phases import KNOCKOUT, Phase, check_plan, list_phases
from arena.contests.tournaments.settings import GAME_POINTS, SCORINGS, InvalidSettings, Settings
from arena.contests.tournaments.standings import TIE_BREAKS, MatchResult, Standing, rank
from arena.core.release import arena_version
from arena.runner.data_files import PACKAGE_ROOT, SAMPLES_FOLDER, join_style_sheets
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Limits, Program
from engine.core import Json
from engine.registry import find_game
from engine.season import Season
from engine.series import SeriesLength
from engine.variants import find_variant

# Write the results of a tournament on this machine as one page, which opens from disk without a network.
#
# The page has the style sheets of an arena, and draws its tables from the data in it. An arena's own templates need
# Django, which authors don't have.

PAGE_FILE = "results.html"
STATIC_FOLDER = PACKAGE_ROOT / "arena" / "pages" / "static"
STYLE_SHEETS = tuple(f"css/{name}.css" for name in ("tokens", "base", "parts", "tournaments"))
OWN_FOLDER = Path(__file__).with_name("results_page")


def write_page(folder: Path, title: str, told: Json, **more: Any) -> None:
    """Write the page into the folder of a tournament. `told` is what `--json` prints. Raise OSError."""
    data = {**told, "format_title": title, **more}
    template = Template((OWN_FOLDER / "page.html").read_text(encoding="utf-8"))
    page = template.substitute(
        title=title,
        style=join_style_sheets(STYLE_SHEETS, lambda path: (STATIC_FOLDER / path).read_bytes()),
        data=escape_script(data),
        script=(OWN_FOLDER / "page.js").read_text(encoding="utf-8"),
    )
    (folder / PAGE_FILE).write_text(page, encoding="utf-8")


def escape_script(data: Any) -> str:
    """Return JSON that no script element ends in, whatever bots are called."""
    text = json.dumps(data, ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


# The plan of a tournament, and the log of its matches.

TOURNAMENT_FORMAT = "pennant-tournament/1"


@dataclass(frozen=True, slots=True)
class EnteredBot:
    """A bot with its name in the tournament, and where it was found."""

    program: Program
    path: Path

    def as_json(self) -> Json:
        """Return name, path and digest."""
        return {"name": self.program.name, "path": str(self.path), "sha256": compute_digest(self.program)}


def find_bots(texts: tuple[str, ...]) -> list[EnteredBot]:
    """Return the bots in this order; a repeated one is called `name-2`. Raise BadProgramError."""
    found: list[EnteredBot] = []
    taken: set[str] = set()
    for text in texts:
        program = find_program(text)
        names = [program.name, *(f"{program.name}-{count}" for count in range(2, len(texts) + 2))]
        name = next(name for name in names if name not in taken)
        taken.add(name)
        path = Path(text) if Path(text).exists() else SAMPLES_FOLDER / text
        found.append(EnteredBot(replace(program, name=name), path.resolve()))
    return found


def find_stored_bots(stored: Json) -> list[EnteredBot]:
    """Return the bots of a stored tournament. Raise BadProgramError."""
    return [
        EnteredBot(replace(find_program(bot["path"]), name=bot["name"]), Path(bot["path"])) for bot in stored["bots"]
    ]


def read_plan(campaign: Campaign) -> Json | None:
    """Return the stored plan of a tournament, or None if there is none. Raise click.ClickException."""
    plan = campaign.read_plan()
    if plan is None:
        return None
    if plan.get("format") != TOURNAMENT_FORMAT:
        raise click.ClickException(
            f"{campaign.path} was written by another version of pennant; this one writes {TOURNAMENT_FORMAT}."
        )
    try:
        # Older versions wrote the settings as "terms".
        settings = plan.pop("terms", None) or plan["settings"]
        return {"changed_options": {}} | plan | {"settings": asdict(Settings.from_json(settings))}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise click.ClickException(f"{campaign.path} is damaged: {error}") from error


def list_differences(stored: Json, now: Json) -> list[str]:
    """Return a sentence for each difference between the stored plan and this one."""
    found = []
    before, after = (
        {**whole, **whole["settings"], "changed_options": _write_options(whole["changed_options"])}
        for whole in (stored, now)
    )
    for key in before.keys() - {"settings", "bots", "format"}:
        if before[key] != after[key]:
            found.append(f"{key} was {_describe_value(before[key])}, now {_describe_value(after[key])}")
    if len(before["bots"]) != len(after["bots"]):
        return [*sorted(found), f"it had {len(before['bots'])} bots, now {len(after['bots'])}"]
    for number, (was, is_) in enumerate(zip(before["bots"], after["bots"], strict=True), start=1):
        if was["name"] != is_["name"]:
            found.append(f"bot {number} was {was['name']}, now {is_['name']}")
        elif was["sha256"] != is_["sha256"]:
            found.append(f"{was['name']}'s files have changed")
    return sorted(found)


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A finished match, as a line of the log."""

    round: int
    board: int
    number: int
    match: int = 0
    """The number in the names of its records."""
    entrants: tuple[int, ...] = ()
    points: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    verdicts: tuple[tuple[str, ...], ...] = ()
    """The verdicts of each participant's legs."""
    faults: tuple[FaultNote, ...] = ()

    def add_to(self, course: Course) -> None:
        """Add the match to the course. Raise ValueError if it is not due."""
        scheduled = ScheduledMatch(self.round, self.board, self.number)
        if scheduled not in course.list_due():
            raise NotDueError("this match isn't due yet")
        entrants = course.find_pairing(scheduled).entrants
        if self.entrants != entrants or {len(self.points), len(self.scores)} != {len(entrants)}:
            raise NotDueError("the entrants of this match are different")
        course.add_result(scheduled, MatchResult(self.points, self.scores))


def build_line(scheduled: ScheduledMatch, match: MatchReport, names: Mapping[int, str]) -> StoredMatch:
    """Return the line of a match; `names` are those of its entrants, by number."""
    return StoredMatch(
        scheduled.round,
        scheduled.board,
        scheduled.number,
        scheduled.deal_number,
        tuple(names),
        match.points,
        match.scores,
        tuple(
            tuple(leg.record["result"]["verdicts"][leg.seating.index(participant)] for leg in match.legs)
            for participant in range(len(names))
        ),
        tuple(list_faults(scheduled.deal_number, match, list(names.values()))),
    )


def _write_options(options: Json) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items()) or "none"


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        return " and ".join(f"{count} {name}" for name, count in value.items() if count is not None)
    return "left open" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """Everything decided before the first match."""

    game: str
    edition: str
    changed_options: Json
    """The rule options that differ from the edition's."""
    settings: Settings
    bots: tuple[EnteredBot, ...]

    def as_json(self) -> Json:
        """Return the plan as it is stored."""
        return {
            "format": TOURNAMENT_FORMAT,
            "game": self.game,
            "edition": self.edition,
            "changed_options": self.changed_options,
            "rules_version": find_game(self.game).rules_version,
            "settings": asdict(self.settings),
            "bots": [bot.as_json() for bot in self.bots],
        }

    @property
    def names(self) -> dict[int, str]:
        """Return the bots' names by entrant number."""
        return {number: bot.program.name for number, bot in enumerate(self.bots, start=1)}

    def start_course(self) -> Course:
        """Return the tournament before its first match."""
        return Course(find_format(self.settings.format), [Entrant(number) for number in self.names], self.settings)

    def build_match(self, scheduled: ScheduledMatch, course: Course, programs: Mapping[int, Program]) -> MatchSpec:
        """Return a match. Its deal and salts follow from the seed, as those of a season from its secret."""
        game = find_game(self.game)
        season = Season(self.settings.seed, self.game, self.edition, 1)
        options = game.options(self.edition, **self.changed_options)
        entrants, series = course.find_pairing(scheduled).entrants, self.settings.series
        seats = len(entrants)
        legs, count = (seats, 1) if series is None else (series.max_games, series.max_games)
        deal, *later_deals = season.deals(game, options, seats, scheduled.deal_number, count)
        return MatchSpec(
            game=self.game,
            edition=self.edition,
            options=options,
            deal=deal,
            salts=tuple(season.salts(legs, scheduled.deal_number)),
            limits=Limits(),
            programs=tuple(programs[number] for number in entrants),
            series=series,
            later_deals=tuple(later_deals),
            arena=arena_version(),
        )


# Tables and JSON of a tournament on this machine.


class Tournament:
    """A tournament while it is played: its plan, and what has come of it."""

    def __init__(self, plan: TournamentPlan) -> None:
        self.plan = plan
        self.names = plan.names
        self.course = plan.start_course()
        self.faults: list[FaultNote] = []

    def take(self, match: StoredMatch) -> None:
        """Count a match. Raise ValueError if it is not due."""
        match.add_to(self.course)
        self.faults += match.faults

    def rank(self) -> list[Standing]:
        """Return the standings after the rounds played."""
        return rank(self.course.format, self.course.entrants, self.course.rounds, self.plan.settings)

    def list_phases(self) -> list[Phase]:
        """Return the phases, with the standings of each."""
        course = self.course
        return list_phases(course.format, course.entrants, course.rounds, self.plan.settings)

    def export(self) -> Json:
        """Return the tournament as `--json` prints it."""
        stored = self.plan.as_json()
        return {
            **{key: stored[key] for key in ("game", "edition", "changed_options", "settings", "bots")},
            "rounds": [[self._export_pairing(result) for result in results] for results in self.course.rounds],
            "standings": self._export_standings(self.rank()),
            "phases": [
                {
                    "number": phase.number,
                    "key": phase.key,
                    "rounds": phase.rounds_over,
                    "tables": [
                        {"name": table.name, "standings": self._export_standings(table.standings)}
                        for table in phase.tables
                    ],
                }
                for phase in self.list_phases()
            ],
            "faults": [asdict(fault) for fault in sorted(self.faults, key=FAULT_SORT_KEY)],
        }

    def _export_standings(self, standings: Sequence[Standing]) -> list[Json]:
        return [{"name": self.names[standing.number], **asdict(standing)} for standing in standings]

    def _export_pairing(self, result: Result) -> Json:
        return {
            "name": result.pairing.name,
            "bots": [self.names[number] for number in result.pairing.entrants],
            "points": result.points,
            "scores": result.game_points,
            "played": result.played,
        }

    def report(self, records: Path) -> None:
        """Print the tables and the faults."""
        course, console = self.course, Console(highlight=False, markup=False)
        click.echo(f"{course.format.title}, {len(self.names)} bots, rounds: {len(course.rounds)}")
        if course.format.first_phase is not None:
            for phase in self.list_phases():
                for table in phase.tables:
                    heading = f"group {table.name}" if table.name else phase.key
                    drawn = self._build_table(table.standings, (), is_bracket=phase.key == KNOCKOUT)
                    console.print(heading.capitalize(), drawn)
            click.echo("All phases")
        console.print(self._build_table(self.rank(), self.faults, is_bracket=course.format.is_bracket))
        for line in describe_faults(self.faults, records, self.plan.settings.seed):
            click.echo(line)

    def _build_table(self, standings: Sequence[Standing], faults: Sequence[FaultNote], *, is_bracket: bool) -> Table:
        """Return the standings as a table. Columns of byes and faults are there where anybody had one."""
        tie_breaks = () if is_bracket else TIE_BREAKS
        counts = Counter(fault.bot for fault in faults)
        has_byes, has_faults = any(standing.byes for standing in standings), bool(faults)
        titles = ("Score", *(title for _, title, _ in tie_breaks), "W–D–L")
        table = start_table(("", "bot", *titles, *["Byes"] * has_byes, *["Faults"] * has_faults), "bot")
        keys = ("score", *(key for key, _, _ in tie_breaks))
        for standing in standings:
            name = self.names[standing.number]
            numbers = (_format_number(getattr(standing, key)) for key in keys)
            ended = f"{standing.wins}–{standing.draws}–{standing.losses}"
            extra = [str(standing.byes)] * has_byes + [str(counts[name])] * has_faults
            table.add_row(str(standing.place), name, *numbers, ended, *extra)
        return table

    def describe_result(self, result: Result) -> str:
        """Return a short description of a pairing's result."""
        names = [self.names[number] for number in result.pairing.entrants]
        if result.pairing.is_bye:
            return f"{names[0]} has a bye"
        counted = result.game_points if self.plan.settings.scoring == GAME_POINTS else result.points
        if len(names) == 2:
            return f"{names[0]} {counted[0]:g}–{counted[1]:g} {names[1]}"
        return " ".join(f"{name} {_format_number(count)}" for name, count in zip(names, counted, strict=True))


def _format_number(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2):g}"


# `pennant tournament`: play a tournament between bots on this machine.

MIN_BOTS = 2


@click.command()
@click.argument("bots", metavar="BOT BOT…", nargs=-1)
@rules_options
@click.option("--format", type=click.Choice(list(FORMATS)), help="Tournament format. [default: swiss]")
@click.option(
    "--rounds", type=int, help="Rounds of a Swiss or tables tournament. [default: the format's recommendation]"
)
@click.option(
    "--matches-per-pairing", type=int, help="Matches per pairing; in a knockout, best of this number. [default: 1]"
)
@click.option(
    "--max-tiebreak-matches",
    type=int,
    help="Maximum number of extra matches in a tied knockout pairing. [default: 2]",
)
@click.option("--scoring", type=click.Choice(SCORINGS), help="How pairings are decided. [default: wins]")
@click.option("--count-byes", is_flag=True, default=None, help="Count a bye as a won pairing.")
@click.option("--groups", type=int, help="Number of groups before the knockout. [default: 2]")
@click.option("--advance-per-group", type=int, help="Number of bots that advance from each group. [default: 2]")
@click.option(
    "--knockout-size", type=int, help="Number of bots that advance from the Swiss phase to the knockout. [default: 4]"
)
@click.option("--third-place-match", is_flag=True, default=None, help="Play a match for third place.")
@click.option("--seats", type=int, help="Number of seats at a table. [default: 2]")
@click.option("--series-games", metavar="N", type=int, help="Play each match as a series of N games, 1 to 15.")
@click.option(
    "--series-points", metavar="P", type=int, help="Play each match as a series until a bot has P points, 5 to 50."
)
@click.option("--seed", help="Seed for all deals and draws. [default: random; it's printed]")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tournament"),
    show_default=True,
    help="Folder for the tournament.",
)
@json_option
@bare_option
def tournament(bots: tuple[str, ...], out: Path, as_json: bool, no_sandbox: bool, **given: Any) -> None:
    """Play a tournament between bots. Name the best seed first.

    Name bots as for `pennant play`; a bot named twice takes part twice. Each finished match is saved. To continue
    an interrupted tournament, name only its folder.

    Instead of bots, you can name one folder or zip of submissions as exported by a learning platform, with one zip,
    folder or file per person. Each submission is built and plays a match against itself. Those that fail don't take
    part and are listed with the reason. Submissions are seeded by name.

    The results are also written to results.html in the tournament's folder.

    A match has one leg per seating, all on the same deal, so all bots play the same cards. With --series-games or
    --series-points, it's a series of games with their own deals, and the winner starts the next game. Luck then matters
    more.

    The formats swiss-knockout and groups have two phases: the best bots of the first play a knockout, seeded by their
    places. Each phase has its own table.

    In a knockout, a bot with a bye advances. Elsewhere, a bye only adds to the score with --count-byes. Faults are
    listed below the table; the folder contains the records of all matches.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    command = f"pennant tournament --out {shlex.quote(str(out))}{' --no-sandbox' if no_sandbox else ''}"
    campaign = Campaign("tournament", out, errors, command, as_json)
    stored = read_plan(campaign)
    wanted = {name: value for name, value in given.items() if value is not None}
    with campaign.report_stop():
        bots, submissions = _prepare_bots(bots, wanted, stored, campaign, no_sandbox)
        played = Tournament(_build_plan(bots, dict(wanted), stored, campaign))
        with LockedLog(campaign) as log:
            campaign.store_plan(stored or played.plan.as_json())
            log.replay(StoredMatch, played.take)
            errors.print(f"seed {played.plan.settings.seed}")
            if played.course.boards is not None:
                _play(played, log, no_sandbox)
            matches = [orjson.loads(line) for line in log.read_lines()]
        told = played.export() | export_submissions(submissions)
        write_page(out, played.course.format.title, told, matches=matches, tie_breaks=TIE_BREAKS)
    if as_json:
        click.echo(json.dumps(told))
        return
    played.report(log.records)
    for line in describe_failures(submissions):
        click.echo(line)
    errors.print(f"results: {out / PAGE_FILE}", soft_wrap=True)
    if played.faults:
        first = min(played.faults, key=FAULT_SORT_KEY)
        path = next(bot.path for bot in played.plan.bots if bot.program.name == first.bot)
        errors.print(f"next: {suggest_rerun(first, log.records, str(path))}", soft_wrap=True)


def _prepare_bots(
    bots: tuple[str, ...], given: Json, stored: Json | None, campaign: Campaign, bare: bool
) -> tuple[tuple[str, ...], list[HandedInBot]]:
    """Return the bots to play, and where a folder of submissions is named, what was found of each.

    Raise MessageError, click.ClickException, SandboxError or OSError.
    """
    out = campaign.folder
    folder = Path(bots[0]) if len(bots) == 1 and is_submission_folder(Path(bots[0])) else None
    known = read_results(out) if stored is not None else None
    if known is not None and (folder is None or known[0] == str(folder.resolve())):
        return (() if folder else bots), known[1]
    if folder is None:
        return bots, []
    if stored is not None:
        raise click.ClickException(f"The tournament in {out} has other bots. For a new one: --out FOLDER")
    plan = _merge_plan((), dict(given), None, needs_bots=False)
    variant = find_variant(find_game(plan.game), plan.edition, plan.changed_options)
    table = SubmissionTable(plan.game, variant, plan.settings.seats)
    found = check_submissions(folder, out, table, bare=bare, errors=campaign.errors)
    ready = tuple(str(out / BOTS_FOLDER / one.name) for one in found if not one.problem)
    if len(ready) < MIN_BOTS:
        lines = [f"Only {len(ready)} of {len(found)} submissions in {folder} can take part.", *describe_failures(found)]
        raise click.ClickException("\n".join(lines))
    return ready, found


def _build_plan(bots: tuple[str, ...], given: Json, stored: Json | None, campaign: Campaign) -> TournamentPlan:
    """Return the plan from the command line, the stored plan and the defaults, in this order.

    Raise MessageError or click.ClickException if they contradict each other, or can't be played. A tournament that was
    begun by an older version is played to its end by the rules of then.
    """
    plan = _merge_plan(bots, given, stored)
    rules = find_game(plan.game)
    find_format(plan.settings.format)
    try:
        plan.settings.check(len(plan.bots))
        if stored is None:
            check_plan(plan.settings, rules, len(plan.bots))
    except InvalidSettings as error:
        option = f"--{error.field.replace('_', '-')}: " if error.field else ""
        raise click.ClickException(f"{option}{error}") from error
    campaign.refuse_changes(list_differences(stored, plan.as_json()) if stored else [])
    return plan


def _merge_plan(bots: tuple[str, ...], given: Json, stored: Json | None, *, needs_bots: bool = True) -> TournamentPlan:
    """Return the plan, with the values of the command line before stored ones and defaults."""
    if not bots and stored is None and needs_bots:
        raise click.UsageError("Which bots? Name two or more, best seed first.")
    try:
        before = stored or {
            "game": choose_game(bots, given.get("game")),
            "settings": {"seed": str(secrets.randbelow(10**9)), "count_byes": False, "separate_phases": True},
        }
        game, edition = given.pop("game", None) or before["game"], given.pop("edition", None)
        rules = find_game(game)
        edition = edition or (before["edition"] if stored else next(iter(rules.editions)))
        changes = read_options(rules, given.pop("rule_options")) or before.get("changed_options")
        variant = find_variant(rules, edition, changes)
        settings = Settings.from_json({**before["settings"], **_read_series(given)})
        found = find_bots(bots) if bots or stored is None else find_stored_bots(stored)
    except (KeyError, TypeError) as error:
        raise click.ClickException(f"The stored tournament is damaged: {error}") from error
    return TournamentPlan(game, variant.edition, variant.changed_options, settings, tuple(found))


def _read_series(given: Json) -> Json:
    """Return the values of the command line with the length of series as a setting. Raise BadSeries."""
    games, points = given.pop("series_games", None), given.pop("series_points", None)
    return given if games is None and points is None else given | {"series": asdict(SeriesLength(games, points))}


def _play(played: Tournament, log: LockedLog, bare: bool) -> None:
    """Play the tournament to its end. Raise BadProgramError, SandboxError, BrokenProcessPool or OSError."""
    plan, course, errors = played.plan, played.course, log.campaign.errors
    sandbox = choose_sandbox({bot.program.language for bot in plan.bots}, bare=bare, errors=errors)
    programs = dict(enumerate(build_programs((bot.program for bot in plan.bots), sandbox), start=1))
    at_once = len(plan.bots) // 2 * plan.settings.matches_per_pairing
    progress = show_progress(errors, "", as_json=log.campaign.as_json)
    with Workers(sandbox, at_once) as workers, progress as update:
        update(**_describe_progress(course))
        for scheduled, match in play_due(
            course.list_due, lambda scheduled: plan.build_match(scheduled, course, programs), workers
        ):
            entrants, rounds = course.find_pairing(scheduled).entrants, len(course.rounds)
            line = build_line(scheduled, match, {number: played.names[number] for number in entrants})
            write_match(log.records, scheduled.deal_number, match)
            log.write_line(line)
            played.take(line)
            for number, results in enumerate(course.rounds[rounds:], start=rounds + 1):
                errors.print(f"Round {number}: {', '.join(map(played.describe_result, results))}", soft_wrap=True)
            note = {"round": rounds + 1, "bots": [played.names[number] for number in entrants]}
            update({**note, "points": list(match.points)}, **_describe_progress(course))


def _describe_progress(course: Course) -> Json:
    """Return the values of the progress bar."""
    boards = course.boards or []
    over = sum(board.result(course.settings) is not None for board in boards)
    return {"description": f"round {len(course.rounds) + 1}", "total": len(boards), "completed": over}
