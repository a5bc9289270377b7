"""Read a folder of submissions, as learning platforms export them, and find out which of them start."""

import re
import shutil
import unicodedata
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path, PurePosixPath

import click
import orjson
from rich.console import Console

from arena.cli.bot_paths import build_program, choose_sandbox
from arena.cli.campaign import MatchBatch, play_batches
from arena.cli.files import UnreadableRecord, list_faults, read_record
from arena.runner.archive import LARGEST_UPLOAD, ZIP_ERRORS, read_member_path
from arena.runner.languages import LANGUAGES, find_file_language, find_language
from arena.runner.program import MAX_FILES, BadProgramError, Program, is_left_out
from arena.runner.protocol import make_visible
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.variants import Variant

MAX_HANDED_IN_BYTES = 64 * 1024 * 1024
MAX_WRAPPINGS = 4
"""Zips and folders around a bot, such as a zip in the folder that the platform makes for a person."""
MAX_NAME_LENGTH = 40
PLATFORM_NAMES = (
    re.compile(r"(?P<name>.+?)_\d+_assignsubmission_(?:file|onlinetext)_?.*"),  # Moodle
    re.compile(r"(?P<name>[^_]+?)(?:_late)?_\d+_\d+_.+", re.IGNORECASE),  # Canvas
    re.compile(r".+_(?P<name>[^_]+)_attempt_\d{4}-[\d-]+.*"),  # Blackboard
)
"""How platforms name what a person has sent; each pattern has the person's name."""
UNSAFE_IN_NAMES = re.compile(r'[\\/:*?"<>|]')

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class HandedInBot:
    """What one person has sent."""

    name: str
    """The person's name, cleaned for display; different from all others."""
    source: str
    """The name of the file or folder."""
    program: Program | None
    """None where there is no bot in it."""
    problem: str = ""
    """Why it doesn't start; empty where nothing is known against it."""
    log: tuple[str, ...] = ()
    """The last lines of the compiler's or the bot's output."""

    def fail(self, problem: str, log: Iterable[str] = ()) -> "HandedInBot":
        """Return the submission as one that doesn't start."""
        return replace(self, problem=problem, log=tuple(log))


def is_submission_folder(path: Path) -> bool:
    """Return whether this is a folder or a zip of submissions, and not a bot itself."""
    if path.is_dir():
        names = {child.name for child in path.iterdir() if child.is_file()}
        return not any(language.entry in names for language in LANGUAGES.values())
    return path.is_file() and path.suffix.lower() == ".zip" and zipfile.is_zipfile(path)


def read_submissions(path: Path, besides: Path) -> list[HandedInBot]:
    """Return the submissions in a folder or in a zip, by name, `besides` left out. Raise OSError or BadProgramError."""
    if path.is_file():
        parts = _split_by_top(_unzip(path.read_bytes(), MAX_HANDED_IN_BYTES))
    else:
        children = [child for child in sorted(path.iterdir()) if not is_left_out(child.name)]
        parts = {child.name: _read_child(child) for child in children if child.resolve() != besides.resolve()}
    taken: set[str] = set()
    found = []
    for source, files in sorted(parts.items()):
        name = _find_free_name(extract_person_name(source), taken)
        taken.add(name.casefold())
        found.append(_read_submission(name, source, files))
    return found


def _read_submission(name: str, source: str, files: Files | str) -> HandedInBot:
    submission = HandedInBot(name, source, None)
    if isinstance(files, str):
        return submission.fail(files)
    try:
        return replace(submission, program=read_files(name, files))
    except BadProgramError as error:
        return submission.fail(make_visible(str(error)))


def read_files(name: str, files: Files) -> Program:
    """Return the bot in files, whatever zips and folders are around it. Raise BadProgramError."""
    for _ in range(MAX_WRAPPINGS):
        inner = _unwrap(files)
        if inner is None:
            break
        files = inner
    if not any(language.entry in files for language in LANGUAGES.values()):
        files = _take_only_program(files)
    return Program(name, 1, files, find_language(files).key)


def _unwrap(files: Files) -> Files | None:
    """Return what is in the one folder or the one zip that holds all; None where there is no such thing."""
    if any(language.entry in files for language in LANGUAGES.values()):
        return None
    tops = {path.partition("/")[0] for path in files}
    if len(tops) == 1 and all("/" in path for path in files):
        return {path.partition("/")[2]: content for path, content in files.items()}
    zips = [path for path in files if path.lower().endswith(".zip")]
    return _unzip(files[zips[0]], LARGEST_UPLOAD.unpacked_bytes) if len(zips) == 1 else None


def _take_only_program(files: Files) -> Files:
    """Return the one file that is a program under the name that its language wants. Raise BadProgramError."""
    found = {}
    for path, content in files.items():
        try:
            found[path] = find_file_language(path.lower(), content).entry
        except BadProgramError:
            continue
    if len(found) != 1:
        several = f"several programs ({', '.join(sorted(found)[:4])})" if found else "no program"
        raise BadProgramError(f"it has {several}, and no bot file such as bot.py at the top")
    ((path, entry),) = found.items()
    return {entry: files[path]}


def _read_child(path: Path) -> Files | str:
    """Return the files of a child of the folder, or why they can't be read."""
    try:
        if path.is_symlink():
            return "it's a symbolic link"
        if path.is_file():
            return _limit({path.name: path.read_bytes()})
        paths = [one for one in sorted(path.rglob("*")) if one.is_file() and not one.is_symlink()]
        named = {one.relative_to(path).as_posix(): one for one in paths}
        kept = {name: one for name, one in named.items() if not is_left_out(name)}
        if sum(one.stat().st_size for one in kept.values()) > MAX_HANDED_IN_BYTES:
            return f"it's larger than {MAX_HANDED_IN_BYTES // 1024**2} MB"
        return _limit({name: one.read_bytes() for name, one in kept.items()})
    except OSError as error:
        return f"it can't be read: {error.strerror or error}"


