"""Help at Battle Line's table, by pointer, finger and keys: sentences, rules, the list of keys, and what Escape closes.

The tables are drawn without an arena. A link is answered as the page would answer it, with the part that htmx swaps.
"""

from collections.abc import Iterator
from functools import cache
from urllib.parse import parse_qs, urlsplit

import pytest
from django.template.loader import render_to_string
from playwright.sync_api import Browser, Page, Route, expect

from arena.pages.play.context import TableLinks, build_table_context
from arena.pages.play.table import PlayTable
from tests.arena.pages.conftest import play_at_random
from tests.browser.test_play import find_violations
from tests.browser.test_table_fits import ADDRESS, SEAT, draw, lay, show
from tests.full import default_and_full

pytestmark = pytest.mark.browser
SEEDS = 4
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with browser.new_context(reduced_motion="reduce", viewport={"width": 1280, "height": 800}) as context:
        yield context.new_page()


@cache
def tables() -> list[tuple[PlayTable, str]]:
    """The tables of some plays at which the reader is to play a card, each with its page."""
    found = []
    for seed in range(SEEDS):
        record = play_at_random(seed, "standard")
        for length in range(len(record["actions"])):
            table = lay(record, length)
            if table.is_own_turn and table.scene.after[SEAT]["decision"] == "play":
                found.append((table, draw(table)))
    return found


def open_table(page: Page, table: PlayTable) -> None:
    """Show a table whose links lead on as at the site."""
    show(page, draw(table))

    def answer(route: Route) -> None:
        asked = parse_qs(urlsplit(route.request.url).query)
        record = {**table.record, "actions": table.record["actions"][: table.decisions]}
        chosen, why = (asked.get(name, [""])[0] for name in ("chosen", "why"))
        context = build_table_context(lay(record, table.decisions, chosen, why), TableLinks(page="/", step="/step/"))
        route.fulfill(content_type="text/html", body=render_to_string("play/_table.html", context))

    page.route(lambda url: url.startswith(ADDRESS) and "?" in url, answer)
    page.wait_for_function("() => document.body.matches('.scripted')")


def find_table(shown: str, count: int = 1) -> PlayTable:
    """The first table on whose page this stands so often at least."""
    return next(table for table, html in tables() if html.count(shown) >= count)


def test_a_tactics_card_says_its_sentence_under_pointer_focus_and_a_long_press(page: Page) -> None:
    table = find_table('title="Draw three cards, then put two back.')
    open_table(page, table)
    scout, tip = page.get_by_role("link", name="Scout"), page.get_by_role("tooltip")
    scout = scout.or_(page.get_by_role("button", name="Scout")).and_(page.locator("[data-rove]"))
    scout.hover()
    expect(tip).to_have_text("Draw three cards, then put two back.")
    expect(scout).to_have_accessible_description("Draw three cards, then put two back.")
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()
    for _ in range(7):
        if scout.evaluate("element => element === document.activeElement"):
            break
        page.keyboard.press("ArrowRight")
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    lying = find_table('<li class="card suit-tactic" data-card="leader-1"')
    open_table(page, lying)
    page.locator(".line-play [data-card=leader-1]").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(tip).to_have_text("Alexander: Counts as any troop: the one that makes the best formation.")


def test_a_long_press_says_what_a_card_does_and_does_not_choose_it(browser: Browser) -> None:
    with browser.new_context(viewport=PHONE, has_touch=True, reduced_motion="reduce") as context:
        page = context.new_page()
        open_table(page, find_table('title="Counts as an 8 of any colour.'))
        card = page.locator("[data-rove]").filter(has_text="Cavalry")
        box = card.bounding_box()
        assert box
        client = context.new_cdp_session(page)
        spot = [{"x": box["x"] + 8, "y": box["y"] + 30}]
        client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": spot})
        expect(page.get_by_role("tooltip")).to_contain_text("Counts as an 8 of any colour.")
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(page.get_by_role("tooltip")).to_be_visible()
        expect(page.locator("#play.choosing")).to_have_count(0)


