import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.visit import Visitor
from tests.full import default_and_full

pytestmark = pytest.mark.browser


@pytest.fixture
def replay(site: Site, page: Page) -> Iterator[Page]:
    """About which the browser has nothing to complain of, its policy for content included."""
    reader = Visitor(page, site.home)
    yield open_replay(page, site.home + site.replay)
    assert reader.complaints == []


def open_replay(page: Page, address: str) -> Page:
    """With all frames there."""
    page.goto(address)
    expect(page.locator("#replay[data-ready]")).to_have_count(1)
    return page


def turn(page: Page) -> int:
    return int(page.locator(".caption .turn").inner_text().split()[1])


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.fixture
def asked(replay: Page) -> list[str]:
    """What the page asks for from now on."""
    addresses: list[str] = []
    replay.on("request", lambda request: "favicon" in request.url or addresses.append(request.url))
    return addresses


def test_no_step_asks_for_anything(replay: Page, asked: list[str]) -> None:
    replay.evaluate("window.stayed = true")
    press(replay, "ArrowRight", "ArrowRight", "End", "ArrowLeft", "Home", "n", "Shift+ArrowRight")
    replay.get_by_role("link", name="Next turn").click()
    replay.locator("#moves a").nth(11).click()
    expect(replay).to_have_url(re.compile(r"turn=12&view=all$"))
    assert turn(replay) == 12
    assert replay.evaluate("window.stayed")
    assert asked == []


def test_keys_step_and_the_address_follows(replay: Page) -> None:
    last = int(replay.locator("#replay").get_attribute("data-last") or 0)
    for keys, reached in [
        (["ArrowRight"], 1),
        (["ArrowRight", "ArrowRight"], 3),
        (["ArrowLeft"], 2),
        (["Shift+ArrowRight"], 4),
        (["Shift+ArrowRight"], 6),
        (["Shift+ArrowLeft"], 4),
        (["End"], last),
        (["ArrowRight"], last),
        (["Home"], 0),
        (["ArrowLeft"], 0),
    ]:
        press(replay, *keys)
        assert turn(replay) == reached
    press(replay, "ArrowRight")
    expect(replay).to_have_url(re.compile(r"turn=1&view=all$"))


def test_a_step_is_what_the_server_would_have_drawn(site: Site, replay: Page, page: Page) -> None:
    press(replay, *["ArrowRight"] * 23, "ArrowLeft")
    drawn = "[...document.querySelectorAll('[data-slot]')].map((slot) => slot.outerHTML)"
    here = replay.evaluate(drawn)
    assert here
    open_replay(page, f"{site.home}{site.replay}?turn=22")
    assert page.evaluate(drawn) == here
    links = "[...document.querySelectorAll('.transport a')].map((link) => [link.id, link.dataset.step])"
    assert ["step-next", "23"] in page.evaluate(links)


def test_a_step_is_spoken_once_and_the_focus_stays(replay: Page) -> None:
    replay.get_by_role("link", name="Next turn").click()
    spoken = replay.locator("#spoken")
    expect(spoken).to_have_text(re.compile(r"Turn 1 of \d+\. South plays"))
    assert spoken.get_attribute("aria-live") == "polite"
    assert replay.evaluate("document.activeElement.id") == "step-next"
    expect(replay.locator("[aria-live]")).to_have_count(1)


def test_the_focus_stays_in_what_a_step_replaces(replay: Page) -> None:
    press(replay, "n")
    replay.locator("[data-slot=why] a").first.focus()
    before = turn(replay)
    press(replay, "n")
    assert turn(replay) > before
    assert replay.evaluate("document.activeElement.closest('[data-slot]').dataset.slot") == "why"


def test_steps_are_not_a_hundred_pages_back(replay: Page) -> None:
    before = replay.evaluate("history.length")
    press(replay, *["ArrowRight"] * 4)
    expect(replay).to_have_url(re.compile("turn=4&"))
    assert replay.evaluate("history.length") == before


def test_a_key_held_down_leaves_address_and_table_at_the_same_turn(replay: Page) -> None:
    for _ in range(40):
        replay.keyboard.press("ArrowRight", delay=2)
    assert turn(replay) == 40
    expect(replay).to_have_url(re.compile(r"turn=40&"))


def test_space_plays_and_stops(replay: Page) -> None:
    play = replay.get_by_role("button", name="Play")
    press(replay, " ")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(replay.locator(".caption .turn")).to_have_text(re.compile("Turn 2 of"))
    expect(replay.locator("#spoken")).to_be_empty()
    press(replay, " ")
    expect(play).to_have_attribute("aria-pressed", "false")
    expect(replay.locator("#spoken")).to_have_text(re.compile(r"Turn \d+ of"))


