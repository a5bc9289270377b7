"""Rule options as data: every value is described, and a variant is called by what is changed."""

import json
import re
from itertools import product

import pytest

from engine.core import BadDeal, Game
from engine.games.battleline.game import build_full_decks
from engine.games.battleline.options import RULE_OPTIONS, Rules
from engine.message import Message
from engine.options import BadOptions, ChoiceOption, NumberOption, RuleOption
from engine.registry import GAMES
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION

BATTLE_LINE, BATTALION = GAMES["battleline"], GAMES["battalion"]
EVERY_OPTION = [(game, option) for game in GAMES.values() for option in game.rule_options]
each_option = pytest.mark.parametrize(
    ("game", "option"), EVERY_OPTION, ids=[f"{game.key}-{option.key}" for game, option in EVERY_OPTION]
)
RULING_NUMBER = re.compile(r"[A-Z]{2}-\d+")
each_edition = pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)


@each_edition
def test_the_described_options_are_those_of_every_edition_in_the_order_of_the_protocol(
    game: Game, edition: str
) -> None:
    options = game.options(edition)
    assert list(options) == [option.key for option in game.rule_options]
    for option in game.rule_options:
        option.check(options[option.key])


@each_option
def test_an_option_has_a_title_a_sentence_and_its_rulings(game: Game, option: RuleOption) -> None:
    texts = [option.title, option.description]
    values = option.values if isinstance(option, ChoiceOption) else ()
    for value in values:
        texts += [value.title, value.description]
        assert option.name_value(value.value) is value.phrase and str(value.phrase)
    assert [str(text)[0].isupper() for text in texts] == [True] * len(texts)
    assert str(option.description).endswith(".") and all(str(value.description).endswith(".") for value in values)
    assert option.rulings and all(RULING_NUMBER.fullmatch(ruling) for ruling in option.rulings)
    assert all(Message.from_json(json.loads(json.dumps(text.to_json()))) == text for text in texts)


@each_option
def test_every_value_can_be_written_by_a_person_and_no_other(game: Game, option: RuleOption) -> None:
    if isinstance(option, NumberOption):
        values: list[object] = [option.lowest, option.highest]
        wrong = [str(option.lowest - 1), str(option.highest + 1), "1.0", "one", "", "٣", "9" * 5_000]
    else:
        assert isinstance(option, ChoiceOption)
        values = [value.value for value in option.values]
        wrong = ["never", "", "9" * 5_000]
    for value in values:
        key, read = game.parse_option(f"{option.key}={value}")
        assert key == option.key and read == value and type(read) is type(value)
        assert game.parse_option(f" {option.key} = {str(value).upper()} ") == (key, read)
    for text in wrong:
        with pytest.raises(BadOptions, match=f"option '{option.key}' can't be .*; it must be "):
            game.parse_option(f"{option.key}={text}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scout=at-once", ("scout", "at-once")),
        ("breakthrough=no", ("breakthrough", False)),
        ("breakthrough=Yes", ("breakthrough", True)),
        ("tactics=0", ("tactics", 0)),
        ("colours=shdc", ("colours", "SHDC")),
    ],
)
def test_values_come_with_their_type(text: str, expected: tuple[str, object]) -> None:
    assert BATTLE_LINE.parse_option(text) == expected


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("scout", "'scout' should read OPTION=VALUE; options are colours, copies, "),
        ("scouts=at-once", "no option 'scouts'; options are: colours, copies, "),
        ("breakthrough=1", "option 'breakthrough' can't be '1'; it must be one of true, false"),
        ("claims=never", "option 'claims' can't be 'never'; it must be one of any, start, either"),
    ],
)
def test_what_can_not_be_read_is_refused_with_what_is_allowed(text: str, sentence: str) -> None:
    with pytest.raises(BadOptions) as caught:
        BATTLE_LINE.parse_option(text)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("edition", "changes", "name"),
    [
        ("standard", {}, "Standard"),
        ("standard", {"claims": "either"}, "Standard, claims at the start or the end of the turn"),
        ("terrain", {"tactics": 10}, "Medieval with terrain, with the ten tactics"),
        (
            "short",
            {"breakthrough": True, "scout": "at-once"},
            "Playing cards, short, with breakthrough, the Scout draws all at once",
        ),
        ("standard", {"pass": "no-card"}, "Medieval"),
        ("standard", {"pass": "no-card", "tiles": "drafted"}, "Hundred Years' War"),
        ("advanced", {"claims": "any"}, "Standard"),
    ],
)
def test_a_variant_is_called_by_its_edition_and_what_is_changed(
    edition: str, changes: dict[str, object], name: str
) -> None:
    assert str(BATTLE_LINE.variant_name(edition, BATTLE_LINE.options(edition, **changes))) == name


def test_variants_of_battalion_are_called_by_their_numbers() -> None:
    options = BATTALION.options("standard", quiet_rounds=10, round_limit=40, start="lot")
    name = BATTALION.variant_name("standard", options)
    assert str(name) == "Standard, quiet rounds: 10, round limit: 40, a random seat moves first"
    assert BATTALION.changed_options("standard", options) == {"quiet_rounds": 10, "round_limit": 40, "start": "lot"}


@each_edition
def test_an_edition_unchanged_is_itself(game: Game, edition: str) -> None:
    options = game.options(edition)
    assert game.changed_options(edition, options) == {}
    assert game.nearest_edition(edition, options) == edition
    assert str(game.variant_name(edition, options)) == game.editions[edition]
    assert game.complete_options(options) == options


def test_options_that_are_another_editions_are_found_and_others_keep_theirs() -> None:
    drafted = BATTLE_LINE.options("standard", **{"pass": "no-card"}, tiles="drafted")
    assert BATTLE_LINE.nearest_edition("standard", drafted) == "hundred-years"
    assert BATTLE_LINE.nearest_edition("medieval", drafted) == "hundred-years"
    assert BATTLE_LINE.nearest_edition("terrain", BATTLE_LINE.options("terrain", tactics=10)) == "terrain"


def test_an_option_introduced_later_has_the_value_of_before_where_it_is_absent() -> None:
    old = {"quiet_rounds": 20, "round_limit": 150}
    assert BATTALION.complete_options(old) == old | {"start": "seat-0"} == BATTALION.options("standard")
    assert BATTALION.changed_options("standard", old) == {}
    assert BATTALION.start(old, 2, {"dice": [1] * 200}).to_act == 0
    with pytest.raises(BadOptions, match="option 'round_limit' is missing"):
        BATTALION.start({"quiet_rounds": 20}, 2, {"dice": [1] * 200})
    with pytest.raises(BadDeal):
        BATTALION.start(old, 2, {"dice": [1] * 200, "first": 0})


def test_there_are_always_ten_more_troops_than_are_dealt() -> None:
    """BL-70. No set of options reaches that bound today, so that nothing is refused for it."""
    left, refusals = [], set()
    for values in product(*([value.value for value in option.values] for option in RULE_OPTIONS)):
        options = dict(zip([option.key for option in RULE_OPTIONS], values, strict=True))
        try:
            rules = Rules.read(options)
            left.append(len(build_full_decks(rules)["troops"]) - 2 * rules.hand)
        except BadOptions as refusal:
            refusals.add(str(refusal))
    assert refusals == {"nine tiles need nine flags", "troops from 1 to 9 are played without tactics"}
    assert min(left) == 22
