"""What moves on the board of a replay, and when."""

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Site
from tests.browser.test_replay_page import open_replay, press, turn
from tests.browser.test_replay_page import replay as replay

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
