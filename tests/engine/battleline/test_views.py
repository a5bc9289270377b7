"""The fields of views and events, exactly as they are public."""

from random import Random

import pytest

from engine.core import Json
from engine.registry import GAMES
from tests.engine.battleline.staging import begin, play, stage
from tests.engine.plays import begin as begin_play
from tests.engine.plays import run

GAME = GAMES["battleline"]
VIEW = {
    "decision", "turn", "to_move", "hand", "hand_sizes", "hand_backs", "decks", "flags", "tactics_played",
    "discards", "leader_played", "known",
}  # fmt: skip
FLAG = {"flag", "owner", "cards", "needs", "last", "fog", "mud", "fog_by", "mud_by", "tile"}
BESIDE = {"return": {"returning"}, "watchtower": {"at"}, "draft": {"draft", "row"}, "lay": {"draft", "row"}}
"""Fields that only some decisions have."""


@pytest.mark.parametrize("edition", GAME.editions)
def test_a_view_has_exactly_the_public_fields(edition: str) -> None:
    flags = GAME.options(edition)["flags"]
    for seed in range(20):
        for state in run(begin_play(GAME, edition, seed), Random(seed)):
            for seat in (0, 1):
                view = state.view(seat)
                beside = BESIDE.get(view["decision"], set()) if state.to_act is not None else set()
                assert set(view) == VIEW | beside
                assert [set(flag) for flag in view["flags"]] == [FLAG] * flags
                assert [flag["flag"] for flag in view["flags"]] == list(range(1, flags + 1))
                assert view["to_move"] == state.to_act
                assert set(view["decks"]) == {"troop", "tactic"}
                check_beside(view)


def check_beside(view: Json) -> None:
    if "returning" in view:
        assert set(view["returning"]) == {"from", "left"} and view["returning"]["left"] > 0
        assert view["returning"]["from"] in ("scout", "fields")
    if "draft" in view:
        assert set(view["draft"]) == {"choices", "tiles"} and view["turn"] == 0
        assert all(set(place) == {"tile", "up"} for place in view["row"])
    if view["decision"] == "watchtower" and "at" in view:
        assert view["flags"][view["at"] - 1]["tile"] == "watchtower"
        assert view["flags"][view["at"] - 1]["owner"] == view["to_move"]


def test_the_first_view_of_a_play() -> None:
    state = begin("R1 R2 R3 R4 R5 R6 R7", "B1 B2 B3 B4 B5 B6 B7")
    flags = [
        {"flag": n, "owner": None, "cards": [[], []], "needs": [3, 3], "last": None, "fog": False, "mud": False,
         "fog_by": None, "mud_by": None, "tile": None} for n in range(1, 10)
    ]  # fmt: skip
    assert state.view(1) == {
        "decision": "play",
        "turn": 1,
        "to_move": 0,
        "hand": ["B1", "B2", "B3", "B4", "B5", "B6", "B7"],
        "hand_sizes": [7, 7],
        "hand_backs": [{"troop": 7, "tactic": 0}, {"troop": 7, "tactic": 0}],
        "decks": {"troop": 46, "tactic": 10},
        "flags": flags,
        "tactics_played": [[], []],
        "discards": [[], []],
        "leader_played": [False, False],
        "known": [],
    }
    assert state.events(1) == [{"event": "deal", "seat": 1, "hand": ["B1", "B2", "B3", "B4", "B5", "B6", "B7"]}]
    assert len(state.events(None)) == 2


def test_a_drawn_card_is_named_to_its_owner_only() -> None:
    state = begin("R1", troops="G7")
    since = state.log_length
    play(state, "play R1 3", "draw troop")
    shown = [{"seat": 0, "action": "play R1 3"}, {"seat": 0, "action": "draw troop"}]
    drawn = {"seat": 0, "event": "draw", "deck": "troop"}
    assert state.events(1, since) == [*shown, drawn]
    assert state.events(0, since) == state.events(None, since) == [*shown, drawn | {"card": "G7"}]


def test_a_claim_tells_the_formation_to_everyone() -> None:
    state = stage("B8 1, leader-1 1, G8 1", "Y1 1, O1 1, G3 1")
    play(state, "claim 1")
    told = {"seat": 0, "action": "claim 1", "formation": "phalanx", "sum": 24, "as": ["B8", "R8", "G8"]}
    assert [state.events(seat)[-1] for seat in (None, 0, 1)] == [told] * 3


def test_turns_of_both_seats_are_counted_from_one() -> None:
    state = begin("R1", "B1")
    play(state, "play R1 1")
    assert state.view(0)["turn"] == 1
    play(state, "draw troop", "play B1 1")
    assert state.view(0)["turn"] == state.view(1)["turn"] == 2


def test_who_played_fog_and_mud_is_told() -> None:
    state = begin("R1", "B1 B2", tactics="fog")
    play(state, "play R1 9", "draw tactic", "play B1 9", "draw troop", "play fog 3", "draw troop")
    flag = state.view(1)["flags"][2]
    assert (flag["fog_by"], flag["mud_by"]) == (0, None)


def test_cards_that_were_put_back_are_known_to_who_did_it() -> None:
    state = begin("R1 R2", "B1 B2", troops="G1 G7 G8 G9", tactics="scout")
    play(state, "play R1 9", "draw tactic", "play B1 9", "draw troop")
    play(state, "scout", "draw troop", "draw troop", "draw troop", "return G9", "return R2")
    assert state.view(0)["known"] == [
        {"card": "R2", "in_hand": False, "in_deck": [1]},
        {"card": "G9", "in_hand": False, "in_deck": [2]},
    ]
    assert state.view(1)["known"] == []
    play(state, "done", "play B2 1", "draw troop")
    assert state.view(0)["known"] == [
        {"card": "G9", "in_hand": False, "in_deck": [1]},
        {"card": "R2", "in_hand": True, "in_deck": []},
    ]
    assert state.view(0)["hand_backs"] == [{"troop": 7, "tactic": 0}, {"troop": 7, "tactic": 0}]
