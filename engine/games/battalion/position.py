"""The state of the table, what all know of hidden cards, and how these are dealt anew."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, Self

from engine.compiling import mypyc_attr
from engine.deal import shuffle
from engine.games.battalion.formations import (
    ALL_CARDS_SET,
    CARD_NAMES,
    CARDS_HIGH_TO_LOW,
    FORMATIONS,
    GUARD_CARDS_SET,
    Cells,
    can_guard,
    card_set,
    format_rows,
    list_cards,
)
from engine.games.battalion.geometry import ALL_CELLS_MASK, GUARD_SPOT, Graph, Paths, Shape, build_graph, list_bits
from engine.games.battalion.options import LOT, Rules

# Track what all others know of a seat's hidden cards beyond their number, for dealing them anew (see `redeal_hidden`).
#
# Each card has a **group**: 0 until it has been seen, then the number of the picking up that hid it again (BT-14). The
# group of a hidden card in a cell is known, because every card is followed through its moves, and every hand holds one
# group only. Two things blur that, both from the one reforming a seat has (BT-35): which card was laid where, and
# which was taken back into the hand. A cell is then marked:
#
# - LAID_IN_FRONT: laid in the front of two rows. Its card was in front of the old back row, so of each group there are
#   at most `limits[group]` such cards.
# - LAID_IN_BACK: laid in the back row. Its card may be any of those that were laid out (groups `laid`).
# - MIXED: from the hand into which one was taken back. Of the hidden cards marked so, the hand's too, at least `least`
#   are of the hand's group `held`.

PLAIN: Final = 0
LAID_IN_FRONT: Final = 1
LAID_IN_BACK: Final = 2
MIXED: Final = 3
HAND_PLACE: Final = 13
"""The place of all cards in the hand, beside the spots."""


@dataclass(frozen=True, slots=True)
class Laid:
    """A reforming, as far as it matters here."""

    rows_before: dict[int, int]
    """By hidden card laid out: how many rows lay between it and the old back row."""
    taken: int
    """The card taken into the hand; 0 for none."""
    front: tuple[int, ...]
    """Spots with a hidden card now, in the front of two rows."""
    back: tuple[int, ...]
    """The same in the back row."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All that others know of one seat's hidden cards. It never changes: each method returns another one."""

    groups: tuple[int, ...] = (0,) * 15
    """By card."""
    latest: int = 0
    """The highest group there has been."""
    marks: tuple[int, ...] = (PLAIN,) * 14
    """By spot, then that of the hand."""
    limits: tuple[int, ...] = ()
    """By group; those beyond have none."""
    laid: int = 0
    """The groups that hidden cards of the reforming had, as bits."""
    held: int = 0
    """The group of the hand into which a card was taken back."""
    least: int = 0

    def pick_up(self, cards: Iterable[int]) -> Self:
        """Return the knowledge after the wounded pile went into the empty hand."""
        number = self.latest + 1
        picked = set(cards)
        groups = tuple(number if card in picked else group for card, group in enumerate(self.groups))
        return replace(self, groups=groups, latest=number, marks=(*self.marks[:HAND_PLACE], PLAIN))

    def move(self, start: int, goal: int) -> Self:
        """Return the knowledge after a card went from a place to an empty spot."""
        if self.marks[start] == self.marks[goal]:
            return self
        marks = list(self.marks)
        marks[goal] = marks[start]
        if start != HAND_PLACE:
            marks[start] = PLAIN
        return replace(self, marks=tuple(marks))

    def reveal(self, card: int, spot: int) -> Self:
        """Return the knowledge after everybody saw the card of a spot."""
        mark, group = self.marks[spot], self.groups[card]
        if mark == PLAIN:
            return self
        limits, least = self.limits, self.least
        if mark == LAID_IN_FRONT:
            limits = limits[:group] + (limits[group] - 1,) + limits[group + 1 :]
        if mark == MIXED and group == self.held:
            least = max(least - 1, 0)
        marks = self.marks[:spot] + (PLAIN,) + self.marks[spot + 1 :]
        return replace(self, marks=marks, limits=limits, least=least)

    def lay_anew(self, laid: Laid, hand: tuple[int, ...]) -> Self:
        """Return the knowledge after a reforming; `hand` is the hand before it."""
        groups, latest = self.groups, self.latest
        if laid.taken and laid.taken not in laid.rows_before:
            latest += 1
            groups = (*groups[: laid.taken], latest, *groups[laid.taken + 1 :])
        limits = [0] * (latest + 1)
        for card, rows in laid.rows_before.items():
            limits[groups[card]] += rows > 0
        found = {groups[card] for card in laid.rows_before}
        held = groups[hand[0]] if hand else 0
        marks = mark_reformed_cards(laid, found, held if hand else None)
        return replace(
            self,
            groups=groups,
            latest=latest,
            marks=marks,
            limits=tuple(limits),
            laid=sum(1 << group for group in found),
            held=held,
            least=len(hand) if marks[HAND_PLACE] == MIXED else 0,
        )


