"""`pennant tournament`: play a tournament between bots on this machine."""

import json
import secrets
import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from arena.cli.bot_paths import build_program
from arena.cli.faults import FAULT_ORDER, describe_faults, suggest_rerun
from arena.cli.local_matches import Workers, play_due
from arena.cli.results_page import PAGE_FILE, write_page
from arena.cli.rules import read_options, rule_option
from arena.cli.sample_games import choose_game, game_option
from arena.cli.sandboxes import choose_sandbox
from arena.cli.submission_checks import (
    BOTS_FOLDER,
    check_submissions,
    describe_failures,
    export_submissions,
    read_results,
)
from arena.cli.submission_checks import Table as SubmissionTable
from arena.cli.submissions import Submission, is_submission_folder
from arena.cli.tournament_log import (
    PLAN_FILE,
    Json,
    Log,
    build_match_result,
    find_bots,
    find_stored_bots,
    list_differences,
    read_plan,
)
from arena.cli.tournament_plan import Plan
from arena.cli.tournament_report import build_table, export_tournament, list_phase_tables
from arena.runner.program import BadProgramError, Program
from arena.runner.sandbox import Sandbox, SandboxError
from arena.tournaments.checking import check_plan
from arena.tournaments.formats import FORMATS, find_format
from arena.tournaments.formats.base import Result
from arena.tournaments.replay_results import Course
from arena.tournaments.settings import GAME_POINTS, SCORINGS, InvalidSettings, Settings
from arena.tournaments.standings import TIE_BREAKS, Standing, rank
from engine.options import BadOptions
from engine.registry import UnknownGame, find_game
from engine.series import BadSeries, SeriesLength
from engine.variants import find_variant

EXIT_INTERRUPTED = 130
MIN_BOTS = 2


@click.command()
@click.argument("bots", metavar="BOT BOT…", nargs=-1)
@game_option
@click.option("--edition", help="The edition of the game. [default: the game's first]")
@rule_option
@click.option("--format", type=click.Choice(list(FORMATS)), help="Tournament format. [default: swiss]")
@click.option(
    "--rounds", type=int, help="Number of rounds of a Swiss or of tables. By default as many as the format recommends."
)
@click.option(
    "--matches-per-pairing", type=int, help="Matches per pairing; in a knockout, best of this number. [default: 1]"
)
@click.option(
    "--max-tiebreak-matches",
    type=int,
    help="Maximum number of extra matches where a knockout pairing is tied. [default: 2]",
)
@click.option("--scoring", type=click.Choice(SCORINGS), help="What pairings are decided by. [default: wins]")
@click.option("--count-byes", is_flag=True, default=None, help="Let a bye add to the score what a pairing won adds.")
@click.option("--groups", type=int, help="Number of groups before the knockout. [default: 2]")
@click.option("--advance-per-group", type=int, help="Number of bots that advance from each group. [default: 2]")
@click.option(
    "--knockout-size", type=int, help="Number of bots that advance from the Swiss to the knockout. [default: 4]"
)
@click.option(
    "--third-place-match", is_flag=True, default=None, help="Let the losers of the semi-finals play for third place."
)
@click.option("--seats", type=int, help="Seats at a table. [default: 2]")
@click.option("--series-games", metavar="N", type=int, help="Let each match be a series of so many games, 1 to 15.")
@click.option(
    "--series-points", metavar="P", type=int, help="Let each match be a series to so many points, 5 to 50, for a bot."
)
@click.option("--seed", help="Seed of all deals and draws. By default a random one, which is printed.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("tournament"),
    show_default=True,
    help="Keep the tournament in this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--no-sandbox", is_flag=True, help="Run the bots without a sandbox. Only for bots you trust.")
