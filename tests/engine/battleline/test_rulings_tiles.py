"""What tiles do while a flag is fought for (BL-60, BL-62, BL-64, BL-66, BL-67, BL-69), and BL-33 on them."""

from random import Random

import pytest

from engine.games.battleline.legal import is_claim_provable
from engine.games.battleline.tiles import TILES
from tests.engine.battleline.staging import (
    GAME,
    at,
    begin,
    claimants,
    claimed,
    flag,
    hand,
    legal,
    play,
    refusal,
    stage,
    take_turn,
)  # fmt: skip
from tests.engine.battleline.tables import lay_out
from tests.engine.battleline.test_rulings_end import EDGES, JUNK, TENS, stalemate

LOW_HOST = "Y1 O1 O3"


def test_bl_60_the_castle_is_defended_by_seat_0_and_the_fortress_by_seat_1() -> None:
    state = begin(row="castle 1, fortress 2, town 3")
    assert [flag(state, number)["needs"] for number in (1, 2, 3)] == [[4, 3], [3, 4], [3, 3]]


def test_bl_60_under_mud_the_defender_needs_five() -> None:
    state = stage("mud 1", "-", row="castle 1, fortress 2")
    assert (flag(state, 1)["needs"], flag(state, 2)["needs"]) == ([5, 4], [3, 4])


def test_bl_60_the_defender_has_a_fourth_slot_and_is_incomplete_without_it() -> None:
    state = stage("R4 1, R5 1, R6 1", at(1, LOW_HOST), holds=("R10", ""), row="castle 1")
    assert refusal(state, "claim 1") == "this seat's side of flag 1 has fewer than 4 cards (BL-16)"
    told = claimed(play(state, "play R10 1"))
    assert (told["formation"], told["sum"], told["as"]) == ("wedge", 15, ["R4", "R5", "R6"])


IGNORED = [
    ("R10 R4 R5 R6", "wedge", 15, "R4 R5 R6"),
    ("R9 B9 R8 R7", "wedge", 24, "R9 R8 R7"),
    ("R9 B9 B8 B7", "wedge", 24, "B9 B8 B7"),
    ("R9 B9 G9 R8", "host", 26, None),
    ("leader-1 B4 B5 B6", "wedge", 15, "B4 B5 B6"),
    ("leader-1 B4 B5 B10", "wedge", 15, "B6 B4 B5"),
    ("cavalry B4 B5 B7", "battalion", 16, "B4 B5 B7"),
    ("cavalry B9 B10 G10", "wedge", 27, "B8 B9 B10"),
    ("shield B2 B1 G3", "wedge", 6, "B3 B2 B1"),
]


@pytest.mark.parametrize(("side", "kind", "total", "stands"), IGNORED, ids=[row[0] for row in IGNORED])
def test_bl_60_the_highest_printed_value_is_ignored_as_is_best_for_the_defender(
    side: str, kind: str, total: int, stands: str | None
) -> None:
    """A leader counts 10 there, a cavalry 8, shields 3."""
    told = claimed(stage(at(1, side), at(1, LOW_HOST) + ", -", row="castle 1"))
    assert (told["formation"], told["sum"], len(told["as"])) == (kind, total, 3)
    assert stands is None or told["as"] == stands.split()


def test_bl_60_the_proof_ignores_the_highest_card_of_a_completion_too() -> None:
    """Against 10-7-9 of the Fortress only the 8 makes a wedge: the 10 is ignored then."""
    state = stage("R4 1, R5 1, R6 1", "B10 1, B7 1, B9 1", row="fortress 1", unseen="B8")
    assert refusal(state, "claim 1") == "the other side of flag 1 could still win it with B8 (BL-16)"
    assert "claim 1" in legal(stage("R4 1, R5 1, R6 1, B8 3", "B10 1, B7 1, B9 1, -", row="fortress 1"))


