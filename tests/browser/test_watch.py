"""The match that plays by itself on the front page."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import visitor

pytestmark = pytest.mark.browser
TURN_MS = 2400


def open_hero(page: Page, address: str) -> int:
    """Open a page whose clock stands still, and return the turn that is shown first."""
    page.clock.install()
    page.goto(address)
    expect(page.locator("#hero")).to_have_attribute("data-ready", "yes")
    page.clock.pause_at(page.evaluate("Date.now()") + 100)
    return progress(page)


def progress(page: Page) -> int:
    return int(page.get_by_role("progressbar").get_attribute("aria-valuenow") or -1)


def test_a_match_plays_by_itself_until_it_is_paused(site: Site, page: Page) -> None:
    begun = open_hero(page, f"{site.home}/")
    page.clock.run_for(TURN_MS * 4)
    shown = progress(page)
    assert shown > begun
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(TURN_MS * 4)
    assert progress(page) == shown
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("link", name="Open at this turn").click()
    expect(page).to_have_url(re.compile(rf"/matches/\d+/\?leg=\d&turn={shown}$"))


def test_after_the_end_the_next_match_follows(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        eva = visitor(context, site.home)
        open_hero(eva.page, f"{site.home}/watch/")
        first = eva.page.locator("#hero").get_attribute("data-frames")
        last = int(eva.page.get_by_role("progressbar").get_attribute("aria-valuemax") or 0)
        for _ in range(last + 1):
            eva.page.clock.run_for(3700)
            if progress(eva.page) == last:
                break
        assert progress(eva.page) == last
        eva.page.clock.run_for(6100)
        expect(eva.page.locator("#hero[data-ready]")).not_to_have_attribute("data-frames", first or "")
        assert eva.complaints == []


def test_who_wants_less_motion_turns_the_pages(site: Site, browser: Browser) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        begun = open_hero(page, f"{site.home}/watch/")
        page.clock.run_for(TURN_MS * 4)
        assert progress(page) == begun
        page.get_by_role("button", name="Next turn").click()
        assert progress(page) == begun + 1


def test_without_script_the_turn_is_a_picture_and_a_link(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.home}/watch/")
        expect(page.get_by_role("heading", level=1)).to_have_text("Now showing")
        expect(page.get_by_role("link", name="Open at this turn")).to_be_visible()
        expect(page.locator("#hero-play")).to_be_hidden()
