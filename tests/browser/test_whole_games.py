"""Whole games in the browser: in every edition, by mouse, by touch, by keys alone and without script."""

import json
import os
import re
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from time import monotonic
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Error, Locator, Page, Request, Response

from engine.registry import GAMES
from engine.replay import states, verify
from tests.browser.conftest import Site
from tests.browser.test_play import EAGER_SHARE, begin, choose_any, find_violations, is_over, read_tag, wait_for_turn
from tests.browser.test_table_fits import MEASURE
from tests.browser.visit import Visitor, visitor
from tests.empty_database import copy_empty_database
from tests.full import full_only
from tests.story.installation import Installation

pytestmark = pytest.mark.browser
GAME_S = 1800.0
"""Time for one game; random play takes up to some hundred turns, and each answer is shown after 0.6 s. A busy machine
takes several times as long."""
SCREENS = {
    "desktop": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "low": {"width": 844, "height": 390},
}
INPUTS = ("mouse", "touch", "keys")
TABLES = [f"{game} {edition} 2" for game, rules in GAMES.items() for edition in rules.editions] + [
    "battalion standard 3",
    "battalion standard 4",
]
PLAYED = [  # every edition on every screen, and by every kind of input
    (table, screen, INPUTS[(number + place) % len(INPUTS)])
    for number, table in enumerate(TABLES)
    for place, screen in enumerate(SCREENS)
]
OUTAGE_MS = 4000
BETWEEN_KILLS_S = 25.0
"""`up` ends where a process doesn't stay alive for three starts within a minute."""
LOOKED_AT = (3, 40)
MAX_QUESTIONS = 6
"""Choices within one action: a card, what it moves, and where."""
TAP_MS = """() => new Promise((done) => {
  const card = document.querySelector("#play [data-rove][href*='chosen=']");
  if (!card) return done(null);
  const begun = performance.now();
  card.click();
  requestAnimationFrame(() => done(performance.now() - begun));
})"""
TAG = re.compile(r'data-tag="(\d+)-')
"""How many decisions were taken when a table was drawn, the reader's own that can be taken back included."""
WORD = re.compile(r"\w+")
CARD = re.compile(r"(?<![\w#-])[A-Z]\d+(?!\w)")
"""The id of a troop: of tactics the page says what they are."""


@dataclass
class Traffic:
    """What a page asked of the server at the table."""

    asked: list[Request] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """Of every answer that has a table in it.

    Why one can't claim a flag is left out: the answer names cards that nobody has seen, out of what everybody knows.
    """

    def listen(self, page: Page) -> None:
        """Write down what the page asks from now on."""

        def keep(response: Response) -> None:
            if "/play/" in response.url and "why=" not in response.url and response.ok:
                with suppress(Error):  # another page is shown already
                    self.texts.append(response.text())

        page.on("response", keep)
        page.on("requestfinished", lambda request: self.asked.append(request) if "/play/" in request.url else None)

    def count(self) -> dict[str, list[int]]:
        """Return the bytes of each answer on the line, with its headers, by what was asked."""
        found: dict[str, list[int]] = {}
        for request in self.asked:
            sizes = request.sizes()
            query = parse_qs(urlsplit(request.url).query)
            if request.method == "POST":
                kind = urlsplit(request.url).path.rstrip("/").rpartition("/")[2]
            else:
                kind = next((word for word in ("known", "chosen", "why") if word in query), "page")
            status = request.response()
            kind += " unchanged" if status and status.status == 304 else ""
            found.setdefault(kind, []).append(sizes["responseBodySize"] + sizes["responseHeadersSize"])
        return found


@pytest.mark.parametrize(("table", "screen", "means"), full_only(PLAYED))
def test_a_whole_game_is_played_in_every_edition(
    site: Site, browser: Browser, table: str, screen: str, means: str
) -> None:
    game, edition, seats = table.split()
    random, ends = Random(edition), monotonic() + GAME_S
    shown = {"viewport": SCREENS[screen], "has_touch": means == "touch"}
    with browser.new_context(**shown, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page, traffic = reader.page, Traffic()
        begin(reader, game, edition, int(seats))
        traffic.listen(page)
        looked, taps, problems = 0, [], Counter()
        while not is_over(page):
            assert monotonic() < ends, f"not over: {page.url}"
            wait_for_turn(page)
            problems.update(page.evaluate(MEASURE))
            with suppress(Error):  # the table was swapped meanwhile
                take_step(page, random, means)
            page.wait_for_timeout(30)
            looked += 1
            if looked in LOOKED_AT:
                assert (find_violations(page), list_unnamed(page)) == ([], [])
                taps.append(page.evaluate(TAP_MS))
        assert page.get_by_role("link", name="Replay").first.is_visible()
        assert page.locator("#verdict").evaluate("element => element === document.activeElement")
        assert (find_violations(page), reader.complaints) == ([], [])
        record = page.request.get(page.url.partition("?")[0] + "record.json").json()
        if game == "battleline":
            assert len(traffic.texts) > len(record["actions"]) / 2
            assert find_leaks(record, traffic.texts) == []
        print_traffic(f"{table}, {screen}, {means}", traffic.count(), record, taps)
        assert problems == {}


def print_traffic(name: str, found: dict[str, list[int]], record: dict, taps: list[float | None]) -> None:
    """Print how often each kind of thing was asked, and what it weighs."""
    turns = len(record["actions"])
    print(f"\n{name}: {turns} decisions, {sum(map(sum, found.values())) / max(1, turns):.0f} bytes a decision")
    print(f"  choosing took {[round(tap) for tap in taps if tap]} ms")
    for kind, sizes in sorted(found.items()):
        print(f"  {kind}: {len(sizes)} times, {sum(sizes) / len(sizes):.0f} bytes on average, {max(sizes)} at most")


@pytest.mark.full
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_game_is_played_without_script(site: Site, browser: Browser, game: str) -> None:
    random, ends = Random(game), monotonic() + GAME_S
    with browser.new_context(java_script_enabled=False, viewport=SCREENS["desktop"]) as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, game, "short" if game == "battleline" else "standard", 2)
        while not is_over(page):
            assert monotonic() < ends, f"not over: {page.url}"
            wait_for_turn(page)  # the page loads itself again
            with suppress(Error):
                use(choose_any(page, random), "mouse")
            page.wait_for_load_state()
        assert page.get_by_role("link", name="Replay").first.is_visible()


