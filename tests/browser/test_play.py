"""A person plays whole games in the browser: by clicking any legal thing, and by keys alone."""

import json
import re
from contextlib import suppress
from random import Random
from time import monotonic

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Locator, Page, Response, expect

from engine.registry import GAMES
from engine.replay import states
from tests.browser.conftest import Site
from tests.browser.visit import Visitor, visitor
from tests.full import full_only

pytestmark = pytest.mark.browser
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
GAME_S = 1800.0
"""Time for one game; random play takes up to some hundred turns, and each answer is shown after 0.6 s. A busy machine
takes several times as long."""
MAX_QUESTIONS = 6
"""Choices within one action: a card, what it moves, and where."""
AXE = Axe().axe_script
LEGAL = '#play button[name="action"], #play a[href*="?chosen="], #play a[href*="&chosen="]'
EAGER = '#play .play-bar button.option[name="action"], #play .spot.target:not(.aimed) a'
EAGER_SHARE = 0.8
"""How often what is begun in Battalion is carried out, and an attack aimed: else cards are moved about for hours."""
GAMES_PLAYED = [
    *[("battleline", edition, 2, DESKTOP) for edition in GAMES["battleline"].editions],
    ("battleline", "short", 2, PHONE),
    ("battalion", "standard", 2, DESKTOP),
    ("battalion", "standard", 4, PHONE),
]
FEW_CHOICES = 10
TAG = re.compile(r'data-tag="(\d+)-')
"""How many decisions were taken when a table was drawn, the reader's own that can be taken back included."""
WORD = re.compile(r"\w+")
CARD = re.compile(r"(?<![\w#-])[A-Z]\d+(?!\w)")
"""The id of a troop: of tactics the page says what they are."""


def begin(reader: Visitor, game: str, edition: str, seats: int, *, has_hints: bool = False) -> None:
    reader.open(f"/play/?game={game}")
    page = reader.page
    page.locator("summary", has_text="More options").click()
    page.locator('select[name="edition"]').select_option(edition)
    for name in ("opponent_2", "opponent_3")[: seats - 2]:
        select = page.locator(f'select[name="{name}"]')
        value = select.locator("option", has_text="random").first.get_attribute("value")
        select.select_option(value)
    if has_hints:
        page.get_by_label("Allow hints").check()
    page.get_by_role("button", name="Play random").click()
    page.locator("#play").wait_for()
    page.wait_for_load_state()  # no key does anything before the scripts have run


def is_over(page: Page) -> bool:
    return page.locator("#play.over").count() > 0


def wait_for_turn(page: Page) -> None:
    page.locator("#play:not(.waiting)").wait_for(timeout=60_000)


def choose_any(page: Page, random: Random) -> None:
    """Click something legal; where an army is laid out, a formation, the rest of the cards, and that it may go."""
    if (laying := page.get_by_role("button", name="Deploy", exact=True)).count() and laying.is_enabled():
        laying.click(timeout=2000)
        return
    if (rest := page.get_by_role("link", name="Lay the rest")).count():
        rest.click(timeout=2000)
        return
    if (shapes := page.locator(".templates a")).count():
        shapes.nth(random.randrange(shapes.count())).click(timeout=2000)
        return
    eager = page.locator(EAGER).and_(page.locator(":visible"))
    found = eager.all() if random.random() < EAGER_SHARE else []
    if found := found or list_legal(page):
        found[random.randrange(len(found))].click(timeout=2000)
    elif page.locator("#let-go").count():
        page.locator("#let-go").click(timeout=2000)


def list_legal(page: Page) -> list[Locator]:
    enabled = page.locator(LEGAL).and_(page.locator(":visible:not([aria-disabled='true']):not(#let-go)"))
    return enabled.all()


def measure_overflow(page: Page) -> list[int]:
    """By how much the page is wider and higher than the screen."""
    return page.evaluate(
        "() => { const root = document.documentElement;"
        "return [root.scrollWidth - innerWidth, root.scrollHeight - innerHeight]; }"
    )