def _limit(files: Files) -> Files | str:
    return files if len(files) <= MAX_FILES else f"it has {len(files)} files; at most {MAX_FILES} are allowed"


def _unzip(content: bytes, limit: int) -> Files:
    """Return the files in a zip by their paths. Raise BadProgramError where it is damaged or too large."""
    files: dict[str, bytes] = {}
    left = limit
    try:
        with zipfile.ZipFile(BytesIO(content)) as packed:
            for member in packed.infolist():
                path = read_member_path(member)
                if path.endswith("/") or is_left_out(path):
                    continue
                with packed.open(member) as file:
                    files[path] = file.read(left + 1)
                left -= len(files[path])
                if left < 0:
                    raise BadProgramError(f"the zip contains more than {limit // 1024**2} MB")
    except (OSError, *ZIP_ERRORS) as error:
        if isinstance(error, BadProgramError):
            raise
        raise BadProgramError(f"the zip can't be read: {error}") from error
    return files


def _split_by_top(files: Files) -> dict[str, Files | str]:
    """Return the files by the folder or file at the top to which they belong."""
    tops = {path.partition("/")[0] for path in files}
    if len(tops) == 1 and all("/" in path for path in files):  # the zip of a folder of submissions
        files = {path.partition("/")[2]: content for path, content in files.items()}
    parts: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        top, _slash, rest = path.partition("/")
        parts.setdefault(top, {})[rest or top] = content
    return {top: _limit(part) for top, part in parts.items()}


def extract_person_name(source: str) -> str:
    """Return a person's name from the name of a file or folder, without what the platform added."""
    stem = source
    for pattern in PLATFORM_NAMES:
        if found := pattern.fullmatch(source):
            stem = found["name"]
            break
    else:
        suffix = PurePosixPath(source).suffix.lower()
        known = {PurePosixPath(language.entry).suffix for language in LANGUAGES.values()} | {".zip"}
        stem = source[: -len(suffix)] if suffix and suffix in known else source
    visible = "".join(one for one in stem if unicodedata.category(one)[0] != "C")
    words = UNSAFE_IN_NAMES.sub(" ", unicodedata.normalize("NFC", visible)).replace("_", " ").split()
    return " ".join(words).strip(". ")[:MAX_NAME_LENGTH].strip() or "submission"


def _find_free_name(name: str, taken: set[str]) -> str:
    numbered = (f"{name}-{number}" for number in range(2, len(taken) + 3))
    return next(one for one in [name, *numbered] if one.casefold() not in taken)


# Find out which submissions start: each is built, and plays one match against itself, as in an arena.

SUBMISSIONS_FILE = "submissions.json"
BOTS_FOLDER = "bots"
FORMAT = "pennant-submissions/1"
CHECK_SEED = "check"
LOG_LINES_SHOWN = 6


@dataclass(frozen=True, slots=True)
class SubmissionTable:
    """What submissions are checked for."""

    game: str
    variant: Variant
    seats: int


def check_submissions(
    path: Path, out: Path, table: SubmissionTable, *, bare: bool, errors: Console
) -> list[HandedInBot]:
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


def check(submission: HandedInBot, table: SubmissionTable, sandbox: Sandbox) -> HandedInBot:
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
    for _, match in play_batches([batch], sandbox):
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


def write_results(path: Path, source: Path, submissions: Sequence[HandedInBot]) -> None:
    """Write what was found, for when the tournament goes on. Raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = {
        "format": FORMAT,
        "source": str(source.resolve()),
        "submissions": [export_submission(one) for one in submissions],
    }
    path.write_bytes(orjson.dumps(stored, option=orjson.OPT_INDENT_2) + b"\n")


def export_submissions(submissions: Sequence[HandedInBot]) -> Json:
    """Return what the JSON of a tournament has of submissions; nothing where there were none."""
    return {"submissions": [export_submission(one) for one in submissions]} if submissions else {}


def export_submission(submission: HandedInBot) -> Json:
    """Return a submission as JSON, without its files."""
    return {
        "name": submission.name,
        "source": submission.source,
        "problem": submission.problem,
        "log": list(submission.log),
    }


def read_results(out: Path) -> tuple[str, list[HandedInBot]] | None:
    """Return where submissions were read and what was found; None where nothing is. Raise ClickException."""
    path = out / SUBMISSIONS_FILE
    if not path.exists():
        return None
    try:
        stored = read_record(path)
        rows = [
            HandedInBot(row["name"], row["source"], None, row["problem"], tuple(row["log"]))
            for row in stored["submissions"]
        ]
        return str(stored["source"]), rows
    except (UnreadableRecord, KeyError, TypeError) as error:
        raise click.ClickException(f"{path} is damaged: {error}") from error


def describe_failures(submissions: Sequence[HandedInBot]) -> Iterator[str]:
    """Yield lines on the submissions that don't take part, and why."""
    failed = [one for one in submissions if one.problem]
    if failed:
        yield f"Not taking part: {len(failed)} of {len(submissions)} submissions"
    for one in failed:
        yield f"    {one.name} ({one.source}): {one.problem}"
        yield from (f"        {line}" for line in one.log)
