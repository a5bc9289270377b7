"""Rule options: what there is, and the sentences for what there isn't."""

from itertools import product
from random import Random

import pytest

from engine.core import BadDeal
from engine.games.battleline.game import BattleLine
from engine.options import BadOptions
from tests.engine.battleline.staging import begin, legal
from tests.engine.test_option_sets import list_combinations, refusal_of, values_of

GAME = BattleLine()
STANDARD = {
    "colours": "ROYGBP",
    "copies": 1,
    "flags": 9,
    "envelopment": 5,
    "breakthrough": True,
    "tactics": 10,
    "claims": "any",
    "leader_limit": True,
    "pass": "no-troop",
    "tiles": "none",
    "scout": "one-by-one",
    "values": 10,
    "hand": 7,
}


CARDS = {"colours": "SHDC", "tactics": 12, "leader_limit": False}
EDITIONS = {
    "standard": {},
    "advanced": {"claims": "start"},
    "short": CARDS | {"flags": 5, "envelopment": 3, "breakthrough": False},
    "long": CARDS | {"copies": 2},
    "medieval": {"pass": "no-card"},
    "terrain": {"pass": "no-card", "tactics": 0, "tiles": "shuffled"},
    "hundred-years": {"pass": "no-card", "tiles": "drafted"},
    "highlands": {"claims": "start", "tactics": 0, "pass": "no-card", "values": 9, "hand": 6},
}
"""What each differs in from the standard one."""


def test_the_standard_edition_names_every_option() -> None:
    assert GAME.options("standard") == STANDARD


def test_there_are_eight_editions_the_standard_one_first() -> None:
    assert list(GAME.editions) == list(EDITIONS)
    assert len(set(GAME.editions.values())) == 8


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_edition_is_a_set_of_options(edition: str) -> None:
    assert GAME.options(edition) == STANDARD | EDITIONS[edition]
    assert GAME.options("standard", **EDITIONS[edition]) == GAME.options(edition), "each can be set on its own"


SIZES = {
    "standard": (60, 10, 0),
    "short": (40, 12, 0),
    "long": (80, 12, 0),
    "terrain": (60, 0, 9),
    "hundred-years": (60, 8, 9),
    "highlands": (54, 0, 0),
}


@pytest.mark.parametrize("edition", SIZES)
def test_a_deal_holds_all_cards_of_the_edition(edition: str) -> None:
    options = GAME.options(edition)
    deal = GAME.deal(options, 2, Random(1))
    assert tuple(len(deal[name]) for name in ("troops", "tactics", "tiles")) == SIZES[edition]
    assert len(set(deal["troops"])) == options["values"] * len(options["colours"])
    assert {card[0] for card in deal["troops"]} == set(options["colours"])
    assert ("leader-1" in deal["tactics"]) is (edition in ("standard", "short", "long"))
    twice = 2 if options["tactics"] == 12 else 1 if options["tactics"] else 0
    assert (deal["tactics"].count("cavalry"), deal["tactics"].count("shield")) == (twice, twice)
    for name in ("troops", "tactics", "tiles"):
        if deal[name]:
            with pytest.raises(BadDeal, match=f"{name} are not the deck of these rules"):
                GAME.start(options, 2, deal | {name: [deal[name][0], *deal[name][:-1]]})


def test_a_deal_with_a_card_too_many_is_refused_by_its_name() -> None:
    deal = GAME.deal(STANDARD, 2, Random(1))
    with pytest.raises(BadDeal, match="^troops are not the deck of these rules: look at R1$"):
        GAME.start(STANDARD, 2, deal | {"troops": [*deal["troops"], "R1"]})
    with pytest.raises(BadDeal, match="^tactics are not the deck of these rules: look at R1 fog$"):
        GAME.start(STANDARD, 2, deal | {"tactics": ["R1" if card == "fog" else card for card in deal["tactics"]]})


