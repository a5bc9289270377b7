"""Walk the public pages of an arena that stands still, and report what can't be true.

    uv run python -m tests.tools.facts [FOLDER] [--matches 10000] [--ages 1,5,60] [--pages 40]

FOLDER is the data folder of a stopped arena with SQLite; nothing in it is changed. Pages carry the key of each number
that stands on several of them, as `data-fact="rating:careful:standard"`. Reported are keys with two values, links to
nothing, and pages with nothing on them; the exit code is 1 where there are any. `--matches` repeats finished matches
until there are so many; `--ages` starts an arena of its own and walks it at these ages in minutes; `--pages` bounds how
many pages of one kind are opened (of matches, say), all of them with 0.
"""

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
LEAST_WORDS = 3
"""A page whose main part has fewer is empty."""
VOID_TAGS = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class Page:
    """What is read of a page."""

    links: set[str] = field(default_factory=set)
    facts: list[tuple[str, str]] = field(default_factory=list)
    words: int = 0


class Reader(HTMLParser):
    """Read links, facts and the number of words in the main part of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()
        self.open: list[tuple[str, str, list[str]]] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Note a link, and begin an element."""
        found = dict(attributes)
        if tag == "a" and found.get("href"):
            self.page.links.add(str(found["href"]))
        if tag not in VOID_TAGS:
            self.open.append((tag, found.get("data-fact") or "", []))

    def handle_endtag(self, tag: str) -> None:
        """End the element, and those in it that were never closed, as HTML has it."""
        while any(one == tag for one, _, _ in self.open):
            name, key, texts = self.open.pop()
            if key:
                self.page.facts.append((key, " ".join("".join(texts).split()).removesuffix("%")))
            if name == tag:
                return

    def handle_data(self, text: str) -> None:
        """Give a text to each fact that it stands in."""
        for _, key, texts in self.open:
            if key:
                texts.append(text)
        if any(tag == "main" for tag, _, _ in self.open):
            self.page.words += len(text.split())


def read_page(html: str) -> Page:
    """Return what stands on a page."""
    reader = Reader()
    reader.feed(html)
    return reader.page


@dataclass
class Walk:
    """What a walk has found."""

    pages: int = 0
    values: dict[str, dict[str, list[str]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(list)))
    """By key of a fact and its value, the pages that say so."""
    dead: list[str] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    @property
    def contradictions(self) -> dict[str, dict[str, list[str]]]:
        """Return the keys with several values."""
        return {key: {value: pages[:2] for value, pages in said.items()} for key, said in self.values.items()
                if len(said) > 1}  # fmt: skip

    def report(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "pages": self.pages,
            "facts": len(self.values),
            "said_twice": sum(sum(map(len, said.values())) > 1 for said in self.values.values()),
            "two_values": self.contradictions,
            "dead_links": self.dead,
            "empty_pages": self.empty,
        }


def walk_copy(folder: Path, arguments: list[str], at: str = "") -> dict[str, Any]:
    """Walk a copy of a data folder in a process of its own, which has settings of its own; `at` stops its clock."""
    with tempfile.TemporaryDirectory(prefix="pennant-facts-") as copy:
        with (
            closing(sqlite3.connect(folder / "db.sqlite3")) as old,
            closing(sqlite3.connect(f"{copy}/db.sqlite3")) as new,
        ):
            old.backup(new)
        for name in ("install", "secret"):
            if (folder / name).is_dir():
                shutil.copytree(folder / name, f"{copy}/{name}")
            elif (folder / name).is_file():
                shutil.copy(folder / name, f"{copy}/{name}")
        env = {key: value for key, value in os.environ.items() if key not in ("DATABASE_URL", "REDIS_URL")}
        env |= {
            "PENNANT_DATA": copy,
            "DJANGO_SETTINGS_MODULE": "arena.settings",
            "DEBUG": "on",
            "PENNANT_ANONYMOUS_PAGE_CACHE_S": "0",
        }
        python = [sys.executable, *(("-W", "ignore"))]
        subprocess.run([*python, "manage.py", "migrate", "-v", "0"], cwd=ROOT, env=env, check=True)
        words = [*python, "-m", "tests.tools.fact_walk", "--at", at, *arguments]
        done = subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)
        if not done.stdout:
            raise SystemExit(done.stderr)
        report: dict[str, Any] = json.loads(done.stdout)
        return report


def walk_at_ages(ages: list[int], arguments: list[str]) -> dict[str, Any]:
    """Start an arena, and walk a copy of it at each of these ages in minutes."""
    reports = {}
    with tempfile.TemporaryDirectory(prefix="pennant-facts-") as folder:
        env = {**os.environ, "PENNANT_DATA": folder}
        port = str(20_000 + os.getpid() % 10_000)
        arena = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", port],
            cwd=ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        begun = time.monotonic()
        try:
            for age in ages:
                time.sleep(max(0.0, begun + 60 * age - time.monotonic()))
                reports[f"{age} min"] = walk_copy(Path(folder), arguments)
                print(f"{age} min: {json.dumps(reports[f'{age} min'], ensure_ascii=False)}", file=sys.stderr)
        finally:
            arena.send_signal(signal.SIGINT)
            arena.wait(120)
    return reports


def is_clean(report: dict[str, Any]) -> bool:
    """Return whether a walk has found nothing to report."""
    return not (report["two_values"] or report["dead_links"] or report["empty_pages"])


def main() -> None:
    """Print the report of each walk."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--matches", type=int, default=0)
    parser.add_argument("--ages", default="")
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--at", default="")
    asked = parser.parse_args()
    passed = ["--pages", str(asked.pages), "--matches", str(asked.matches)]
    reports = walk_at_ages([int(age) for age in asked.ages.split(",")], passed) if asked.ages else {}
    if asked.folder:
        reports[str(asked.folder)] = walk_copy(asked.folder, passed, asked.at)
    print(json.dumps(reports, indent=1, ensure_ascii=False))
    sys.exit(not all(map(is_clean, reports.values())))


if __name__ == "__main__":
    main()
