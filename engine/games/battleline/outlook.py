"""Estimate which strengths a side can still reach with known hands, and how likely it reaches each.

What lies in the owner's hand is there; a card of the deck comes in time with a chance that depends on the kind of
formation it is wanted for; what the other seat holds or the table shows never comes. Needs that overlap are treated as
independent. Flags with tiles are not estimated.
"""

from functools import lru_cache
from typing import Final, NamedTuple

from engine.games.battleline.cards import SECOND_COPY_SHIFT_BITS, TROOP_SETS_BY_VALUE
from engine.games.battleline.formations import (
    BATTALION,
    GROUND_SUM_ONLY,
    HOST,
    PHALANX,
    SKIRMISH,
    STRENGTH_RANK_BITS,
    WEDGE,
    Side,
    compute_strength,
    find_runs,
    list_phalanx_values,
    read_side,
)

DRAW_CHANCES_BY_KIND: Final[tuple[float, ...]] = (0.0, 0.40, 0.35, 0.35, 0.35)
"""By kind of formation: the chance that a seat draws a given card of the deck in time to use it."""
MIN_LIKELIHOOD: Final = 0.01
MAX_OUTLOOKS_CACHED: Final = 20_000
AVERAGE_VALUE: Final = 6
"""The value that a card not yet in the hand is taken to have."""
MAX_VALUE: Final = 10
KIND_WORTH: Final[tuple[float, ...]] = (0.12, 0.34, 0.55, 0.82, 0.94)
"""Worth of a formation by kind, from 0 to 1, without its rank."""
RANK_WORTH: Final = 1 / 400
VALUES: Final = range(1, 11)
COLOUR_MASK: Final = 1023
COLOURS: Final = range(6)

Reached = tuple[int, float]
"""A strength, and the likelihood that it is the best that the side reaches."""


class Outlook(NamedTuple):
    """What a side can become: the likelihoods add up to 1, the best strength is first."""

    reached: tuple[Reached, ...]
    worth: float
    """Expected worth, from 0 to 1."""


@lru_cache(maxsize=MAX_OUTLOOKS_CACHED)
def compute_outlook(side: int, free: int, hand: int, deck: int, ground: int) -> Outlook:
    """Return the outlook of a side with `free` slots, from the troops in its owner's hand and in the deck (card sets).

    `ground` is 0 or GROUND_SUM_ONLY.
    """
    if not free:
        strength = compute_strength(side, ground)
        return Outlook(((strength, 1.0),), compute_worth(strength, ground, side.bit_count()))
    known = read_side(side)
    total = known.troop_sum + known.wild_high + sum_of_best(hand, free)
    if ground & GROUND_SUM_ONLY:
        return Outlook(((total, 1.0),), compute_worth(total, ground, known.size + free))
    found: list[Reached] = []
    if known.distinct:
        runs = find_runs(known.size + free, known.values, known.leaders, known.cavalry, known.shields, False)
        if known.colour >= 0:
            add_wedges(found, known, runs, hand, deck)
        add_skirmishes(found, runs, hand, deck)
    add_phalanxes(found, known, free, hand, deck)
    add_battalions(found, known, free, hand, deck)
    found.append((HOST << STRENGTH_RANK_BITS | total, 1.0))
    found.sort(reverse=True)
    return accumulate_outlook(found, ground, known.size + free)


def accumulate_outlook(found: list[Reached], ground: int, size: int) -> Outlook:
    """Return the outlook of these strengths, best first, each reached with a likelihood of its own."""
    left, worth = 1.0, 0.0
    reached: list[Reached] = []
    for strength, likelihood in found:
        share = left * likelihood
        if share > MIN_LIKELIHOOD or likelihood == 1.0:
            if reached and reached[-1][0] == strength:
                reached[-1] = (strength, reached[-1][1] + share)
            else:
                reached.append((strength, share))
            worth += share * compute_worth(strength, ground, size)
            left -= share
        if likelihood == 1.0:
            break
    return Outlook(tuple(reached), worth)


def compute_worth(strength: int, ground: int, size: int) -> float:
    """Return the worth of a strength, from 0 to 1."""
    rank = strength & (1 << STRENGTH_RANK_BITS) - 1
    if ground & GROUND_SUM_ONLY:
        return rank / (MAX_VALUE * size)
    return KIND_WORTH[strength >> STRENGTH_RANK_BITS] + rank * RANK_WORTH


def add_wedges(found: list[Reached], side: Side, runs: tuple[tuple[int, int], ...], hand: int, deck: int) -> None:
    """Add the wedges that a side of one colour can reach."""
    for colour in COLOURS if side.colour == 6 else (side.colour,):
        shift = 10 * colour
        held, there = fold_copies(hand, shift), fold_copies(deck, shift)
        for rank, missing in runs:
            absent = missing & ~held
            if not absent & ~there:
                likelihood = POWERS[absent.bit_count()]
                if likelihood > MIN_LIKELIHOOD:
                    found.append((WEDGE << STRENGTH_RANK_BITS | rank, likelihood))


