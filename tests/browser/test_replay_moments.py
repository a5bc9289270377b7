"""What moves on the board of a replay, and that the whole of it fits one screen."""

from itertools import product

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Site
from tests.browser.test_replay_page import open_replay, press, turn
from tests.browser.test_replay_page import replay as replay
from tests.full import default_and_full

pytestmark = pytest.mark.browser


def test_cards_travel_unless_a_reader_wants_none_of_it(site: Site, browser: Browser) -> None:
    def moving(page: Page, *keys: str) -> int:
        press(page, *keys)
        return page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => done(document.getAnimations()"
            ".filter((one) => one.effect.target.dataset.card).length)))"
        )

    for motion, travels in (("no-preference", True), ("reduce", False)):
        with browser.new_context(reduced_motion=motion) as context:
            page = open_replay(context.new_page(), site.home + site.replay)
            assert bool(moving(page, "ArrowRight")) is travels
            assert not moving(page, "End")


STEP_AND_LOOK = """new Promise((done) => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  requestAnimationFrame(() => done(((moving) => { %s })(document.getAnimations())));
})"""


def list_moving(page: Page, kind: str) -> list[float]:
    """Step on, and return after how many milliseconds things of a kind begin to move."""
    of_kind = f"moving.filter((one) => one.effect.target.matches('{kind}'))"
    return page.evaluate(STEP_AND_LOOK % f"return {of_kind}.map((one) => one.effect.getTiming().delay)")


def test_a_claim_has_its_beat_before_the_front_bends_and_a_drawn_card_comes_last(replay: Page) -> None:
    claims = replay.locator(".marks [data-kind=claim]")
    claim = min(int(mark.get_attribute("data-step") or 0) for mark in claims.all())
    for kind, delays in {
        ".trace path, [data-flag]": {220 + 600},
        ".hand .new": {220 + 600 + 320},
        ".side .card": {0, 220},  # the card that is played, and then those that prove the claim rise
    }.items():
        replay.get_by_role("slider", name="Turn").fill(str(claim - 1))
        assert set(list_moving(replay, kind)) <= delays, kind
        assert turn(replay) == claim
    replay.get_by_role("slider", name="Turn").fill(str(claim - 1))
    assert list_moving(replay, ".trace path")


def test_a_card_that_is_drawn_comes_from_its_deck(replay: Page) -> None:
    look = """
      const flight = moving.find((one) => one.effect.target.matches(".hand .new"));
      flight.pause();
      flight.currentTime = flight.effect.getTiming().delay;
      const card = flight.effect.target.getBoundingClientRect();
      const kind = flight.effect.target.matches(".suit-tactic") ? "tactic" : "troop";
      const deck = document.querySelector(`.decks .${kind}`).getBoundingClientRect();
      return [card.left - deck.left, card.top - deck.top];
    """
    assert max(map(abs, replay.evaluate(STEP_AND_LOOK % look))) < 2


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


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1440, 900), (390, 844)])
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


SIZES = [(1280, 800), (1440, 900), (390, 844)]


@pytest.mark.parametrize("players", default_and_full([3], [2, 4]))
def test_two_armies_in_full_and_the_others_fit_one_screen(site: Site, browser: Browser, players: int) -> None:
    """Whatever the turn: no card is cut off, and the buttons are in sight without scrolling."""
    for width, height in SIZES:
        with browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce") as context:
            page = open_replay(context.new_page(), site.home + site.battalion[players])
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