def test_bl_60_a_card_to_come_may_be_the_ignored_one() -> None:
    """8-9-10 holds if another 10 comes, which then is left out."""
    state = stage("R4 1, R5 1, R6 1, B7 3", "B10 1, B8 1, B9 1, -", row="fortress 1", unseen="G10")
    assert "could still win it with" in refusal(state, "claim 1") and "10 (BL-16)" in refusal(state, "claim 1")


def test_bl_60_where_a_higher_card_comes_it_is_the_ignored_one() -> None:
    """8-7-8 with a 9 of the right colour is no 7-8-9, for that 9 is left out; a 6 would make 6-7-8, and lies open."""
    state = stage("R4 1, R5 1, R6 1, B6 3", "G8 1, B7 1, B8 1, -", row="fortress 1", unseen="B9")
    assert "claim 1" in legal(state)
    state = stage("R4 1, R5 1, R6 1, B9 3", "G8 1, B7 1, B8 1, -", row="fortress 1", unseen="B6")
    assert refusal(state, "claim 1") == "the other side of flag 1 could still win it with B6 (BL-16)"


def test_bl_15_an_ignored_card_counts_for_who_placed_last() -> None:
    """BL-60: equal hosts of 18, the 10 that is ignored having come last."""
    assert claimants(stage("R9 1, G7 1, -, B2 1", "O9 1, Y7 1, O2 1, P10 1", row="fortress 1")) == [0]
    assert claimants(stage("R9 1, G7 1, -, -, B2 1", "O9 1, Y7 1, O2 1, P10 1, -", row="fortress 1")) == [1]


def test_bl_13_under_fog_a_castle_still_ignores_the_highest_card_and_the_sum_alone_counts() -> None:
    """BL-60: of 10-4-5-6 the lower three make 15."""
    told = claimed(stage(at(1, "R10 R4 R5 R6"), at(1, "Y9 O4 G1") + ", fog 1", row="castle 1"))
    assert (told["formation"], told["sum"], told["as"]) == ("host", 15, ["R4", "R5", "R6"])
    assert claimants(stage(at(1, "R10 R4 R5 R6"), at(1, "Y9 O4 G3") + ", fog 1", row="castle 1")) == [1]
    told = claimed(stage(at(1, "leader-1 R4 R5 R6"), at(1, "Y9 O4 G1") + ", fog 1", row="castle 1"))
    assert (told["formation"], told["sum"], told["as"]) == ("host", 15, ["R4", "R5", "R6"])


@pytest.mark.parametrize(("coming", "holds"), [("B8", True), ("G10", False)])
def test_bl_13_under_fog_a_fortress_still_ignores_the_highest_card_of_a_completion(coming: str, holds: bool) -> None:
    """A sum of 16 against 10-3-4: with an 8 that is 15, with another 10 it is 17."""
    placed = [(0, 0, "R4"), (0, 0, "G5"), (0, 0, "R7"), (1, 0, "B10"), (1, 0, "B3"), (1, 0, "B4")]
    table = lay_out(placed, [coming])
    table.lay_tile(0, "fortress")
    table.lay_fog(0)
    assert is_claim_provable(table, 0, 0) is holds


def test_bl_62_river_asks_four_cards_of_both() -> None:
    state = stage("R10 1, R9 1, R8 1", "", holds=("R7", ""), row="river 1")
    assert flag(state, 1)["needs"] == [4, 4] and not flag(state, 1)["mud"]
    assert refusal(state, "claim 1") == "this seat's side of flag 1 has fewer than 4 cards (BL-16)"
    told = claimed(play(state, "play R7 1"))
    assert (told["formation"], told["sum"]) == ("wedge", 34)


def test_bl_33_no_mud_on_a_river_and_no_fog_on_a_woodland_in_force() -> None:
    state = stage("", "", holds=("mud", "fog"), row="river 1, woodland 2")
    assert {text.split()[2] for text in legal(state) if "mud" in text} == set("23456789")
    assert refusal(state, "play mud 1") == "flag 1 already has mud or a tile with the same effect (BL-33)"
    take_turn(state, "-")
    assert {text.split()[2] for text in legal(state) if "fog" in text} == set("13456789")
    assert refusal(state, "play fog 2") == "flag 2 already has fog or a tile with the same effect (BL-33)"