def add_skirmishes(found: list[Reached], runs: tuple[tuple[int, int], ...], hand: int, deck: int) -> None:
    """Add the skirmishes that a side can reach."""
    held = hand | hand >> SECOND_COPY_SHIFT_BITS
    held = (held | held >> 10 | held >> 20 | held >> 30 | held >> 40 | held >> 50) & COLOUR_MASK
    for rank, missing in runs:
        absent = missing & ~held
        likelihood = 1.0
        for value in VALUES:
            if absent >> value - 1 & 1:
                likelihood *= LIKELIHOODS[SKIRMISH][1][(TROOP_SETS_BY_VALUE[value] & deck).bit_count()]
        if likelihood > MIN_LIKELIHOOD:
            found.append((SKIRMISH << STRENGTH_RANK_BITS | rank, likelihood))


def add_phalanxes(found: list[Reached], side: Side, free: int, hand: int, deck: int) -> None:
    """Add the phalanxes that a side can reach."""
    for value in list_phalanx_values(side.values, side.cavalry, side.shields, False):
        troops = TROOP_SETS_BY_VALUE[value]
        lacking = free - (troops & hand).bit_count()
        likelihood = LIKELIHOODS[PHALANX][max(0, lacking)][(troops & deck).bit_count()]
        if likelihood > MIN_LIKELIHOOD:
            found.append((PHALANX << STRENGTH_RANK_BITS | value * (side.size + free), likelihood))


def add_battalions(found: list[Reached], side: Side, free: int, hand: int, deck: int) -> None:
    """Add the battalions that a side can reach, with the sum that they are likely to have."""
    if side.colour < 0:
        return
    for colour in COLOURS if side.colour == 6 else (side.colour,):
        troops = COLOUR_SETS[colour]
        held = hand & troops
        lacking = free - held.bit_count()
        likelihood = LIKELIHOODS[BATTALION][max(0, lacking)][(troops & deck).bit_count()]
        if likelihood > MIN_LIKELIHOOD:
            total = side.troop_sum + side.wild_high + sum_of_best(held, free)
            found.append((BATTALION << STRENGTH_RANK_BITS | total, likelihood))


def fold_copies(cards: int, shift: int) -> int:
    """Return the mask of the values of one colour in a card set."""
    return (cards >> shift | cards >> shift + SECOND_COPY_SHIFT_BITS) & COLOUR_MASK


@lru_cache(maxsize=MAX_OUTLOOKS_CACHED)
def sum_of_best(hand: int, free: int) -> int:
    """Return the likely sum of `free` cards: the highest of the hand, and average ones where it has fewer."""
    total = 0
    for value in range(MAX_VALUE, 0, -1):
        there = min(free, (TROOP_SETS_BY_VALUE[value] & hand).bit_count())
        total += value * there
        free -= there
        if not free:
            break
    return total + AVERAGE_VALUE * free


def compare_outlooks(own: Outlook, other: Outlook, tie_share: float) -> float:
    """Return the likelihood that the own side ends up stronger; equal strengths count `tie_share`."""
    better, weaker, index = 0.0, 1.0, 0
    theirs = other.reached
    for strength, likelihood in own.reached:
        while index < len(theirs) and theirs[index][0] > strength:
            weaker -= theirs[index][1]
            index += 1
        tied = theirs[index][1] if index < len(theirs) and theirs[index][0] == strength else 0.0
        better += likelihood * (weaker - tied * (1 - tie_share))
    return better


def list_tail_likelihoods(chance: float, most: int) -> list[list[float]]:
    """Return by number wanted (0 to 4) and number there: the chance to draw at least as many as are wanted."""
    tails = []
    for wanted in range(5):
        row = []
        for there in range(most + 1):
            below, term = 0.0, (1 - chance) ** there
            for got in range(wanted):
                below += term
                term *= (there - got) / (got + 1) * chance / (1 - chance)
            row.append(max(0.0, 1 - below) if there >= wanted else 0.0)
        tails.append(row)
    return tails


POWERS: Final = [DRAW_CHANCES_BY_KIND[WEDGE] ** count for count in range(5)]
LIKELIHOODS: Final = [list_tail_likelihoods(chance, 20) for chance in DRAW_CHANCES_BY_KIND]
"""By kind, cards wanted, cards there: the chance to draw that many in time."""
COLOUR_SETS: Final = [
    (COLOUR_MASK << 10 * colour) | (COLOUR_MASK << 10 * colour + SECOND_COPY_SHIFT_BITS) for colour in COLOURS
]
"""The troops of each colour as card sets, all copies."""
