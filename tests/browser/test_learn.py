"""The lessons in a browser, by keys alone and on every screen. Their pages need no database, so no arena is started."""

from collections.abc import Iterator
from itertools import product

import pytest
from django.contrib.staticfiles.finders import find
from django.test import Client
from playwright.sync_api import Browser, Page, Route, expect

from arena.pages.learn.lesson import read_script
from arena.pages.learn.views import LESSONS
from tests.browser.test_play import find_violations
from tests.full import default_and_full

pytestmark = pytest.mark.browser
HOME = "http://lesson.test"
SCREENS = [(1280, 800), (390, 844), (844, 390), (320, 640)]
FOR_AXE = SCREENS[:2]
LOOKS = (("light", "dark"), ("en", "hu"))
DEFAULT_LOOKS = [("battleline", "light", "en"), ("battalion", "dark", "hu")]
SIDEWAYS = "() => document.documentElement.scrollWidth - innerWidth"


def answer(route: Route) -> None:
    """Answer from the site's own views, as its server does."""
    path = route.request.url.removeprefix(HOME)
    file = find(path.removeprefix("/static/").split("?")[0]) if path.startswith("/static/") else None
    if file:
        route.fulfill(path=file)
        return
    if path.endswith(".css"):  # axe looks for the parts of sheets beside the page
        route.fulfill(status=404)
        return
    wanted = ("hx-request", "hx-boosted", "hx-target", "hx-current-url", "accept-language")
    headers = {name: value for name, value in route.request.headers.items() if name in wanted}
    page = Client(headers=headers).get(path, follow=True)
    sent = {name: value for name, value in page.items() if name.lower().startswith(("content-", "hx-"))}
    route.fulfill(status=page.status_code, headers=sent, body=page.content)


def open_pages(browser: Browser, **options: object) -> Iterator[Page]:
    with browser.new_context(reduced_motion="reduce", locale="en", **options) as context:  # type: ignore[arg-type]
        context.route("**/*", answer)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        yield page


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    yield from open_pages(browser)


@pytest.fixture
def page_without_scripts(browser: Browser) -> Iterator[Page]:
    yield from open_pages(browser, java_script_enabled=False)


def expect_heading(page: Page, name: str) -> None:
    """Wait for a page with this heading, and for its scripts."""
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.wait_for_load_state("load")


def test_the_lesson_is_learnt_by_keys_and_goes_on_where_one_stopped(page: Page) -> None:
    says = page.locator("#says")

    def press(*keys: str) -> None:
        for key in keys:
            page.keyboard.press(key)

    page.goto(f"{HOME}/learn/")
    expect_heading(page, "Three cards make a formation")
    # Another card at the flag of the offered one is taken back, with a reason.
    press("Escape")
    expect(says).to_contain_text("Choose a card.")
    press("2", "2")
    expect(says).to_contain_text("Taken back. That makes a host of 25; a wedge is stronger.")
    press("2")
    expect(says).to_contain_text("A wedge of 24")
    expect(page.locator("#spoken")).to_contain_text("North plays orange 2 at flag 2.")
    press("PageDown")
    expect_heading(page, "Why you can claim flag 3")
    press("PageUp")
    expect_heading(page, "Three cards make a formation")
    press("PageDown")
    expect_heading(page, "Why you can claim flag 3")
    page.goto(f"{HOME}/learn/")
    expect_heading(page, "Why you can claim flag 3")
    press("Enter")
    expect(says).to_contain_text("Flag 3 is yours")
    press("PageDown")
    expect_heading(page, "A tactics card bends the rules")
    press("Enter")
    expect(says).to_contain_text("North can reach 12 at most now")
    press("c")
    expect(page.get_by_role("heading", name="You win by envelopment")).to_be_focused()
    page.goto(f"{HOME}/learn/")
    expect_heading(page, "Three cards make a formation")


def test_without_scripts_the_offered_move_is_a_link(page_without_scripts: Page) -> None:
    page = page_without_scripts
    page.goto(f"{HOME}/learn/battalion/")
    for following in ("Next: the Jack", "Next: the Queen"):
        page.get_by_role("link", name="Show me").click()
        page.get_by_role("link", name=following).click()
    page.get_by_role("button", name="Attack", exact=True).click()
    expect(page.get_by_role("heading", name="You win")).to_be_visible()


@pytest.mark.parametrize(
    ("game", "theme", "language"),
    default_and_full(DEFAULT_LOOKS, [look for look in product(LESSONS, *LOOKS) if look not in DEFAULT_LOOKS]),
)
def test_nothing_scrolls_sideways_and_axe_finds_nothing(browser: Browser, game: str, theme: str, language: str) -> None:
    problems = []
    for page in open_pages(browser, color_scheme=theme, extra_http_headers={"Accept-Language": language}):
        for step, moves in enumerate(read_script(LESSONS[game].script).moves, start=1):
            for made in (0, len(moves)):
                page.goto(f"{HOME}/learn/{game}/{step}/{made}/")
                for width, height in SCREENS:
                    page.set_viewport_size({"width": width, "height": height})
                    found = ["scrolls sideways"] if page.evaluate(SIDEWAYS) > 0 else []
                    found += find_violations(page) if (width, height) in FOR_AXE else []
                    problems += [f"{game} {step} {made}, {width}×{height}: {one}" for one in found]
    assert problems == []