def mark_reformed_cards(laid: Laid, groups: set[int], held: int | None) -> tuple[int, ...]:
    """Return the marks after a reforming of hidden cards of these groups.

    `held` is the hand's group, None without a hand. Cards of one group need no mark, whichever of them lies where.
    """
    marks = [PLAIN] * (HAND_PLACE + 1)
    if len(groups) > 1:
        for spot in laid.front:
            marks[spot] = LAID_IN_FRONT
        for spot in laid.back:
            marks[spot] = LAID_IN_BACK
    hidden = laid.taken in laid.rows_before
    if laid.taken and held is not None and not (hidden and groups == {held}):
        marks[HAND_PLACE] = MIXED
    elif laid.taken and held is None and hidden and len(groups) > 1:
        marks[HAND_PLACE] = LAID_IN_BACK
    return tuple(marks)


# The state of the table of one play. The rules themselves are in the modules that import this one.

DEPLOY: Final = "deploy"
TURN: Final = "turn"
ACTED: Final = 0
REVEALED: Final = 1
FELL: Final = 2
FORFEITED: Final = 3
"""Kinds of log entries (kind, seat, datum, detail): what was done, and what follows from it.

ACTED: a move or a layout's text, and `combat.Clash`, a roll or None. REVEALED: a deployment's text, for the others.
FELL: what lay there, for `view`. FORFEITED: the verdict.
"""


class Army:
    """Everything of one seat. What lies in its cells changes only by the methods here."""

    __slots__ = (
        "cards", "dead", "graph", "hand", "kills", "knowledge", "modification", "occupied", "out", "paths", "reformed",
        "seen", "shape", "shown", "wounded",
    )  # fmt: skip

    def __init__(self) -> None:
        self.shape: Shape | None = None
        """None before the deployment is revealed, and for who is out."""
        self.graph: Graph
        self.paths: Paths
        self.cards = [0] * (GUARD_SPOT + 1)
        """By spot; 0 where there is no card, or no cell."""
        self.occupied = 0
        """Cells with a card, the guard cell left out."""
        self.hand = ALL_CARDS_SET
        """A set of cards."""
        self.wounded: tuple[int, ...] = ()
        self.dead: tuple[int, ...] = ()
        self.shown = 0
        """Cards laid out that all have seen (BT-23, BT-26)."""
        self.kills = 0
        self.modification: int | None = None
        self.reformed = False
        self.out = False
        self.knowledge = Knowledge()
        self.seen: list[dict[str, Any] | None] = [None, None]
        """What others and what the seat itself sees of it, once computed (see `turn.build_view`)."""

    def copy(self) -> Self:
        """Return an independent copy."""
        kind = type(self)
        twin = kind.__new__(kind)
        if self.shape is not None:
            twin.graph, twin.paths = self.graph, self.paths
        twin.shape, twin.cards, twin.occupied = self.shape, self.cards[:], self.occupied
        twin.hand, twin.wounded, twin.dead, twin.shown = self.hand, self.wounded, self.dead, self.shown
        twin.kills, twin.modification, twin.reformed = self.kills, self.modification, self.reformed
        twin.out, twin.knowledge, twin.seen = self.out, self.knowledge, self.seen[:]
        return twin

    def lay_out(self, shape: Shape, cards: tuple[int, ...]) -> None:
        """Make these cards, one to a cell, the formation. The guard and the hand stay as they are."""
        self.shape, self.graph = shape, build_graph(shape)
        self.cards[:GUARD_SPOT] = [0] * GUARD_SPOT
        self.occupied = self.graph.cells
        for spot, card in zip(shape.spots, cards, strict=True):
            self.cards[spot] = card
        self.changed()

    def put(self, card: int, spot: int) -> None:
        """Put a card into an empty cell or the empty guard cell."""
        self.cards[spot] = card
        if spot != GUARD_SPOT:
            self.occupied |= 1 << spot
        self.changed()

    def take(self, spot: int) -> int:
        """Take the card out of a cell and return it."""
        card = self.cards[spot]
        self.cards[spot] = 0
        if spot != GUARD_SPOT:
            self.occupied &= ~(1 << spot)
        self.changed()
        return card

    def move(self, start: int, goal: int) -> None:
        """Move the card of a cell to an empty one."""
        cards = self.cards
        cards[goal], cards[start] = cards[start], 0
        self.occupied = (self.occupied & ~(1 << start) | 1 << goal) & ALL_CELLS_MASK
        self.changed()

    def changed(self) -> None:
        """Recompute what depends on where the cards lie."""
        self.paths = self.graph.paths(self.occupied)
        self.seen = [None, None]

    def clear(self) -> None:
        """Remove everything from the table (BT-40)."""
        self.shape = None
        self.cards = [0] * (GUARD_SPOT + 1)
        self.occupied = self.hand = self.shown = 0
        self.wounded = self.dead = ()
        self.modification = None
        self.out = True
        self.seen = [None, None]

    def has_only_guard(self) -> bool:
        """Return whether a single card is left in formation, hand and wounded, and is the guard (BT-17, BT-23)."""
        return self.cards[GUARD_SPOT] != 0 and not (self.occupied or self.hand or self.wounded)

    def spot_of(self, card: int) -> int:
        """Return where a card lies."""
        return self.cards.index(card)

    def laid_out(self) -> list[tuple[int, int]]:
        """Return spot and card of every occupied cell of the formation."""
        return [(spot, self.cards[spot]) for spot in list_bits(self.occupied)]


