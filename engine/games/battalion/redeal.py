"""Deal anew what a seat can't know, so that it can't distinguish the table from the original.

Hidden cards of other seats, in cells or in the hand, change places where nothing known forbids it (see `knowledge`).
Rolls to come are rolled anew. While seats deploy, the deployment of another seat may become any other, and nobody knows
yet which seat a lot has drawn. What the other seats know of their own earlier cards stays as it was, and only they may
ask for it.
"""

from random import Random
from typing import Final

from engine.deal import shuffle
from engine.games.battalion.cards import CARD_NAMES, CARDS_HIGH_TO_LOW, GUARD_CARDS_SET, can_guard, card_set, list_cards
from engine.games.battalion.formations import FORMATIONS
from engine.games.battalion.knowledge import BACK, FRONT, HAND_PLACE, MIXED, PLAIN, Knowledge
from engine.games.battalion.layout import Cells, format_rows
from engine.games.battalion.options import LOT
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import ACTED, DEPLOY, Position, Side

CARD_EXCHANGES_TRIED: Final = 60
"""Exchanges of two cards that are tried where a reforming has blurred what is known."""


def redeal_hidden(table: Position, seat: int, rng: Random) -> None:
    """Change `table` in what `seat` can't know."""
    for other, side in enumerate(table.sides):
        if other != seat and not side.out:
            if table.decision == DEPLOY:
                replace_hidden_deployment(table, other, rng)
            else:
                exchange_hidden_cards(side, rng)
    if table.decision == DEPLOY and table.rules.start == LOT:
        table.first = int(rng.random() * table.seats)
    rolled = table.dice[: table.rolled]
    to_come = len(table.dice) - len(rolled)
    table.dice = rolled + tuple(1 + int(rng.random() * 6) for _ in range(to_come))


def replace_hidden_deployment(table: Position, seat: int, rng: Random) -> None:
    """Replace a deployment that nobody else has seen by another one."""
    old = table.deployed[seat]
    if old is None:
        return
    rows = FORMATIONS[int(rng.random() * len(FORMATIONS))].rows
    guards = list_cards(GUARD_CARDS_SET)
    guard = guards[int(rng.random() * len(guards))]
    cards = [card for card in CARDS_HIGH_TO_LOW if card != guard]
    shuffle(cards, rng)
    laid = iter(cards)
    cells: tuple[Cells, ...] = tuple(tuple((x, next(laid)) for x in row) for row in rows)
    table.deployed[seat] = f"deploy {format_rows(cells)} guard={CARD_NAMES[guard]}"
    entry = table.log.index((ACTED, seat, old, None))
    table.log[entry] = (ACTED, seat, table.deployed[seat], None)


def exchange_hidden_cards(side: Side, rng: Random) -> None:
    """Exchange the hidden cards of a side that has deployed."""
    places = [spot for spot, card in enumerate(side.cards) if card and not side.shown >> card & 1]
    places += [HAND_PLACE] * side.hand.bit_count()
    cards = [side.cards[place] for place in places if place != HAND_PLACE] + list(list_cards(side.hand))
    if any(side.knowledge.marks[place] != PLAIN for place in places):
        exchange_random_pairs(side.knowledge, places, cards, rng)
    else:
        shuffle_groups(side.knowledge, places, cards, rng)
    for place, card in zip(places, cards, strict=True):
        if place != HAND_PLACE:
            side.cards[place] = card
    side.hand = card_set(tuple(card for place, card in zip(places, cards, strict=True) if place == HAND_PLACE))
    side.seen = [side.seen[0], None]


def shuffle_groups(knowledge: Knowledge, places: list[int], cards: list[int], rng: Random) -> None:
    """Shuffle the cards of each group; the guard is chosen first, as not every card can be it (BT-2, BT-12)."""
    for group in {knowledge.groups[card] for card in cards}:
        where = [index for index, card in enumerate(cards) if knowledge.groups[card] == group]
        pool = [cards[index] for index in where]
        shuffle(pool, rng)
        # Of a shuffled pool the first card that can be the guard is any of those with the same chance.
        where.sort(key=lambda index: places[index] != GUARD_SPOT)
        if places[where[0]] == GUARD_SPOT:
            pool.insert(0, pool.pop(next(index for index, card in enumerate(pool) if can_guard(card))))
        for index, card in zip(where, pool, strict=True):
            cards[index] = card


def exchange_random_pairs(knowledge: Knowledge, places: list[int], cards: list[int], rng: Random) -> None:
    """Exchange two cards at a time wherever the result is possible."""
    truth = {place: knowledge.groups[card] for place, card in zip(places, cards, strict=True)}
    for _ in range(CARD_EXCHANGES_TRIED):
        first, second = (int(rng.random() * len(cards)) for _ in range(2))
        cards[first], cards[second] = cards[second], cards[first]
        if not is_possible_arrangement(knowledge, truth, places, cards):
            cards[first], cards[second] = cards[second], cards[first]


def is_possible_arrangement(knowledge: Knowledge, truth: dict[int, int], places: list[int], cards: list[int]) -> bool:
    """Return whether nothing known excludes these cards in these places; `truth` is the group by place."""
    in_front = [0] * (knowledge.latest + 1)
    held = 0
    for place, card in zip(places, cards, strict=True):
        mark, group = knowledge.marks[place], knowledge.groups[card]
        if place == GUARD_SPOT and not can_guard(card):
            return False
        if mark == PLAIN and group != truth[place]:
            return False
        if mark in (FRONT, BACK) and not knowledge.laid >> group & 1:
            return False
        in_front[group] += mark == FRONT
        held += mark == MIXED and group == knowledge.held
    limits = knowledge.limits + (0,) * (knowledge.latest + 1 - len(knowledge.limits))
    return held >= knowledge.least and all(count <= limit for count, limit in zip(in_front, limits, strict=True))
