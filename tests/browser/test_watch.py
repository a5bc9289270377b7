"""The match that plays by itself on the front page."""

import re
from time import sleep

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import visitor

pytestmark = pytest.mark.browser
TURN_MS = 2400


def open_hero(page: Page, address: str) -> int:
    """Open a page whose clock stands still, and return the turn that is shown first.

    While another test's match is being played, that one is shown: wait until a finished one is.
    """
    page.clock.install()
    for _ in range(60):
        page.goto(address)
        expect(page.locator("#hero")).to_have_attribute("data-ready", "yes")
        if page.locator("#hero").get_attribute("data-match") in list_playlist(page):
            break
        sleep(1)
    else:
        pytest.fail("no finished match was shown for a minute")
    page.clock.pause_at(page.evaluate("Date.now()") + 100)
    return progress(page)


def progress(page: Page) -> int:
    return int(page.get_by_role("progressbar").get_attribute("aria-valuenow") or -1)


def test_a_match_plays_by_itself_until_it_is_paused(site: Site, page: Page) -> None:
    begun = open_hero(page, f"{site.home}/")
    page.clock.run_for(TURN_MS * 4)
    shown = progress(page)
    assert shown > begun
    if page.locator(".chances").count():
        percents = (page.locator(".chances").get_attribute("data-chances") or "").split()
        one, other = page.locator(".chances b").all_text_contents()
        assert (one, int(one) + int(other)) == (percents[shown], 100)
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(TURN_MS * 4)
    assert progress(page) == shown
    expect(page.locator("#hero").get_by_role("button", name="Play")).to_be_visible()
    page.get_by_role("link", name="Open at this turn").click()
    expect(page).to_have_url(re.compile(rf"/matches/\d+/\?leg=\d&turn={shown}$"))


def test_after_the_end_the_next_match_follows(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        eva = visitor(context, site.home)
        open_hero(eva.page, f"{site.home}/watch/")
        first = eva.page.locator("#hero").get_attribute("data-frames")
        last = int(eva.page.get_by_role("progressbar").get_attribute("aria-valuemax") or 0)
        for _ in range(last + 1):
            eva.page.clock.run_for(3700)
            if progress(eva.page) == last:
                break
        assert progress(eva.page) == last
        eva.page.clock.run_for(6100)
        expect(eva.page.locator("#hero[data-ready]")).not_to_have_attribute("data-frames", first or "")
        assert eva.complaints == []


def test_who_wants_less_motion_turns_the_pages(site: Site, browser: Browser) -> None:
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        begun = open_hero(page, f"{site.home}/watch/")
        page.clock.run_for(TURN_MS * 4)
        assert progress(page) == begun
        page.get_by_role("button", name="Next turn").click()
        assert progress(page) == begun + 1


def test_without_script_the_turn_is_a_picture_and_a_link(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site.home}/watch/")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("link", name="Open at this turn")).to_be_visible()
        expect(page.locator("#hero-play")).to_be_hidden()


def run_to_end(page: Page) -> None:
    """Let the leg be shown to its last turn, and no further."""
    last = int(page.locator("#hero").get_attribute("data-last") or 0)
    while progress(page) < last:
        page.clock.run_for(TURN_MS)
    expect(page.locator("#hero-end")).to_be_visible()


def list_shifts(page: Page) -> list[tuple[float, list[str]]]:
    """Return what the browser has measured of parts that moved without being asked to, and which parts these were."""
    return page.evaluate("window.shifts")


WATCH_SHIFTS = """window.shifts = [];
// Three or four armies change places on purpose: who attacks stands left of who is attacked.
const isMeant = ({ node }) => node?.matches?.(".army");
const describe = ({ node, previousRect: from, currentRect: to }) =>
  `${node?.parentElement?.className} > ${node?.nodeName} ${node?.className}: ${JSON.stringify([from, to])}`;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries())
    if (!entry.hadRecentInput && !entry.sources.every(isMeant))
      window.shifts.push([entry.value, entry.sources.map(describe)]);
}).observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_nothing_moves_its_place_while_matches_are_shown(site: Site, browser: Browser, width: int, height: int) -> None:
    """Neither while the page is loaded, nor from turn to turn, nor when the result or another game takes the place."""
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        page.goto(f"{site.home}/")  # a first visit may show texts before their font is there
        page.evaluate("document.fonts.ready")
        page.add_init_script(WATCH_SHIFTS)
        open_hero(page, f"{site.home}/")
        before = page.locator(".hero").bounding_box()
        run_to_end(page)
        assert page.locator(".hero").bounding_box() == before
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        shifts = list_shifts(page)
        assert sum(value for value, _ in shifts) < 0.05, shifts  # half of what counts as good
        for match in (site.replay, site.battalion[2], site.battalion[3]):
            page.goto(f"{site.home}/watch/?match={match.strip('/').rpartition('/')[2]}")
            hero = page.locator(".hero").bounding_box()
            assert before and hero and hero["height"] == before["height"]


def list_playlist(page: Page) -> list[str]:
    """Return the matches in the order of this page, which changes with the clock and as other tests play matches."""
    return (page.locator("#hero").get_attribute("data-playlist") or "").split()


def test_no_match_is_shown_twice_to_the_same_visitor(site: Site, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        shown = []
        for _ in range(3):
            open_hero(page, f"{site.home}/")
            page.clock.run_for(TURN_MS * 4)
            shown.append(page.locator("#hero").get_attribute("data-match"))
        assert len(set(shown)) == 3
        page.evaluate("localStorage.clear()")
        open_hero(page, f"{site.home}/")
        everything = list_playlist(page)
        assert page.locator("#hero").get_attribute("data-match") == everything[0]
        seen = {match: number for number, match in enumerate(everything)}
        page.evaluate("seen => localStorage.setItem('pennant-seen', JSON.stringify(seen))", seen)
        assert page.evaluate("Object.keys(JSON.parse(localStorage.getItem('pennant-seen'))).length") == len(everything)
        open_hero(page, f"{site.home}/")
        assert page.locator("#hero").get_attribute("data-match") == list_playlist(page)[0]  # all was seen long ago


def test_the_result_of_a_match_is_told_at_its_end_alone(site: Site, page: Page) -> None:
    open_hero(page, f"{site.home}/watch/")
    end = page.locator("#hero-end")
    expect(end).to_be_hidden()
    run_to_end(page)
    expect(end.get_by_role("heading")).not_to_be_empty()
    expect(end.get_by_role("link", name="Watch leg")).to_be_visible()
