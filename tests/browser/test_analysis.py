"""A leg is analysed on request by the worker of a running arena, and its reader goes from mistake to mistake."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Site
from tests.browser.test_replay_page import open_replay, press, turn
from tests.browser.visit import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.full]
ANALYSIS_MS = 120_000


@pytest.fixture
def analysed(site: Site, page: Page) -> Page:
    """A replay after its analysis was requested and made. Several tests may ask for it."""
    reader = Visitor(page, site.home)
    reader.log_in("admin", site.password)
    page.goto(f"{site.home}{site.replay}?view=all")
    button = page.get_by_role("button", name="Analyse this leg")
    if button.count():
        button.click()
    expect(page.get_by_role("link", name="Learn from these moves")).to_be_visible(timeout=ANALYSIS_MS)
    open_replay(page, f"{site.home}{site.replay}?view=all")
    assert reader.complaints == []
    return page


def test_keys_lead_from_mistake_to_mistake_and_switch_judgements_off(analysed: Page) -> None:
    press(analysed, "Home", "e")
    first = turn(analysed)
    judgement = analysed.locator(".caption .judged .chip")
    expect(judgement).to_have_text(re.compile(r"^(Inaccuracy|Mistake|Blunder), −\d+$"))
    press(analysed, "e")
    assert turn(analysed) > first
    press(analysed, "Shift+E")
    assert turn(analysed) == first
    press(analysed, "g")
    expect(judgement).to_be_hidden()
    press(analysed, "g")
    expect(judgement).to_be_visible()
    analysed.get_by_role("link", name="Hide", exact=True).click()
    expect(analysed.get_by_text("Analysis hidden.")).to_be_visible()


def test_a_reader_guesses_and_is_told_what_was_better(analysed: Page) -> None:
    analysed.get_by_role("link", name="Learn from these moves").click()
    expect(analysed.get_by_role("heading", name="Learn from mistakes")).to_be_visible()
    analysed.locator(".choices button").first.click()
    expect(analysed.get_by_role("status")).to_contain_text(re.compile("nothing is better|short of the best"))
    analysed.get_by_role("link", name="See it in the replay").click()
    expect(analysed.locator(".caption .judged .chip")).to_be_visible()
