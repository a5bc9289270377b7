"""Positions laid out by hand, below the turn: cards at flags, troops that are face up elsewhere, the rest unseen."""

from collections import Counter
from collections.abc import Sequence

from engine.core import Json
from engine.games.battleline import view as views
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, list_cards
from engine.games.battleline.options import Rules, edition_options
from engine.games.battleline.position import Position
from tests.engine.battleline.oracle import Duel, deck


def rules_of(edition: str, **changes: object) -> Rules:
    return Rules.read(edition_options(edition, changes))


STANDARD = rules_of("standard")


def lay_out(placed: Sequence[tuple[int, int, str]], unseen: Sequence[str], rules: Rules = STANDARD) -> Position:
    """A table with these (seat, flag, card) placed in this order; troops neither placed nor unseen are discards."""
    table = Position(rules, ([], []), [], [])
    for seat, flag, card in placed:
        table.place(show(table, seat, card), seat, flag)
    seen = (
        Counter(deck(rules.colours, rules.copies, rules.values))
        - Counter(card for _, _, card in placed)
        - Counter(unseen)
    )
    for card in seen.elements():
        table.discards = ((*table.discards[0], show(table, 0, card)), table.discards[1])
    return table


def show(table: Position, seat: int, name: str) -> int:
    """Turn a card of the seat's hand face up."""
    card = table.names.card[name]
    table.hands[seat].append(card)
    table.leave_hand(seat, card)
    return card


def duel_at(table: Position, seat: int, flag: int) -> Duel:
    """The same flag in the oracle's words."""
    view = table_view(table)["flags"][flag]
    return Duel(
        mine=tuple(view["cards"][seat]),
        theirs=tuple(view["cards"][1 - seat]),
        unseen=unseen_troops(table),
        fog=view["fog"],
        mud=view["mud"],
        tile=view["tile"],
        seat=seat,
        mine_last=view["last"] == seat,
    )


def table_view(table: Position) -> Json:
    return views.view(table, 0)


def unseen_troops(table: Position) -> tuple[str, ...]:
    """Every troop that is on no side and in no discard, counted afresh, in the order of the deck."""
    face_up = Counter(table.names.of[card] for sides in table.sides for side in sides for card in side)
    face_up.update(table.names.of[card] for cards in table.discards for card in cards)
    left = Counter(deck(table.rules.colours, table.rules.copies, table.rules.values)) - face_up
    return tuple(left.elements())


def names(cards: int, colours: str = "ROYGBP") -> tuple[str, ...]:
    """The names of a card set."""
    return tuple(CARD_NAMES_BY_COLOURS[colours].of[card] for card in list_cards(cards))
