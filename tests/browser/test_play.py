"""What a person meets at the table in the browser: beginning, choosing, waiting, losing the connection, and the end."""

import re
from contextlib import suppress
from random import Random

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Error, Locator, Page, Response, expect

from tests.browser.conftest import Site
from tests.browser.visit import Visitor, visitor

pytestmark = pytest.mark.browser
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
AXE = Axe().axe_script
FILL_REST = re.compile("^(Lay|Fill) the rest")
LEGAL = '#play button[name="action"], #play a[href*="?chosen="], #play a[href*="&chosen="]'
EAGER = '#play .play-bar button.option[name="action"], #play .spot.target:not(.aimed) a'
EAGER_SHARE = 0.8
"""How often what is begun in Battalion is carried out, and an attack aimed: else cards are moved about for hours."""
FEW_CHOICES = 10
ASK_AND_LEAVE = """() => {
  const link = document.querySelector("#play .held a").cloneNode();
  link.href = "?chosen=redeploy+S9";
  document.querySelector("#play").append(link);
  htmx.process(link);
  link.click();
  setTimeout(() => link.remove(), 0);
}"""
"""Ask for the second step of a choice, and choose something else before the answer is there."""


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


def choose_any(page: Page, random: Random) -> Locator:
    """Return something legal; where an army is laid out, a formation, the rest of the cards, and that it may go."""
    if (laying := page.get_by_role("button", name="Deploy", exact=True)).count() and laying.is_enabled():
        return laying
    if (rest := page.get_by_text(FILL_REST)).count():
        return rest.first
    if (shapes := page.locator(".templates a")).count():
        return shapes.nth(random.randrange(shapes.count()))
    eager = page.locator(EAGER).and_(page.locator(":visible"))
    found = eager.all() if random.random() < EAGER_SHARE else []
    if found := found or list_legal(page):
        return found[random.randrange(len(found))]
    return page.locator("#let-go")


def list_legal(page: Page) -> list[Locator]:
    """Return what can be chosen or done."""
    enabled = page.locator(LEGAL).and_(page.locator(":visible:not([aria-disabled='true']):not(#let-go)"))
    return enabled.all()


def measure_overflow(page: Page) -> list[int]:
    """By how much the page is wider and higher than the screen."""
    return page.evaluate(
        "() => { const root = document.documentElement;"
        "return [root.scrollWidth - innerWidth, root.scrollHeight - innerHeight]; }"
    )


def find_violations(page: Page) -> list[str]:
    page.mouse.move(0, 0)  # a tooltip under the pointer would count as text outside all landmarks
    expect(page.locator("#tip")).to_be_hidden()
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
        wait_for_turn(page)
        page.get_by_role("button", name=re.compile("^Draw a troop")).click(force=True)
        expect(page.locator("#says")).to_have_text("Play a card first, then draw.")
        page.locator(".held a").first.click()
        page.locator("#let-go").click()
        expect(page.locator("#says")).to_contain_text("Choose a card.")
        for _ in range(FEW_CHOICES):
            wait_for_turn(page)
            with suppress(Error):  # the table was swapped meanwhile
                choose_any(page, random).click(timeout=2000)
            page.wait_for_timeout(100)
        wait_for_turn(page)
        assert max(measure_overflow(page)) <= 0
        assert find_violations(page) == []
        page.locator("#menu > summary").click()
        expect(page.get_by_role("link", name="Leave table")).to_be_visible()
        page.locator("#menu details.resign > summary").click()
        page.get_by_role("link", name="No, keep playing").click()
        expect(page.locator("#menu > .panel")).to_be_hidden()
        page.locator("#menu > summary").click()
        page.locator("#menu details.resign > summary").click()
        page.get_by_role("button", name="Yes, resign").click()
        page.locator("#play.over").wait_for()
        assert page.get_by_role("link", name="Replay").is_visible()
        assert reader.complaints == []


def test_the_summary_of_the_options_follows_the_fields(site: Site, page: Page) -> None:
    page.goto(f"{site.home}/play/?game=battleline")
    options = page.locator("summary", has_text="More options")
    expect(options).to_contain_text("Standard · random seat · hints off")
    options.click()
    page.get_by_label("Allow hints").check()
    page.get_by_label("Your seat").select_option(label="First")
    page.get_by_label("Edition").select_option(label="Medieval")
    expect(options).to_contain_text("Medieval · fixed seat · hints on")


