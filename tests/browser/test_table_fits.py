"""The tables fit every screen, in each state of a turn, and nothing of Battle Line's moves from one to the next.

They are drawn without an arena, as the page draws them: each is measured on all screens.
"""

import re
from dataclasses import replace
from functools import cache
from typing import Literal
from urllib.parse import unquote_plus, urlsplit

import pytest
from django.contrib.staticfiles.finders import find
from django.template.loader import render_to_string
from django.utils.translation import override
from playwright.sync_api import Browser, Page, Route, expect

from arena.pages.play.context import TableLinks, build_table_context
from arena.pages.play.table import Player, PlayTable
from engine.analysis.evaluators import has_evaluator
from engine.core import Json
from tests.arena.pages.conftest import play_at_random, read_table
from tests.browser.test_play import find_violations
from tests.full import default_and_full, is_full_run

pytestmark = pytest.mark.browser
ONE_SCREEN = [(844, 390), (667, 375), (640, 400), (853, 533), (560, 320), (1280, 800), (1024, 768), (390, 844)]
SCROLLING = [(320, 640), (480, 320), (640, 300)]
FEW = [(844, 390), (640, 400), (560, 320), (1280, 800), (390, 844), (320, 640)]
PLAYERS = [
    Player("Wilhelmina the Conqueror"),
    *(Player(name, is_bot=True, rating=1600, note="house bot") for name in ("marshal", "careful", "random")),
]
SEAT = 0
SEEDS = {"standard": 2, "terrain": 2, "hundred-years": 0}
"""Of plays in which tactics are played and flags can be claimed, by edition."""
CASES = [("terrain", "hu"), ("standard", "en"), ("standard", "hu"), ("terrain", "en")]
WHY = re.compile(r'\?why=([^"]*)')
ADDRESS = "http://table.test/"
MEASURE = """() => {
  const found = [], root = document.querySelector("#play"), screen = document.documentElement;
  const name = (one) => `${one.getAttribute("class") ?? one.tagName} "${one.textContent.trim().slice(0, 30)}"`;
  const isHidden = (one) =>
    !one.checkVisibility({ visibilityProperty: true }) || getComputedStyle(one).clipPath !== "none";
  const isWithinHidden = (one) => one !== root && (isHidden(one) || isWithinHidden(one.parentElement));
  const isScrolled = (style) => [style.overflowX, style.overflowY].some((one) => ["auto", "scroll"].includes(one));

  // What is cut off by the screen or by what it is in, if it is neither scrolled to nor a text that is shortened.
  for (const one of root.querySelectorAll("*")) {
    const hasText = [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!hasText && !one.matches("button, a, [role], [aria-label], .card, .slot")) continue;
    const box = one.getBoundingClientRect(), own = getComputedStyle(one);
    if (one.closest("svg, template") || box.width < 2 || isWithinHidden(one)) continue;
    const isCut = hasText && one.closest(".card") && own.display !== "inline" && one.scrollWidth > one.clientWidth + 1;
    if (isCut) found.push(`clipped: ${name(one)}`);
    let isSafe = own.textOverflow === "ellipsis" || isScrolled(getComputedStyle(document.body));
    for (let up = one.parentElement; up && !isSafe; up = up.parentElement) {
      const style = getComputedStyle(up);
      const screenBox = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
      const frame = up === screen ? screenBox : up.getBoundingClientRect();
      isSafe = style.textOverflow === "ellipsis" || isScrolled(style);
      const isOut = ["left", "top"].some((side) => box[side] < frame[side] - 1)
        || ["right", "bottom"].some((side) => box[side] > frame[side] + 1);
      const isFrame = up === screen || style.overflowX !== "visible" || style.overflowY !== "visible";
      if (isOut && isFrame && !isSafe) found.push(`outside ${name(up).slice(0, 20)}: ${name(one)}`);
    }
  }

  // What covers what it must not.
  const boxes = (selector) => [...root.querySelectorAll(selector)]
    .filter((one) => !isHidden(one)).map((one) => [one, one.getBoundingClientRect()]);
  for (const [first, second] of [
    [".claim, .not-yet, .on-flag, .weather li, .terrain li", ".side > :not(.slot)"],
    [".claim, .not-yet, .on-flag, .weather li, .terrain li", ".flag text"],
    [".claim, .not-yet, .on-flag", ".weather li, .terrain li"],
    [".answer, .rule-text", ".formation:not(:empty), .flag text"],
    [".rule-text", ".claim, .not-yet, .weather li, .terrain li"],
    [".taken .by", ".side > .card .band, .side > .pickable .band"],
  ]) {
    for (const [over, a] of boxes(first)) for (const [under, b] of boxes(second)) {
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (width > 1 && height > 1) found.push(`${name(over)} covers ${name(under)}`);
    }
  }
  return found;
}"""
STEADY = """() => [".play-bar", ".play-hand", ".play-decks", ".line-play", ".line-play .front-1 .flag"].map((one) => {
  const { top, height } = document.querySelector(one).getBoundingClientRect();
  return `${one} ${Math.round(top)} ${Math.round(height)}`;
}).join()"""
OVERFLOW = """() => [document.documentElement, ...document.querySelectorAll(".line-play, .battalion-table, .play-bar")]
  .map((one) => one.scrollHeight - one.clientHeight)"""


