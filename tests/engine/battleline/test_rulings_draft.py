"""The draft and the laying of the tiles, and the Kings (BL-70)."""

from random import Random

import pytest

from engine.contract.checks import check_redeal
from engine.core import Json, State
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.tiles import TILES
from tests.engine.battleline.staging import GAME, flag, hand, legal, play, refusal
from tests.full import is_full_run

PACKETS = "castle marshes river watchtower", "town fields fortress hills"
ASIDE = "woodland"
FACES = ("dddddddd", "ududduud", *(("uuuuuuuu", "dduuuudd") if is_full_run() else ()))
"""How the first eight tiles are laid, up or down, where what a seat can't know of them is dealt anew."""
PICKS = "castle town hills watchtower marshes fortress fields river".split()
"""Seat 0 gets castle, hills, marshes, fields; seat 1 town, watchtower, fortress, river."""


def begin_draft(**changes: object) -> State:
    options = GAME.options("hundred-years", **changes)
    deal = GAME.deal(options, 2, Random(70)) | {"tiles": [*" ".join(PACKETS).split(), ASIDE]}
    return GAME.start(options, 2, deal)


def drafted(**changes: object) -> State:
    return play(begin_draft(**changes), *(f"pick {tile}" for tile in PICKS))


def laid(faces: str, **changes: object) -> State:
    """All nine tiles laid in the order castle, town, hills, watchtower, ...: a letter each, u or d."""
    row = [*PICKS, ASIDE]
    return play(
        drafted(**changes),
        *(f"lay {tile} {'up' if face == 'u' else 'down'}" for tile, face in zip(row, faces, strict=True)),
    )


def draft(state: State, seat: int) -> Json:
    return state.view(seat)["draft"]


def test_bl_70_both_pick_one_of_four_that_the_other_does_not_see() -> None:
    state = begin_draft()
    mine, theirs = (packet.split() for packet in PACKETS)
    assert (state.to_act, state.view(0)["decision"], state.view(1)["turn"]) == (0, "draft", 0)
    assert (draft(state, 0), draft(state, 1)) == (
        {"choices": mine, "tiles": []},
        {"choices": theirs, "tiles": []},
    )
    assert legal(state) == [f"pick {tile}" for tile in mine]
    assert refusal(state, "pick town") == "tile town can't be picked now (BL-70)"
    assert "(BL-1)" in refusal(state, "lay castle up")
    for seat, packet in ((0, mine), (1, theirs)):
        packets = [event for event in state.events(seat) if event.get("event") == "packet"]
        assert packets == [{"event": "packet", "choices": packet}]


def test_bl_70_a_pick_is_hidden_and_the_rests_change_hands() -> None:
    state = begin_draft()
    since = play(state, "pick castle").log_length - 1
    assert state.events(1, since) == [{"seat": 0, "action": "pick ?"}]
    assert state.events(0, since) == [{"seat": 0, "action": "pick castle"}]
    assert state.to_act == 1 and draft(state, 1)["choices"] == PACKETS[1].split()
    since = state.log_length
    play(state, "pick town")
    assert state.events(0, since) == [
        {"seat": 1, "action": "pick ?"},
        {"event": "packet", "choices": ["fields", "fortress", "hills"]},
    ]
    assert state.events(1, since) == [
        {"seat": 1, "action": "pick town"},
        {"event": "packet", "choices": ["marshes", "river", "watchtower"]},
    ]
    assert (draft(state, 0), draft(state, 1)) == (
        {"choices": ["fields", "fortress", "hills"], "tiles": ["castle"]},
        {"choices": ["marshes", "river", "watchtower"], "tiles": ["town"]},
    )


def test_bl_70_picking_goes_on_to_the_last_tile() -> None:
    state = drafted()
    assert (state.to_act, state.view(0)["decision"], state.ply) == (0, "lay", 8)
    assert sorted(draft(state, 0)["tiles"]) == sorted(PICKS[::2])
    assert sorted(draft(state, 1)["tiles"]) == sorted(PICKS[1::2])
    assert draft(state, 0)["choices"] == draft(state, 1)["choices"] == state.view(0)["row"] == []
    last = play(begin_draft(), *(f"pick {tile}" for tile in PICKS[:6]))
    assert last.forced() is not None and legal(last) == ["pick fields"]


