import re

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site

pytestmark = pytest.mark.browser


@pytest.fixture
def replay(site: Site, page: Page) -> Page:
    page.goto(site.home + site.replay)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    return page


def turn(page: Page) -> int:
    return int(page.locator(".caption .turn").inner_text().split()[1])


def test_keys_step_and_the_address_follows(replay: Page) -> None:
    replay.keyboard.press("ArrowRight")
    expect(replay).to_have_url(re.compile(r"turn=1$"))
    expect(replay.locator(".caption .turn")).to_have_text(re.compile("Turn 1 of"))
    replay.keyboard.press("ArrowLeft")
    expect(replay).to_have_url(re.compile(r"turn=0$"))
    replay.keyboard.press("End")
    expect(replay.locator("#step-next")).to_have_count(0)
    replay.keyboard.press("Home")
    expect(replay).to_have_url(re.compile(r"turn=0$"))


def test_a_step_loads_no_new_page_and_is_spoken(replay: Page) -> None:
    replay.evaluate("window.stayed = true")
    replay.get_by_role("link", name="Next turn").click()
    expect(replay.locator("#spoken")).to_have_text(re.compile(r"Turn 1 of \d+\. South plays"))
    assert replay.evaluate("window.stayed")
    assert replay.evaluate("document.activeElement.id") == "step-next"


def test_steps_are_not_a_hundred_pages_back(site: Site, replay: Page) -> None:
    for number in (1, 2, 3):
        replay.keyboard.press("ArrowRight")
        expect(replay).to_have_url(re.compile(f"turn={number}$"))
    before = replay.evaluate("history.length")
    replay.keyboard.press("ArrowRight")
    expect(replay).to_have_url(re.compile("turn=4$"))
    assert replay.evaluate("history.length") == before


def test_space_plays_and_stops(replay: Page) -> None:
    replay.keyboard.press(" ")
    expect(replay.locator("#step-play")).to_have_attribute("aria-pressed", "true")
    expect(replay).to_have_url(re.compile(r"turn=2$"))
    replay.keyboard.press(" ")
    expect(replay.locator("#step-play")).to_have_attribute("aria-pressed", "false")


def test_keys_leave_shortcuts_of_the_browser_alone(replay: Page) -> None:
    replay.keyboard.press("Alt+Shift+ArrowRight")
    replay.keyboard.press("ArrowRight")
    expect(replay).to_have_url(re.compile(r"turn=1$"))


def test_a_move_in_the_list_leads_to_its_turn(replay: Page) -> None:
    replay.locator("#moves a").nth(11).click()
    expect(replay).to_have_url(re.compile(r"turn=12$"))
    expect(replay.locator("#moves [aria-current=step] .turn")).to_have_text("12")


def test_eyes_of_a_seat_stay_chosen_while_stepping(replay: Page) -> None:
    replay.get_by_role("link", name="South sees").click()
    hidden = replay.get_by_role("list", name="North's hand").locator(".back")
    expect(hidden).to_have_count(7)
    replay.keyboard.press("ArrowRight")
    expect(replay).to_have_url(re.compile(r"view=0&turn=1$"))
    expect(hidden).to_have_count(7)
    expect(replay.get_by_role("list", name="South's hand").locator(".back")).to_have_count(0)


def test_the_other_leg_begins_at_its_start(replay: Page) -> None:
    replay.keyboard.press("End")
    replay.get_by_role("link", name="Leg 2").click()
    expect(replay).to_have_url(re.compile(r"leg=2$"))
    expect(replay.locator(".caption .turn")).to_have_text(re.compile("Turn 0 of"))


def test_a_key_held_down_leaves_address_and_table_at_the_same_turn(replay: Page) -> None:
    for _ in range(40):
        replay.keyboard.press("ArrowRight", delay=2)
    expect(replay.locator(".htmx-request")).to_have_count(0)
    expect(replay).to_have_url(re.compile(rf"turn={turn(replay)}$"))
    assert turn(replay) > 1


def test_the_record_can_be_downloaded(site: Site, replay: Page) -> None:
    with replay.expect_download() as download:
        replay.get_by_role("link", name="Record").click()
    number = site.replay.strip("/").rpartition("/")[2]
    assert download.value.suggested_filename == f"pennant-{number}-1.json"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_battalion_is_stepped_through_from_its_deployment(site: Site, page: Page, players: int) -> None:
    page.goto(site.home + site.battalion[players])
    expect(page.locator(".army")).to_have_count(players)
    expect(page.locator(".army .cell")).to_have_count(0)
    for step in range(1, players + 1):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".caption .turn")).to_have_text(f"Opening, step {step} of {players}")
        expect(page.locator(".ground")).to_have_count(step)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".caption .turn")).to_have_text(re.compile("Turn 1 of"))
    page.get_by_role("link", name="Hearts sees").click()
    spades = page.get_by_role("region", name="Spades")
    expect(spades.locator(".card.back").first).to_be_visible()
    expect(page.get_by_role("region", name="Hearts").locator(".card.back")).to_have_count(0)


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
    page.goto(site.home + site.battalion[2])
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
        expect(page.locator("#step-play")).to_be_hidden()


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
