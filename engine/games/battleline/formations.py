"""Compute how strong a side is, and how strong it can still become (BL-10 to BL-14, BL-60, BL-66)."""

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import accumulate, combinations
from operator import or_
from typing import Final

from engine.core import Json
from engine.games.battleline.cards import (
    CAVALRY,
    FIRST_TACTIC,
    LEADER_1,
    LEADER_2,
    SECOND_COPY_SHIFT_BITS,
    SHIELD,
    TROOP_SETS_BY_VALUE,
    add_card,
    card_set,
    count_copies,
    is_troop,
    list_cards,
    remove_card,
)

# One question answers both: the best the side can reach when `free` slots are filled from the `unseen` troops, and
# with which troops. With no free slot that is the strength of the side as it lies. A strength is one integer, kind
# above rank, so that two compare with `>`; the rank is the sum, or counts it from above where the lower sum wins.
# Sides and unseen troops are card sets (see `cards.py`).

GROUND_SUM_ONLY: Final = 1
GROUND_LOW_SUM_WINS: Final = 2
GROUND_IGNORES_HIGHEST: Final = 4
"""What the ground of a flag does to a side: no formations (BL-13); the lower sum wins (BL-66); its highest card is left
out (BL-60)."""

HOST: Final = 0
SKIRMISH: Final = 1
BATTALION: Final = 2
PHALANX: Final = 3
WEDGE: Final = 4
FORMATION_NAMES: Final = ("host", "skirmish", "battalion", "phalanx", "wedge")
STRENGTH_RANK_BITS: Final = 6
MAX_STRENGTH_RANK: Final = (1 << STRENGTH_RANK_BITS) - 1
ALL_COLOURS: Final = range(6)
ALL_VALUES: Final = (1 << 10) - 1
TROOP_SETS_BY_VALUE_MASK: Final = tuple(
    tuple(TROOP_SETS_BY_VALUE[bit + 1] for bit in range(10) if mask >> bit & 1) for mask in range(ALL_VALUES + 1)
)
"""By mask of values: the troops of each of them."""
TROOP_SETS_UP_TO_VALUE: Final = list(accumulate(TROOP_SETS_BY_VALUE, or_))
"""By value: the troops of this value and all below."""
VALUES_DESCENDING: Final = tuple(range(10, 0, -1))
VALUES_ASCENDING: Final = tuple(range(1, 11))
MAX_STRENGTHS_CACHED: Final = 20_000
WILD_CARD_HIGHEST_VALUES: Final = {LEADER_1: 10, LEADER_2: 10, CAVALRY: 8, SHIELD: 3}
WILD_CARD_LOWEST_VALUES: Final = {LEADER_1: 1, LEADER_2: 1, CAVALRY: 8, SHIELD: 1}

Reach = tuple[int, int]
"""A rank or strength that a side can reach, and the set of troops with which it does."""

OUT_OF_REACH: Final[Reach] = (-1, 0)


class Side:
    """A summary of the cards of a side, from which its formations are computed. It doesn't change."""

    __slots__ = (
        "size",
        "colour",
        "values",
        "distinct",
        "troop_sum",
        "leaders",
        "cavalry",
        "shields",
        "wild_high",
        "wild_low",
    )

    def __init__(self, side: int) -> None:
        """Take the cards of the side, a card set."""
        values = total = 0
        colour = 6
        troops = side & TROOP_SETS_UP_TO_VALUE[10]
        while troops:
            bit = troops & -troops
            troops ^= bit
            card = bit.bit_length() - 1 & SECOND_COPY_SHIFT_BITS - 1
            own_colour, value = card // 10, card % 10
            colour = own_colour if colour in (6, own_colour) else -1
            values |= 1 << value
            total += value + 1
        self.size = side.bit_count()
        self.colour = colour
        """The colour of all its troops; -1 where they differ, 6 where there is none."""
        self.values = values
        """Bit v - 1 for each troop value v."""
        self.troop_sum = total
        self.leaders = count_copies(side, LEADER_1) + count_copies(side, LEADER_2)
        self.cavalry = count_copies(side, CAVALRY)
        self.shields = count_copies(side, SHIELD)
        self.wild_high = sum_wild_cards(self, WILD_CARD_HIGHEST_VALUES)
        """Sum of the highest values of the wild cards."""
        self.wild_low = sum_wild_cards(self, WILD_CARD_LOWEST_VALUES)
        """Sum of the lowest values of the wild cards."""
        self.distinct = values.bit_count() + self.leaders + self.cavalry + self.shields == self.size
        """No two troops share a value."""


