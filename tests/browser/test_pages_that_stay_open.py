"""Pages that stay open: the one that is left on a projector, and others that are polled."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import visitor

pytestmark = pytest.mark.browser
SCREENS = ((1920, 1080), (1280, 720), (1024, 768))


def scrolls(page: Page) -> bool:
    return bool(
        page.evaluate(
            "document.documentElement.scrollHeight > innerHeight || document.documentElement.scrollWidth > innerWidth"
        )
    )


def test_the_podium_fits_every_screen_and_keys_work(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        guest = visitor(context, site.home)
        page = guest.page
        guest.open("/tournaments/opening-cup/projector/")
        for width, height in SCREENS:
            page.set_viewport_size({"width": width, "height": height})
            expect(page.locator(".podium h2")).to_be_in_viewport()
            expect(page.locator(".awards li").last).to_be_in_viewport(ratio=1)
            assert not scrolls(page)
        page.keyboard.press("s")
        expect(page.locator(".podium")).to_be_hidden()
        expect(page.get_by_role("table", name="Standings")).to_be_visible()
        page.keyboard.press("s")
        theme = page.evaluate("document.documentElement.dataset.theme")
        page.keyboard.press("t")
        assert page.evaluate("document.documentElement.dataset.theme") not in (theme, None)
        page.keyboard.press("b")
        expect(page.locator("#screen")).to_be_hidden()
        page.keyboard.press("b")
        expect(page.locator("#screen")).to_be_visible()
        page.keyboard.press("?")
        expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
        assert guest.complaints == []


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/tournaments/house-league/projector/", "No update for 20 s. Trying again."),
        ("/tournaments/house-league/", "No connection for 20 s. Trying again."),
        ("/queue/", "No connection for 20 s. Trying again."),
    ],
)
def test_a_lost_connection_is_said_and_found_again(site: Site, browser: Browser, address: str, sentence: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.clock.install()
        page.goto(site.home + address)
        lost = page.get_by_text(sentence)
        with page.expect_response(f"**{address}*"):
            page.clock.run_for(6_000)
        expect(lost).to_be_hidden()
        context.set_offline(True)
        page.clock.run_for(27_000)
        expect(lost).to_be_visible()
        context.set_offline(False)
        with page.expect_response(f"**{address}*"):
            page.clock.run_for(6_000)
        page.clock.run_for(2_000)
        expect(lost).to_be_hidden()
