"""The claim and its proof against trying every completion (BL-16 to BL-19), on every ground and in every edition."""

import os
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from engine.games.battleline.legal import find_refutation, is_claim_provable
from engine.games.battleline.position import Position
from tests.engine.battleline import oracle
from tests.engine.battleline.duels import SETTINGS, random_duel, random_duels, table_of
from tests.engine.battleline.oracle import TILES, Duel, deck
from tests.engine.battleline.tables import STANDARD, duel_at, names
from tests.full import default_and_full, is_full_run

POSITIONS = int(os.environ.get("PENNANT_PROOF_POSITIONS", "5000" if is_full_run() else "1250"))
"""Random positions to compare in each edition; set the variable for a longer run."""
NEARLY_ALL_UNSEEN = {1: 600, 2: 300, 3: 150} if is_full_run() else {1: 200, 2: 100, 3: 40}
"""Positions with nearly every troop unseen, by the number of free slots."""
KEPT_SETTINGS = ("standard", "long-with-tiles")
"""The others run only with `--full`."""


def check_duel(duel: Duel, table: Position, flag: int) -> bool:
    """The engine's answer, which is the oracle's; a refutation it gives really beats the side."""
    expected, seat = oracle.is_provable(duel), duel.seat
    assert is_claim_provable(table, seat, flag) is expected, duel
    assert is_claim_provable(table, seat, flag) is expected, f"when asked again: {duel}"
    found = find_refutation(table, seat, flag)
    if found is not None:
        coming = names(found, table.rules.colours)
        assert len(coming) == duel.free and not Counter(coming) - Counter(duel.unseen), (duel, coming)
        assert duel.beaten_by(coming), (duel, coming)
    return expected


def same_cards(duel: Duel, table: Position) -> Duel:
    """The duel with its unseen troops in the order of the deck."""
    rules = table.rules
    unseen = Counter(deck(rules.colours, rules.copies, rules.values)) & Counter(duel.unseen)
    last = duel.mine_last or not duel.theirs
    return replace(duel, unseen=tuple(unseen.elements()), mine_last=last)


@pytest.mark.parametrize(
    "setting", default_and_full(KEPT_SETTINGS, [name for name in SETTINGS if name not in KEPT_SETTINGS])
)
def test_a_claim_is_provable_exactly_when_no_completion_holds_against_it(setting: str) -> None:
    """BL-16 to BL-19, and the ties of BL-15, without a difference."""
    seen: Counter[object] = Counter()
    rules = SETTINGS[setting]
    for duel, table, flag in random_duels(rules, POSITIONS, f"16 {setting}"):
        holds = check_duel(duel, table, flag)
        assert duel_at(table, duel.seat, flag) == same_cards(duel, table)
        tie = not duel.free and duel.my_strength() == duel.their_strength()
        wilds = sum(not oracle.is_troop(card) for card in duel.mine + duel.theirs)
        seen.update([("free", duel.free, holds), ("fog", duel.fog, holds), ("mud", duel.mud, holds), ("wilds", wilds)])
        seen.update([("tie", holds)] if tie else [("short", holds)] if len(duel.unseen) < duel.free else [])
        seen.update({(duel.tile, holds), (duel.tile, "fog", duel.fog), (duel.tile, "mud", duel.mud)})
        seen.update([(duel.tile, "claimed by", duel.seat, holds)])
        seen.update({"twice" for card, n in Counter(duel.theirs + duel.unseen).items() if n == 2 and card[0] in "SHDC"})
    check_variety(seen, setting)


def check_variety(seen: Counter[object], setting: str) -> None:
    few = POSITIONS // 300
    assert min(seen["free", free, holds] for free in range(5) for holds in (True, False)) >= few, seen
    assert min(seen["tie", True], seen["tie", False], seen["short", True]) >= few, seen
    assert min(seen["fog", True, holds] for holds in (True, False)) >= few
    assert min(seen["mud", True, holds] for holds in (True, False)) >= few
    assert seen["short", False] == 0
    assert min(seen["wilds", count] for count in range(4)) >= 10 * few, seen
    rules = SETTINGS[setting]
    if rules.copies == 2:
        assert seen["twice"] >= 10 * few, seen
    if rules.tiles == "none":
        return
    assert min(seen[tile, holds] for tile in TILES for holds in (True, False)) >= few, seen
    assert min(seen[tile, "fog", True] for tile in TILES if tile != "woodland") >= few, seen
    assert min(seen[tile, "mud", True] for tile in TILES if tile != "river") >= few, seen
    keeps = ("castle", "fortress")
    assert min(seen[tile, "claimed by", seat, holds] for tile in keeps for seat in (0, 1) for holds in (True, False))


@pytest.mark.parametrize("free", [1, 2, 3])
def test_claims_are_proven_alike_with_nearly_every_troop_unseen(free: int) -> None:
    rng = Random(free)
    answers = Counter()
    for _ in range(NEARLY_ALL_UNSEEN[free]):
        duel = random_duel(rng, STANDARD, free)
        rest = [troop for troop in deck() if troop not in duel.mine + duel.theirs]
        unseen = tuple(rng.sample(rest, len(rest) - rng.randint(0, 12)))
        whole = Duel(duel.mine, duel.theirs, unseen, duel.fog, duel.mud, seat=duel.seat)
        answers[check_duel(whole, *table_of(whole, rng, STANDARD))] += 1
    assert min(answers[True], answers[False]) >= 3, answers


@pytest.mark.parametrize("setting", ["hundred-years", "long-with-tiles"])
@pytest.mark.parametrize("free", [1, 2])
def test_claims_on_tiles_are_proven_alike_with_nearly_every_troop_unseen(setting: str, free: int) -> None:
    rng, rules = Random(free), SETTINGS[setting]
    answers = Counter()
    for _ in range(NEARLY_ALL_UNSEEN[free] // 2):
        duel = random_duel(rng, rules, free)
        rest = list(
            (Counter(deck(rules.colours, rules.copies, rules.values)) - Counter(duel.mine + duel.theirs)).elements()
        )
        unseen = tuple(rng.sample(rest, len(rest) - rng.randint(0, 12)))
        whole = Duel(duel.mine, duel.theirs, unseen, duel.fog, duel.mud, duel.tile, duel.seat)
        answers[check_duel(whole, *table_of(whole, rng, rules))] += 1
    assert min(answers[True], answers[False]) >= 3, answers


def test_claims_are_proven_alike_with_four_free_slots_and_every_troop_unseen() -> None:
    """487,635 completions at most: the strongest sides, which need them all, and some that fall at once."""
    sides = ("R10 R9 R8 R7", "R10 O10 Y10 G10", "R10 R9 R8 R6")
    for number, mine in enumerate(tuple(side.split()) for side in sides):
        unseen = tuple(troop for troop in deck() if troop not in mine)
        duel = Duel(mine, (), unseen if number else unseen[-26:], mud=True, mine_last=True)
        assert check_duel(duel, *table_of(duel, Random(4), STANDARD)) is (number == 0)
