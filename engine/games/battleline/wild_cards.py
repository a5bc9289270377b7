"""Choose the values of wild cards of a complete side (BL-12), for events and explanations."""

from collections.abc import Sequence

from engine.core import Json
from engine.games.battleline.cards import CAVALRY, SHIELD, card_set, is_troop
from engine.games.battleline.formations import (
    BATTALION,
    FORMATION_NAMES,
    GROUND_IGNORES_HIGHEST,
    GROUND_LOW_SUM_WINS,
    GROUND_SUM_ONLY,
    PHALANX,
    SKIRMISH,
    WEDGE,
    WILD_CARD_HIGHEST_VALUES,
    WILD_CARD_LOWEST_VALUES,
    compute_strength,
    get_printed_value,
    split_strength,
)


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