@mypyc_attr(allow_interpreted_subclasses=True)
class Position:
    """The table of one play."""

    __slots__ = (
        "decision", "deployed", "dice", "died", "fallen", "first", "last_attacked", "log", "moved", "picked_up", "ply",
        "quiet", "rolled", "round", "rules", "seats", "seats_in", "sides", "to_act",
    )  # fmt: skip

    def __init__(self, rules: Rules, seats: int, dice: tuple[int, ...], first: int = 0) -> None:
        self.rules = rules
        self.seats = seats
        self.first = first
        """The seat that moves first; a round is whole when the turn is past it again (BT-1, BT-42)."""
        self.to_act: int | None = 0
        self.decision = DEPLOY
        self.ply = 0
        self.round = 0
        self.quiet = 0
        """Whole rounds in a row in which no card died (BT-42)."""
        self.died = False
        """A card died in this round."""
        self.last_attacked: int | None = None
        """Whom the last turn attacked (BT-16)."""
        self.moved: tuple[int, ...] = ()
        """Where the cards stand that moved in this turn."""
        self.picked_up = False
        self.dice = dice
        self.rolled = 0
        """Rolls used so far (BT-31)."""
        self.sides = [Army() for _ in range(seats)]
        self.deployed: list[str | None] = [None] * seats
        """Deployments as sent, until all are revealed (BT-2)."""
        self.seats_in = tuple(range(seats))
        """Who is still in, in seat order."""
        self.fallen: tuple[int, ...] = ()
        """Who is out, in order of going out (BT-41)."""
        self.log: list[tuple[int, int, Any, Any]] = []

    def copy(self) -> Self:
        """Return an independent copy."""
        kind = type(self)
        twin = kind.__new__(kind)
        twin.rules, twin.seats, twin.first, twin.dice = self.rules, self.seats, self.first, self.dice
        twin.to_act, twin.decision, twin.ply, twin.rolled = self.to_act, self.decision, self.ply, self.rolled
        twin.round, twin.quiet, twin.died = self.round, self.quiet, self.died
        twin.last_attacked, twin.moved, twin.picked_up = self.last_attacked, self.moved, self.picked_up
        twin.seats_in, twin.fallen = self.seats_in, self.fallen
        twin.sides = [side.copy() for side in self.sides]
        twin.deployed, twin.log = self.deployed[:], self.log[:]
        return twin

    def roll(self) -> int:
        """Return the next roll. After the last one the first comes again."""
        roll = self.dice[self.rolled % len(self.dice)]
        self.rolled += 1
        return roll

    def turn_order(self, seat: int) -> int:
        """Return the place of a seat in the order of a round, from 0."""
        return (seat - self.first) % self.seats


# Deal anew what a seat can't know, so that it can't distinguish the table from the original.
#
# Hidden cards of other seats, in cells or in the hand, change places where nothing known forbids it (see `Knowledge`).
# Rolls to come are rolled anew. While seats deploy, the deployment of another seat may become any other, and nobody
# knows yet which seat a lot has drawn. What the other seats know of their own earlier cards stays as it was, and only
# they may ask for it.

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


def exchange_hidden_cards(side: Army, rng: Random) -> None:
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
        if mark in (LAID_IN_FRONT, LAID_IN_BACK) and not knowledge.laid >> group & 1:
            return False
        in_front[group] += mark == LAID_IN_FRONT
        held += mark == MIXED and group == knowledge.held
    limits = knowledge.limits + (0,) * (knowledge.latest + 1 - len(knowledge.limits))
    return held >= knowledge.least and all(count <= limit for count, limit in zip(in_front, limits, strict=True))
