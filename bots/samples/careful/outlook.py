"""Estimate the chance to win each flag, from what a seat can see.

Where a claim can be proved, the chance is 0 or 1. Elsewhere the formations that both sides can still reach are weighted
by their likelihood and compared.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp

from engine.core import Json
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    FIRST_TACTIC,
    TROOP_SETS_BY_VALUE,
    card_set,
    list_cards,
    remove_card,
)
from engine.games.battleline.formations import (
    BATTALION,
    GROUND_IGNORES_HIGHEST,
    GROUND_LOW_SUM_WINS,
    GROUND_SUM_ONLY,
    HOST,
    PHALANX,
    SKIRMISH,
    STRENGTH_RANK_BITS,
    WEDGE,
    Side,
    compute_strength,
    find_best_reach,
    find_runs,
    list_phalanx_values,
    read_side,
)
from engine.games.battleline.position import full_deck
from engine.games.battleline.tiles import DEFENDING_SEAT_BY_TILE, HILLS, WOODLAND

FORMATION_WORTH = {HOST: 0.12, SKIRMISH: 0.34, BATTALION: 0.55, PHALANX: 0.82, WEDGE: 0.94}
"""Worth of a formation from 0 to 1, without its sum."""
OWN_DRAW_CHANCE, OPPONENT_CARD_CHANCE = 0.40, 0.50
"""Chance that this seat draws an unseen troop in time, and that the opponent has or draws it."""
STEEPNESS = 4.0
"""Steepness of the chance as a function of the difference in worth."""
MIN_LIKELIHOOD = 0.01

ReachableFormation = tuple[float, float]
"""Likelihood and worth of a formation that a side can still reach."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag with its two sides, the own one first: cards, full sizes, grounds (see `formations`)."""

    sides: tuple[tuple[int, ...], tuple[int, ...]]
    needs: tuple[int, int]
    grounds: tuple[int, int]
    own_last: bool
    """The own side placed the latest card (BL-15)."""

    def placed(self, card: int) -> "Flag":
        return Flag(((*self.sides[0], card), self.sides[1]), self.needs, self.grounds, True)

    def lifted(self, card: int, side: int) -> "Flag":
        """Return the flag without a card of the own (0) or the other (1) side."""
        rest = list(self.sides[side])
        rest.remove(card)
        sides = (tuple(rest), self.sides[1]) if side == 0 else (self.sides[0], tuple(rest))
        return Flag(sides, self.needs, self.grounds, self.own_last)

    def fogged(self) -> "Flag":
        mine, theirs = self.grounds
        return Flag(self.sides, self.needs, (mine | GROUND_SUM_ONLY, theirs | GROUND_SUM_ONLY), self.own_last)

    def muddied(self) -> "Flag":
        mine, theirs = self.needs
        return Flag(self.sides, (mine + 1, theirs + 1), self.grounds, self.own_last)


class Outlook:
    """The unclaimed flags in the view of a seat, by number."""

    def __init__(self, options: Json, view: Json, seat: int) -> None:
        card = CARD_NAMES_BY_COLOURS[options["colours"]].card
        self.hand = tuple(card[name] for name in view["hand"])
        self.flags: dict[int, Flag] = {}
        unseen = full_deck(len(options["colours"]), options["copies"], options.get("values", 10))
        for flag in view["flags"]:
            sides = [tuple(card[name] for name in side) for side in flag["cards"]]
            unseen = without(unseen, sides[0] + sides[1])
            if flag["owner"] is None:
                self.flags[flag["flag"]] = read_flag(flag, seat, sides)
        for discard in view["discards"]:
            unseen = without(unseen, [card[name] for name in discard])
        self.unseen = unseen
        """Troops that are not on the table, which a proof must consider."""
        self.hidden = without(unseen, self.hand)
        """Unseen troops that are not in the own hand."""

    @property
    def troops(self) -> int:
        """The troops in the own hand, as a card set."""
        return card_set([card for card in self.hand if card < FIRST_TACTIC])

    def chance(self, flag: Flag, troops: int) -> float:
        """Return the chance to win a flag with these troops in the own hand."""
        mine, theirs = card_set(flag.sides[0]), card_set(flag.sides[1])
        free, their_free = flag.needs[0] - len(flag.sides[0]), flag.needs[1] - len(flag.sides[1])
        ground, their_ground = flag.grounds
        if not free:
            ours, reach = (
                compute_strength(mine, ground),
                find_best_reach(theirs, their_free, self.unseen, their_ground)[0],
            )
            if reach < ours or (reach == ours and (their_free or not flag.own_last)):
                return 1.0
        if not their_free:
            other, reach = compute_strength(theirs, their_ground), find_best_reach(mine, free, self.unseen, ground)[0]
            if reach < other or (reach == other and (free or flag.own_last)):
                return 0.0
        own_worth = promise(mine, free, troops, self.hidden, OWN_DRAW_CHANCE, ground)
        opponent_worth = promise(
            theirs, their_free, 0, without(self.unseen, list_cards(troops)), OPPONENT_CARD_CHANCE, their_ground
        )
        return 1 / (1 + exp(STEEPNESS * (opponent_worth - own_worth)))


