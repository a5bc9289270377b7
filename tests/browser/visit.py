"""Debian's Chromium, and a reader who notices what is wrong with a page."""

import json
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.detection import find_sandbox
from engine.registry import GAMES
from tests.story.installation import ROOT, Installation, Up

SCREENSHOTS = ROOT / "screenshots"
SAMPLES = ROOT / "bots" / "samples"
PASSWORD = "fifteen quiet herons"
TRIAL_MS = 120_000
EVERY_LADDER_S = 400.0
LADDERS = sum(len(game.editions) for game in GAMES.values())
LONG = 92
"""Actions, of which a turn has two and each of nine flags may bring one more: more than forty turns."""
LEAGUE_MATCHES = 3
QUIET = {"PENNANT_SHOWN_TOURNAMENTS": "on", "PENNANT_LADDER_MATCHES_PER_HOUR": "0", "PENNANT_LADDER_WAITING": "1"}
"""Ladders rest once newcomers have played: else they would play on beside all other tests."""
expect.set_options(timeout=20_000)


def find_chromium() -> str | None:
    """The one without windows, if it is there: it takes a tenth less of the processor."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip("Chromium is not installed (neither chromium-headless-shell nor chromium on the path)")
    plain = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    return {**browser_type_launch_args, "executable_path": chromium, "args": plain}


@dataclass(frozen=True)
class Arena:
    home: str
    matches: dict[str, int]
    """A finished match of each edition of Battle Line; of the standard one, one that took long."""
    battalion: dict[int, int]
    """The first finished match of Battalion, by number of participants."""
    password: str
    """Of admin."""


@contextmanager
def started(data: Path) -> Iterator[Arena]:
    """A whole arena, web, worker and scheduler, in which samples have played on every ladder; a cup, too, and they are
    in the middle of a league, which rests. The data folder has a database with all tables."""
    try:
        find_sandbox({"python"})
    except NoSandboxError as missing:
        pytest.skip(f"no sandbox: {missing}")
    arena = Installation(data, newcomer_matches=1, more=QUIET)
    with arena.up() as up:
        up.greets()
        play_tournaments(arena, up)
        arena.run("tests.browser.league", "puzzles")
        up.wait_for(lambda: len(dict(arena.rated())) == LADDERS, EVERY_LADDER_S)
        up.wait_for(lambda: set(tables_of(arena)) >= {2, 3}, EVERY_LADDER_S)
        matches = (
            "select edition, min(id) from matches_match where state = 'finished' and game = 'battleline' group by 1"
        )
        shown = dict(arena.query(matches)) | {"standard": find_long(arena)}
        password = re.search(r"password (\S+)", up.said())[1]
        yield Arena(f"http://localhost:{arena.port}", shown, tables_of(arena), password)


def play_tournaments(arena: Installation, up: Up) -> None:
    """The cup to its end, and of the league some matches, a long one among them."""
    states = "select state from tournaments_tournament order by id"
    played = (
        "select count(*) from matches_match m join tournaments_pairingmatch pm on pm.match_id = m.id "
        "where m.state = 'finished' and m.edition = 'standard'"
    )
    up.wait_for(lambda: arena.query(states) == [("finished",), ("running",)], EVERY_LADDER_S)
    arena.run("tests.browser.league", "hurry")
    up.wait_for(lambda: arena.query(played)[0][0] >= LEAGUE_MATCHES and find_long(arena), EVERY_LADDER_S)
    arena.run("tests.browser.league", "rest")


def find_long(arena: Installation) -> int | None:
    """A match of the standard edition of Battle Line with so much to be seen in its first leg.

    It wasn't drawn: such a match opens with both legs.
    """
    legs = arena.query(
        "select m.id, l.record from matches_leg l join matches_match m on m.id = l.match_id where l.number = 1 "
        "and m.state = 'finished' and m.game = 'battleline' and m.edition = 'standard' "
        "and not exists (select 1 from matches_participant p where p.match_id = m.id and p.points = 0.5) order by m.id"
    )
    return next((match for match, record in legs if len(json.loads(zlib.decompress(record))["actions"]) >= LONG), None)


def tables_of(arena: Installation) -> dict[int, int]:
    """The first finished match of Battalion, by number of participants."""
    players = "(select count(*) from matches_participant p where p.match_id = m.id)"
    finished = "state = 'finished' and game = 'battalion'"
    return dict(arena.query(f"select {players}, min(id) from matches_match m where {finished} group by 1"))


@dataclass
class Visitor:
    """A page, and all the complaints the browser had about what was opened in it."""

    page: Page
    home: str
    name: str = ""
    """Of their account, where it matters."""
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._listen)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self._check_origin(request.url))

    def _listen(self, message: ConsoleMessage) -> None:
        is_expected = "status of 4" in message.text and message.location.get("url") == self.page.url
        if message.type in ("error", "warning") and not is_expected:
            self.complaints.append(f"{self.page.url}: {message.text}")

    def _check_origin(self, url: str) -> None:
        if not url.startswith((self.home, "data:", "blob:")):
            self.complaints.append(f"{self.page.url} asked for {url}")

    def open(self, address: str) -> None:
        self.page.goto(self.home + address)

    def sign_up(self, name: str) -> None:
        self.open("/accounts/signup/")
        self.page.get_by_label("Username:").fill(name)
        self.page.get_by_label("Password:", exact=True).fill(PASSWORD)
        self.page.get_by_label("Password (again):").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign Up").click()
        self.page.locator(".own-menu > summary").wait_for()

    def log_in(self, name: str, password: str) -> None:
        self.open("/accounts/login/")
        self.page.get_by_label("Username:").fill(name)
        self.page.get_by_label("Password:").fill(password)
        self.page.locator("main form button").first.click()
        self.page.locator(".own-menu > summary").wait_for()

    def upload(self, name: str, source: Path, game: str = "Battle Line") -> None:
        """A new bot, as its first version."""
        self.page.get_by_role("link", name="Upload a bot").first.click()
        self.page.get_by_label("Name:").fill(name)
        self.page.get_by_label("Game:").select_option(label=game)
        self.page.get_by_label("Program:").set_input_files(source)
        self.page.get_by_role("button", name="Upload version 1").click()
        self.page.get_by_text("Version 1 uploaded.").wait_for()

    def wait_for_judgement(self, word: str) -> None:
        """The version's page is told by itself how the trial went."""
        self.page.locator(".stages").get_by_text(word, exact=True).wait_for(timeout=TRIAL_MS)


def visitor(context: BrowserContext, home: str) -> Visitor:
    return Visitor(context.new_page(), home)
