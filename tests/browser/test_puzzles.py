"""The daily puzzles, by keys, on every size of screen, and without script."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Site
from tests.browser.test_every_page import AXE, list_barriers
from tests.browser.visit import Visitor, visitor
from tests.full import default_and_full

pytestmark = pytest.mark.browser
SIZES = [(1280, 800), (390, 844), (844, 390)]
CASES = default_and_full(
    [(1280, 800, "dark"), (390, 844, "light")],
    [(width, height, theme) for width, height in SIZES for theme in ("light", "dark")],
)


def open_puzzle(reader: Visitor, address: str) -> Page:
    """Open a puzzle, once its script listens."""
    reader.open(address)
    expect(reader.page.locator("#play")).to_have_count(1)
    reader.page.wait_for_load_state("load")
    return reader.page


def check(reader: Visitor, width: int, state: str) -> None:
    """Check that nothing is wider than the screen, and that axe finds no barrier."""
    page = reader.page
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{state} scrolls sideways"
    page.evaluate(AXE)
    assert list_barriers(reader, state) == []


def verdict_of(page: Page) -> Locator:
    """Return the sentence that says whether the answer was right."""
    return page.get_by_role("region", name="Solution").get_by_role("status")


def read_suit(card: Locator) -> str:
    """Return the letter of the suit of a card in the grid."""
    return (card.get_attribute("value") or "")[0]


@pytest.mark.parametrize(("width", "height", "theme"), CASES)
def test_a_claim_is_answered_by_keys(site: Site, browser: Browser, width: int, height: int, theme: str) -> None:
    with browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme) as context:
        reader = visitor(context, site.home)
        page = open_puzzle(reader, "/puzzles/")
        grid = page.get_by_role("table", name="Which card refutes it?")
        expect(grid).to_be_hidden()
        check(reader, width, "question")
        page.keyboard.press("n")
        expect(grid).to_be_visible()
        expect(grid.get_by_role("radio").first).to_be_focused()
        expect(page.get_by_role("button", name="Choose a card")).to_be_disabled()
        page.keyboard.press("ArrowDown")
        chosen = grid.get_by_role("radio", checked=True)
        row = read_suit(chosen)
        page.keyboard.press("ArrowRight")
        expect(chosen).to_be_focused()
        assert read_suit(chosen) == row
        card = (chosen.get_attribute("aria-label") or "").partition(":")[0]
        button = page.get_by_role("button", name=f"Answer: No, because of {card}")
        expect(button).to_be_visible()
        check(reader, width, "grid")
        page.keyboard.press("Enter")
        expect(verdict_of(page)).to_have_text(re.compile("Right: not yet|Not this time"))
        expect(page.get_by_role("heading", name=re.compile("^Why .* claim flag"))).to_be_visible()
        expect(page.get_by_text(re.compile("No streak yet|1 day in a row")).first).to_be_visible()
        check(reader, width, "solution")
        with page.expect_download() as download:
            page.keyboard.press("s")
        assert download.value.suggested_filename.endswith(".png")
        assert reader.complaints == []


@pytest.mark.parametrize(("width", "height", "theme"), CASES)
def test_a_card_and_its_flag_are_chosen_by_keys(
    site: Site, browser: Browser, width: int, height: int, theme: str
) -> None:
    with browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme) as context:
        reader = visitor(context, site.home)
        page = open_puzzle(reader, "/puzzles/best/")
        check(reader, width, "question")
        answer = page.get_by_role("region", name="Question").get_by_role("button", name=re.compile("^Answer"))
        expect(answer).to_be_disabled()
        card = page.locator(".held a[data-key]").first
        page.keyboard.press(card.get_attribute("data-key") or "")
        target = page.locator("#play [data-target]:visible")
        expect(target.first).to_be_focused()
        page.keyboard.press("ArrowRight")
        if target.count() > 1:
            expect(target.nth(1)).to_be_focused()
        check(reader, width, "choosing")
        page.keyboard.press("Enter")
        expect(answer).to_be_enabled()
        expect(answer).to_be_focused()
        expect(answer).to_have_text(re.compile("^Answer: .+"))
        page.keyboard.press("Enter")
        expect(verdict_of(page)).to_have_text(re.compile("Right|Not this time"))
        check(reader, width, "solution")
        assert reader.complaints == []


def test_a_guests_streak_goes_on_in_this_browser(site: Site, browser: Browser) -> None:
    """Two days are solved, and a day between them is forgiven."""
    day = datetime.now(UTC).date()
    kept = json.dumps({str(day - timedelta(ago)): True for ago in (1, 3)})
    with browser.new_context() as context:
        reader = visitor(context, site.home)
        context.add_init_script(f"localStorage.setItem('pennant-puzzles', {kept!r})")
        page = open_puzzle(reader, "/puzzles/")
        expect(page.get_by_text("2 days in a row")).to_be_visible()
        states = page.get_by_role("list", name="The last seven days").get_by_role("listitem")
        expect(states.nth(5)).to_have_text(re.compile(": solved"))
        expect(states.nth(4)).to_have_text(re.compile("forgiven"))
        expect(states.nth(3)).to_have_text(re.compile(": solved"))
        page.keyboard.press("y")
        is_right = "Right" in verdict_of(page).inner_text()
        expect(page.locator(".streak-days")).to_have_text("3 days in a row" if is_right else "No streak yet")


def test_without_script_both_are_answered_by_links_and_forms(site: Site, browser: Browser) -> None:
    open_puzzle(visitor(browser.new_context(), site.home), "/puzzles/best/")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.home}/puzzles/")
        page.get_by_role("link", name="No, not yet").click()
        page.get_by_role("table", name="Which card refutes it?").get_by_role("radio").first.check()
        page.get_by_role("button", name="Answer: No").click()
        expect(verdict_of(page)).to_have_text(re.compile("Right: not yet|Not this time"))
        page.goto(f"{site.home}/puzzles/best/")
        page.locator(".held a").first.click()
        page.locator("#play [name=action]:visible").first.click()
        page.get_by_role("button", name=re.compile("^Answer: ")).click()
        expect(verdict_of(page)).to_have_text(re.compile("Right|Not this time"))