def read_flag(flag: Json, seat: int, sides: Sequence[tuple[int, ...]]) -> Flag:
    tile, other = flag["tile"], 1 - seat
    ground = GROUND_SUM_ONLY if flag["fog"] or tile == WOODLAND else 0
    ground |= GROUND_LOW_SUM_WINS if tile == HILLS else 0
    grounds = [ground | (GROUND_IGNORES_HIGHEST if DEFENDING_SEAT_BY_TILE.get(tile) == side else 0) for side in (0, 1)]
    needs = flag["needs"]
    return Flag(
        (sides[seat], sides[other]), (needs[seat], needs[other]), (grounds[seat], grounds[other]), flag["last"] == seat
    )


def without(cards: int, gone: Sequence[int]) -> int:
    """Return the card set without those of the cards that are troops."""
    for card in gone:
        if card < FIRST_TACTIC:
            cards = remove_card(cards, card)
    return cards


@lru_cache(maxsize=50_000)
def promise(side: int, free: int, hand: int, hidden: int, chance: float, ground: int) -> float:
    """Return the expected worth of a side when it is full, from 0 to 1."""
    if ground & GROUND_IGNORES_HIGHEST:
        if not free:
            return (compute_strength(side, ground) >> STRENGTH_RANK_BITS) / WEDGE
        # One card will be left out: assume that it is the last one.
        return promise(side, free - 1, hand, hidden, chance, ground ^ GROUND_IGNORES_HIGHEST)
    left, good = 1.0, 0.0
    reached = reach_all(read_side(side), free, hand, hidden, chance, ground)
    for likely, worth in sorted(reached, key=lambda one: -one[1]):
        good += left * likely * worth
        left *= 1 - likely
    return good


def reach_all(
    side: Side, free: int, hand: int, hidden: int, chance: float, ground: int
) -> Iterator[ReachableFormation]:
    low = ground & GROUND_LOW_SUM_WINS != 0
    top = likely_sum(side, free, hand, low)
    if ground & GROUND_SUM_ONLY:
        yield 1.0, top / (10 * (side.size + free))
        return
    yield 1.0, FORMATION_WORTH[HOST] + top / 400
    if side.distinct:
        yield from reach_runs(side, free, hand, hidden, chance, low)
    for value in list_phalanx_values(side.values, side.cavalry, side.shields, low):
        likely = chance_of(TROOP_SETS_BY_VALUE[value], free, hand, hidden, chance)
        if likely > MIN_LIKELIHOOD:
            yield likely, FORMATION_WORTH[PHALANX] + (11 - value if low else value) / 100
    for colour in colours_of(side):
        likely = chance_of(COLOUR[colour], free, hand, hidden, chance)
        if likely > MIN_LIKELIHOOD:
            yield likely, FORMATION_WORTH[BATTALION] + top / 400


def reach_runs(side: Side, free: int, hand: int, hidden: int, chance: float, low: bool) -> Iterator[ReachableFormation]:
    for rank, missing in find_runs(side.size + free, side.values, side.leaders, side.cavalry, side.shields, low):
        for colour in colours_of(side):
            absent = missing << 10 * colour & ~hand
            if not absent & ~hidden:
                yield chance ** absent.bit_count(), FORMATION_WORTH[WEDGE] + rank / 600
        likely = 1.0
        for value in range(1, 11):
            if missing >> value - 1 & 1 and not TROOP_SETS_BY_VALUE[value] & hand:
                likely *= 1 - (1 - chance) ** (TROOP_SETS_BY_VALUE[value] & hidden).bit_count()
        if likely > MIN_LIKELIHOOD:
            yield likely, FORMATION_WORTH[SKIRMISH] + rank / 400


def colours_of(side: Side) -> Sequence[int]:
    """Return the colours that all troops of the side can have."""
    return () if side.colour < 0 else range(6) if side.colour == 6 else (side.colour,)


COLOUR = [card_set([10 * colour + value for value in range(10) for _ in range(2)]) for colour in range(6)]


def chance_of(wanted: int, free: int, hand: int, hidden: int, chance: float) -> float:
    """Return the chance to get `free` of the wanted cards."""
    lacking = free - (wanted & hand).bit_count()
    there = (wanted & hidden).bit_count()
    if lacking <= 0 or there < lacking:
        return 1.0 if lacking <= 0 else 0.0
    fewer, term = 0.0, (1 - chance) ** there
    for got in range(lacking):
        fewer += term
        term *= (there - got) / (got + 1) * chance / (1 - chance)
    return max(0.0, 1 - fewer)


def likely_sum(side: Side, free: int, hand: int, low: bool) -> int:
    """Return the likely sum of a full side, with the best cards of the hand and average draws."""
    values = sorted((card % 10 + 1 for card in list_cards(hand)), reverse=not low)[:free]
    wild = side.wild_low if low else side.wild_high
    total = side.troop_sum + wild + sum(values) + (5 if low else 6) * (free - len(values))
    return 11 * (side.size + free) - total if low else total
