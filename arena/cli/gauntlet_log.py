"""Store a gauntlet in a folder: what is played, and a line for every finished match."""

import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click
import orjson

from arena.cli.faults import FaultNote
from arena.cli.files import UnreadableRecord, read_record, write_match
from arena.cli.locked_log import LockedLog
from arena.runner.match import MatchReport

FOLDER_FORMAT = "pennant-gauntlet/1"
PLAN_FILE = "gauntlet.json"

Json = dict[str, Any]


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
        self.plan = self._open_plan(folder / PLAN_FILE, plan)

    def _open_plan(self, path: Path, plan: Json) -> Json:
        """Return the stored plan, or this one after it was stored. Raise click.ClickException if they differ."""
        if not path.exists():
            plan = plan | {"seed": plan["seed"] or str(secrets.randbelow(10**9))}
            path.write_bytes(orjson.dumps({"format": FOLDER_FORMAT, **plan}, option=orjson.OPT_INDENT_2) + b"\n")
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