def find_violations(page: Page) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("() => axe.run(document)")["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found]


def test_a_game_is_begun_and_resigned_on_a_phone(site: Site, browser: Browser) -> None:
    random = Random(1)
    with browser.new_context(viewport=PHONE, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battleline", "standard", 2)
        for _ in range(FEW_CHOICES):
            wait_for_turn(page)
            with suppress(Error):  # the table was swapped meanwhile
                choose_any(page, random)
            page.wait_for_timeout(100)
        wait_for_turn(page)
        assert max(measure_overflow(page)) <= 0
        assert find_violations(page) == []
        page.locator("#menu > summary").click()
        page.locator("#menu details.resign > summary").click()
        page.get_by_role("button", name="Yes, resign").click()
        page.locator("#play.over").wait_for()
        assert page.get_by_role("link", name="Replay").is_visible()
        assert reader.complaints == []


def test_the_length_of_a_series_is_asked_for_where_one_is_chosen(site: Site, page: Page) -> None:
    page.goto(f"{site.home}/play/?game=battleline")
    page.locator("summary", has_text="More options").click()
    games, points = page.get_by_label("Games of a series"), page.get_by_label("Points that end a series")
    expect(page.get_by_label("Your seat")).to_be_visible()
    expect(games.or_(points).and_(page.locator(":visible"))).to_have_count(0)
    page.get_by_label("A series of games").check()
    games.fill("1000")
    expect(points).to_be_hidden()
    page.get_by_label("A series to a number of points").check()
    expect(points).to_be_visible()
    expect(games, "a number that the browser refuses can be mended").to_be_visible()
    games.fill("")
    expect(games).to_be_hidden()


def test_a_lost_game_shows_its_end_beside_the_board_and_a_key_starts_the_rematch(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battleline", "short", 2)
        wait_for_turn(page)
        page.keyboard.press("m")
        page.locator("summary", has_text="Resign").click()
        page.get_by_role("button", name="Yes, resign").click()
        heading = page.get_by_role("heading", level=1)
        expect(heading).to_have_text("random wins")
        expect(heading).to_be_focused()
        expect(page.get_by_text(re.compile(r"You resigned on turn \d+\.")).last).to_be_visible()
        expect(page.get_by_label("The front line at the end")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Rematch")).to_be_hidden()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Rematch")).to_be_visible()
        over = page.url
        page.keyboard.press("r")
        page.locator("#play:not(.over)").wait_for()
        assert page.url != over


def test_the_panel_closes_and_a_lost_session_is_said(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battleline", "short", 2)
        wait_for_turn(page)
        page.get_by_role("button", name="Close this panel").click()
        assert not page.locator(".play-side").is_visible() and max(measure_overflow(page)) <= 0
        page.locator("#more > summary").click()
        assert page.locator(".play-side").is_visible()
        page.keyboard.press("1")
        page.locator("#play.choosing").wait_for()
        context.clear_cookies()
        page.locator('#play [data-target][name="action"]').first.click()
        page.locator("#says").get_by_text("the page is too old").wait_for()
        page.reload()
        page.locator("#says").get_by_text("You look on").wait_for()


@pytest.mark.parametrize(("game", "edition", "seats", "screen"), full_only(GAMES_PLAYED))
def test_a_whole_game_is_played_by_clicking_legal_things(
    site: Site, browser: Browser, game: str, edition: str, seats: int, screen: dict
) -> None:
    random, ends = Random(edition), monotonic() + GAME_S
    with browser.new_context(viewport=screen, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        sent = listen(page)
        begin(reader, game, edition, seats)
        looked = 0
        while not is_over(page):
            assert monotonic() < ends, f"not over: {page.url}"
            wait_for_turn(page)
            with suppress(Error):  # the table was swapped meanwhile
                choose_any(page, random)
            page.wait_for_timeout(30)
            looked += 1
            if looked in (3, 40):
                assert max(measure_overflow(page)) <= 0, f"scrolls at {page.url}"
                assert find_violations(page) == []
        assert page.get_by_role("link", name="Replay").is_visible()
        assert find_violations(page) == []
        assert reader.complaints == []
        if game == "battleline":
            record = page.request.get(page.url.partition("?")[0] + "record.json").json()
            assert len(sent) > len(record["actions"]) / 2
            assert find_leaks(record, sent) == []


def test_choosing_asks_nothing_of_the_server_and_a_step_waits_for_the_connection(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battleline", "standard", 2)
        wait_for_turn(page)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        context.set_offline(True)
        says, ghosts = page.locator("#says"), page.locator("#play .ghost")
        for card in ("2", "Escape", "3"):
            page.keyboard.press(card)
            expect(ghosts).to_have_count(0 if card == "Escape" else 9)
        assert asked == [] and "chosen=play" in page.url
        expect(says).to_contain_text("9 possible")
        decisions = read_tag(page).split("-")[0]
        page.keyboard.press("5")
        expect(says).to_contain_text("No connection. Your move will be sent as soon as it's back.")
        expect(page.locator("#play .front-5 .ghost .card"), "the card lies there already").to_be_visible()
        assert read_tag(page).split("-")[0] == decisions
        context.set_offline(False)
        expect(page.locator("#undo")).to_be_visible()
        assert int(read_tag(page).split("-")[0]) == int(decisions) + 1, "it was taken once"
        page.keyboard.press("t")
        expect(page.locator("#play.waiting")).to_have_count(1)
        wait_for_turn(page)


def listen(page: Page) -> list[str]:
    """Return the list to which the text of every answer is added that has a table in it.

    Why one can't claim a flag is left out: the answer names cards that nobody has seen, out of what everybody knows.
    """
    sent: list[str] = []

    def keep(response: Response) -> None:
        if "/play/" in response.url and "why=" not in response.url and response.ok:
            with suppress(Error):  # another page is shown already
                sent.append(response.text())

    page.on("response", keep)
    return sent


def find_leaks(record: dict, sent: list[str]) -> list[str]:
    """Return the cards that were in an answer before their reader could know them."""
    seat = next(number for number, one in enumerate(record["seats"]) if one["kind"] == "person")
    known = [
        set(WORD.findall(json.dumps([state.view(seat), state.events(seat)], default=list))) for state in states(record)
    ]
    cards = set(record["deal"]["troops"])
    leaks = []
    for text in sent:
        tag = TAG.search(text)
        if tag and int(tag[1]) < len(record["actions"]):
            hidden = cards - known[int(tag[1])]
            leaks += [f"{card} after {tag[1]} decisions" for card in hidden.intersection(CARD.findall(text))]
    return leaks


@pytest.mark.full
@pytest.mark.parametrize(("game", "edition"), [("battleline", "short"), ("battleline", "medieval")])
def test_keys_alone_play_a_whole_game(site: Site, browser: Browser, game: str, edition: str) -> None:
    """Digits choose cards, arrows go through what is legal, letters draw; nothing is clicked at the table."""
    random, ends = Random(edition), monotonic() + GAME_S
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, game, edition, 2)
        steps = 0
        while not is_over(page):
            assert monotonic() < ends, f"not over: {page.url}"
            wait_for_turn(page)
            take_step_by_keys(page, random)
            steps += 1
            if steps in (1, 10):
                assert list_unnamed(page) == []
                assert page.locator("#spoken").inner_text() == page.locator("#play").get_attribute("data-spoken")
        assert page.locator("#verdict").evaluate("element => element === document.activeElement")
        assert reader.complaints == []


def take_step_by_keys(page: Page, random: Random) -> None:
    """Choose a card and a place for it, or draw, or go with the arrows to what else there is."""
    before = read_tag(page)
    for key in random.sample("123456789", 9):
        if press(page, key) or read_tag(page) != before:
            break
    for _ in range(MAX_QUESTIONS):
        if read_tag(page) == before and is_choosing(page):
            go_right(page, random.randint(1, 3))
    for key in ("t", "y"):
        if read_tag(page) == before:
            press(page, key)
    if read_tag(page) == before:
        go_right(page, 1)


def go_right(page: Page, times: int) -> None:
    """Go on to another thing that can be done, and do it."""
    for _ in range(times):
        page.keyboard.press("ArrowRight")
    press(page, "Enter")


def read_tag(page: Page) -> str | None:
    """Return what changes with every step."""
    return page.locator("#play").get_attribute("data-tag")


def is_choosing(page: Page) -> bool:
    """Return whether a card is chosen, or one on the board is to be."""
    return page.locator("#play.choosing").count() > 0


def press(page: Page, key: str) -> bool:
    """Press a key, wait for what it brings, and return whether something is chosen then."""
    page.keyboard.press(key)
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    return is_choosing(page)


def list_unnamed(page: Page) -> list[str]:
    """Return what can be used at the table but has no name for a screen reader."""
    lines = page.locator("#play").aria_snapshot().splitlines()
    return [line for line in lines if re.fullmatch(r"\s*- (button|link|textbox|combobox)( \[[^\]]*\])*:?", line)]