def test_a_leg_is_played_to_its_end_and_from_the_start_again(replay: Page) -> None:
    press(replay, "End", "ArrowLeft", "ArrowLeft", "+", "+", " ")
    play = replay.get_by_role("button", name="Play")
    expect(play).to_have_attribute("aria-pressed", "false")
    last = turn(replay)
    assert replay.locator("#replay").get_attribute("data-last") == str(last)
    expect(replay.locator("#step-next")).to_have_attribute("aria-disabled", "true")
    expect(replay.locator("#spoken")).to_have_text(re.compile(f"Turn {last} of"))
    press(replay, "-", "-", "-")  # slowly, so that the first turn is still there when it is looked for
    play.click()
    expect(replay.locator(".caption .turn")).to_have_text(re.compile("Turn 1 of"))


def test_the_speed_is_a_choice_that_is_remembered(replay: Page) -> None:
    speeds = replay.get_by_role("group", name="Speed")
    chosen = speeds.locator("[aria-pressed=true]")
    expect(chosen).to_have_text("1×")
    speeds.get_by_role("button", name="2×").click()
    press(replay, "+", "+", "-")
    expect(chosen).to_have_text("2×")
    replay.reload()
    expect(chosen).to_have_text("2×")


def test_the_handle_is_dragged_through_the_leg(replay: Page) -> None:
    handle = replay.get_by_role("slider", name="Turn")
    handle.fill("17")
    assert turn(replay) == 17
    assert (handle.get_attribute("aria-valuetext") or "").startswith("Turn 17 of")
    handle.focus()
    press(replay, "ArrowRight")
    assert turn(replay) == 18
    press(replay, "Home")
    assert turn(replay) == 0


def test_the_timeline_is_pressed_anywhere(replay: Page) -> None:
    plot = replay.locator(".plot.thinking")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box
    last = int(replay.locator("#replay").get_attribute("data-last") or 0)
    plot.click(position={"x": box["width"] * 20.2 / last, "y": box["height"] / 2})
    assert turn(replay) == 20
    head = replay.locator(".plot.thinking .playhead line").bounding_box()
    assert head
    assert abs(head["x"] + head["width"] / 2 - box["x"] - box["width"] * 20 / last) < 2


def test_marks_and_jumps_lead_to_claims(replay: Page) -> None:
    press(replay, "n")
    first = turn(replay)
    expect(replay.locator(".caption")).to_contain_text("claims")
    press(replay, "n")
    second = turn(replay)
    assert 0 < first < second
    press(replay, "p")
    assert turn(replay) == first
    replay.get_by_role("link", name="Next claim").click()
    assert turn(replay) == second
    replay.locator(f".marks [data-step='{first}']").first.focus()  # a mark beside it may cover it
    replay.keyboard.press("Enter")
    assert turn(replay) == first


def test_the_link_to_a_turn_is_copied_and_leads_there(site: Site, replay: Page) -> None:
    replay.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site.home)
    press(replay, *["ArrowRight"] * 13)
    expect(replay.locator("#link")).to_contain_text("Link to turn 13")
    press(replay, "l")
    expect(replay.locator("#link")).to_contain_text("Link copied")
    copied = replay.evaluate("navigator.clipboard.readText()")
    assert copied == f"{site.home}{site.replay}?view=all&turn=13"
    replay.goto(copied)
    assert turn(replay) == 13


def test_help_names_the_keys_and_lets_them_rest(replay: Page) -> None:
    press(replay, "?")
    help_ = replay.get_by_role("dialog", name="Keys")
    expect(help_).to_be_visible()
    press(replay, "ArrowRight")
    press(replay, "Escape")
    expect(help_).to_be_hidden()
    assert turn(replay) == 0
    replay.get_by_role("button", name="Keys").click()
    help_.get_by_role("button", name="Close").click()
    expect(help_).to_be_hidden()


def test_keys_leave_shortcuts_of_the_browser_alone(replay: Page) -> None:
    press(replay, "Alt+Shift+ArrowRight", "Control+Home", "ArrowRight")
    assert turn(replay) == 1


def test_eyes_of_a_seat_keep_the_turn_and_stay_while_stepping(replay: Page) -> None:
    press(replay, "ArrowRight", "ArrowRight", "1")
    expect(replay).to_have_url(re.compile(r"view=0.*turn=2|turn=2.*view=0"))
    hidden = replay.get_by_role("list", name="North's hand").locator(".back")
    expect(hidden).to_have_count(7)
    open_replay(replay, replay.url)
    press(replay, "ArrowRight")
    expect(replay).to_have_url(re.compile(r"turn=3"))
    expect(hidden).to_have_count(7)
    expect(replay.get_by_role("list", name="South's hand").locator(".back")).to_have_count(0)
    assert "view=0" in replay.url
    press(replay, "0")
    expect(replay).to_have_url(re.compile(r"view=all"))
    assert turn(replay) == 3


def test_the_other_leg_keeps_the_turn(replay: Page) -> None:
    press(replay, *["ArrowRight"] * 5)
    replay.get_by_role("link", name="Leg 2").click()
    expect(replay).to_have_url(re.compile(r"leg=2"))
    assert turn(replay) == 5