def lay(record: Json, length: int, chosen: str = "", why: str = "") -> PlayTable:
    """The table after some decisions of a play, the last of which can be taken back."""
    played = {**record, "actions": record["actions"][:length], "result": None}
    return replace(read_table(played, PLAYERS[: len(record["seats"])], SEAT, chosen, why), draft_length=1)


@cache
def tables_of(edition: str) -> dict[str, PlayTable]:
    """The last table of a play in each state of a turn, and what can be chosen or asked there."""
    record, found = play_at_random(SEEDS[edition], edition), {}
    for length in range(len(record["actions"]) // 3, len(record["actions"])):
        table = lay(record, length)
        if not table.is_own_turn:
            found["waiting"] = table
            continue
        decision = table.scene.after[SEAT]["decision"]
        verbs = {action.split()[0]: action for action in table.legal}
        found[decision + (" and claim" if "claim" in verbs else "")] = table
        html = draw(table)
        if 'class="taken"' in html:
            found["taken"] = table
        if asked := WHY.search(html):
            found["why"] = lay(record, length, why=unquote_plus(asked[1]))
        if "play" in verbs:
            found["chosen"] = lay(record, length, chosen=" ".join(verbs["play"].split()[:2]))
        for verb in {"redeploy", "deserter", "traitor", "scout"} & set(verbs):
            found[verb] = lay(record, length, chosen=verb)
        if verbs.get("redeploy", "").endswith(" discard"):
            found["discard"] = lay(record, length, chosen=verbs["redeploy"].removesuffix(" discard"))
    return found


def draw(table: PlayTable) -> str:
    hint = "/play/x/hint/" if has_evaluator(table.record["game"], table.record["edition"]) else ""
    links = TableLinks(page="/play/x/", step="/play/x/step/", undo="/play/x/undo/", hint=hint, rules="/rules/")
    return render_to_string("play/table.html", build_table_context(table, links))


def show(page: Page, html: str) -> None:
    """Show a page with its style sheets, from no server."""

    def answer(route: Route) -> None:
        path = urlsplit(route.request.url).path.removeprefix("/")
        file = find(path.removeprefix("static/")) if path else None
        if file:
            route.fulfill(path=file)
        else:
            route.fulfill(status=404 if path else 200, content_type="text/html", body=html)

    page.unroute_all()
    page.route("**/*", answer)
    page.goto(ADDRESS)
    page.evaluate("() => document.fonts.ready")


@pytest.mark.parametrize(("edition", "language"), default_and_full(CASES[:1], CASES[1:]))
def test_everything_is_in_view_in_every_state_of_a_turn_and_nothing_moves(
    browser: Browser, edition: str, language: str
) -> None:
    steady: dict[tuple[int, int], set[str]] = {}
    problems = []
    with browser.new_context(reduced_motion="reduce") as context, override(language):
        page = context.new_page()
        sizes = ONE_SCREEN + SCROLLING if is_full_run() else FEW
        tables = tables_of(edition)
        assert {"waiting", "play", "chosen", "why", "finish"} <= set(tables)
        for state, table in tables.items():
            show(page, draw(table))
            page.wait_for_function("() => document.body.matches('.scripted')")
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                problems += [f"{state}, {width}×{height}: {one}" for one in page.evaluate(MEASURE)]
                steady.setdefault((width, height), set()).add(page.evaluate(STEADY))
                if (width, height) in ONE_SCREEN:
                    problems += [f"{state}, {width}×{height} scrolls" for by in page.evaluate(OVERFLOW) if by > 1]
    assert problems == []
    assert {size: places for size, places in steady.items() if len(places) > 1} == {}


@pytest.mark.parametrize(
    ("width", "height"), default_and_full([(1280, 800), (390, 844)], [(844, 390), (640, 400), (320, 640)])
)
def test_a_tag_opens_its_whole_rule_where_it_covers_no_label(browser: Browser, width: int, height: int) -> None:
    problems = []
    with browser.new_context(reduced_motion="reduce", viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        for table in (tables_of("hundred-years")["play"], tables_of("standard")["play and claim"]):
            show(page, draw(table))
            page.wait_for_function("() => document.body.matches('.scripted')")
            tags = page.locator(".rule > summary")
            for number in range(tags.count()):
                tags.nth(number).focus()
                page.keyboard.press("Tab")
                page.keyboard.press("Shift+Tab")
                expect(page.get_by_role("tooltip")).to_be_visible()
                page.keyboard.press("Enter")
                expect(page.locator(".rule-text:visible")).to_have_count(1)
                expect(page.get_by_role("link", name=re.compile("^Rule BL-"))).to_be_visible()
                problems += page.evaluate(MEASURE)
                page.keyboard.press("Escape")
                expect(page.locator(".rule-text:visible")).to_have_count(0)
                expect(tags.nth(number)).to_be_focused()
            assert tags.count()
    assert problems == []


HALF_LAID = "deploy 0=A,2=,4=9,6=8/1=7,3=,5=/2=,4= guard= card=K"
MOST_DECISIONS = 40
"""Of a leg of Battalion, after which all its states have been found."""


@cache
def battalion_tables(seats: int) -> dict[str, PlayTable]:
    """A table of a play in each state of a turn of Battalion, with each kind of action chosen, and the end."""
    record = play_at_random(seats, "standard", "battalion", seats)
    found = {"end": read_table(record, PLAYERS[:seats], SEAT)}
    for state, chosen in (("deployment", ""), ("cards", HALF_LAID)):
        found[state] = replace(lay(record, 0, chosen=chosen), draft_length=0)
    for length in range(seats, min(len(record["actions"]), MOST_DECISIONS)):
        table = lay(record, length)
        if not table.is_own_turn:
            found["waiting"] = table
            continue
        found["turn"] = table
        verbs = {action.split()[0]: action.split() for action in table.legal}
        for verb, words in verbs.items():
            found[verb] = lay(record, length, chosen=" ".join(words[:2]) if verb != "reform" else verb)
        if "attack" in verbs:
            found["aim"] = lay(record, length, chosen=" ".join(verbs["attack"]))
    return found


@pytest.mark.parametrize(("seats", "language"), default_and_full([(2, "hu"), (4, "en")], [(3, "hu"), (4, "hu")]))
def test_everything_of_battalion_is_in_view_in_every_state_of_a_turn(
    browser: Browser, seats: int, language: str
) -> None:
    problems = []
    with browser.new_context(reduced_motion="reduce") as context, override(language):
        page = context.new_page()
        sizes = ONE_SCREEN + SCROLLING if is_full_run() else FEW
        tables = battalion_tables(seats)
        assert {"deployment", "cards", "waiting", "turn", "attack", "aim", "reform", "end"} <= set(tables)
        for state, table in tables.items():
            show(page, draw(table))
            for width, height in sizes:
                page.set_viewport_size({"width": width, "height": height})
                problems += [f"{state}, {width}×{height}: {one}" for one in page.evaluate(MEASURE)]
                if (width, height) in ONE_SCREEN:
                    problems += [f"{state}, {width}×{height} scrolls" for by in page.evaluate(OVERFLOW) if by > 1]
    assert problems == []


@pytest.mark.parametrize("theme", default_and_full(["dark"], ["light"]))
def test_axe_finds_nothing_at_battalions_table(browser: Browser, theme: Literal["light", "dark"]) -> None:
    with browser.new_context(reduced_motion="reduce", color_scheme=theme) as context:
        page = context.new_page()
        for state, table in battalion_tables(4).items():
            show(page, draw(table))
            for width, height in [(1280, 800), *([(390, 844), (844, 390)] if is_full_run() else [])]:
                page.set_viewport_size({"width": width, "height": height})
                assert find_violations(page) == [], (state, width)
