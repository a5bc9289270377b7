"""Store a tournament in a folder: its plan, and a line for every finished match."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import orjson

from arena.cli.bot_paths import find_program
from arena.cli.digests import compute_digest
from arena.cli.faults import FaultNote, list_faults
from arena.cli.files import UnreadableRecord, read_record, write_match
from arena.cli.locked_log import LockedLog
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.match import MatchReport
from arena.runner.program import Program
from arena.tournaments.pairing_outcome import MatchResult
from arena.tournaments.replay_results import Course, NotDueError, ScheduledMatch
from arena.tournaments.settings import Settings

FOLDER_FORMAT = "pennant-tournament/1"
PLAN_FILE = "tournament.json"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot with its name in the tournament, and where it was found."""

    program: Program
    path: Path

    def as_json(self) -> Json:
        """Return name, path and digest."""
        return {"name": self.program.name, "path": str(self.path), "sha256": compute_digest(self.program)}


def find_bots(texts: tuple[str, ...]) -> list[Bot]:
    """Return the bots in this order; a repeated one is called `name-2`. Raise BadProgramError."""
    found: list[Bot] = []
    taken: set[str] = set()
    for text in texts:
        program = find_program(text)
        names = [program.name, *(f"{program.name}-{count}" for count in range(2, len(texts) + 2))]
        name = next(name for name in names if name not in taken)
        taken.add(name)
        path = Path(text) if Path(text).exists() else SAMPLES_FOLDER / text
        found.append(Bot(replace(program, name=name), path.resolve()))
    return found


def find_stored_bots(stored: Json) -> list[Bot]:
    """Return the bots of a stored tournament. Raise BadProgramError."""
    return [Bot(replace(find_program(bot["path"]), name=bot["name"]), Path(bot["path"])) for bot in stored["bots"]]


def read_plan(folder: Path) -> Json | None:
    """Return the stored plan of a folder, or None if there is none. Raise click.ClickException."""
    path = folder / PLAN_FILE
    if not path.exists():
        return None
    try:
        plan = read_record(path)
    except UnreadableRecord as error:
        raise click.ClickException(f"{path}: {error}") from error
    if plan.get("format") != FOLDER_FORMAT:
        raise click.ClickException(f"{path} is not of this version of pennant, which writes {FOLDER_FORMAT}.")
    try:
        # Older versions wrote the settings as "terms".
        settings = plan.pop("terms", None) or plan["settings"]
        return {"changed_options": {}} | plan | {"settings": asdict(Settings.from_json(settings))}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise click.ClickException(f"{path} is damaged: {error}") from error


def list_differences(stored: Json, now: Json) -> list[str]:
    """Return a sentence for each difference between the stored plan and this one."""
    found = []
    before, after = (
        {**whole, **whole["settings"], "changed_options": _write_options(whole["changed_options"])}
        for whole in (stored, now)
    )
    for key in before.keys() - {"settings", "bots", "format"}:
        if before[key] != after[key]:
            found.append(f"{key} was {_describe_value(before[key])}, and is {_describe_value(after[key])}")
    if len(before["bots"]) != len(after["bots"]):
        return [*sorted(found), f"it had {len(before['bots'])} bots, and has {len(after['bots'])}"]
    for number, (was, is_) in enumerate(zip(before["bots"], after["bots"], strict=True), start=1):
        if was["name"] != is_["name"]:
            found.append(f"bot {number} was {was['name']}, and is {is_['name']}")
        elif was["sha256"] != is_["sha256"]:
            found.append(f"the files of {was['name']} have changed")
    return sorted(found)


class Log(LockedLog):
    """The matches of a tournament on disk, one line each."""

    def __init__(self, folder: Path, stored: Json) -> None:
        """Open the log. Raise OSError, or click.ClickException if another command uses it."""
        super().__init__(folder, "tournament")
        self.faults: list[FaultNote] = []
        _write_plan(folder / PLAN_FILE, stored)

    def replay_into(self, course: Course) -> None:
        """Add all finished matches to the course; drop an incomplete last line. Raise click.ClickException."""
        for number, line in enumerate(self.read_lines(), start=1):
            try:
                stored = orjson.loads(line)
                course.add_result(*_read_match(stored, course))
                self.faults += [FaultNote.from_json(fault) for fault in stored.get("faults", ())]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise click.ClickException(f"{self.path}: line {number} is damaged: {error}") from error

    def list_matches(self) -> list[Json]:
        """Return the matches that have ended, each with its round, board and number."""
        return [orjson.loads(line) for line in self.read_lines()]

    def add(
        self,
        scheduled: ScheduledMatch,
        entrants: tuple[int, ...],
        result: MatchResult,
        match: MatchReport,
        names: Mapping[int, str],
    ) -> None:
        """Write a match, its records first; `names` are by entrant. It is on disk for good when this returns."""
        write_match(self.records, scheduled.deal_number, match)
        faults = list(list_faults(scheduled.deal_number, match, [names[number] for number in entrants]))
        self.faults += faults
        line = {
            "round": scheduled.round,
            "board": scheduled.board,
            "number": scheduled.number,
            "match": scheduled.deal_number,
            "entrants": entrants,
            "points": result.points,
            "scores": result.game_points,
            "verdicts": [list(verdicts) for verdicts in _collect_by_participant(match, "verdicts")],
            "faults": [fault.as_json() for fault in faults],
        }
        self.write_line(line)


def build_match_result(match: MatchReport) -> MatchResult:
    """Return the result of a match as tournaments count it."""
    return MatchResult(match.points, match.scores)


def _collect_by_participant(match: MatchReport, key: str) -> Iterator[list[Any]]:
    """Yield, for each participant, the values of this key in the results of the legs."""
    for participant in range(len(match.legs[0].seating)):
        yield [leg.record["result"][key][leg.seating.index(participant)] for leg in match.legs]


def _read_match(line: Json, course: Course) -> tuple[ScheduledMatch, MatchResult]:
    """Return the match of a line with its result. Raise ValueError, KeyError or TypeError."""
    scheduled = ScheduledMatch(line["round"], line["board"], line["number"])
    if scheduled not in course.list_due():
        raise NotDueError("this match is not due at this point")
    entrants = course.find_pairing(scheduled).entrants
    result = MatchResult(tuple(map(float, line["points"])), tuple(map(float, line["scores"])))
    if line["entrants"] != list(entrants) or {len(result.points), len(result.game_points)} != {len(entrants)}:
        raise NotDueError("the entrants of this match are different")
    return scheduled, result


def _write_plan(path: Path, stored: Json) -> None:
    """Write the plan completely or not at all."""
    if path.exists():
        return
    draft = path.with_suffix(".new")
    with draft.open("wb") as file:
        file.write(orjson.dumps(stored, option=orjson.OPT_INDENT_2) + b"\n")
        os.fsync(file.fileno())
    draft.replace(path)


def _write_options(options: Json) -> str:
    return ", ".join(f"{name}={value}" for name, value in options.items()) or "none"


def _describe_value(value: Any) -> str:
    if isinstance(value, dict):
        return " and ".join(f"{count} {name}" for name, count in value.items() if count is not None)
    return "left open" if value is None else str(value)