def sum_wild_cards(side: Side, values: dict[int, int]) -> int:
    """Return the sum of the wild cards of a side with these values by card."""
    return side.leaders * values[LEADER_1] + side.cavalry * values[CAVALRY] + side.shields * values[SHIELD]


def find_best_reach(side: int, free: int, unseen: int, ground: int = 0, above: int = 0) -> Reach:
    """Return the best strength the side can reach with `free` unseen troops more.

    It is OUT_OF_REACH where they are too few. Kinds below that of the strength `above` are not looked at, and count as
    out of reach.
    """
    if ground & GROUND_IGNORES_HIGHEST:
        return find_best_reach_without_highest(side, free, unseen, ground ^ GROUND_IGNORES_HIGHEST, above)
    known = read_side(side)
    low = ground & GROUND_LOW_SUM_WINS != 0
    if ground & GROUND_SUM_ONLY:
        return reach_host(known, free, unseen, low)
    for kind in range(WEDGE, (above >> STRENGTH_RANK_BITS) - 1, -1):
        rank, cards = reach_kind(kind, known, free, unseen, low)
        if rank >= 0:
            return kind << STRENGTH_RANK_BITS | rank, cards
    return OUT_OF_REACH


def find_best_reach_without_highest(side: int, free: int, unseen: int, ground: int, above: int) -> Reach:
    """Return the same of a side whose highest card is ignored (BL-60)."""
    return measure_without_highest(side, free, unseen, lambda s, k, u: find_best_reach(s, k, u, ground, above))


def find_best_reach_of_kind(kind: int, side: int, free: int, unseen: int, ground: int) -> Reach:
    """Return the best rank of one kind the side can reach (the sum alone where there are no formations)."""
    if ground & GROUND_IGNORES_HIGHEST:
        return measure_without_highest(
            side, free, unseen, lambda s, k, u: find_best_reach_of_kind(kind, s, k, u, ground ^ GROUND_IGNORES_HIGHEST)
        )
    return reach_kind(kind, read_side(side), free, unseen, ground & GROUND_LOW_SUM_WINS != 0)


def split_strength(strength: int, ground: int = 0) -> tuple[int, int]:
    """Return kind and sum of a strength."""
    rank = strength & MAX_STRENGTH_RANK
    return strength >> STRENGTH_RANK_BITS, MAX_STRENGTH_RANK - rank if ground & GROUND_LOW_SUM_WINS else rank


def measure_without_highest(side: int, free: int, unseen: int, measure: Callable[[int, int, int], Reach]) -> Reach:
    """Return the best `measure` of a defended side, whose card of the highest printed value is ignored (BL-60).

    Either a card that lies there is the highest, and nothing higher comes; or one that comes is. Then it may as well be
    one of the highest unseen, since that leaves the most to choose from.
    """
    found = OUT_OF_REACH
    printed = {card: get_printed_value(card) for card in list_cards(side)}
    top = max(printed.values(), default=0)
    for card, value in printed.items():
        if value == top:
            found = max(found, measure(remove_card(side, card), free, unseen & TROOP_SETS_UP_TO_VALUE[top]))
    highest_unseen = next((value for value in VALUES_DESCENDING if unseen & TROOP_SETS_BY_VALUE[value]), 0)
    if free and highest_unseen and highest_unseen >= top:
        for card in dict.fromkeys(list_cards(unseen & TROOP_SETS_BY_VALUE[highest_unseen])):
            rank, cards = measure(side, free - 1, remove_card(unseen, card))
            if rank > found[0]:
                found = rank, add_card(cards, card)
    return found


def get_printed_value(card: int) -> int:
    """Return the value printed on a card; that of a wild card is its highest."""
    return card % 10 + 1 if card < FIRST_TACTIC else WILD_CARD_HIGHEST_VALUES[card]


@lru_cache(maxsize=MAX_STRENGTHS_CACHED)
def read_side(side: int) -> Side:
    """Return the summary of a side."""
    return Side(side)