@pytest.mark.full
def test_a_game_goes_on_when_processes_and_the_network_fail(
    browser: Browser, empty_database: Path, tmp_path: Path
) -> None:
    """Before each step a process of the arena is killed, the web's or a worker's, or the network is cut.

    What was chosen is played once, as a record that verifies shows, and nobody has to load the page again.
    """
    random, rested = Random("killed"), monotonic()
    copy_empty_database(empty_database, tmp_path)
    arena = Installation(tmp_path, newcomer_matches=1)
    with arena.up() as up, browser.new_context(reduced_motion="reduce") as context:
        up.greets()
        page = context.new_page()
        begin(Visitor(page, f"http://localhost:{arena.port}"), "battleline", "short", 2)
        while not is_over(page):
            wait_for_turn(page)
            victim = random.choice([*set(up.members()) - {up.process.pid}]) if monotonic() > rested else None
            with suppress(Error, ProcessLookupError):
                choose_any(page, random).click(timeout=2000)  # a card
                if victim:
                    rested = monotonic() + BETWEEN_KILLS_S
                    os.kill(victim, signal.SIGKILL)
                context.set_offline(victim is None)
                choose_any(page, random).click(timeout=2000)  # its place
            page.wait_for_timeout(random.randrange(OUTAGE_MS))
            context.set_offline(False)
        record = page.request.get(page.url.partition("?")[0] + "record.json").json()
    verify(record)


def take_step(page: Page, random: Random, means: str) -> None:
    """Do something legal by mouse, touch or keys."""
    if means == "keys":
        take_step_by_keys(page, random)
    else:
        use(choose_any(page, random), means)


def use(found: Locator, means: str) -> None:
    """Click what was found, or touch it."""
    if means == "touch":
        found.tap(timeout=2000)
    else:
        found.click(timeout=2000)


def find_leaks(record: dict, sent: list[str]) -> list[str]:
    """Return the cards that were in an answer before their reader could know them."""
    seat = next(number for number, one in enumerate(record["seats"]) if one["kind"] == "person")
    known = [
        set(WORD.findall(json.dumps([state.view(seat), state.events(seat)], default=list))) for state in states(record)
    ]
    cards = set(record["deal"]["troops"])
    leaks = []
    for text in sent:
        tag = TAG.search(text)
        if tag and int(tag[1]) < len(record["actions"]):
            hidden = cards - known[int(tag[1])]
            leaks += [f"{card} after {tag[1]} decisions" for card in hidden.intersection(CARD.findall(text))]
    return leaks


def take_step_by_keys(page: Page, random: Random) -> None:
    """Choose a card and a place for it, or draw, or go with the arrows to what else there is."""
    before = read_tag(page)
    for key in random.sample("123456789", 9):
        if press(page, key) or read_tag(page) != before:
            break
    for _ in range(MAX_QUESTIONS):
        if read_tag(page) == before and is_choosing(page):
            go_on_choosing(page, random)
    for key in ("t", "y", *random.sample("rp", 1)):
        if read_tag(page) == before and not is_choosing(page):
            press(page, key)
    if read_tag(page) == before:
        go_right(page, 1)


def go_on_choosing(page: Page, random: Random) -> None:
    """Do what is aimed at, or go on to another thing that can be done."""
    if page.locator(".play-bar button.option:focus").count() and random.random() < EAGER_SHARE:
        press(page, "Enter")
    else:
        go_right(page, random.randint(1, 3))


def go_right(page: Page, times: int) -> None:
    """Go on to another thing that can be done, and do it."""
    for _ in range(times):
        page.keyboard.press("ArrowRight")
    press(page, "Enter")


def is_choosing(page: Page) -> bool:
    """Return whether a card is chosen, or one on the board is to be."""
    return page.locator("#play.choosing").count() > 0


def press(page: Page, key: str) -> bool:
    """Press a key, wait for what it brings, and return whether something is chosen then."""
    page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    return is_choosing(page)


def list_unnamed(page: Page) -> list[str]:
    """Return what can be used at the table but has no name for a screen reader."""
    lines = page.locator("#play").aria_snapshot().splitlines()
    return [line for line in lines if re.fullmatch(r"\s*- (button|link|textbox|combobox)( \[[^\]]*\])*:?", line)]