def test_frames_that_never_come_leave_pages(site: Site, page: Page) -> None:
    page.route("**/frames.json*", lambda route: route.abort())
    page.goto(site.home + site.replay)
    page.get_by_role("link", name="Next turn").click()
    expect(page).to_have_url(re.compile(r"turn=1$"))
    page.wait_for_load_state()
    press(page, "ArrowRight")
    expect(page).to_have_url(re.compile(r"turn=2$"))
    expect(page.locator("#step-play")).to_be_hidden()


def test_the_record_can_be_downloaded(site: Site, replay: Page) -> None:
    with replay.expect_download() as download:
        replay.get_by_role("link", name="Record", exact=True).click()
    number = site.replay.strip("/").rpartition("/")[2]
    assert download.value.suggested_filename == f"pennant-{number}-1.json"


@pytest.mark.parametrize("players", default_and_full([2, 4], [3]))
def test_battalion_is_stepped_through_from_its_deployment(site: Site, page: Page, players: int) -> None:
    open_replay(page, f"{site.home}{site.battalion[players]}?leg=1")
    expect(page.locator(".army")).to_have_count(players)
    expect(page.locator(".army .cell")).to_have_count(0)
    for step in range(1, players + 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".caption .turn")).to_have_text(f"Opening, step {step} of {players}")
        expect(page.locator(".army .field:has(.cell)")).to_have_count(step)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption .turn")).to_have_text(re.compile("Turn 1 of"))
    page.get_by_role("link", name="Hearts sees").click()
    spades = page.get_by_role("group", name="Spades")
    expect(spades.locator(".card.back").first).to_be_visible()
    expect(page.get_by_role("group", name="Hearts").locator(".card.back")).to_have_count(0)


def test_the_rulings_of_an_attack_lead_to_the_rules(site: Site, page: Page) -> None:
    page.goto(site.home + site.battalion[3])
    page.locator("#moves a", has_text="attacks").first.click()
    ruling = page.locator(".proof .footnote a").first
    number = ruling.inner_text()
    ruling.click()
    expect(page).to_have_url(f"{site.home}/rules/battalion/standard/#{number}")
    expect(page.locator(f"#{number}")).to_be_in_viewport()


def test_an_attack_is_drawn_from_cell_to_cell(site: Site, page: Page) -> None:
    """The arc over two armies ends where the first cell of the path in the other one stands."""
    page.goto(f"{site.home}{site.battalion[2]}?leg=1")
    page.locator("#moves a", has_text=re.compile("attacks .* (beats|falls)")).first.click()
    arc, raider = page.locator(".arc").bounding_box(), page.locator(".raider").bounding_box()
    army = page.locator(".army", has=page.locator(".raider")).bounding_box()
    assert arc and raider and army
    assert arc["y"] <= raider["y"] <= arc["y"] + arc["height"]
    assert army["x"] <= raider["x"] and raider["x"] + raider["width"] <= army["x"] + army["width"]
    path = page.locator(".arc path").last.get_attribute("d") or ""
    end = float(path.split()[-2]) / 200 * arc["width"] + arc["x"]
    assert abs(end - (raider["x"] + raider["width"] / 2)) < arc["width"] / 100


def test_without_script_each_turn_is_a_page(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site.home + site.replay)
        page.get_by_role("link", name="Next turn").click()
        page.get_by_role("link", name="Next turn").click()
        assert turn(page) == 2
        page.get_by_role("link", name="Last turn").click()
        page.get_by_role("link", name="Previous turn").click()
        last = int(page.locator(".caption .turn").inner_text().split()[3])
        assert turn(page) == last - 1
        for scripted in ("#step-play", "#scrub", "#show-keys", "[data-speed] >> nth=0"):
            expect(page.locator(scripted)).to_be_hidden()
        page.locator(".marks a").first.click()
        assert page.url.endswith(f"turn={turn(page)}")


def test_without_script_the_theme_is_still_a_choice(site: Site, browser: Browser) -> None:
    with browser.new_context(java_script_enabled=False, color_scheme="light") as context:
        page = context.new_page()
        page.goto(site.home + site.replay + "?turn=3")
        page.get_by_role("button", name="Dark").click()
        expect(page).to_have_url(site.home + site.replay + "?turn=3")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("body")).to_have_css("background-color", "rgb(16, 22, 24)")


def test_the_keyboard_alone_reaches_content_first(site: Site, page: Page) -> None:
    page.goto(site.home + "/bots/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_s_shows_the_unseen_cards_of_each_seat_at_the_turn_shown(replay: Page) -> None:
    struck = replay.locator("#unseen .at-table")
    press(replay, "s")
    expect(replay.get_by_role("heading", name="South sees")).to_be_visible()
    expect(replay.get_by_role("heading", name="North sees")).to_be_visible()
    expect(struck).to_have_count(0)
    expect(replay.locator("#unseen .at-hand")).to_have_count(14)
    press(replay, "ArrowRight")
    expect(struck.first).to_be_visible()
    press(replay, "Escape")
    expect(struck.first).to_be_hidden()
    for is_shown in (True, False):
        press(replay, "?")
        assert replay.get_by_role("dialog", name="Keys").is_visible() == is_shown
