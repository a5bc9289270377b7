"""The proof in words: the best reply of each kind, why another is out of reach, and what refutes the claim."""

import os
from collections import Counter

import pytest

from engine.core import Json
from engine.games.battleline.legal import explain_claim
from tests.engine.battleline import oracle
from tests.engine.battleline.duels import SETTINGS, random_duels
from tests.engine.battleline.oracle import TROOPS, Duel
from tests.engine.battleline.tables import lay_out
from tests.full import is_full_run

EXPLAINED = int(os.environ.get("PENNANT_PROOF_POSITIONS", "5000" if is_full_run() else "1500")) // 8
"""Random positions to explain in each edition."""
NO_SINGLE_CARD = "gone"
"""The one reason of a side that leaves a card out (BL-60): no single card of it stands in the way."""


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_explained_claim_lists_the_best_reply_of_each_kind(setting: str) -> None:
    """A reply of a kind is one that can be read as that kind, even if it could be read as a higher one too."""
    seen: Counter[str] = Counter()
    for duel, table, flag in random_duels(SETTINGS[setting], EXPLAINED, f"20 {setting}"):
        said = explain_claim(table, duel.seat, flag)
        assert said["holds"] is oracle.is_provable(duel), duel
        check_sides(said, duel)
        best = oracle.best_replies(duel)
        for reply in said["replies"]:
            check_reply(reply, duel, best)
            seen[reply["why"]] += 1
        seen[said["because"]] += 1
        check_because(said, duel)
    few = max(1, EXPLAINED // 200)
    assert min(seen[why] for why in ("beats", "weaker", "equal", "colours", "values", "apart", "gone", "short")) >= few
    assert min(seen[why] for why in ("beats-all", "short", "beaten")) >= few, seen
    assert min(seen[why] for why in ("tie-first", "tie-last")) >= 1, seen


def check_sides(said: Json, duel: Duel) -> None:
    mine, ground = duel.my_strength(), duel.ground(duel.seat)
    assert (said["mine"]["formation"], said["mine"]["sum"]) == (oracle.KINDS[mine[0]], mine[1]), (duel, said)
    assert oracle.strength(said["mine"]["as"], ground._replace(highest_ignored=False)) == mine, (duel, said)
    assert said["needs"] == len(duel.mine)
    assert said["theirs"] == {"cards": list(duel.theirs), "free": duel.free, "unseen": len(duel.unseen)}
    kinds = ["host"] if ground.sum_only else ["wedge", "phalanx", "battalion", "skirmish", "host"]
    assert [reply["formation"] for reply in said["replies"]] == kinds


def check_reply(reply: Json, duel: Duel, best: dict[str, int]) -> None:
    kind, ground = reply["formation"], duel.ground(1 - duel.seat)
    assert reply.get("sum") == best.get(kind), (duel, reply, best)
    if kind not in best:
        assert reply["cards"] is None and not reply["beats"]
        assert reply["why"] in ("colours", "values", "apart", "gone", "short"), reply
        assert (reply["why"] == "short") is (len(duel.unseen) < duel.free), (duel, reply)
        assert not set(reply.get("gone", ())) & set(duel.unseen), (duel, reply)
        assert not ground.highest_ignored or reply["why"] in ("short", NO_SINGLE_CARD)
        return
    mine, low = duel.my_strength(), duel.tile == "hills"
    reached = (oracle.KINDS.index(kind), reply["sum"])
    coming = tuple(reply["cards"])
    assert len(coming) == duel.free and not Counter(coming) - Counter(duel.unseen), (duel, reply)
    assert (kind, reply["sum"]) in set(oracle.readings(duel.theirs + coming, ground)), (duel, reply)
    beats = oracle.worth(reached, low) > oracle.worth(mine, low)
    assert reply["beats"] is beats, (duel, reply)
    assert reply["why"] == ("beats" if beats else "equal" if reached == mine else "weaker")


def check_because(said: Json, duel: Duel) -> None:
    refutation, because = said["refutation"], said["because"]
    assert (refutation is not None) is (because == "beaten") is any(reply["beats"] for reply in said["replies"])
    if because == "beaten":
        assert len(refutation) == duel.free and not Counter(refutation) - Counter(duel.unseen), (duel, refutation)
        assert duel.beaten_by(tuple(refutation)), (duel, refutation)
    assert said["holds"] is (because in ("beats-all", "short", "tie-first"))


HAND_MADE = [
    # mine, theirs, unseen, kind, why, gone
    ("R4 R5 R6", "B1 G2", "Y3 B9", "wedge", "colours", None),
    ("R4 R5 R6", "B2 B2", "", "wedge", "short", None),
    ("R4 R5 R6", "B1 B4", "B2 B3", "wedge", "apart", None),
    ("R4 R5 R6", "B9 B10", "B1 Y8", "wedge", "gone", ["B8"]),
    ("R4 R5 R6", "B7 B8", "B1 Y9", "wedge", "gone", ["B6", "B9"]),
    ("R4 R5 R6", "B7 B8", "B9", "wedge", "beats", None),
    ("R4 R5 R6", "B2 B3", "B1 Y9", "wedge", "weaker", None),
    ("R4 R5 R6", "B4 B5", "B6 Y1", "wedge", "equal", None),
    ("R4 R5 R6", "B4 G5", "B6 Y1", "phalanx", "values", None),
    ("R4 R5 R6", "B4 G4", "B6 Y1", "phalanx", "gone", ["R4", "O4", "Y4", "P4"]),
    ("R4 R5 R6", "B4", "B6", "phalanx", "short", None),
    ("R4 R5 R6", "B4 B9", "Y6 Y1", "battalion", "gone", []),
    ("R4 R5 R6", "B4 G9", "Y6 Y1", "battalion", "colours", None),
    ("R4 R5 R6", "B4 G4", "Y6 Y5", "skirmish", "values", None),
    ("R4 R5 R6", "B4 G9", "Y6 Y5", "skirmish", "apart", None),
    ("R4 R5 R6", "B9 cavalry", "Y6 Y5", "skirmish", "gone", ["R7", "O7", "Y7", "G7", "B7", "P7", "R10", "O10", "Y10",
                                                             "G10", "B10", "P10"]),
    ("R4 G5 R9", "B4 G8", "Y6 Y5", "host", "equal", None),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "theirs", "unseen", "kind", "why", "gone"), HAND_MADE)