@pytest.mark.parametrize("tiles", ["shuffled", "drafted"])
def test_tiles_on_five_flags_are_refused(tiles: str) -> None:
    with pytest.raises(BadOptions, match="nine tiles need nine flags"):
        GAME.options("short", tiles=tiles)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"flag": 9}, "no option 'flag'; options are: colours, copies, flags, envelopment, breakthrough, "),
        ({"claims": "never"}, "option 'claims' can't be 'never'; it must be one of 'any', 'start'"),
        ({"breakthrough": 1}, "option 'breakthrough' can't be 1; it must be one of True, False"),
        ({"copies": True}, "option 'copies' can't be True; it must be one of 1"),
        ({"tactics": 10.0}, "option 'tactics' can't be 10.0; it must be one of 10, 12, 0"),
        ({"scout": ["at-once"]}, "option 'scout' can't be ['at-once']; it must be one of 'one-by-one', 'at-once'"),
        ({"pass": None}, "option 'pass' can't be None; it must be one of 'no-troop', 'no-card'"),
    ],
)
def test_what_no_play_can_have_is_refused_with_a_sentence(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadOptions) as caught:
        GAME.options("standard", **changes)
    assert str(caught.value).startswith(sentence)


def test_an_unknown_edition_is_refused() -> None:
    with pytest.raises(BadOptions, match="no edition 'chess'; editions are: standard"):
        GAME.options("chess")


@pytest.mark.parametrize("name", list(STANDARD)[:-2])
def test_a_play_needs_every_option_that_there_was_at_first(name: str) -> None:
    options = {known: value for known, value in STANDARD.items() if known != name}
    with pytest.raises(BadOptions, match=f"option '{name}' is missing"):
        GAME.start(options, 2, {"troops": [], "tactics": [], "tiles": []})


def test_a_play_from_before_values_and_hand_is_played_as_then() -> None:
    options = {name: value for name, value in STANDARD.items() if name not in ("values", "hand")}
    deal = GAME.deal(STANDARD, 2, Random(3))
    assert GAME.start(options, 2, deal).view(0) == GAME.start(STANDARD, 2, deal).view(0)
    assert GAME.changed_options("standard", options) == {}


def test_nine_values_and_six_cards_in_a_hand() -> None:
    """BL-4: a hand of six is drawn up to six."""
    state = begin(values=9, hand=6, flags=7, without_tactics=True)
    view = state.view(0)
    assert view["hand_sizes"] == [6, 6] and view["decks"]["troop"] == 54 - 12 and len(view["flags"]) == 7
    assert not [text for text in legal(state, "play") if "10 " in text]


def test_without_tactics_there_is_no_second_deck() -> None:
    state = begin(without_tactics=True)
    assert state.view(0)["decks"] == {"troop": 46, "tactic": 0}
    state.play(state.moves()[0])
    assert legal(state) == ["draw troop"]


@pytest.mark.parametrize(
    ("seats", "deal", "sentence"),
    [
        (3, {}, "Battle Line has two seats, not 3"),
        (2, {"troops": []}, "a deal has troops, tactics and tiles"),
        (2, {"troops": 7, "tactics": [], "tiles": []}, "troops should be a list of cards"),
        (2, {"troops": [7], "tactics": [], "tiles": []}, "troops should be a list of cards"),
        (2, {"troops": ["R1"] * 60, "tactics": [], "tiles": []}, "troops are not the deck of these rules"),
    ],
)
def test_a_deal_that_does_not_fit_is_refused(seats: int, deal: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadDeal) as caught:
        GAME.start(STANDARD, seats, deal)
    assert str(caught.value).startswith(sentence)


def test_a_combination_that_is_refused_says_why() -> None:
    """Tiles don't go with fewer flags, nor tactics with nine values; each of them is in other combinations."""
    names = [option.key for option in GAME.rule_options]
    refused = 0
    for values in product(*map(values_of, GAME.rule_options)):
        options = dict(zip(names, values, strict=True))
        reason = refusal_of(GAME, options)
        expected = {
            "nine tiles need nine flags": options["flags"] != 9 and options["tiles"] != "none",
            "troops from 1 to 9 are played without tactics": options["values"] == 9 and options["tactics"] != 0,
        }
        assert reason in expected if any(expected.values()) else reason is None
        assert reason is None or expected[reason]
        refused += reason is not None
    assert refused == 26_112 and len(list_combinations("battleline")) == 15_360
