"""Both legs of a match, stepped through together."""

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import visitor

pytestmark = pytest.mark.browser


def turns(page: Page) -> list[str]:
    return [words.strip() for words in page.locator(".boards .caption .turn").all_text_contents()]


def find_different(site: Site, page: Page) -> str:
    """Return the page of the first match whose legs differ."""
    for board in site.boards:
        address = f"{board.partition('?')[0]}sides/"
        page.goto(f"{site.home}{address}")
        if page.locator("#twin[data-difference]").count():
            return address
    raise AssertionError("all matches have equal legs")


def test_both_legs_step_together_and_the_address_follows(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        eva = visitor(context, site.home)
        page = eva.page
        eva.open(f"{find_different(site, page)}?turn=6")
        expect(page.locator("#twin")).to_have_attribute("data-ready", "yes")
        assert all(turn.startswith("Turn 6 of") for turn in turns(page))
        page.keyboard.press("ArrowRight")
        assert all(turn.startswith("Turn 7 of") for turn in turns(page))
        expect(page).to_have_url(re.compile(r"turn=7$"))
        page.get_by_role("link", name="First difference").click()
        first = page.locator("#twin").get_attribute("data-difference")
        expect(page).to_have_url(re.compile(rf"turn={first}$"))
        page.keyboard.press("End")
        ends = [re.fullmatch(r"Turn (\d+) of (\d+)", turn) for turn in turns(page)]
        assert all(end is not None and end[1] == end[2] for end in ends)
        page.get_by_role("link", name="Previous turn").click()
        slider = page.get_by_role("slider", name="Step of both legs")
        assert int(slider.input_value()) == int(slider.get_attribute("max") or 0) - 1
        bottom = page.locator(".twin .transport").bounding_box()
        assert bottom is not None and bottom["y"] + bottom["height"] <= 800
        assert eva.complaints == []


def test_without_script_steps_are_links(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.home}{site.replay}sides/?turn=6")
        page.get_by_role("link", name="Next turn").click()
        assert all(turn.startswith("Turn 7 of") for turn in turns(page))