def tournament(bots: tuple[str, ...], out: Path, as_json: bool, no_sandbox: bool, **given: Any) -> None:
    """Play a tournament between bots, the best seed first.

    A BOT is named as for `pennant play`; one that is named twice takes part twice. Every match is written to disk when
    it ends. To continue an interrupted tournament, give the same folder and nothing else.

    One folder, or zip, of submissions can be named instead, as learning platforms export them: a zip, a folder or a
    file for each person. Each is built and plays a match against itself; those that fail don't take part, and are
    listed with the reason. Their order is that of their names.

    The results are in results.html in the folder of the tournament, too.

    A match is a leg for each seating of the same deal, so that all play the same cards. With --series-games or
    --series-points it is a series of games with a deal each, of which the winner starts the next one: luck counts for
    more then.

    The formats swiss-knockout and groups have two phases: the best bots of the first one play a knockout, seeded by
    their places in it. Each phase has a table of its own.

    A bye advances in a knockout, and adds nothing to the score unless --count-byes is given. Faults of bots are listed
    below the table; the records of all matches are in the folder.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    stored = read_plan(out)
    wanted = {name: value for name, value in given.items() if value is not None}
    with _report_interruption(out, no_sandbox, errors):
        bots, submissions = _prepare_bots(bots, wanted, stored, out, no_sandbox, errors)
        plan = _build_plan(bots, dict(wanted), stored, out)
        course = plan.start_course()
        with Log(out, stored or plan.as_json()) as log:
            log.replay_into(course)
            faults = log.faults  # it grows as matches end
            errors.print(f"seed {plan.settings.seed}")
            if course.boards is not None:
                sandbox = choose_sandbox({bot.program.language for bot in plan.bots}, bare=no_sandbox, errors=errors)
                _play(plan, course, log, sandbox, errors)
            matches = log.list_matches()
        standings = rank(course.format, course.entrants, course.rounds, plan.settings)
        told = export_tournament(plan, course, standings, faults) | export_submissions(submissions)
        write_page(out, course.format.title, told, matches=matches, tie_breaks=TIE_BREAKS)
    if as_json:
        click.echo(json.dumps(told))
    else:
        _report(plan, course, standings, log)
        for line in describe_failures(submissions):
            click.echo(line)
        errors.print(f"results: {out / PAGE_FILE}", soft_wrap=True)
        if faults:
            first = min(faults, key=FAULT_ORDER)
            path = next(bot.path for bot in plan.bots if bot.program.name == first.bot)
            errors.print(f"next: {suggest_rerun(first, log.records, str(path))}", soft_wrap=True)


def _report(plan: Plan, course: Course, standings: Sequence[Standing], log: Log) -> None:
    """Print the tables and the faults."""
    click.echo(f"{course.format.title}, {len(plan.bots)} bots, rounds: {len(course.rounds)}")
    console = Console(highlight=False, markup=False)
    if course.format.first_phase is not None:
        for heading, table in list_phase_tables(plan, course):
            console.print(heading, table)
        click.echo("All phases")
    console.print(build_table(plan, standings, log.faults, is_bracket=course.format.is_bracket))
    for line in describe_faults(log.faults, log.records, plan.settings.seed):
        click.echo(line)


def _prepare_bots(
    bots: tuple[str, ...], given: Json, stored: Json | None, out: Path, bare: bool, errors: Console
) -> tuple[tuple[str, ...], list[Submission]]:
    """Return the bots to play, and where a folder of submissions is named, what was found of each.

    Raise click.ClickException, SandboxError or OSError.
    """
    folder = Path(bots[0]) if len(bots) == 1 and is_submission_folder(Path(bots[0])) else None
    known = read_results(out) if stored is not None else None
    if known is not None and (folder is None or known[0] == str(folder.resolve())):
        return (() if folder else bots), known[1]
    if folder is None:
        return bots, []
    if stored is not None:
        raise click.ClickException(f"The tournament in {out} is of other bots. To play a new one: --out FOLDER")
    try:
        plan = _merge_plan((), dict(given), None, needs_bots=False)
        variant = find_variant(find_game(plan.game), plan.edition, plan.changed_options)
    except (UnknownGame, BadOptions, BadProgramError, BadSeries, InvalidSettings) as error:
        raise click.ClickException(str(error)) from error
    table = SubmissionTable(plan.game, variant, plan.settings.seats)
    found = check_submissions(folder, out, table, bare=bare, errors=errors)
    ready = tuple(str(out / BOTS_FOLDER / one.name) for one in found if not one.problem)
    if len(ready) < MIN_BOTS:
        lines = [f"Of {len(found)} submissions in {folder} only {len(ready)} can take part.", *describe_failures(found)]
        raise click.ClickException("\n".join(lines))
    return ready, found


def _build_plan(bots: tuple[str, ...], given: Json, stored: Json | None, folder: Path) -> Plan:
    """Return the plan from the command line, the stored plan and the defaults, in this order.

    Raise click.ClickException if they contradict each other.
    """
    try:
        plan = _merge_plan(bots, given, stored)
        _check_plan(plan, is_new=stored is None)
    except InvalidSettings as error:
        option = f"--{error.field.replace('_', '-')}: " if error.field else ""
        raise click.ClickException(f"{option}{error}") from error
    except (UnknownGame, BadOptions, BadProgramError, BadSeries) as error:
        raise click.ClickException(str(error)) from error
    changed = list_differences(stored, plan.as_json()) if stored else []
    if changed:
        sentences = [f"The tournament in {folder} is different:", *(f"{change}." for change in changed)]
        raise click.ClickException("\n  ".join(sentences) + "\nTo play a new one, name another folder: --out")
    return plan


def _merge_plan(bots: tuple[str, ...], given: Json, stored: Json | None, *, needs_bots: bool = True) -> Plan:
    """Return the plan, with the values of the command line before stored ones and defaults."""
    if not bots and stored is None and needs_bots:
        raise click.UsageError("Which bots? Name two or more, the best seed first.")
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
        raise click.ClickException(f"What was stored of the tournament is damaged: {error}") from error
    return Plan(game, variant.edition, variant.changed_options, settings, tuple(found))


def _read_series(given: Json) -> Json:
    """Return the values of the command line with the length of series as a setting. Raise BadSeries."""
    games, points = given.pop("series_games", None), given.pop("series_points", None)
    return given if games is None and points is None else given | {"series": asdict(SeriesLength(games, points))}


def _check_plan(plan: Plan, *, is_new: bool) -> None:
    """Raise UnknownGame, BadOptions, BadSeries or InvalidSettings if the plan can't be played.

    A tournament that was begun by an older version is played to its end by the rules of then.
    """
    rules = find_game(plan.game)
    find_format(plan.settings.format)
    plan.settings.check(len(plan.bots))
    if is_new:
        check_plan(plan.settings, rules, len(plan.bots))


@contextmanager
def _report_interruption(folder: Path, bare: bool, errors: Console) -> Iterator[None]:
    """Report why a tournament stopped, and print how to continue it."""
    try:
        yield
    except KeyboardInterrupt:
        errors.print(f"\nStopped. {_describe_resuming(folder, bare)}", soft_wrap=True)
        sys.exit(EXIT_INTERRUPTED)
    except SandboxError as failure:
        sentence = f"The sandbox failed, so no bot loses by it: {failure}"
        raise click.ClickException(f"{sentence}\n{_describe_resuming(folder, bare)}") from failure
    except BrokenProcessPool as failure:
        raise click.ClickException(
            f"A process that played matches was killed.\n{_describe_resuming(folder, bare)}"
        ) from failure
    except OSError as error:
        sentence = f"{error.filename or folder} can't be written: {error.strerror or error}"
        raise click.ClickException(f"{sentence}\n{_describe_resuming(folder, bare)}") from error


def _describe_resuming(folder: Path, bare: bool) -> str:
    """Return what to do to continue a tournament that stopped."""
    if not (folder / PLAN_FILE).exists():
        return "To continue: give the same command again"
    return f"To continue: pennant tournament --out {shlex.quote(str(folder))}{' --no-sandbox' if bare else ''}"


def _play(plan: Plan, course: Course, log: Log, sandbox: Sandbox, errors: Console) -> None:
    """Play the tournament to its end. Raise SandboxError, BrokenProcessPool or OSError."""
    programs = _build_programs(plan, sandbox)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    at_once = len(plan.bots) // 2 * plan.settings.matches_per_pairing
    with Workers(sandbox, at_once) as workers, Progress(*columns, console=errors, transient=True) as progress:
        task = progress.add_task("")
        progress.update(task, **_describe_progress(course))
        for scheduled, match in play_due(
            course.list_due, lambda scheduled: plan.build_match(scheduled, course, programs), workers
        ):
            result, rounds = build_match_result(match), len(course.rounds)
            log.add(scheduled, course.find_pairing(scheduled).entrants, result, match, plan.names)
            course.add_result(scheduled, result)
            for number, results in enumerate(course.rounds[rounds:], start=rounds + 1):
                summary = ", ".join(_describe_result(result, plan) for result in results)
                progress.console.print(f"Round {number}: {summary}", soft_wrap=True)
            progress.update(task, **_describe_progress(course))


def _build_programs(plan: Plan, sandbox: Sandbox) -> dict[int, Program]:
    """Return the built programs by entrant number. Raise SandboxError."""
    try:
        return {number: build_program(bot.program, sandbox) for number, bot in enumerate(plan.bots, start=1)}
    except BadProgramError as error:
        raise click.ClickException(str(error)) from error


def _describe_progress(course: Course) -> Json:
    """Return the values of the progress bar."""
    boards = course.boards or []
    over = sum(board.result(course.settings) is not None for board in boards)
    return {"description": f"round {len(course.rounds) + 1}", "total": len(boards), "completed": over}


def _describe_result(result: Result, plan: Plan) -> str:
    """Return a short description of a pairing's result."""
    names = [plan.names[number] for number in result.pairing.entrants]
    if result.pairing.is_bye:
        return f"{names[0]} has a bye"
    counted = result.game_points if plan.settings.scoring == GAME_POINTS else result.points
    if len(names) == 2:
        return f"{names[0]} {counted[0]:g}–{counted[1]:g} {names[1]}"
    return " ".join(f"{name} {round(count, 2):g}" for name, count in zip(names, counted, strict=True))
