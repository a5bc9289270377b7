"""Find out which submissions start: each is built, and plays one match against itself, as in an arena."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import orjson
from rich.console import Console

from arena.cli.bot_paths import build_program
from arena.cli.faults import list_faults
from arena.cli.files import UnreadableRecord, read_record
from arena.cli.local_matches import MatchBatch, play_batch
from arena.cli.sandboxes import choose_sandbox
from arena.cli.submissions import Submission, read_submissions
from arena.runner.program import BadProgramError, Program
from arena.runner.sandbox import Sandbox
from engine.core import Json
from engine.variants import Variant

SUBMISSIONS_FILE = "submissions.json"
BOTS_FOLDER = "bots"
FORMAT = "pennant-submissions/1"
CHECK_SEED = "check"
LOG_LINES_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Table:
    """What submissions are checked for."""

    game: str
    variant: Variant
    seats: int


def check_submissions(path: Path, out: Path, table: Table, *, bare: bool, errors: Console) -> list[Submission]:
    """Return the submissions with what is known against them; those that start are in the folder's `bots`.

    Raise click.ClickException, SandboxError or OSError.
    """
    try:
        found = read_submissions(path, out)
    except BadProgramError as error:
        raise click.ClickException(f"{path}: {error}") from error
    languages = {one.program.language for one in found if one.program is not None}
    if not languages:
        return found
    sandbox = choose_sandbox(languages, bare=bare, errors=errors)
    if (out / SUBMISSIONS_FILE).exists():  # an earlier command was interrupted
        shutil.rmtree(out / BOTS_FOLDER, ignore_errors=True)
    checked = []
    for one in found:
        result = check(one, table, sandbox)
        errors.print(f"{result.name}: {result.problem or 'starts'}", soft_wrap=True)
        checked.append(result)
        if result.program is not None and not result.problem:
            write_files(out / BOTS_FOLDER / result.name, result.program)
    write_results(out / SUBMISSIONS_FILE, path, checked)
    return checked


def check(submission: Submission, table: Table, sandbox: Sandbox) -> Submission:
    """Return the submission with why it doesn't start, if it doesn't. Raise SandboxError."""
    if submission.program is None or submission.problem:
        return submission
    try:
        built = build_program(submission.program, sandbox)
    except BadProgramError as error:
        first, *log = str(error).removeprefix(f"{submission.name} ").splitlines()
        return submission.fail(first.rstrip(":"), log[-LOG_LINES_SHOWN:])
    batch = MatchBatch(
        game=table.game,
        edition=table.variant.edition,
        options=table.variant.options,
        programs=(built,) * table.seats,
        matches=1,
        seed=CHECK_SEED,
    )
    for _number, match in play_batch(batch, sandbox):
        for fault in list_faults(1, match, [submission.name] * table.seats):
            stage = f" in {fault.stage}" if fault.stage else ""
            return submission.fail(f"{fault.verdict} in its check{stage}: {fault.message}", fault.log)
    return submission


def write_files(folder: Path, program: Program) -> None:
    """Write the files of a bot, whose paths were checked. Raise OSError."""
    for name, content in program.files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)


def write_results(path: Path, source: Path, submissions: Sequence[Submission]) -> None:
    """Write what was found, for when the tournament goes on. Raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {
        "format": FORMAT,
        "source": str(source.resolve()),
        "submissions": [export_submission(one) for one in submissions],
    }
    path.write_bytes(orjson.dumps(stored, option=orjson.OPT_INDENT_2) + b"\n")


def export_submissions(submissions: Sequence[Submission]) -> Json:
    """Return what the JSON of a tournament has of submissions; nothing where there were none."""
    return {"submissions": [export_submission(one) for one in submissions]} if submissions else {}


def export_submission(submission: Submission) -> Json:
    """Return a submission as JSON, without its files."""
    return {
        "name": submission.name,
        "source": submission.source,
        "problem": submission.problem,
        "log": list(submission.log),
    }


def read_results(out: Path) -> tuple[str, list[Submission]] | None:
    """Return where submissions were read and what was found; None where nothing is. Raise ClickException."""
    path = out / SUBMISSIONS_FILE
    if not path.exists():
        return None
    try:
        stored = read_record(path)
        rows = [
            Submission(row["name"], row["source"], None, row["problem"], tuple(row["log"]))
            for row in stored["submissions"]
        ]
        return str(stored["source"]), rows
    except (UnreadableRecord, KeyError, TypeError) as error:
        raise click.ClickException(f"{path} is damaged: {error}") from error


def describe_failures(submissions: Sequence[Submission]) -> Iterator[str]:
    """Yield lines on the submissions that don't take part, and why."""
    failed = [one for one in submissions if one.problem]
    if failed:
        yield f"Not taking part: {len(failed)} of {len(submissions)} submissions"
    for one in failed:
        yield f"    {one.name} ({one.source}): {one.problem}"
        yield from (f"        {line}" for line in one.log)
