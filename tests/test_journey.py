"""The whole road, in a real browser, on real parts: sign up, upload, watch the trial, see the ladder, step through."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.visit import SAMPLES, Visitor, browser_type_launch_args, started, visitor

__all__ = ["browser_type_launch_args"]
pytestmark = pytest.mark.browser
PATIENCE = 60
"""Half seconds that a first rated match may take."""


def test_a_bot_goes_in_and_rated_matches_come_out(browser: Browser, tmp_path: Path) -> None:
    with started(tmp_path) as arena, browser.new_context() as context, browser.new_context() as elsewhere:
        home = arena.home
        ana, eva = visitor(context, home), visitor(elsewhere, home)
        ana.sign_up("ana")
        ana.upload("Kingfisher", SAMPLES / "random" / "bot.py")
        expect(ana.page).to_have_url(f"{home}/bots/kingfisher/v/1/")
        ana.wait_for_judgement("Accepted")
        expect(ana.page.locator("#spoken")).to_have_text(re.compile("Accepted"))
        watch_the_trial(ana)
        find_a_rated_match_on_the_ladder(ana)
        upload_a_bot_that_crashes(ana, eva)
        assert ana.complaints == [] and eva.complaints == []


def watch_the_trial(ana: Visitor) -> None:
    page = ana.page
    page.get_by_role("link", name="Watch the trial match").click()
    turn = page.locator(".caption .turn")
    expect(turn).to_have_text(re.compile(r"Turn 0 of \d+"))
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    for number in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        expect(turn).to_have_text(re.compile(f"Turn {number} of"))
    expect(page.locator("#caption")).to_have_text(re.compile("South (plays|lays)"))
    page.get_by_role("link", name="Last turn").click()
    expect(page.locator("#caption")).to_have_text(re.compile("(wins|Drawn)"))


def find_a_rated_match_on_the_ladder(ana: Visitor) -> None:
    page = ana.page
    page.get_by_role("link", name="Ladders").first.click()
    page.get_by_role("link", name="Battle Line, Standard", exact=True).click()
    own = page.get_by_role("row").filter(has_text="yours")
    expect(own).to_contain_text("Kingfisher")
    match = own.locator('a[href^="/matches/"]:visible').first
    for _ in range(PATIENCE):
        if match.count():
            break
        page.wait_for_timeout(500)
        page.reload()
    match.click()
    expect(page.locator(".eyebrow")).to_contain_text("rated match")
    expect(page.locator(".stage")).to_be_visible()


def upload_sources_that_are_built(ana: Visitor, folder: Path) -> None:
    """One plays like any other; the author of what doesn't compile reads the compiler's words."""
    ana.upload("Seagull", SAMPLES / "languages" / "c" / "bot.c")
    ana.wait_for_judgement("Accepted")
    expect(ana.page.locator(".stages")).to_contain_text("Built")
    broken = folder / "gannet.c"
    broken.write_text("int main(void) { return undeclared; }")
    ana.upload("Gannet", broken)
    ana.wait_for_judgement("Rejected")
    expect(ana.page.get_by_role("region", name="Compiler output")).to_contain_text("undeclared")


def upload_a_bot_that_crashes(ana: Visitor, eva: Visitor) -> None:
    """Its owner reads why in its log, and a stranger does not."""
    ana.upload("Quitter", SAMPLES / "faulty" / "crashes" / "bot.py")
    ana.wait_for_judgement("Rejected")
    log = "Its log (stderr)"
    expect(ana.page.get_by_text(log).first).to_be_visible()
    eva.open("/bots/quitter/v/1/")
    expect(eva.page.locator(".stages")).to_contain_text("Rejected")
    expect(eva.page.get_by_text(log)).to_have_count(0)