def test_bl_64_a_town_counts_two_flags_and_no_breakthrough_runs_through_it() -> None:
    state = stage(TENS.format(1, 2, 3, 5), "", row="watchtower 1, town 2, marshes 3, fields 5")
    play(state, "claim 1", "claim 2", "claim 3")
    play(state, legal(state, "remove")[0])
    assert state.outcome is None and state.to_act == 0
    play(state, "claim 5")
    assert state.outcome is not None and state.outcome.reason == "envelopment"
    assert state.outcome.scores == (5, 0)


def test_bl_64_three_flags_beside_a_town_are_a_breakthrough() -> None:
    state = play(stage(TENS.format(1, 2, 3, 5), "", row="watchtower 1, fortress 2, marshes 3, town 4"), "claim 1")
    play(state, "claim 2", "claim 3")
    assert state.outcome is not None and state.outcome.reason == "breakthrough"


def test_bl_25_a_town_of_the_loser_scores_two() -> None:
    second = "P10 6, P9 6, P8 6, " + ", ".join("-" * 7) + ", claim 6 + -, -"
    row = "town 6, fortress 1, watchtower 2, marshes 3"
    state = play(stage(TENS.format(1, 2, 3, 5), second, row=row), "claim 1", "claim 2", "claim 3")
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.scores) == ("breakthrough", (5, 2))


def test_bl_25_a_town_scores_two_in_a_leg_that_ends_by_a_verdict() -> None:
    state = play(stage(TENS.format(1, 2, 4, 5), "", row="fortress 1, town 2"), "claim 1", "claim 2")
    state.forfeit(0, "timeout")
    assert state.outcome is not None and state.outcome.scores == (3, 5)


@pytest.mark.parametrize(("town", "scores"), [(7, (5, 2)), (3, (2, 5)), (2, (2, 2))])
def test_bl_24_a_town_counts_two_after_two_passes(town: int, scores: tuple[int, int]) -> None:
    state = stalemate("R10 7, R9 7, R8 7, O10 9, O9 9, O8 9, R7 5", EDGES + JUNK.format(2, 4, 5, 6, 7, 9))
    state.lay_tile(town - 1, "town")  # type: ignore[attr-defined]
    play(state, "pass", "done", "pass")
    assert state.outcome is not None
    assert (state.outcome.reason, state.outcome.scores) == ("passes", scores)


@pytest.mark.parametrize("tile", ["marshes", "watchtower", "fields"])
def test_bl_24_an_award_triggers_no_tile(tile: str) -> None:
    state = stalemate("R10 7, R9 7, R8 7, O10 9, O9 9, O8 9, R7 5", EDGES + JUNK.format(2, 4, 5, 6, 7, 9))
    for number in (1, 3, 7, 9):
        state.lay_tile(number - 1, tile)  # type: ignore[attr-defined]
    hands, discards = [hand(state, seat) for seat in (0, 1)], state.view(0)["discards"]
    since = play(state, "pass", "done").log_length
    play(state, "pass")
    assert state.outcome is not None and state.outcome.scores == (2, 2)
    assert [event.get("event") for event in state.events(None, since)] == [None] + ["award"] * 4
    assert [hand(state, seat) for seat in (0, 1)] == hands and state.view(0)["discards"] == discards


ON_HILLS = [
    ("R1 R2 R3", "B10 B9 B8", "of two wedges the lower sum wins"),
    ("R2 G2 B2", "O3 G3 B3", "of two phalanxes the lower sum wins"),
    ("R1 R2 R4", "B10 B7 B3", "of two battalions the lower sum wins"),
    ("R1 G2 B3", "O2 B4 G3", "of two skirmishes the lower sum wins"),
    ("R1 G2 B4", "B9 G9 Y10", "of two hosts the lower sum wins"),
    ("R10 R9 R8", "B1 G1 Y1", "a wedge is above a phalanx all the same"),
    ("R10 G10 Y10", "B1 B2 B4", "a phalanx is above a battalion all the same"),
]