def test_bl_70_a_tile_is_laid_up_in_force_or_down_and_plain() -> None:
    state = drafted()
    assert set(legal(state)) == {f"lay {tile} {face}" for tile in PICKS[::2] for face in ("up", "down")}
    assert refusal(state, "lay town up") == "tile town can't be laid now (BL-70)"
    play(state, "lay castle up")
    assert state.to_act == 1 and flag(state, 1)["tile"] == "castle" and flag(state, 1)["needs"] == [4, 3]
    since = state.log_length
    play(state, "lay river down")
    assert flag(state, 2)["tile"] is None and flag(state, 2)["needs"] == [3, 3]
    assert state.events(0, since) == [{"seat": 1, "action": "lay ? down"}]
    assert state.events(1, since) == [{"seat": 1, "action": "lay river down"}]
    assert refusal(state, "lay castle up") == "tile castle can't be laid now (BL-70)"


def test_bl_70_a_tile_laid_down_is_known_only_to_who_laid_it() -> None:
    state = play(drafted(), "lay castle down", "lay river down", "lay hills up")
    assert state.view(0)["row"] == [
        {"tile": "castle", "up": False}, {"tile": None, "up": False}, {"tile": "hills", "up": True}
    ]  # fmt: skip
    assert state.view(1)["row"] == [
        {"tile": None, "up": False}, {"tile": "river", "up": False}, {"tile": "hills", "up": True}
    ]  # fmt: skip
    assert sorted(draft(state, 0)["tiles"]) == ["fields", "marshes"]


def test_bl_70_the_tile_set_aside_is_seat_0s_ninth_and_unknown_before() -> None:
    row = PICKS[:7]
    state = play(drafted(), *(f"lay {tile} up" for tile in row))
    assert not any(ASIDE in str(state.view(seat)) + str(state.events(seat)) for seat in (0, 1))
    assert (state.to_act, draft(state, 0)["tiles"]) == (1, [])
    since = state.log_length
    play(state, "lay river down")
    assert state.events(0, since)[-1] == {"event": "packet", "choices": [ASIDE]}
    assert ASIDE not in str(state.events(1)) + str(state.view(1))
    assert (state.to_act, legal(state)) == (0, [f"lay {ASIDE} up", f"lay {ASIDE} down"])
    assert draft(state, 0)["tiles"] == [ASIDE] and draft(state, 1)["tiles"] == []
    hidden, shown = play(state.copy(), f"lay {ASIDE} down"), play(state, f"lay {ASIDE} up")
    assert ASIDE not in str(hidden.events(1)) + str(hidden.view(1)) and flag(hidden, 9)["tile"] is None
    assert flag(shown, 9)["tile"] == ASIDE


def test_bl_70_then_the_game_starts_with_seat_0() -> None:
    state = laid("ududududu")
    assert (state.to_act, state.view(1)["decision"], state.view(1)["turn"]) == (0, "play", 1)
    assert not {"draft", "row"} & set(state.view(0))
    tiles = ["castle", None, "hills", None, "marshes", None, "fields", None, "woodland"]
    for seat in (0, 1):
        assert [place["tile"] for place in state.view(seat)["flags"]] == tiles
    assert [event["action"] for event in state.events(0) if event.get("action", "").startswith("lay ?")] == [
        "lay ? down"
    ] * 4


def test_bl_70_a_river_laid_down_takes_mud_and_a_woodland_laid_down_fog() -> None:
    """BL-33 speaks of tiles in force."""
    shown, hidden = laid("u" * 9), laid("d" * 9)
    for state, there in ((shown, ("river", "woodland")), (hidden, (None, None))):
        assert (flag(state, 8)["tile"], flag(state, 9)["tile"]) == there
        fogs, muds = weather(state)
        assert (8 in muds, 9 in fogs, 9 in muds, 8 in fogs) == (there[0] is None, there[1] is None, True, True)


def weather(state: State) -> tuple[set[int], set[int]]:
    """The flags where Fog and Mud may be laid by a seat that comes to hold them."""
    assert isinstance(state, BattleLineState)
    held = state.copy()
    held.hands[0].extend(held.names.card[name] for name in ("fog", "mud"))
    held.found = None
    words = [text.split() for text in legal(held, "play")]
    return tuple({int(word[2]) for word in words if word[1] == card} for card in ("fog", "mud"))  # type: ignore[return-value]


