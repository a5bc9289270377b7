"""The state of the table of one play. The rules themselves are in the modules that import this one."""

from typing import Any, Final, Self

from engine.compiling import mypyc_attr
from engine.games.battalion.cards import ALL_CARDS_SET
from engine.games.battalion.geometry import Shape
from engine.games.battalion.knowledge import Knowledge
from engine.games.battalion.options import Rules
from engine.games.battalion.paths import ALL_CELLS_MASK, GUARD_SPOT, Graph, Paths, build_graph, list_bits

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


class Side:
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
        """What others and what the seat itself sees of it, once computed (see `view`)."""

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
        self.sides = [Side() for _ in range(seats)]
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
