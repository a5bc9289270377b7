"""The strength of sides against the oracle, and what their wild cards stand for (BL-10 to BL-14)."""

from itertools import combinations
from random import Random

import pytest

from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, card_set
from engine.games.battleline.formations import (
    FORMATION_NAMES,
    GROUND_IGNORES_HIGHEST,
    GROUND_LOW_SUM_WINS,
    GROUND_SUM_ONLY,
    compute_strength,
    describe_formation,
    split_strength,
)
from tests.engine.battleline import oracle
from tests.engine.battleline.oracle import GROUNDS, PLAIN, Ground
from tests.full import is_full_run

NAMES_OF, CARD = CARD_NAMES_BY_COLOURS["ROYGBP"].of, CARD_NAMES_BY_COLOURS["ROYGBP"].card
TROOPS, WILDS = tuple(oracle.TROOPS), tuple(oracle.WILDS)
THREE_CARD_INTERVAL = 1 if is_full_run() else 4
"""Sides of three cards from one that is compared to the next."""
FOUR_CARD_SAMPLE, TILE_SAMPLE = (30_000, 12_000) if is_full_run() else (6_000, 2_000)
DOUBLED_SAMPLE, WILD_SAMPLE = (10_000, 2_000) if is_full_run() else (2_500, 400)
"""Random sides for each ground: of four cards, on tiles, of a doubled deck, and with wild cards to be replaced."""
PLAIN_AND_FOG = [PLAIN, Ground(sum_only=True)]
OTHER_GROUNDS = [ground for ground in GROUNDS if ground not in PLAIN_AND_FOG]
each_ground = pytest.mark.parametrize("ground", GROUNDS, ids=str)


def four_card_sides() -> list[tuple[str, ...]]:
    """All with two wild cards and more; a random sample of those with one or none."""
    rng = Random(4)
    sides = [
        wilds + troops for count in (2, 3, 4) for wilds in combinations(WILDS, count) for troops in tuples(4 - count)
    ]
    for number in range(FOUR_CARD_SAMPLE):
        wild = (rng.choice(WILDS),) if number % 3 == 0 else ()
        sides.append((*wild, *rng.sample(near_troops(rng), 4 - len(wild))))
    return sides


def near_troops(rng: Random) -> list[str]:
    """All troops, or a few colours and values, where more than a host is likely."""
    if rng.random() < 0.2:
        return list(TROOPS)
    low, colours = rng.randint(1, 6), rng.sample(oracle.COLOURS, rng.randint(1, 3))
    return [f"{colour}{value}" for colour in colours for value in range(low, low + 5)]


def tuples(count: int) -> list[tuple[str, ...]]:
    return list(combinations(TROOPS, count))


def bits(ground: Ground) -> int:
    """The same ground in the engine's words."""
    return (
        GROUND_SUM_ONLY * ground.sum_only
        | GROUND_LOW_SUM_WINS * ground.lower_wins
        | GROUND_IGNORES_HIGHEST * ground.highest_ignored
    )


def differences(sides: list[tuple[str, ...]], ground: Ground) -> list[str]:
    found = []
    for side in sides:
        kind, total = split_strength(
            compute_strength(card_set([CARD[name] for name in side]), bits(ground)), bits(ground)
        )
        expected = oracle.strength(side, ground)
        if (kind, total) != expected:
            found.append(f"{side}: {FORMATION_NAMES[kind]} {total}, not {expected}")
    return found


@pytest.mark.parametrize("ground", PLAIN_AND_FOG, ids=str)
def test_every_side_of_three_is_as_strong_as_the_definition_says(ground: Ground) -> None:
    sides = list(combinations(TROOPS + WILDS, 3))
    assert len(sides) == 41_664
    assert differences(sides[::THREE_CARD_INTERVAL], ground) == []


@pytest.mark.parametrize("ground", PLAIN_AND_FOG, ids=str)
def test_sides_of_four_are_as_strong_as_the_definition_says(ground: Ground) -> None:
    sides = four_card_sides()
    assert len(sides) > FOUR_CARD_SAMPLE + 10_000
    kinds = {oracle.strength(side)[0] for side in sides[::10]}
    assert kinds == set(range(5)), "the sample holds every kind"
    assert differences(sides, ground) == []


@pytest.mark.parametrize("ground", OTHER_GROUNDS, ids=str)
def test_sides_on_tiles_are_as_strong_as_the_definition_says(ground: Ground) -> None:
    """BL-60, BL-66, BL-67."""
    rng = Random(60)
    sizes = (4, 5) if ground.highest_ignored else (3, 4)
    sides = [random_side(rng, rng.choice(sizes), WILDS, near_troops(rng)) for _ in range(TILE_SAMPLE)]
    assert {oracle.strength(side)[0] for side in sides} == set(range(5))
    assert differences(sides, ground) == []