def test_bl_70_each_starts_with_its_king_and_six_troops_and_eight_tactics_are_left() -> None:
    state = begin_draft()
    for seat, king in enumerate(("leader-1", "leader-2")):
        cards = hand(state, seat)
        assert king in cards and len(cards) == 7
        assert sum(card[1:].isdigit() for card in cards) == 6
        assert {"event": "deal", "seat": seat, "hand": cards} in state.events(seat)
    assert state.view(0)["decks"] == {"troop": 48, "tactic": 8}
    assert state.view(0)["leader_played"] == [False, False]
    begun = laid("u" * 9)
    play(begun, "play leader-1 3", "draw troop")
    assert begun.view(1)["leader_played"] == [True, False] and "play leader-2 2" in legal(begun)


def test_bl_70_without_tactics_nobody_gets_a_king() -> None:
    state = begin_draft(tactics=0)
    for seat in (0, 1):
        assert len(hand(state, seat)) == 7 and all(card[1:].isdigit() for card in hand(state, seat))
    assert state.view(0)["decks"] == {"troop": 46, "tactic": 0}


@pytest.mark.parametrize("seat", [0, 1])
def test_bl_70_what_a_seat_cannot_know_of_the_tiles_is_everything_else(seat: int) -> None:
    """At every ply of draft and laying: dealt anew, all nine tiles are there, and all that may be hidden varies."""
    for faces in FACES:
        moves = [f"pick {tile}" for tile in PICKS]
        moves += [f"lay {tile} {'up' if face == 'u' else 'down'}" for tile, face in zip(PICKS, faces, strict=True)]
        state = begin_draft()
        for number, move in enumerate([*moves, f"lay {ASIDE} down"]):
            twins = [check_redeal(state, seat, Random(seed)) for seed in range(40)]
            for twin in twins:
                check_tiles(state, twin, seat)
            asides = {twin.draft.aside for twin in twins}  # type: ignore[attr-defined]
            assert asides == possible_asides(state, seat, number), (seat, number, faces)
            play(state, move)


def check_tiles(state: State, twin: State, seat: int) -> None:
    assert isinstance(state, BattleLineState) and isinstance(twin, BattleLineState)
    assert state.draft is not None and twin.draft is not None
    for one in (state.draft, twin.draft):
        tiles = [tile for group in (*one.packets, *one.kept) for tile in group] + [tile for tile, _, _ in one.row]
        ninth = [] if len(one.row) == 9 else [one.aside]
        assert sorted(tiles + ninth) == sorted(TILES)
    assert twin.draft.kept[seat] == state.draft.kept[seat]
    assert [len(tiles) for tiles in twin.draft.kept] == [len(tiles) for tiles in state.draft.kept]
    assert [(up, layer) for _, up, layer in twin.draft.row] == [(up, layer) for _, up, layer in state.draft.row]


def possible_asides(state: State, seat: int, number: int) -> set[str]:
    """What the seat must think may lie aside: all that it has not seen."""
    if seat == 0 and number == 16:
        return {ASIDE}
    told = [tile for event in state.events(seat) if "packet" == event.get("event") for tile in event["choices"]]
    shown = [event["action"].split()[1] for event in state.events(seat) if "action" in event]
    return set(TILES) - set(told) - set(shown)


def test_bl_70_seat_1_does_not_learn_what_seat_0_has_just_picked() -> None:
    """In the second round seat 1 has seen all three tiles that seat 0 picks from."""
    state = play(begin_draft(), "pick castle", "pick town", "pick hills")
    picked = {state.redeal(1, Random(seed)).view(0)["draft"]["tiles"][-1] for seed in range(60)}
    assert picked == {"fields", "fortress", "hills"}


def test_bl_70_seat_1_does_not_learn_which_tiles_lie_face_down() -> None:
    state = play(drafted(), "lay castle down", "lay town up")
    down = {state.redeal(1, Random(seed)).view(0)["row"][0]["tile"] for seed in range(200)}
    assert down == {"castle", "hills", "marshes", "fields", ASIDE}