@pytest.mark.parametrize(("higher", "lower", "why"), ON_HILLS, ids=[row[2] for row in ON_HILLS])
def test_bl_66_on_hills_the_lower_sum_of_a_kind_wins(higher: str, lower: str, why: str) -> None:
    assert claimants(stage(at(1, higher), at(1, lower), row="hills 1")) == [0]
    assert claimants(stage(at(1, lower), at(1, higher), row="hills 1")) == [1]


@pytest.mark.parametrize(
    ("side", "kind", "total", "stands"),
    [
        ("B8 leader-1 B7", "wedge", 21, "B8 B6 B7"),
        ("B8 leader-1 B2", "battalion", 11, "B8 B1 B2"),
        ("B9 leader-1 G9", "phalanx", 27, "B9 R9 G9"),
        ("B9 leader-1 G8", "skirmish", 24, "B9 R7 G8"),
        ("B2 shield G1", "skirmish", 6, "B2 R3 G1"),
        ("B5 shield B6", "battalion", 12, "B5 B1 B6"),
    ],
)
def test_bl_66_wilds_choose_the_kind_first_and_then_the_lowest_sum(
    side: str, kind: str, total: int, stands: str
) -> None:
    told = claimed(stage(at(1, side), at(1, "Y10 O9 O6"), row="hills 1"))
    assert (told["formation"], told["sum"], told["as"]) == (kind, total, stands.split())


@pytest.mark.parametrize(
    ("side", "total", "values"),
    [("leader-1 B4 B5", 10, "1 4 5"), ("cavalry B1 B2", 11, "8 1 2"), ("shield B4 B5", 10, "1 4 5")],
)
def test_bl_66_with_fog_the_lower_sum_wins_and_wilds_count_their_lowest(side: str, total: int, values: str) -> None:
    state = stage(at(1, side), at(1, "Y5 O4 O3") + ", fog 1", row="hills 1")
    assert flag(state, 1)["fog"]
    told = claimed(state)
    assert (told["formation"], told["sum"]) == ("host", total)
    assert [card[1:] for card in told["as"]] == values.split()


def test_bl_66_the_proof_looks_for_the_lower_sum() -> None:
    """A wedge of 1-2-3 can't be beaten, one of 8-9-10 by nearly any."""
    assert "claim 1" in legal(stage("R1 1, R2 1, R3 1", "", row="hills 1"))
    assert "(BL-16)" in refusal(stage("R10 1, R9 1, R8 1", "", row="hills 1"), "claim 1")


def test_bl_67_in_a_woodland_only_the_sum_counts() -> None:
    assert claimants(stage(at(1, "R1 R2 R3"), at(1, "B3 G2 Y4"), row="town 1")) == [0]
    assert claimants(stage(at(1, "R1 R2 R3"), at(1, "B3 G2 Y4"), row="woodland 1")) == [1]
    told = claimed(stage(at(1, "leader-1 B4 B5"), at(1, LOW_HOST), row="woodland 1"))
    assert (told["formation"], told["sum"]) == ("host", 19)


def test_bl_69_the_nine_tiles_lie_open_from_the_start_and_everybody_is_told() -> None:
    options, row = GAME.options("terrain"), list(TILES[::-1])
    deal = GAME.deal(options, 2, Random(69))
    assert sorted(deal["tiles"]) == sorted(TILES)
    state = GAME.start(options, 2, deal | {"tiles": row})
    for seat in (0, 1):
        assert [place["tile"] for place in state.view(seat)["flags"]] == row
        assert {"event": "tiles", "row": row} in state.events(seat)
    assert (state.to_act, state.view(0)["decision"], state.view(0)["turn"]) == (0, "play", 1)
