import re

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import Site
from tests.browser.visit import SCREENSHOTS, Visitor, visitor

pytestmark = pytest.mark.browser
CASES = [
    ("owner", "light", 1280),
    ("owner", "dark", 1280),
    ("owner", "light", 390),
    ("owner", "dark", 390),
    ("owner", "light", 320),
    ("nobody", "light", 390),
    ("nobody", "dark", 1280),
]
TARGET = 24
"""Smallest side of what can be hit with a finger, in pixels, where it is not a word in a sentence."""


@pytest.mark.parametrize(("who", "theme", "width"), CASES)
def test_every_page_is_whole_at_every_width_in_both_themes(
    site: Site, browser: Browser, who: str, theme: str, width: int
) -> None:
    with browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900}) as context:
        if who == "owner":
            context.add_cookies(site.cookies)
        reader = visitor(context, site.home)
        for address in site.addresses:
            reader.open(address)
            check_page(reader, address, width)
            if who == "owner":
                name = re.sub(r"\W+", "-", address).strip("-") or "home"
                reader.page.screenshot(path=SCREENSHOTS / f"{name}-{theme}-{width}.png", full_page=True)
        assert reader.complaints == []


def check_page(reader: Visitor, address: str, width: int) -> None:
    page = reader.page
    assert page.title(), address
    assert page.get_by_role("main").count() == 1, address
    assert page.get_by_role("heading", level=1).count() == 1, address
    assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{address} scrolls sideways"
    small = page.evaluate(
        """least => [...document.querySelectorAll("button, .button, nav a, .choice a, input, select")]
            .filter(one => one.checkVisibility() && !["hidden", "radio", "checkbox"].includes(one.type))
            .filter(one => Math.min(one.offsetWidth, one.offsetHeight) < least)
            .map(one => one.outerHTML.slice(0, 80))""",
        TARGET,
    )
    assert small == [], address
