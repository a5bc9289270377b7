"""A season's document holds, or a sentence says what doesn't."""

import copy
from collections.abc import Callable

import pytest

from engine.core import Json
from engine.registry import find_game
from engine.replay import record_hash
from engine.season import (
    SEASON_FORMAT,
    BadSeason,
    Season,
    change_problems,
    check_season,
    commitment,
    record_problem,
    season_problems,
)
from tests.engine.plays import random_record

SECRET = "a5" * 32
MATCHES = 4


def row(season: Season, number: int, **changes: object) -> Json:
    game = find_game(season.game)
    options = game.options(season.edition) | changes
    seats = game.seats[(number - 1) % len(game.seats)]
    told: Json = {
        "number": number,
        "match": 100 + number,
        "state": "finished",
        "seats": seats,
        "rules_version": game.rules_version,
        "deal_hashes": season.deal_hashes(game, options, seats, number),
    }
    return told | ({"options": options} if changes else {})


@pytest.fixture(params=["battleline", "battalion"])
def document(request: pytest.FixtureRequest) -> Json:
    """A season of four matches that is over; Battalion's are of two, three, four and two."""
    game = find_game(request.param)
    season = Season(SECRET, game.key, "standard", 2)
    return {
        "format": SEASON_FORMAT,
        "game": game.key,
        "edition": "standard",
        "season": 2,
        "options": game.options("standard"),
        "commitment": commitment(SECRET),
        "secret": SECRET,
        "last_number": MATCHES,
        "matches": [row(season, number) for number in range(1, MATCHES + 1)],
    }


def problems(document: Json) -> list[str]:
    check_season(document)
    return list(season_problems(document))


def test_a_season_that_was_dealt_as_it_was_committed_to_holds(document: Json) -> None:
    assert problems(document) == []
    document["secret"] = None
    assert problems(document) == []


def test_a_match_may_have_options_of_its_own(document: Json) -> None:
    if document["game"] == "battleline":
        document["matches"][2] = row(Season(SECRET, "battleline", "standard", 2), 3, tactics=0)
    assert problems(document) == []


Change = Callable[[Json], None]
CHANGES: dict[str, tuple[Change, str]] = {
    "secret": (lambda document: document.update(secret="b5" * 32), "the secret is not the one that was committed to"),
    "season": (lambda document: document.update(season=3), "number 1: its deal did not come from the secret"),
    "deal": (
        lambda document: document["matches"][1].update(deal_hashes=["0" * 64] * document["matches"][1]["seats"]),
        "match 102, number 2: its deal did not come from the secret",
    ),
    "swap": (
        lambda document: [document["matches"][place].update(number=4 - 3 * bool(place)) for place in (0, 3)],
        "match 101, number 4: its deal did not come from the secret",
    ),
    "gap": (lambda document: document["matches"].pop(2), "1 of 4 numbers are missing: 3"),
    "tail": (lambda document: document.update(last_number=30), "26 of 30 numbers are missing: 5, 6, 7, 8, 9, 10,"),
    "beyond": (lambda document: document.update(last_number=3), "number 4 is not from 1 to 3"),
    "twice": (lambda document: document["matches"].append(document["matches"][0]), "number 1 is there 2 times"),
    "again": (lambda document: document["matches"][1].update(match=101), "match 101 is there 2 times"),
    "rules": (lambda document: document["matches"][0].update(rules_version=0), "it was dealt by rules version 0"),
    "seats": (lambda document: document["matches"][0].update(seats=9), "is not played by 9"),
    "options": (lambda document: document.update(options={}), "its options don't name every option"),
    "edition": (lambda document: document.update(edition="golden"), "golden"),
    "game": (lambda document: document.update(game="chess"), "no game 'chess'"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_what_does_not_hold_is_said(document: Json, name: str) -> None:
    change, sentence = CHANGES[name]
    change(document)
    assert any(sentence in problem for problem in problems(document))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"format": "pennant-season/2"}, "format is 'pennant-season/2'"),
        ({"season": True}, "field 'season' is not of the right type"),
        ({"secret": 7}, "field 'secret' is not of the right type"),
        ({"value_function": "1"}, "value_function is no object"),
        ({"value_function": {"version": "1"}}, "value_function: field 'hash' is missing"),
        ({"matches": [7]}, "match 0 of the list is no object"),
        ({"matches": [{}]}, "match 0 of the list: field 'number' is missing"),
    ],
)
def test_what_is_no_document_is_refused(document: Json, changes: Json, sentence: str) -> None:
    with pytest.raises(BadSeason, match=sentence):
        check_season(document | changes)
    with pytest.raises(BadSeason, match="is a JSON object"):
        check_season([])


@pytest.mark.parametrize("change", [{"deal_hashes": [7, 7]}, {"options": []}])
def test_a_match_of_other_types_is_refused(document: Json, change: Json) -> None:
    document["matches"][0].update(change)
    with pytest.raises(BadSeason, match="match 0 of the list: deal hashes or options"):
        check_season(document)


def test_the_value_function_of_a_season_stays_as_it_was_published(document: Json) -> None:
    published = {"version": "1", "hash": "a1" * 32, "luck_share": 0.75, "cards_per_draw": 8}
    with_function = document | {"value_function": published}
    assert problems(with_function) == [] == problems(document | {"value_function": None})
    assert list(change_problems(document, with_function)) == []
    for later in (document, document | {"value_function": published | {"hash": "b2" * 32}}):
        assert list(change_problems(with_function, later)) == ["the value function has changed"]