def test_the_reason_of_a_reply_is_the_one_a_person_would_give(
    mine: str, theirs: str, unseen: str, kind: str, why: str, gone: list[str] | None
) -> None:
    placed = [(0, 0, card) for card in mine.split()] + [(1, 0, card) for card in dict.fromkeys(theirs.split())]
    said = explain_claim(lay_out(placed, unseen.split()), 0, 0)
    reply = next(reply for reply in said["replies"] if reply["formation"] == kind)
    assert reply["why"] == why
    if gone is None:
        assert "gone" not in reply
    else:
        assert sorted(reply["gone"]) == sorted(gone)


def test_an_incomplete_side_and_a_claimed_flag_are_explained_without_replies() -> None:
    table = lay_out([(0, 0, "R4"), (0, 0, "R5")], list(TROOPS))
    said = explain_claim(table, 0, 0)
    assert (said["holds"], said["because"], said["replies"], said["refutation"]) == (False, "incomplete", [], None)
    assert said["mine"] == {"cards": ["R4", "R5"]}
    table = lay_out([(0, 0, "R10"), (0, 0, "R9"), (0, 0, "R8")], list(TROOPS))
    assert explain_claim(table, 0, 0)["holds"]
    table.claim(0, 0)
    said = explain_claim(table, 0, 0)
    assert (said["holds"], said["because"]) == (False, "closed")


TILE_MADE = [
    # tile, fog, mine, theirs, unseen, kind, sum, why
    ("castle", False, "R4 R5 R6", "B10 B7 B8", "B9 Y1", "wedge", 24, "beats"),
    ("castle", False, "R4 R5 R6", "B7 B8 B9", "Y1 Y2", "wedge", None, "gone"),
    ("castle", False, "R8 R9 R10", "B7 B8 B9", "B10 G10", "wedge", 24, "weaker"),
    ("castle", True, "R8 R9 R10", "B9 G9 O9", "B10 Y1", "host", 27, "equal"),
    ("hills", False, "R4 R5 R6", "B3 B4", "B5 B2", "wedge", 9, "beats"),
    ("hills", False, "R4 R5 R6", "B6 B7", "B5 B8", "wedge", 18, "weaker"),
    ("hills", False, "R4 G5 Y9", "shield B6", "O7 Y8", "host", 14, "beats"),
    ("river", False, "R4 R5 R6 R7", "B5 B6 B7", "B4 B8", "wedge", 26, "beats"),
    ("woodland", False, "R9 R8 R7", "B10 G9", "O4 O5", "host", 24, "equal"),
    ("town", False, "R4 R5 R6", "B4 B5", "B6 Y1", "wedge", 15, "equal"),
]


@pytest.mark.parametrize(("tile", "fog", "mine", "theirs", "unseen", "kind", "total", "why"), TILE_MADE)
def test_the_reply_on_a_tile_is_the_one_a_person_would_give(  # noqa: PLR0913 - a column each
    tile: str, fog: bool, mine: str, theirs: str, unseen: str, kind: str, total: int | None, why: str
) -> None:
    """Seat 0 defends the Castle, so seat 1 claims against it here."""
    placed = [(1, 0, card) for card in mine.split()] + [(0, 0, card) for card in theirs.split()]
    table = lay_out(placed, unseen.split(), SETTINGS["terrain"])
    table.lay_tile(0, tile)
    if fog:
        table.lay_fog(0)
    said = explain_claim(table, 1, 0)
    reply = next(reply for reply in said["replies"] if reply["formation"] == kind)
    assert (reply["why"], reply.get("sum")) == (why, total)