def test_the_length_of_a_series_is_asked_for_where_one_is_chosen(site: Site, page: Page) -> None:
    page.goto(f"{site.home}/play/?game=battleline")
    page.locator("summary", has_text="More options").click()
    games, points = page.get_by_label("Games in the series"), page.get_by_label("Points to end the series")
    expect(page.get_by_label("Your seat")).to_be_visible()
    expect(games.or_(points).and_(page.locator(":visible"))).to_have_count(0)
    page.get_by_label("A series of games").check()
    games.fill("1000")
    expect(points).to_be_hidden()
    page.get_by_label("A series to a set score").check()
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
        expect(heading).to_have_text("You resigned")
        expect(heading).to_be_focused()
        expect(page.get_by_text(re.compile(r"You resigned on turn \d+\.")).last).to_be_visible()
        expect(page.get_by_label("The front line at the end")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Rematch")).to_be_hidden()
        tab = page.locator("#sheet summary")
        expect(tab).to_be_in_viewport(ratio=1)
        expect(tab.get_by_text("You resigned", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Rematch")).to_be_visible()
        over = page.url
        page.goto(f"{over}replay/")
        sees = page.locator(".eyes [aria-current]").inner_text()
        assert sees.startswith(page.locator(".seat-row .seat-tag").last.inner_text()), "the own seat is below"
        expect(page.locator(".stepping")).to_be_in_viewport(ratio=1)
        page.goto(over)
        page.keyboard.press("r")
        page.locator("#play:not(.over)").wait_for()
        assert page.url != over


def test_the_panel_closes_and_a_lost_session_is_said(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battleline", "short", 2)
        wait_for_turn(page)
        page.get_by_role("button", name="Close panel").click()
        assert not page.locator(".play-side").is_visible() and max(measure_overflow(page)) <= 0
        page.locator("#more > summary").click()
        assert page.locator(".play-side").is_visible()
        page.keyboard.press("1")
        page.locator("#play.choosing").wait_for()
        context.clear_cookies()
        page.locator('#play [data-target][name="action"]').first.click()
        page.locator("#says").get_by_text("the page is out of date").wait_for()
        page.reload()
        page.locator("#says").get_by_text("You're watching this game.").wait_for()


def test_laying_out_and_choosing_in_battalion_ask_nothing_of_the_server(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        reader = visitor(context, site.home)
        page = reader.page
        begin(reader, "battalion", "standard", 2)
        wait_for_turn(page)
        asked = listen_for_requests(page)
        context.set_offline(True)
        lay_out_funnel(page)
        assert asked == [] and "chosen=deploy" in page.url
        context.set_offline(False)
        page.get_by_role("button", name="Deploy", exact=True).click()
        expect(page.locator(".played")).to_contain_text("round 1")
        wait_for_turn(page)
        expect(page.get_by_role("heading", name="Moves")).to_be_in_viewport(ratio=1)
        asked.clear()
        context.set_offline(True)
        aim_and_cancel(page)
        assert asked == []
        context.set_offline(False)
        page.get_by_role("button", name="Roll").click()
        wait_for_turn(page)


def lay_out_funnel(page: Page) -> None:
    """Lay out a formation by keys, by clicks and by dragging."""
    says = page.locator("#says")
    page.get_by_role("link", name="Funnel").click()
    page.keyboard.press("k")
    expect(says).to_contain_text("not the guard's. Strikes any card but a guard")
    page.get_by_role("link", name=re.compile(r"^Put K of \w+ here; 2b")).click()
    expect(page.get_by_text("8 cells are still empty")).to_be_visible()
    page.locator("#hand-9").drag_to(page.locator('[data-cell="1a"]'))
    expect(page.get_by_label(re.compile("^1a: 9 of"))).to_be_visible()
    page.locator('[data-cell="1a"]').click()
    page.keyboard.press("Delete")
    expect(page.get_by_label(re.compile(r"^9 of \w+, in your hand"))).to_be_visible()
    page.keyboard.press("l")
    expect(says).to_have_text("Ready. You can still make changes.")


def aim_and_cancel(page: Page) -> None:
    """Choose cards until one can attack, aim, go back by Escape, and choose the die."""
    for card in page.locator(".half [data-pick]").all():
        card.click()
        if page.locator(".spot.target").count():
            break
    page.locator(".spot.target a").first.click()
    act = page.locator(".play-bar button.option")
    expect(act).to_be_focused()
    page.keyboard.press("Escape")
    expect(act).to_have_count(0)
    expect(page.locator(".spot.target").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".spot.target")).to_have_count(0)
    page.keyboard.press("r")
    expect(page.locator("#says")).to_contain_text("Roll the die?")


def listen_for_requests(page: Page) -> list[str]:
    """Return the list to which the address of every request is added."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def test_an_answer_that_nobody_waits_for_is_not_shown(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport=DESKTOP, reduced_motion="reduce") as context:
        page = visitor(context, site.home).page
        begin(Visitor(page, site.home), "battleline", "standard", 2)
        wait_for_turn(page)
        with page.expect_response(re.compile(r"chosen=")):
            page.evaluate(ASK_AND_LEAVE)
        page.wait_for_function("() => !document.querySelector('.htmx-request')")
        expect(page.locator("#play")).to_have_count(1)
        expect(page.locator("#play .held a[data-rove]").first).to_be_visible()


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


def read_tag(page: Page) -> str | None:
    """Return what changes with every step."""
    return page.locator("#play").get_attribute("data-tag")
