import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import resolve
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site, chosen
from tests.browser.validity import complaints_about
from tests.browser.visit import SCREENSHOTS, Visitor, visitor
from tests.full import default_and_full, is_full_run

pytestmark = pytest.mark.browser
HUNGARIAN, ENGLISH = "hu-HU", "en-US"
CASES = default_and_full(
    [("dark", 390, HUNGARIAN)],
    [(theme, width, ENGLISH) for theme in ("light", "dark") for width in (390, 1280)],
)
"""By default in Hungarian, whose words are longer."""
HEIGHT = 900
QUALITY = 80
"""Of a picture, in per cent. As a PNG it would take half as long again."""
AXE = Axe().axe_script
TARGET = 24
"""Smallest side of what can be hit with a finger, in pixels, where it is not a word in a sentence."""
NARROWEST = 320
LANDMARKS = ("banner", "main", "contentinfo")
EXAMINED = {
    *("home", "ladder", "matches", "match", "bots", "bot", "version", "upload", "rules", "queue", "settings"),
    *("account_login", "tournament", "new_tournament", "organise_tournament"),
}
"""The views that axe examines by default, a page of each kind: it takes longer than all else."""
EVERYTHING = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.mark.parametrize(("theme", "width", "locale"), CASES)
def test_every_page_is_whole_and_open_to_everybody(
    site: Site, browser: Browser, theme: str, width: int, locale: str
) -> None:
    barriers: list[str] = []
    examined: set[str] = set()
    viewport = {"width": width, "height": HEIGHT}
    with browser.new_context(viewport=viewport, color_scheme=theme, locale=locale) as context:
        for cookies, addresses in site.readers:
            context.clear_cookies()
            context.add_cookies(cookies)
            reader = visitor(context, site.home)
            for address in chosen(site, addresses):
                open_whole(reader, address, width)
                check_page(reader, address, width)
                if not address.startswith("/api/"):  # it has one language
                    assert reader.page.locator("html").get_attribute("lang") == locale[:2], address
                view = resolve(urlsplit(address).path).view_name
                if is_full_run() or view in EXAMINED:
                    examined.add(view)
                    reader.page.evaluate(AXE)
                    barriers += list_barriers(reader, address)
                keep_picture(reader, address, f"{theme}-{width}-{locale[:2]}")
            assert reader.complaints == []
    assert barriers == []
    assert examined >= EXAMINED


def open_whole(reader: Visitor, address: str, width: int) -> None:
    """Without scrolling: a replay's buttons stay in sight and may hide half of a link, which is too small to be hit."""
    reader.page.set_viewport_size({"width": width, "height": HEIGHT})
    reader.open(address)
    height = reader.page.evaluate("document.documentElement.scrollHeight")
    reader.page.set_viewport_size({"width": width, "height": height})


def keep_picture(reader: Visitor, address: str, case: str) -> None:
    """Keep it for people, who look at pages before a release: only with `--full`."""
    if not is_full_run():
        return
    name = re.sub(r"\W+", "-", address).strip("-") or "home"
    reader.page.screenshot(path=SCREENSHOTS / f"{name}-{case}.jpg", full_page=True, quality=QUALITY)


def test_every_edition_fits_the_smallest_phone_and_needs_no_account(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": NARROWEST, "height": 900}) as context:
        reader = visitor(context, site.home)
        for address in dict.fromkeys(chosen(site, site.editions) + site.boards):
            reader.open(address)
            check_page(reader, address, NARROWEST)
        assert reader.complaints == []


def check_page(reader: Visitor, address: str, width: int) -> None:
    page = reader.page
    assert page.title(), address
    for landmark in LANDMARKS:
        assert page.get_by_role(landmark).count() == 1, f"{address}: {landmark}"
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


def list_barriers(reader: Visitor, address: str) -> list[str]:
    """What axe, which is in the page already, has to say of it."""
    options = {"runOnly": EVERYTHING, "resultTypes": ["violations"], "preload": False}
    violations = reader.page.evaluate("options => axe.run(document, options)", options)["violations"]
    return [
        f"{address}: {one['id']}, {one['help']}: {one['nodes'][0]['html'][:160]} ({len(one['nodes'])})"
        for one in violations
    ]


def test_every_page_is_valid_html(site: Site, browser: Browser, tmp_path: Path) -> None:
    """As the server sends it."""
    names = {}
    with browser.new_context() as context:
        for cookies, addresses in site.readers:
            context.clear_cookies()
            context.add_cookies(cookies)
            for address in chosen(site, addresses):
                answer = context.request.get(site.home + address)
                name = f"{len(names)}.html"
                (tmp_path / name).write_bytes(answer.body())
                names[name] = address
    assert [f"{names[page]}: {words}" for page, words in complaints_about(tmp_path)] == []


SPOT = "one => [one.closest('tr').rowIndex, one.closest('td').cellIndex]"


def test_arrows_walk_the_crosstable_and_enter_opens_a_pair(site: Site, page: Page) -> None:
    page.goto(f"{site.home}/ladders/battleline/standard/")
    cells = page.locator("[data-cross] td a")
    spots: list[tuple[int, int]] = [tuple(spot) for spot in cells.evaluate_all(f"all => all.map({SPOT})")]
    row, column = next(spot for spot in spots if sum(one[0] == spot[0] for one in spots) > 1)
    in_row = [one for one in spots if one[0] == row]
    below = [one for one in spots if one[0] > row and one[1] == column]

    def press(key: str) -> tuple[int, int]:
        page.keyboard.press(key)
        row, column = page.evaluate(f"({SPOT})(document.activeElement)")
        return row, column

    cells.nth(spots.index((row, column))).focus()
    assert press("ArrowRight") == in_row[1] and press("ArrowLeft") == in_row[0]
    assert press("End") == in_row[-1] and press("Home") == in_row[0]
    if below:
        assert press("ArrowDown") == below[0] and press("ArrowUp") == (row, column)
    assert page.locator("[data-cross] a[tabindex='0']").count() == 1, "Tab enters the table once"
    address = cells.nth(spots.index((row, column))).get_attribute("href")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"{re.escape(address or '')}$"))
