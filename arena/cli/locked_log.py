"""Keep finished matches in a file of JSON lines, which survives an interrupted command."""

import fcntl
import os
from pathlib import Path
from typing import Any, Self

import click
import orjson

MATCHES_FILE, RECORDS_FOLDER = "matches.jsonl", "records"


class LockedLog:
    """A folder with a line for every finished match. Only one command at a time can use it."""

    def __init__(self, folder: Path, contest: str) -> None:
        """Open the log; `contest` is the word for what is played. Raise OSError, or click.ClickException if in use."""
        self.records = folder / RECORDS_FOLDER
        self.records.mkdir(parents=True, exist_ok=True)
        self.path = folder / MATCHES_FILE
        self.file = self.path.open("a+b", buffering=0)
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.file.close()
            raise click.ClickException(f"Another command plays the {contest} in {folder} now.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def read_lines(self) -> list[bytes]:
        """Return all lines; drop an incomplete last one."""
        self.file.seek(0)
        content = self.file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self.file.truncate(len(whole))
        return whole.splitlines()

    def write_line(self, line: dict[str, Any]) -> None:
        """Append a line. It is on disk for good when this returns."""
        self.file.write(orjson.dumps(line) + b"\n")
        os.fsync(self.file.fileno())
