"""Read and write records and logs."""

from pathlib import Path
from typing import Any

import orjson

from arena.runner.match import MatchReport


class UnreadableRecord(ValueError):
    """A file contains no record. The message says why."""


def write_match(folder: Path, number: int, match: MatchReport) -> None:
    """Write `MATCH-LEG.json` and `MATCH-LEG-SEAT.stderr`. Matches and legs count from 1, seats from 0."""
    for leg_number, leg in enumerate(match.legs, start=1):
        stem = f"{number}-{leg_number}"
        (folder / f"{stem}.json").write_bytes(orjson.dumps(leg.record) + b"\n")
        for seat, log in enumerate(leg.stderr):
            (folder / f"{stem}-{seat}.stderr").write_text(log, encoding="utf-8")


def read_record(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file. Raises UnreadableRecord."""
    try:
        record = orjson.loads(path.read_bytes())
    except OSError as error:
        raise UnreadableRecord(f"it can't be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"it is not JSON: {error}") from error
    if not isinstance(record, dict):
        raise UnreadableRecord("it is JSON, but not an object")
    return record