def reach_wedge(side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best wedge the side can reach."""
    if side.colour < 0 or not side.distinct:
        return OUT_OF_REACH
    runs = find_runs(side.size + free, side.values, side.leaders, side.cavalry, side.shields, low)
    gone = ~unseen
    if side.colour != 6:
        gone_values = gone >> 10 * side.colour & ALL_VALUES
        for rank, missing in runs:
            if not missing & gone_values:
                return rank, missing << 10 * side.colour
        return OUT_OF_REACH
    for rank, missing in runs:
        for colour in ALL_COLOURS:
            cards = missing << 10 * colour
            if not cards & gone:
                return rank, cards
    return OUT_OF_REACH


def reach_phalanx(side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best phalanx the side can reach."""
    for value in list_phalanx_values(side.values, side.cavalry, side.shields, low):
        there = unseen & TROOP_SETS_BY_VALUE[value]
        if there.bit_count() >= free:
            total = value * (side.size + free)
            return MAX_STRENGTH_RANK - total if low else total, take_lowest_cards(there, free)
    return OUT_OF_REACH


def reach_battalion(side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best battalion the side can reach."""
    if side.colour < 0:
        return OUT_OF_REACH
    fixed = side.troop_sum + (side.wild_low if low else side.wild_high)
    found = OUT_OF_REACH
    for colour in ALL_COLOURS if side.colour == 6 else (side.colour,):
        total, once, twice = take_outermost_values(
            unseen >> 10 * colour & ALL_VALUES,
            unseen >> 10 * colour + SECOND_COPY_SHIFT_BITS & ALL_VALUES,
            free,
            low,
        )
        if total >= 0:
            rank = MAX_STRENGTH_RANK - fixed - total if low else fixed + total
            if rank > found[0]:
                found = rank, once << 10 * colour | twice << 10 * colour + SECOND_COPY_SHIFT_BITS
    return found


def reach_skirmish(side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best skirmish the side can reach."""
    if not side.distinct:
        return OUT_OF_REACH
    for rank, missing in find_runs(side.size + free, side.values, side.leaders, side.cavalry, side.shields, low):
        cards = 0
        for troops in TROOP_SETS_BY_VALUE_MASK[missing]:
            there = unseen & troops
            if not there:
                break
            cards |= there & -there
        else:
            return rank, cards
    return OUT_OF_REACH


def reach_host(side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best host the side can reach."""
    total, cards = side.troop_sum + (side.wild_low if low else side.wild_high), 0
    for value in VALUES_ASCENDING if low else VALUES_DESCENDING:
        if not free:
            break
        there = unseen & TROOP_SETS_BY_VALUE[value]
        taken = min(free, there.bit_count())
        cards |= take_lowest_cards(there, taken)
        total += taken * value
        free -= taken
    return OUT_OF_REACH if free else (MAX_STRENGTH_RANK - total if low else total, cards)


def reach_kind(kind: int, side: Side, free: int, unseen: int, low: bool) -> Reach:
    """Return the best rank of one kind the side can reach, and with which troops."""
    if kind == WEDGE:
        return reach_wedge(side, free, unseen, low)
    if kind == PHALANX:
        return reach_phalanx(side, free, unseen, low)
    if kind == BATTALION:
        return reach_battalion(side, free, unseen, low)
    if kind == SKIRMISH:
        return reach_skirmish(side, free, unseen, low)
    return reach_host(side, free, unseen, low)


def take_lowest_cards(cards: int, count: int) -> int:
    """Return the `count` lowest cards of a set."""
    chosen = 0
    for _ in range(count):
        bit = cards & -cards
        chosen |= bit
        cards ^= bit
    return chosen


@cache
def find_runs(
    size: int, values: int, leaders: int, cavalry: int, shields: int, low: bool
) -> tuple[tuple[int, int], ...]:
    """Return the runs of `size` values that hold all of `values`, best first.

    Each is a rank and a mask of values that troops must add. Each wild card stands on a value of its own.
    """
    wilds = leaders + cavalry + shields
    found: dict[int, int] = {}
    for first in range(1, 12 - size) if low else range(11 - size, 0, -1):
        run = ((1 << size) - 1) << first - 1
        if values & ~run:
            continue
        total = sum(range(first, first + size))
        gaps = [1 << bit for bit in range(10) if (run & ~values) >> bit & 1]
        for chosen in map(sum, combinations(gaps, wilds)):
            if can_wild_cards_fill(chosen, cavalry, shields):
                found.setdefault(run & ~values & ~chosen, MAX_STRENGTH_RANK - total if low else total)
    return tuple((rank, missing) for missing, rank in found.items())


def can_wild_cards_fill(values: int, cavalry: int, shields: int) -> bool:
    """Return whether wild cards can stand on these values, one each (leaders take what the others leave)."""
    eight = values >> 7 & 1
    return cavalry <= eight and shields <= (values & 0b111).bit_count()


@cache
def list_phalanx_values(values: int, cavalry: int, shields: int, low: bool) -> tuple[int, ...]:
    """Return the values a phalanx with these cards can have, best first."""
    return tuple(
        value
        for value in (VALUES_ASCENDING if low else VALUES_DESCENDING)
        if not values & ~(1 << value - 1) and (not cavalry or value == 8) and (not shields or value <= 3)
    )


@lru_cache(maxsize=MAX_STRENGTHS_CACHED)
def take_outermost_values(once: int, twice: int, count: int, low: bool) -> tuple[int, int, int]:
    """Return the sum and the masks of the highest `count` values of a colour, or of the lowest.

    `once` and `twice` are masks of the values there, and there twice. The sum is -1 where there are too few.
    """
    total = chosen_once = chosen_twice = 0
    for value in VALUES_ASCENDING if low else VALUES_DESCENDING:
        bit = 1 << value - 1
        if count and once & bit:
            chosen_once |= bit
            total, count = total + value, count - 1
        if count and twice & bit:
            chosen_twice |= bit
            total, count = total + value, count - 1
    return (-1, 0, 0) if count else (total, chosen_once, chosen_twice)


STRENGTHS_BY_GROUND: Final[tuple[dict[int, int], ...]] = tuple({} for _ in range(8))
"""Strengths of complete sides by ground, each since it was first asked for."""


def compute_strength(side: int, ground: int = 0) -> int:
    """Return the strength of a complete side."""
    strengths = STRENGTHS_BY_GROUND[ground]
    found = strengths.get(side)
    if found is None:
        if len(strengths) >= MAX_STRENGTHS_CACHED:
            strengths.clear()
        found = strengths[side] = find_best_reach(side, 0, 0, ground)[0]
    return found


# Choose the values of wild cards of a complete side (BL-12), for events and explanations.


def describe_formation(cards: Sequence[int], names: dict[int, str], ground: int = 0) -> Json:
    """Return `formation`, `sum` and `as` of a complete side, its cards in order of placing.

    An ignored card is left out. Where several choices are equally good, the wild card with fewer values takes the
    higher one, and all the first colour.
    """
    if ground & GROUND_IGNORES_HIGHEST:
        cards, ground = drop_ignored_card(cards, ground), ground ^ GROUND_IGNORES_HIGHEST
    kind, total = split_strength(compute_strength(card_set(cards), ground), ground)
    values = choose_card_values(
        cards, kind, total, WILD_CARD_LOWEST_VALUES if ground & GROUND_LOW_SUM_WINS else WILD_CARD_HIGHEST_VALUES
    )
    one_colour = kind in (WEDGE, BATTALION) and not ground & GROUND_SUM_ONLY
    colour = next((card // 10 for card in cards if is_troop(card)), 0) if one_colour else 0
    stands = [card if is_troop(card) else 10 * colour + value - 1 for card, value in zip(cards, values, strict=True)]
    return {"formation": FORMATION_NAMES[kind], "sum": total, "as": [names[card] for card in stands]}


def drop_ignored_card(cards: Sequence[int], ground: int) -> list[int]:
    """Return the cards of a defended side that count (BL-60)."""
    top = max(get_printed_value(card) for card in cards)
    rests = [
        [*cards[:place], *cards[place + 1 :]] for place, card in enumerate(cards) if get_printed_value(card) == top
    ]
    return max(rests, key=lambda rest: compute_strength(card_set(rest), ground ^ GROUND_IGNORES_HIGHEST))


def choose_card_values(cards: Sequence[int], kind: int, total: int, wild: dict[int, int]) -> list[int]:
    """Return the value each card counts for in a side of this kind and sum."""
    if kind == PHALANX:
        return [total // len(cards)] * len(cards)
    if kind in (WEDGE, SKIRMISH):
        return choose_run_values(cards, total)
    return [card % 10 + 1 if is_troop(card) else wild[card] for card in cards]


def choose_run_values(cards: Sequence[int], total: int) -> list[int]:
    """Return values in a run with this sum. Wild cards with fewer possible values choose first."""
    size = len(cards)
    low = (total // size) - (size - 1) // 2
    gaps = set(range(low, low + size)) - {card % 10 + 1 for card in cards if is_troop(card)}
    chosen: dict[int, int] = {}
    for place in sorted(
        (p for p in range(size) if not is_troop(cards[p])), key=lambda p: count_possible_values(cards[p])
    ):
        chosen[place] = max(value for value in gaps if can_card_have_value(cards[place], value))
        gaps.remove(chosen[place])
    return [chosen.get(place, card % 10 + 1) for place, card in enumerate(cards)]


def count_possible_values(card: int) -> int:
    """Return how many values a wild card can have."""
    return {CAVALRY: 1, SHIELD: 3}.get(card, 10)


def can_card_have_value(card: int, value: int) -> bool:
    """Return whether a wild card can have this value."""
    return value == 8 if card == CAVALRY else value <= 3 if card == SHIELD else True
