"""The whole road, in a real browser, on real parts: sign up, upload, watch the trial, see the ladder, step through."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.visit import SAMPLES, Visitor, visitor

pytestmark = pytest.mark.browser
PATIENCE = 60
"""Half seconds that a first rated match may take."""


def test_a_bot_goes_in_and_rated_matches_come_out(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        bea = visitor(context, site.home)
        bea.sign_up("bea")
        bea.upload("Curlew", SAMPLES / "random" / "bot.py")
        expect(bea.page).to_have_url(f"{site.home}/bots/curlew/v/1/")
        bea.wait_for_judgement("Accepted")
        expect(bea.page.locator("#spoken")).to_have_text(re.compile("Accepted"))
        watch_the_trial(bea)
        find_a_rated_match_from_the_ladder(bea)
        assert bea.complaints == []


def test_the_owner_of_a_rejected_bot_reads_why_in_its_log_and_a_stranger_does_not(site: Site, browser: Browser) -> None:
    log = "Log (stderr)"
    with browser.new_context() as context, browser.new_context() as elsewhere:
        context.add_cookies(site.readers[0][0])
        ana, eva = visitor(context, site.home), visitor(elsewhere, site.home)
        for reader in (ana, eva):
            reader.open("/bots/quitter/v/1/")
            expect(reader.page.locator(".stages")).to_contain_text("Rejected")
        expect(ana.page.get_by_text(log).first).to_be_visible()
        expect(eva.page.get_by_text(log)).to_have_count(0)
        assert ana.complaints == [] and eva.complaints == []


def watch_the_trial(author: Visitor) -> None:
    page = author.page
    page.get_by_role("link", name="Watch the trial match").click()
    turn = page.locator(".caption .turn")
    expect(turn).to_have_text(re.compile(r"Turn 0 of \d+"))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect(turn).to_have_text(re.compile(f"Turn {number} of"))
    expect(page.locator(".caption .says")).to_have_text(re.compile("South (plays|lays)"))
    page.get_by_role("link", name="Last turn").click()
    expect(page.locator(".caption .says")).to_have_text(re.compile("(wins|Drawn)"))


def find_a_rated_match_from_the_ladder(author: Visitor) -> None:
    page = author.page
    page.get_by_role("link", name="Ladders").first.click()
    page.get_by_role("link", name="Battle Line, Standard", exact=True).click()
    own = page.get_by_role("row").filter(has_text="yours")
    expect(own).to_contain_text("Curlew")
    page.get_by_role("main").get_by_role("link", name="Matches", exact=True).click()
    match = page.get_by_role("row").filter(has_text="Curlew").locator('a[href^="/matches/"]:visible').first
    for _ in range(PATIENCE):
        if match.count():
            break
        page.wait_for_timeout(500)
        page.reload()
    match.click()
    for _ in range(PATIENCE):  # the newest of the list may still be played
        if page.locator(".eyebrow").filter(has_text="rated match").count():
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(page.locator(".eyebrow")).to_contain_text("rated match")
    expect(page.locator(".stage").first).to_be_visible()  # one that was drawn shows both legs
