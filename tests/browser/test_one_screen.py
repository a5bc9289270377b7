"""A replay is watched on one screen, without scrolling, by keys and by fingers."""

from itertools import product

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Site
from tests.browser.test_replay_page import open_replay, press, turn
from tests.full import default_and_full, full_only

pytestmark = pytest.mark.browser
SIZES = [(1280, 800), (1440, 900), (390, 844)]


@pytest.mark.parametrize(("width", "height"), default_and_full(SIZES[:1], SIZES[1:]))
def test_the_whole_board_is_above_the_transport_on_one_screen(site: Site, browser: Browser, width, height) -> None:
    """In every edition of Battle Line, with both hands, and nothing in it is cut off; also while tiles are drafted."""
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = context.new_page()
        for address, turn in product(site.boards, (12, 24)):
            page.goto(f"{site.home}{address.partition('?')[0]}?turn={turn}")
            boxes = page.evaluate(
                "[...document.querySelectorAll('.seat-row, .line .card, .transport .stepping')].map((one) => "
                "[one.className, one.getBoundingClientRect().top, one.getBoundingClientRect().bottom])"
            )
            steps = [box for box in boxes if box[0] == "stepping"][0]
            assert steps[2] <= height, address
            seats = [box for box in boxes if "seat-row" in box[0]]
            assert len(seats) == 2 and all(box[2] <= steps[1] for box in boxes if box[0] != "stepping"), address
            cards = [box for box in boxes if "card" in box[0]]
            assert cards or turn == 12, address
            assert all(seats[0][2] - 8 <= top and bottom <= seats[1][1] + 8 for _, top, bottom in cards), address


@pytest.mark.parametrize("players", full_only([2, 3, 4]))
def test_two_armies_in_full_and_the_others_fit_one_screen(site: Site, browser: Browser, players: int) -> None:
    """Whatever the turn: no card is cut off, and the buttons are in sight without scrolling."""
    for width, height in SIZES:
        with browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce") as context:
            page = open_replay(context.new_page(), f"{site.home}{site.battalion[players]}?leg=1")
            for _ in range(18):
                press(page, "ArrowRight")
                boxes = page.evaluate(
                    """() => Object.fromEntries(["[class*=field-] .card", ".board", ".transport .stepping"].map((one) =>
                        [one, [...document.querySelectorAll(one)].map((found) => found.getBoundingClientRect())]))"""
                )
                (board,), (steps,) = boxes[".board"], boxes[".transport .stepping"]
                assert steps["bottom"] <= height and board["bottom"] <= steps["top"]
                for card in boxes["[class*=field-] .card"]:
                    assert board["top"] <= card["top"] and card["bottom"] <= board["bottom"] + 1
                    assert board["left"] - 1 <= card["left"] and card["right"] <= board["right"] + 1
            assert page.locator("[class*=field-small]").count() == players - 2


@pytest.mark.parametrize(("width", "height"), default_and_full(SIZES[2:], SIZES[:2]))
def test_a_whole_leg_is_watched_without_scrolling(site: Site, browser: Browser, width: int, height: int) -> None:
    """And the table stays where it is from the first turn to the last."""
    with browser.new_context(viewport={"width": width, "height": height}) as context:
        page = open_replay(context.new_page(), site.home + site.replay)
        last = int(page.locator("#replay").get_attribute("data-last") or 0)
        places = set()
        for _ in range(last):
            press(page, "ArrowRight")
            places.add(
                page.evaluate(
                    "[scrollY, ...['.stage', '.line', '.stepping', '.seat-row.seat-0'].map((one) =>"
                    " document.querySelector(one).getBoundingClientRect().top)].join()"
                )
            )
        assert len(places) == 1 and places.pop().startswith("0,")
        expect(page.locator(".stepping")).to_be_in_viewport(ratio=1)


def test_the_table_stays_however_many_tactics_have_been_played(site: Site, browser: Browser) -> None:
    """Eight of them take a second line, for which there is room from the first turn on."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = open_replay(context.new_page(), site.home + site.replay)
        tops = (
            "['.line', '.seat-row.seat-0', '.table-edge']"
            ".map((one) => document.querySelector(one).getBoundingClientRect().top)"
        )
        before = page.evaluate(tops)
        page.evaluate(
            """() => {
                const played = '<span class="token suit-tactic">Shield Bearers</span> '.repeat(4);
                const gone = document.querySelector("[data-slot=gone]");
                gone.outerHTML = `<ul class="gone"><li>A has played ${played}</li><li>B has played ${played}</li></ul>`;
            }"""
        )
        edge = page.locator(".table-edge").bounding_box()
        last = page.locator(".gone .token").last.bounding_box()
        assert page.evaluate(tops) == before
        assert edge and last and last["y"] + last["height"] <= edge["y"] + edge["height"]


def test_fingers_step_over_the_table(site: Site, browser: Browser) -> None:
    phone = {"width": 390, "height": 844}
    with browser.new_context(viewport=phone, has_touch=True, is_mobile=True) as context:
        page = open_replay(context.new_page(), site.home + site.replay)
        fingers = context.new_cdp_session(page)

        def swipe(start: int, end: int, down: int = 0) -> None:
            for kind, points in [
                ("touchStart", [{"x": start, "y": 400}]),
                ("touchMove", [{"x": (start + end) / 2, "y": 400 + down / 2}]),
                ("touchMove", [{"x": end, "y": 400 + down}]),
                ("touchEnd", []),
            ]:
                fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        swipe(320, 120)
        swipe(320, 120)
        assert turn(page) == 2
        swipe(120, 320)
        assert turn(page) == 1
        swipe(200, 180, -200)  # that scrolls
        swipe(200, 190)
        assert turn(page) == 1


def test_the_end_of_a_leg_on_a_phone_lies_over_the_table_and_can_be_put_away(site: Site, browser: Browser) -> None:
    with browser.new_context(viewport={"width": 390, "height": 844}) as context:
        page = open_replay(context.new_page(), site.home + site.replay)
        press(page, "End")
        card, transport = page.locator("#end-card"), page.locator(".transport")
        expect(card).to_be_in_viewport(ratio=1)
        over, under = card.bounding_box(), transport.bounding_box()
        assert over and under and over["y"] + over["height"] <= under["y"]
        expect(card.get_by_role("link", name="Watch leg 2")).to_be_visible()
        card.get_by_role("button", name="Close").click()
        expect(card).to_be_hidden()
