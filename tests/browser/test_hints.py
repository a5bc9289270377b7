"""A person asks for a hint by its key, sees it on the board and in words, and plays it."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.test_play import DESKTOP, PHONE, begin, find_violations, listen, measure_overflow, wait_for_turn
from tests.browser.visit import visitor
from tests.full import default_and_full

pytestmark = pytest.mark.browser
HINT = re.compile(r"^Hint: .+ \(\d+% between equal players\)\. (Second best: .+ \(\d+%\)|Equally good: .+)\.$")
HINT_MS = 60_000


@pytest.mark.parametrize("screen", default_and_full([PHONE], [DESKTOP]))
def test_a_hint_is_shown_in_words_and_on_the_board(site: Site, browser: Browser, screen: dict) -> None:
    with browser.new_context(viewport=screen, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        sent = listen(page)
        begin(reader, "battleline", "short", 2, has_hints=True)
        wait_for_turn(page)
        page.keyboard.press("h")
        says = page.locator("#says .whole")
        expect(says).to_have_text(HINT, timeout=HINT_MS)
        said_after_the_opponents_move = re.compile(HINT.pattern.removeprefix("^"))
        expect(page.locator("#spoken")).to_have_text(said_after_the_opponents_move)
        expect(page.locator(".play-hand .card.better")).to_be_visible()
        expect(page.locator(".side.south > .card.better")).to_be_visible()
        assert max(measure_overflow(page)) <= 0
        assert find_violations(page) == []
        page.locator(".play-hand li:has(.card.better) a").click()
        page.locator("#play.choosing").wait_for()
        assert "Hint" not in says.inner_text() and len(sent) > 1
        assert reader.complaints == []
