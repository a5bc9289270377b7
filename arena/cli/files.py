"""Read and write records and logs."""

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from arena.runner.match import MatchReport

DOWNLOAD_SUFFIX = ".jsonl.gz"
"""Ends the names of files that `pennant download` writes."""


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


def read_download(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of a file of many records: each has `match`, `leg`, `record_hash` and `record`.

    Raises UnreadableRecord.
    """
    try:
        with gzip.open(path) as lines:
            for number, line in enumerate(lines, start=1):
                found = orjson.loads(line)
                if not isinstance(found, dict) or not {"match", "leg", "record_hash", "record"} <= found.keys():
                    raise UnreadableRecord(f"line {number} is no record of a download")
                yield found
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableRecord(f"it is not compressed by gzip, or cut off: {error}") from error
    except OSError as error:
        raise UnreadableRecord(f"it can't be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise UnreadableRecord(f"it has a line that is not JSON: {error}") from error