def test_w_goes_from_one_flag_that_waits_for_its_proof_to_the_next(page: Page) -> None:
    open_table(page, find_table('class="not-yet"', count=2))
    marks = page.get_by_role("link", name="why can't I claim it?")
    numbers = [mark.split(":")[0] for mark in marks.evaluate_all("all => all.map((one) => one.ariaLabel)")]
    for number in [*numbers, numbers[0]]:
        page.keyboard.press("w")
        asked = page.get_by_role("link", name=f"{number}: why can't I claim it?")
        expect(asked).to_be_focused()
        expect(page.locator(".asked .answer")).to_be_visible()
        expect(page.get_by_role("heading", name=f"Why you can't claim {number.lower()} yet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".answer")).to_have_count(0)


def test_the_question_mark_shows_and_hides_the_keys(page: Page) -> None:
    open_table(page, find_table('class="not-yet"'))
    keys = page.get_by_text("claim, why not yet")
    for _ in range(2):
        page.keyboard.press("?")
        expect(keys).to_be_visible()
        page.keyboard.press("?")
        expect(keys).to_be_hidden()
    page.keyboard.press("?")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    expect(page.get_by_text("Rules of this edition")).to_be_hidden()


def test_escape_closes_what_was_opened_last_one_thing_at_a_time(page: Page) -> None:
    open_table(page, find_table('<details class="rule"'))
    shown = {
        "cards": page.locator("#known-cards[open]"),
        "choice": page.locator("#play.choosing"),
        "rule": page.locator(".rule[open]"),
        "menu": page.locator("#menu[open]"),
    }
    page.keyboard.press("k")
    expect(shown["cards"]).to_have_count(1)
    page.keyboard.press("1")
    expect(shown["choice"]).to_have_count(1)
    page.locator(".rule > summary").first.focus()
    page.keyboard.press("Enter")
    expect(shown["rule"]).to_have_count(1)
    page.keyboard.press("m")
    expect(shown["menu"]).to_have_count(1)
    for name in ("menu", "rule", "choice", "cards"):
        expect(shown[name]).to_have_count(1)
        page.keyboard.press("Escape")
        expect(shown[name]).to_have_count(0)
        open_now = [one for one, locator in shown.items() if locator.count()]
        assert open_now == list(shown)[: list(shown).index(name)][: len(open_now)], name
        assert len(open_now) == ["cards", "choice", "rule", "menu"].index(name)


def test_escape_goes_back_one_question(page: Page) -> None:
    open_table(page, find_table('href="?chosen=redeploy"'))
    page.locator("[data-rove]").filter(has_text="Redeploy").click()
    says = page.locator("#says")
    expect(says).to_contain_text("Which card?")
    page.locator(".pickable a").first.press("Enter")
    expect(says).to_contain_text("to which flag?")
    options = page.locator(".bar-options > *")
    expect(options.last).to_have_text("CancelEsc")
    page.keyboard.press("Escape")
    expect(says).to_contain_text("Which card?")
    page.keyboard.press("Escape")
    expect(says).to_contain_text("Choose a card.")


SOUNDS = """() => {
  window.sounds = [];
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) {
    window.sounds.push(this.frequency.value);
    return start.call(this, at);
  };
}"""


def test_sounds_are_off_until_they_are_switched_on_in_the_menu_which_is_kept(page: Page) -> None:
    table = find_table('class="not-yet"')
    for is_kept in (False, True):
        open_table(page, table)
        page.evaluate(SOUNDS)
        page.keyboard.press("m")
        switch = page.get_by_role("button", name="Sound")
        expect(switch).to_have_attribute("aria-pressed", "true" if is_kept else "false")
        if not is_kept:
            switch.press("Enter")
            expect(switch).to_have_attribute("aria-pressed", "true")
            assert len(page.evaluate("window.sounds")) == 1, "it sounds once, to be heard"


@pytest.mark.parametrize(
    ("width", "height", "scheme"),
    default_and_full(
        [(1280, 800, "dark"), (320, 640, "light")],
        [(1280, 800, "light"), (320, 640, "dark"), (640, 400, "light"), (640, 400, "dark")],
    ),
)
def test_axe_finds_nothing_in_what_opens_at_the_table(browser: Browser, width: int, height: int, scheme: str) -> None:
    """640×400 is a zoom of 200 %, and the whole page at 320 wide."""
    viewport = {"width": width, "height": height}
    with browser.new_context(reduced_motion="reduce", color_scheme=scheme, viewport=viewport) as context:
        page = context.new_page()
        open_table(page, find_table('class="taken"'))
        assert find_violations(page) == []
        if (more := page.locator("#more > summary")).is_visible():
            more.click()
        for key in "ks":
            page.keyboard.press(key)
            assert find_violations(page) == [], key
        page.keyboard.press("?")
        assert find_violations(page) == [], "keys"
        open_table(page, find_table('<details class="rule"'))
        page.locator(".rule > summary").first.press("Enter")
        expect(page.locator(".rule-text:visible")).to_have_count(1)
        assert find_violations(page) == [], "rule"
