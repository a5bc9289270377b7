"""Deal anew what a seat can't know, so that it can't distinguish the table from the original."""

from random import Random

from engine.deal import shuffle
from engine.games.battleline.cards import is_troop
from engine.games.battleline.knowledge import Trace
from engine.games.battleline.position import Position

Spot = tuple[list[int], int]
"""A card's list and its index there."""


def redeal_hidden(table: Position, seat: int, rng: Random, is_sorted: bool = False) -> None:
    """Change `table` in what `seat` can't know: the other's hand, the decks, tiles that lie or are held face down.

    Cards the seat has put back itself stay where it knows them to be, or move only to where they may have gone (BL-35).
    Where `is_sorted`, the cards are in order before they are shuffled, so that the result hangs on nothing hidden.
    """
    knowledge = table.knowledge[seat]
    for deck, cards in enumerate(table.decks):
        hand = table.hands[1 - seat]
        held: list[Spot] = [(hand, place) for place, card in enumerate(hand) if is_troop(card) == (deck == 0)]
        lying: list[Spot] = [(cards, place) for place in range(len(cards)) if (deck, place) not in knowledge.own_places]
        spots = held + lying
        pool = [where[place] for where, place in spots]
        if is_sorted:
            pool.sort()
        shuffle(pool, rng)
        for (where, place), card in zip(spots, pool, strict=True):
            where[place] = card
        kept: set[int] = set()
        # The fewer places a card may have gone to, the sooner it chooses one.
        for trace in sorted(knowledge.traces, key=lambda trace: len(trace.places)):
            if trace.deck == deck:
                allowed = [index for index, spot in enumerate(spots) if is_possible_location(trace, spot, hand, deck)]
                fix_card_at_spot(trace.card, spots, [index for index in allowed if index not in kept], kept, rng)
    if table.draft is not None:
        table.draft.redeal(seat, rng)


def is_possible_location(trace: Trace, spot: Spot, hand: list[int], deck: int) -> bool:
    """Return whether the card of a trace may be at this spot."""
    where, place = spot
    return where is hand or (deck, place) in trace.places


def fix_card_at_spot(card: int, spots: list[Spot], allowed: list[int], kept: set[int], rng: Random) -> None:
    """Bring a card to one of the allowed spots, in exchange for what lies there, and leave it there."""
    at = next(index for index, (where, place) in enumerate(spots) if where[place] == card and index not in kept)
    if at not in allowed:
        target = allowed[int(rng.random() * len(allowed))]
        (where, place), (there, spot) = spots[at], spots[target]
        where[place], there[spot] = there[spot], where[place]
        at = target
    kept.add(at)
