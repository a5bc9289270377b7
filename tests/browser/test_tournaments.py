"""An organiser's whole way, and a bracket on a phone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.visit import Visitor, visitor

pytestmark = pytest.mark.browser
CUP_MS = 240_000
BOTS = ("random", "greedy", "careful", "brute")
READABLE_PX = 11


def test_an_organiser_plans_opens_starts_and_takes_the_result_home(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        admin = visitor(context, site.home)
        page = admin.page
        admin.log_in("admin", site.password)
        open_cup(admin, "Friday Cup")
        page.locator("summary", has_text="Close entries and start").click()
        page.get_by_role("button", name="Close entries and start").click()
        page.get_by_role("link", name="Friday Cup").first.click()
        expect(page.get_by_text("Winner", exact=True)).to_be_visible(timeout=CUP_MS)
        page.locator("svg a").first.click()
        expect(page.locator(".stage")).to_be_visible()
        page.go_back()
        with page.expect_download() as download:
            page.locator('a[href$="standings.csv"]').click()
        lines = download.value.path().read_text().splitlines()
        assert len(lines) == 1 + len(BOTS) and all(any(bot in line for line in lines) for bot in BOTS)
        admin.open("/tournaments/friday-cup/print/")
        expect(page.get_by_role("heading", level=1)).to_contain_text("Friday Cup")
        assert admin.complaints == []


def open_cup(organiser: Visitor, title: str) -> None:
    """Plan a cup, open its entries and enter the samples, on the organiser's page."""
    page = organiser.page
    organiser.open("/tournaments/")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_label("Title").fill(title)
    page.get_by_role("combobox", name="Game").select_option("battleline/short")
    page.get_by_label("Single elimination").check()
    page.get_by_role("button", name="Save draft").click()
    page.get_by_role("button", name="Open entries").click()
    for bot in BOTS:
        page.get_by_label("Bot", exact=True).fill(bot)
        page.get_by_role("button", name="Enter bot").click()
        expect(page.locator("#entrants + *, table").get_by_text(bot).first).to_be_visible()


def test_an_organiser_disqualifies_and_cancels(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        admin = visitor(context, site.home)
        page = admin.page
        admin.log_in("admin", site.password)
        open_cup(admin, "Rainy Cup")
        page.locator("summary", has_text="Withdraw or disqualify").first.click()
        page.get_by_label("Reason (public)", exact=True).first.fill("It copies others.")
        page.get_by_role("button", name="Disqualify", exact=True).first.click()
        expect(page.get_by_text("It copies others.").first).to_be_visible()
        page.locator("summary", has_text="Cancel tournament").click()
        page.get_by_role("button", name="Cancel tournament", exact=True).click()
        expect(page.get_by_text("The tournament was cancelled and can't be changed.")).to_be_visible()
        assert admin.complaints == []


def test_a_bracket_is_readable_on_a_phone(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True) as context:
        reader = visitor(context, site.home)
        page = reader.page
        reader.open("/tournaments/opening-cup/")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        boxes = page.get_by_role("region", name="scrollable").filter(has=page.locator("svg"))
        expect(boxes).to_have_count(3)
        heights = page.eval_on_selector_all(
            "svg[aria-labelledby^=bracket] text", "all => all.map(one => one.getBoundingClientRect().height)"
        )
        assert heights and min(heights) >= READABLE_PX
        winners = boxes.first
        winners.focus()
        before = winners.evaluate("box => box.scrollLeft")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("([box, before]) => box.scrollLeft > before", arg=[winners.element_handle(), before])
        page.get_by_text("As a list", exact=True).first.click()
        page.locator("details[open] li a").first.click()
        expect(page.locator(".stage")).to_be_visible()
        assert reader.complaints == []