@each_ground
def test_sides_of_a_doubled_deck_are_as_strong_as_the_definition_says(ground: Ground) -> None:
    """BL-11: the same card twice, also two cavalry, two shields, and two leaders on a side."""
    rng, twice = Random(11), WILDS + ("cavalry", "shield")
    sizes = (4, 5) if ground.highest_ignored else (3, 4)
    sides = [random_side(rng, rng.choice(sizes), twice, near_troops(rng) * 2) for _ in range(DOUBLED_SAMPLE)]
    assert sum(len(set(side)) < len(side) for side in sides) > DOUBLED_SAMPLE // 10
    assert sum(side.count("cavalry") == 2 or side.count("shield") == 2 for side in sides) > DOUBLED_SAMPLE // 100
    assert differences(sides, ground) == []


def random_side(rng: Random, size: int, wilds: tuple[str, ...], troops: list[str]) -> tuple[str, ...]:
    some = rng.sample(wilds, rng.choice((0, 0, 1, 1, 2, 3)))
    return tuple(rng.sample([*some, *rng.sample(troops, size - len(some))], size))


@pytest.mark.parametrize(
    ("size", "ground"),
    [(size, ground) for ground in GROUNDS for size in ((4, 5) if ground.highest_ignored else (3, 4))],
    ids=str,
)
def test_cards_with_wilds_replaced_by_what_they_stand_for_are_the_same_formation(size: int, ground: Ground) -> None:
    """An ignored card is left out."""
    rng, twice = Random(12), WILDS + ("cavalry", "shield")
    for _ in range(WILD_SAMPLE):
        wilds = rng.sample(twice, rng.randint(1, min(size, 4)))
        side = wilds + rng.sample(near_troops(rng) * 2, size - len(wilds))
        rng.shuffle(side)
        said = describe_formation([CARD[name] for name in side], NAMES_OF, bits(ground))
        stands = said["as"]
        assert oracle.strength(side, ground) == (oracle.KINDS.index(said["formation"]), said["sum"])
        plain = ground._replace(highest_ignored=False)
        assert oracle.strength(stands, plain) == (oracle.KINDS.index(said["formation"]), said["sum"]), (side, said)
        counting = set(oracle.counted(tuple(side), ground))
        assert any(may_stand(cards, stands) for cards in counting), (side, said)


def may_stand(cards: tuple[str, ...], stands: list[str]) -> bool:
    """Whether these cards, in order, can stand for those."""
    pairs = list(zip(cards, stands, strict=True))
    return all(
        card == meant if oracle.is_troop(card) else oracle.value_of(meant) in oracle.WILDS[card]
        for card, meant in pairs
    )


@pytest.mark.parametrize(
    ("side", "ground", "kind", "total", "stands"),
    [
        ("B8 leader-1 B7", PLAIN, "wedge", 24, "B8 B9 B7"),
        ("B8 G8 leader-2", PLAIN, "phalanx", 24, "B8 G8 R8"),
        ("shield R2 G1", PLAIN, "skirmish", 6, "R3 R2 G1"),
        ("leader-1 leader-2 cavalry", PLAIN, "wedge", 27, "R10 R9 R8"),
        ("cavalry leader-1 B3", Ground(sum_only=True), "host", 21, "R8 R10 B3"),
        ("G2 shield G9", PLAIN, "battalion", 14, "G2 G3 G9"),
        ("shield shield leader-1", PLAIN, "wedge", 9, "R3 R2 R4"),
        ("cavalry cavalry leader-1", PLAIN, "phalanx", 24, "R8 R8 R8"),
        ("B8 leader-1 B7", Ground(lower_wins=True), "wedge", 21, "B8 B6 B7"),
        ("leader-1 B4 G9", Ground(lower_wins=True), "host", 14, "R1 B4 G9"),
        ("shield B4 G9", Ground(sum_only=True, lower_wins=True), "host", 14, "R1 B4 G9"),
        ("leader-1 B4 B5 B10", Ground(highest_ignored=True), "wedge", 15, "B6 B4 B5"),
        ("leader-1 B8 B10 B9", Ground(highest_ignored=True), "wedge", 27, "B8 B10 B9"),
    ],
)
def test_a_free_wild_takes_the_first_colour_and_the_first_placed_the_highest_value(
    side: str, ground: Ground, kind: str, total: int, stands: str
) -> None:
    said = describe_formation([CARD[name] for name in side.split()], NAMES_OF, bits(ground))
    assert said == {"formation": kind, "sum": total, "as": stands.split()}