def test_the_house_ratings_of_a_season_stay_as_they_were_published(document: Json) -> None:
    published = {"version": 1, "hash": "a1" * 32, "method": 1}
    with_ratings = document | {"house_ratings": published}
    assert problems(with_ratings) == [] == problems(document | {"house_ratings": None})
    later = document | {"house_ratings": published | {"method": 2}}
    assert list(change_problems(with_ratings, later)) == ["the house ratings have changed"]
    with pytest.raises(BadSeason, match="house_ratings: field 'method' is missing"):
        check_season(document | {"house_ratings": {"version": 1, "hash": "a1"}})


def test_nothing_that_was_public_once_may_change(document: Json) -> None:
    earlier = copy.deepcopy(document)
    earlier["secret"] = None
    earlier["matches"].pop()
    assert list(change_problems(earlier, document)) == []
    later = copy.deepcopy(document)
    later["commitment"] = "0" * 64
    del later["matches"][0]
    later["matches"][0]["deal_hashes"][0] = "0" * 64
    found = list(change_problems(earlier, later))
    assert len(found) == 3 and found[0].startswith("commitment was")
    assert found[1:] == ["number 1 was there, and is not", "number 2 has another match or deal than it had"]
    assert list(change_problems(document, document | {"secret": None})) == ["the secret has changed"]


def test_a_season_of_earlier_rules_holds_and_one_of_unknown_rules_does_not(document: Json) -> None:
    document["matches"][0]["rules_version"] = 2
    assert "it was dealt by rules version 2; known are 1 to 1" in problems(document)[0]


def test_a_season_from_before_an_option_holds() -> None:
    game = find_game("battalion")
    season = Season(SECRET, "battalion", "standard", 1)
    old = {"quiet_rounds": 20, "round_limit": 150}
    matches = [row(season, number) | {"options": old} for number in (1, 2)]
    document = {
        "format": SEASON_FORMAT,
        "game": "battalion",
        "edition": "standard",
        "season": 1,
        "options": old,
        "commitment": commitment(SECRET),
        "secret": SECRET,
        "last_number": 2,
        "matches": matches,
    }
    assert problems(document) == []
    assert season.deal_hashes(game, old, 3, 5) == season.deal_hashes(game, game.options("standard"), 3, 5)
    assert list(change_problems(document, document | {"options": game.options("standard")})) == []


@pytest.mark.parametrize("hashes", [["0"], [None], [1, 2], "ab", None, {}])
def test_hashes_of_records_are_one_for_each_leg(document: Json, hashes: object) -> None:
    document["matches"][0]["record_hashes"] = hashes
    with pytest.raises(BadSeason, match="match 0 of the list: record hashes are not one for each leg"):
        check_season(document)


def test_a_hash_of_a_record_may_come_and_never_change(document: Json) -> None:
    later = copy.deepcopy(document)
    earlier, now = document["matches"][1], later["matches"][1]
    legs = len(earlier["deal_hashes"])
    now["record_hashes"] = ["a" * 64] + [None] * (legs - 1)
    assert problems(later) == [] and list(change_problems(document, later)) == []
    earlier["record_hashes"] = [None] * legs
    assert list(change_problems(document, later)) == []
    for other in (["b" * 64] + [None] * (legs - 1), [None] * legs, []):
        earlier["record_hashes"], now["record_hashes"] = ["a" * 64] + [None] * (legs - 1), other
        assert list(change_problems(document, later)) == ["number 2 has another record than it had"]
    del now["record_hashes"]
    assert list(change_problems(document, later)) == ["number 2 has another record than it had"]


def test_a_record_is_of_the_season_whose_document_has_its_hash(document: Json) -> None:
    game = find_game(document["game"])
    record = random_record(game, "standard", 1) | {"deal_hash": document["matches"][2]["deal_hashes"][1]}
    assert record_problem(record, document) is None
    assert record_problem(record | {"deal_hash": "0" * 64}, document) == "no match of the season has its deal hash"
    assert "the season of standard" in str(record_problem(record | {"edition": "short"}, document))
    document["options"] = document["options"] | {next(iter(document["options"])): 3}
    assert record_problem(record, document) == "it has other options than match 103 of the season"


def test_a_record_of_a_season_has_the_hash_that_was_published(document: Json) -> None:
    game, published = find_game(document["game"]), document["matches"][2]
    record = random_record(game, "standard", 1) | {"deal_hash": published["deal_hashes"][1]}
    published["record_hashes"] = [None] * len(published["deal_hashes"])
    assert record_problem(record, document) is None
    published["record_hashes"][1] = record_hash(record)
    assert record_problem(record, document) is None
    record["seats"][0]["name"] = "renamed"
    assert record_problem(record, document) is None
    record["seats"][0]["version"] = 7
    assert record_problem(record, document) == "match 103 of the season has another record with this deal hash"


def test_a_season_of_an_open_ladder_has_matches_of_one_leg(document: Json) -> None:
    if document["game"] == "battalion":
        document["matches"] = [one for one in document["matches"] if one["seats"] == 2]
        document["last_number"] = 0
    single = [row | {"deal_hashes": row["deal_hashes"][:1]} for row in document["matches"]]
    opened = document | {"clock": "slow", "matches": single}
    assert not [one for one in problems(opened) if "deal" in one]
    pair = document["matches"][0]
    assert any("its deal did not come" in one for one in problems(opened | {"matches": [pair]}))
    assert any("its deal did not come" in one for one in problems(document | {"matches": single}))
    assert any("open ladder" in one for one in change_problems(opened, document | {"matches": single}))
    with pytest.raises(BadSeason, match="clock"):
        check_season(opened | {"clock": "fast"})
