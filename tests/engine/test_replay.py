"""Records: what was played verifies, and nothing else does."""

import json
from copy import deepcopy

import pytest

from engine.core import Game, Json, State
from engine.registry import GAMES
from engine.replay import FORMAT, BadRecord, begin, states, verify
from tests.engine.battleline.tamperings import TAMPERINGS
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION, how_many, random_record
from tests.full import is_full_run

BATTLE_LINE = GAMES["battleline"]
BATTALION = GAMES["battalion"]
each_edition = pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)


@each_edition
def test_records_of_random_plays_verify_also_after_a_trip_through_json(game: Game, edition: str) -> None:
    for seed in range(how_many(60 if is_full_run() else 20)):
        record = random_record(game, edition, seed)
        assert record["format"] == FORMAT == "arena-replay/1"
        verify(record)
        verify(json.loads(json.dumps(record)))


@each_edition
@pytest.mark.parametrize("verdict", ["start", "timeout", "illegal", "malformed", "crash", "memory", "output"])
def test_records_of_plays_that_end_by_a_verdict_verify(game: Game, edition: str, verdict: str) -> None:
    for seed in range(6):
        record = random_record(game, edition, seed, verdict=verdict)
        assert record["result"]["reason"] == verdict or len(record["seats"]) > 2
        assert verdict in record["result"]["verdicts"] and "ok" in record["result"]["verdicts"]
        verify(record)


def test_a_record_has_exactly_the_public_fields() -> None:
    record = random_record(BATTLE_LINE, "standard", 1)
    assert set(record) == {
        "format", "game", "edition", "options", "rules_version", "seats", "deal", "salt", "deal_hash", "actions",
        "result",
    }  # fmt: skip
    assert set(record["result"]) == {"places", "scores", "reason", "verdicts"}
    assert set(record["deal"]) == {"troops", "tactics", "tiles"}


def test_a_second_seat_that_fails_to_start_is_recorded_out_of_turn() -> None:
    record = random_record(BATTLE_LINE, "standard", 1, verdict="start")
    verdicts = ["ok", "start"]
    record["actions"] = [{"seat": 1, "action": "forfeit", "verdict": "start"}]
    record["result"] = {"places": [1, 2], "scores": [5, 0], "reason": "start", "verdicts": verdicts}
    verify(record)


def test_with_more_than_two_seats_who_failed_to_start_goes_out_when_it_is_asked() -> None:
    record = random_record(BATTALION, "standard", 1)
    assert len(record["seats"]) == 3
    failed = {"seat": 2, "action": "forfeit", "verdict": "start"}
    for actions in ([failed], [record["actions"][0], failed]):
        with pytest.raises(BadRecord, match="is seat 2's, where seat"):
            verify(record | {"actions": actions})
    verdicts = ["start", "start", "ok"]
    record["actions"] = [failed | {"seat": 0}, failed | {"seat": 1}]
    record["result"] = {"places": [3, 2, 1], "scores": [0, 1, 2], "reason": "last-standing", "verdicts": verdicts}
    verify(record)


def test_the_others_play_on_after_a_forfeit_and_the_record_verifies() -> None:
    for seats in (3, 4):
        record = random_record(BATTALION, "standard", seats - 2, verdict="crash")
        numbers = [number for number, entry in enumerate(record["actions"]) if entry["action"] == "forfeit"]
        assert len(numbers) == 1 and numbers[0] < len(record["actions"]) - 1
        out = record["actions"][numbers[0]]["seat"]
        assert all(entry["seat"] != out for entry in record["actions"][numbers[0] + 1 :])
        assert record["result"]["places"][out] == seats and record["result"]["verdicts"].count("crash") == 1
        verify(record)


@each_edition
def test_the_states_of_a_record_are_those_of_the_play(game: Game, edition: str) -> None:
    record = random_record(game, edition, 5)
    seen = [(state.ply, state.to_act) for state in states(record)]
    assert [ply for ply, _ in seen] == list(range(len(record["actions"]) + 1))
    assert [seat for _, seat in seen] == [entry["seat"] for entry in record["actions"]] + [None]
    *_, last = states(record)
    assert last.outcome is not None and list(last.outcome.places) == record["result"]["places"]
    assert begin(record).ply == 0


@pytest.fixture(scope="module")
def good() -> Json:
    """A record whose play claims flags after playing, and has forced decisions."""
    record = random_record(BATTLE_LINE, "standard", 7)
    verify(record)
    assert record["result"]["reason"] != "passes"
    return record


@pytest.mark.parametrize("name", TAMPERINGS)
def test_a_record_tampered_with_is_refused_with_the_reason(good: Json, name: str) -> None:
    change, sentence = TAMPERINGS[name]
    record = deepcopy(good)
    change(record)
    assert record != good
    with pytest.raises(BadRecord) as caught:
        verify(record)
    assert sentence in str(caught.value) and len(str(caught.value)) > 10


@pytest.mark.parametrize("name", ["format", "game", "edition", "options", "rules_version", "seats", "deal", "salt",
                                  "deal_hash", "actions", "result"])  # fmt: skip
def test_a_record_without_a_field_or_with_one_of_another_type_is_refused(good: Json, name: str) -> None:
    with pytest.raises(BadRecord, match=f"field '{name}' is missing"):
        verify({field: value for field, value in good.items() if field != name})
    for value in (None, True, 1.5):
        with pytest.raises(BadRecord, match=f"field '{name}' should be "):
            verify(good | {name: value})


@pytest.mark.parametrize("value", [None, [], "record", 7, True])
def test_what_is_no_object_is_no_record(value: object) -> None:
    with pytest.raises(BadRecord, match="a record is a JSON object"):
        verify(value)


def test_a_forfeit_where_there_was_nothing_to_decide_is_refused() -> None:
    """A seat with one legal action is not asked, so it can't fail there."""
    record = random_record(BATTLE_LINE, "standard", 7, tactics=0)
    number = next(n for n, entry in enumerate(record["actions"]) if "auto" in entry)
    seat = record["actions"][number]["seat"]
    state = next(state for n, state in enumerate(states(record)) if n == number)
    record["actions"][number:] = [{"seat": seat, "action": "forfeit", "verdict": "timeout"}]
    record["result"] = result_of_forfeit(state, seat)
    with pytest.raises(BadRecord):
        verify(record)


def result_of_forfeit(state: State, seat: int) -> Json:
    state.forfeit(seat, "timeout")
    assert state.outcome is not None
    verdicts = ["timeout" if place == seat else "ok" for place in range(2)]
    outcome = state.outcome
    return {
        "places": [*outcome.places],
        "scores": [*outcome.scores],
        "reason": outcome.reason,
        "verdicts": verdicts,
    }
