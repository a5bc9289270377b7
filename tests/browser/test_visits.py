"""Visits of spectators and of readers of Hungarian, from the front page on."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import visitor

pytestmark = pytest.mark.browser
END_MS = 90_000
"""The match may still be played, on a busy machine."""


def test_a_spectator_finds_a_match_and_sees_why_it_was_won(site: Site, browser: Browser) -> None:
    """From the front page to a claim's proof, to the bot that made it, to its rival."""
    with browser.new_context() as context:
        eva = visitor(context, site.home)
        page = eva.page
        eva.open("/")
        page.get_by_role("link", name="Matches").first.click()
        page.get_by_label("Game", exact=False).first.select_option(label="Battle Line")
        page.get_by_label("Bot", exact=True).first.fill("careful")
        page.get_by_label("State", exact=False).first.select_option("finished")
        page.get_by_role("button", name="Show").click()
        page.locator("tbody tr td a").first.click()
        expect(page.locator(".stage")).to_be_visible(timeout=END_MS)
        page.get_by_role("link", name="Next claim").click()
        expect(page.locator(".proof h2").first).to_have_text(re.compile(r"Why .+ can claim flag \d"))
        page.get_by_role("link", name="Match transcript").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.go_back()
        page.locator("h1 a").first.click()
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Bots").click()
        page.get_by_role("link", name="careful", exact=True).first.click()
        expect(page.get_by_role("heading", name="Rating history")).to_be_visible()
        page.locator('a[href*="/against/"]').first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("careful")
        assert eva.complaints == []


def test_a_record_from_disk_is_stepped_through(site: Site, page: Page, tmp_path) -> None:
    record = page.request.get(f"{site.home}{site.replay}legs/1/record.json")
    file = tmp_path / "game.json"
    file.write_bytes(record.body())
    page.goto(f"{site.home}/viewer/")
    page.locator("input[type=file]").set_input_files(file)
    page.locator("main form button").first.click()
    turn = page.locator(".caption .turn")
    expect(turn).to_have_text(re.compile(r"Turn 0 of \d+"))
    expect(page.locator("#replay")).to_have_attribute("data-ready", "yes")
    page.keyboard.press("ArrowRight")
    expect(turn).to_have_text(re.compile(r"Turn 1 of \d+"))


@pytest.fixture
def magyar(site: Site, browser: Browser):
    with browser.new_context(locale="hu-HU", viewport={"width": 390, "height": 800}) as context:
        yield visitor(context, site.home)


def test_the_language_is_a_choice_that_stays(site: Site, magyar) -> None:
    page = magyar.page
    magyar.open("/ladders/")
    page.get_by_role("button", name="English").first.click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page).to_have_url(f"{site.home}/ladders/")
    magyar.open("/start/")
    expect(page.get_by_role("heading", level=1)).to_have_text("First steps")
