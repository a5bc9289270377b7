"""Moves as integers and text: list the legal ones, re-form (BT-35), and explain why a move isn't legal."""

from collections.abc import Callable
from functools import cache
from typing import Final

from engine.core import MalformedAction, Refusal, refuse
from engine.games.battalion.formations import (
    CARD_NAMES,
    FORMATIONS,
    HIGHEST_GUARD_CARD,
    JACK,
    KING,
    QUEEN,
    Cells,
    Layout,
    can_guard,
    format_rows,
    list_cards,
    pack_layout,
    read_card,
    read_layout,
    unpack_layout,
)
from engine.games.battalion.geometry import (
    ALL_CELLS_MASK,
    COLUMN_LETTERS,
    GUARD_BIT,
    GUARD_SPOT,
    MAX_CELLS_PER_ROW,
    MAX_FORMATION_ROWS,
    BadShape,
    build_shape,
    list_bits,
)
from engine.games.battalion.position import DEPLOY, Army, Laid, Position
from engine.message import gettext_noop, message, quote

# Moves as integers and as text.
#
# A move is `kind << 12 | first << 8 | seat << 4 | second`, the fields being a spot or a card, another's seat, and a
# spot. Deployments and reformings are their text as a number (`pack_layout`); examples of a reforming are small moves
# too, and their text depends on what is laid out (`example_of`).

PICKUP: Final = 0
MOVE: Final = 1
PASS: Final = 2
ATTACK: Final = 3
REINFORCE: Final = 4
MODIFY: Final = 5
REFORM: Final = 6
LAYOUT: Final = 7
"""Kinds. LAYOUT is any move that is its text."""
CELL_NAMES: Final = tuple(
    f"{row + 1}{letter}" for row in range(MAX_FORMATION_ROWS) for letter in COLUMN_LETTERS[:MAX_CELLS_PER_ROW]
) + ("g",)
SPOTS_BY_CELL_NAME: Final = {name: spot for spot, name in enumerate(CELL_NAMES)}
ACTION_FORMS: Final = {
    "pickup": (PICKUP, ""),
    "move": (MOVE, "CELL CELL"),
    "pass": (PASS, ""),
    "attack": (ATTACK, "CELL SEAT:CELL"),
    "reinforce": (REINFORCE, "CARD CELL"),
    "modify": (MODIFY, ""),
}
LAYOUT_VERBS: Final = ("deploy", "reform")
SEAT_NUMBERS: Final = range(4)


def encode_move(kind: int, first: int = 0, seat: int = 0, second: int = 0) -> int:
    """Return the move with these fields."""
    return kind << 12 | first << 8 | seat << 4 | second


def get_move_kind(move: int) -> int:
    """Return the kind of a move."""
    return min(move >> 12, LAYOUT)


def decode_move(move: int) -> tuple[int, int, int, int]:
    """Return kind, first, seat and second of a move."""
    return move >> 12, move >> 8 & 15, move >> 4 & 15, move & 15


@cache
def format_action(move: int) -> str:
    """Return the action string of a move that is not a layout."""
    kind, first, seat, second = decode_move(move)
    verb = next(verb for verb, (known, _) in ACTION_FORMS.items() if known == kind)
    if kind == ATTACK:
        return f"{verb} {CELL_NAMES[first]} {seat}:{CELL_NAMES[second]}"
    if kind in (MOVE, REINFORCE):
        return f"{verb} {CARD_NAMES[first] if kind == REINFORCE else CELL_NAMES[first]} {CELL_NAMES[second]}"
    return verb


def parse_action(text: str) -> int:
    """Return the move that an action string describes, legal or not. Raises MalformedAction."""
    verb, *rest = text.split(" ", 4)
    if verb in LAYOUT_VERBS:
        read_layout(text)
        return pack_layout(text)
    if verb not in ACTION_FORMS:
        template = gettext_noop("unknown action %(action)s; an action begins with %(verbs)s")
        raise MalformedAction(message(template, action=quote(text), verbs=", ".join((*LAYOUT_VERBS, *ACTION_FORMS))))
    kind, form = ACTION_FORMS[verb]
    if len(rest) != len(form.split()):
        raise MalformedAction(
            message(
                gettext_noop("%(action)s should read %(form)s"),
                action=quote(text),
                form=quote(f"{verb} {form}".strip()),
            )
        )
    if not rest:
        return encode_move(kind)
    if kind == ATTACK:
        seat, colon, cell = rest[1].partition(":")
        if not colon or seat not in {str(seat) for seat in SEAT_NUMBERS}:
            template = gettext_noop("%(target)s should read SEAT:CELL, as in 1:2b")
            raise MalformedAction(message(template, target=quote(rest[1])))
        return encode_move(kind, read_cell(rest[0]), int(seat), read_cell(cell))
    first = read_card(rest[0]) if kind == REINFORCE else read_cell(rest[0])
    return encode_move(kind, first, 0, read_cell(rest[1]))


def read_cell(name: str) -> int:
    """Return the spot of the cell with this name. Raises MalformedAction."""
    if name not in SPOTS_BY_CELL_NAME:
        template = gettext_noop("no cell %(cell)s; cells are 1a to 3d, and g for the guard")
        raise MalformedAction(message(template, cell=quote(name)))
    return SPOTS_BY_CELL_NAME[name]


# Reform: lay the formation out anew, nearer to the emperor (BT-35).

MAX_REFORMED_ROWS: Final = 2
MAX_REFORMED_CARDS: Final = MAX_REFORMED_ROWS * MAX_CELLS_PER_ROW + 1
"""With more in the formation, even one taken back leaves too many for two rows."""
EXAMPLE_FRONT_HELD: Final = 0
EXAMPLE_ONE_ROW: Final = 1
EXAMPLE_CARD_TO_HAND: Final = 2
"""The examples: as far in front as before where there is room; all in one row; the lowest card into the hand."""


def can_reform(side: Army) -> bool:
    """Return whether any reforming of the formation is possible."""
    return not side.reformed and 1 <= side.occupied.bit_count() <= MAX_REFORMED_CARDS


def list_example_reformings(side: Army) -> list[int]:
    """Return examples that differ from each other; at least one wherever a reforming is possible."""
    count = side.occupied.bit_count()
    found = [EXAMPLE_FRONT_HELD] if count < MAX_REFORMED_CARDS else []
    if count <= MAX_CELLS_PER_ROW and side.occupied & ~side.graph.back and side.occupied & side.graph.back:
        found.append(EXAMPLE_ONE_ROW)
    if count > 1:
        found.append(EXAMPLE_CARD_TO_HAND)
    return found


def build_example_reforming(side: Army, number: int) -> str:
    """Return the action string of an example."""
    cards = [card for _, card in side.laid_out()]
    taken = min(cards) if number == EXAMPLE_CARD_TO_HAND else 0
    before = [card for spot, card in side.laid_out() if count_rows_to_back(side, spot) and card != taken]
    behind = [card for spot, card in side.laid_out() if not count_rows_to_back(side, spot) and card != taken]
    kept = 0 if number == EXAMPLE_ONE_ROW else MAX_CELLS_PER_ROW
    rows = [before[:kept], before[kept:] + behind]
    cells: tuple[Cells, ...] = tuple(
        tuple((2 * column, card) for column, card in enumerate(row)) for row in rows if row
    )
    hand = f" hand={CARD_NAMES[taken]}" if taken else ""
    return f"reform {format_rows(cells)}{hand}"


def count_rows_to_back(side: Army, spot: int) -> int:
    """Return the number of rows between a cell and the back row."""
    assert side.shape is not None
    return len(side.shape.rows) - 1 - spot // MAX_CELLS_PER_ROW


def refuse_layout(side: Army, layout: Layout) -> Refusal | None:
    """Return why the formation can't be laid out like this, or None where it can."""
    if len(layout.rows) > MAX_REFORMED_ROWS:
        template = gettext_noop("a formation is reformed in at most two rows, not %(rows)s")
        return refuse(template, "BT-35", rows=len(layout.rows))
    return refuse_cards(side, layout) or refuse_shape(layout) or refuse_distances(side, layout)


def refuse_cards(side: Army, layout: Layout) -> Refusal | None:
    """Return why these are not the cards of the formation, or None where they are."""
    twice = layout.find_twice()
    if twice:
        first, second = (layout.describe_place(number) for number in twice)
        return refuse(
            gettext_noop("%(card)s is both %(first_place)s and %(second_place)s, but there's only one"),
            "BT-1",
            "BT-35",
            card=CARD_NAMES[layout.cards[twice[0]]],
            first_place=first,
            second_place=second,
        )
    laid = [card for _, card in side.laid_out()]
    for number, card in enumerate(layout.cards):
        if card not in laid:
            template = gettext_noop("%(card)s %(place)s isn't one of the formation's cards")
            return refuse(template, "BT-35", card=CARD_NAMES[card], place=layout.describe_place(number))
    for spot, card in side.laid_out():
        if card not in layout.cards:
            return refuse(
                gettext_noop(
                    "%(card)s from cell %(cell)s is missing; lay out all cards of the formation, except at "
                    "most one taken into the hand"
                ),
                "BT-35",
                card=CARD_NAMES[card],
                cell=f"{spot // MAX_CELLS_PER_ROW + 1}{COLUMN_LETTERS[spot % MAX_CELLS_PER_ROW]}",
            )
    return None


def refuse_distances(side: Army, layout: Layout) -> Refusal | None:
    """Return which card would come nearer to the front, counted from the back row, or None where none does."""
    for number, row in enumerate(layout.rows):
        rows_behind = len(layout.rows) - 1 - number
        for column, (_, card) in enumerate(row):
            if count_rows_to_back(side, side.spot_of(card)) < rows_behind:
                return refuse(
                    gettext_noop("%(card)s at cell %(cell)s would be farther from the back row than before"),
                    "BT-35",
                    card=CARD_NAMES[card],
                    cell=f"{number + 1}{COLUMN_LETTERS[column]}",
                )
    return None


def refuse_shape(layout: Layout) -> Refusal | None:
    """Return why the rows are not a formation, or None where they are."""
    try:
        build_shape(layout.columns)
    except BadShape as error:
        return refuse(
            gettext_noop("%(problem)s; reforming has the same limits"),
            *error.refusal.rulings,
            "BT-35",
            problem=error.refusal.reason,
        )
    return None


def reform_formation(side: Army, text: str) -> None:
    """Lay the formation out anew by this action string, which has been checked."""
    layout = read_layout(text)
    taken = layout.beside
    shape = build_shape(layout.columns)
    cards = tuple(card for row in layout.rows for _, card in row)
    hidden = [spot for spot, card in zip(shape.spots, cards, strict=True) if not side.shown >> card & 1]
    back = MAX_CELLS_PER_ROW * (len(shape.rows) - 1)
    laid = Laid(
        {card: count_rows_to_back(side, spot) for spot, card in side.laid_out() if not side.shown >> card & 1},
        taken,
        tuple(spot for spot in hidden if spot < back),
        tuple(spot for spot in hidden if spot >= back),
    )
    side.knowledge = side.knowledge.lay_anew(laid, list_cards(side.hand))
    side.lay_out(shape, cards)
    if taken:
        side.hand |= 1 << taken
        side.shown &= ~(1 << taken)
    side.reformed = True


# List the legal moves of each decision.

EXAMPLE_DEPLOYMENTS: Final = [pack_layout(formation.action) for formation in FORMATIONS]
ENCODED_PICKUP: Final = encode_move(PICKUP)
ENCODED_MOVE: Final = encode_move(MOVE)
ENCODED_PASS: Final = encode_move(PASS)
ENCODED_ATTACK: Final = encode_move(ATTACK)
ENCODED_REINFORCE: Final = encode_move(REINFORCE)
ENCODED_MODIFY: Final = encode_move(MODIFY)
EXAMPLE_REFORMINGS: Final = [encode_move(REFORM, number) for number in range(3)]


def list_legal_moves(table: Position) -> list[int]:
    """Return every legal move of the seat to act, once; of deployments and reformings only examples."""
    seat = table.to_act
    if seat is None:
        return []
    if table.decision == DEPLOY:
        return EXAMPLE_DEPLOYMENTS[:]
    side = table.sides[seat]
    moves = [ENCODED_PICKUP] if may_pick_up(table, side) else []
    moves += list_rearrangements(table, side)
    moves.append(ENCODED_PASS)
    moves += list_attacks(table, seat, side)
    if side.hand and side.paths.landing:
        moves += list_reinforcements(side)
    if side.modification is None:
        moves.append(ENCODED_MODIFY)
    if may_reform(table, side):
        moves += [EXAMPLE_REFORMINGS[number] for number in list_example_reformings(side)]
    return moves


def may_pick_up(table: Position, side: Army) -> bool:
    """Return whether the seat may pick up its wounded (BT-14)."""
    return bool(side.wounded) and not (side.hand or table.moved or table.picked_up)


def may_reform(table: Position, side: Army) -> bool:
    """Return whether the seat may reform (BT-10, BT-14, BT-35)."""
    return not table.moved and not table.picked_up and can_reform(side)


def list_rearrangements(table: Position, side: Army) -> list[int]:
    """Return the moves within the formation (BT-12, BT-17)."""
    reach, cards, moved = side.paths.reach, side.cards, table.moved
    moves: list[int] = []
    for spot in list_bits(side.occupied):
        goals = reach[spot]
        if cards[GUARD_SPOT] or cards[spot] > HIGHEST_GUARD_CARD:
            goals &= ALL_CELLS_MASK
        if goals and spot not in moved:
            start = ENCODED_MOVE | spot << 8
            moves += [start | goal for goal in list_bits(goals)]
    if side.has_only_guard() and GUARD_SPOT not in moved:
        start = ENCODED_MOVE | GUARD_SPOT << 8
        moves += [start | goal for goal in list_bits(reach[GUARD_SPOT])]
    return moves


def list_attackable_seats(table: Position, seat: int) -> list[int]:
    """Return the seats that may be attacked (BT-16)."""
    others = [other for other in table.seats_in if other != seat]
    if len(others) > 1 and table.last_attacked in others:
        others.remove(table.last_attacked)
    return others


def list_attacks(table: Position, seat: int, side: Army) -> list[int]:
    """Return the attacks (BT-20 to BT-26)."""
    attackers = list_bits(side.occupied | GUARD_BIT) if side.has_only_guard() else list_bits(side.occupied)
    moves: list[int] = []
    for other in list_attackable_seats(table, seat) if attackers else ():
        foe = table.sides[other]
        full = foe.occupied | GUARD_BIT
        near = full & foe.paths.near
        own_near = side.paths.near
        direct = list_bits(near)
        for spot in attackers:
            card = side.cards[spot]
            start = ENCODED_ATTACK | spot << 8 | other << 4
            if not JACK <= card <= KING:
                if own_near >> spot & 1:
                    moves += [start | goal for goal in direct]
            else:
                moves += [start | goal for goal in list_bits(find_special_goals(side, spot, card, foe, near))]
    return moves


def find_special_goals(side: Army, spot: int, card: int, foe: Army, near: int) -> int:
    """Return what a King, Queen or Jack in this cell can attack.

    `near` are the goals with a direct path from outside.
    """
    if card == KING:
        return foe.occupied
    paths = side.paths
    if paths.near >> spot & 1:
        goals = foe.paths.far & (foe.occupied | GUARD_BIT)
    else:
        goals = near if paths.far >> spot & 1 else 0
    return goals & ALL_CELLS_MASK if card == JACK and not foe.cards[GUARD_SPOT] else goals


def list_reinforcements(side: Army) -> list[int]:
    """Return the ways to bring a card from the hand (BT-13)."""
    landing = list_bits(side.paths.landing)
    moves: list[int] = []
    for card in list_cards(side.hand):
        start = ENCODED_REINFORCE | card << 8
        moves += [start | goal for goal in landing]
        if card <= HIGHEST_GUARD_CARD and not side.cards[GUARD_SPOT]:
            moves.append(start | GUARD_SPOT)
    return moves


# Explain why a well-formed action isn't legal, with the place and the ruling.


def explain_refusal(table: Position, seat: int, move: int) -> Refusal | None:
    """Return why this move isn't legal, or None where it is a legal layout."""
    if get_move_kind(move) == LAYOUT:
        text = unpack_layout(move)
        return refuse_deployment(table, text) if text.startswith("deploy") else refuse_reforming(table, seat, text)
    if table.decision == DEPLOY:
        return refuse_before_deployment()
    kind, first, other, second = decode_move(move)
    return REFUSAL_FUNCTIONS_BY_MOVE_KIND[kind](table, seat, first, other, second)


def refuse_before_deployment() -> Refusal:
    """Refuse anything but a deployment while seats deploy."""
    return refuse(gettext_noop("a deployment is expected now"), "BT-2")


def refuse_deployment(table: Position, text: str) -> Refusal | None:
    """Return why this deployment isn't legal, or None where it is."""
    if table.decision != DEPLOY:
        return refuse(gettext_noop("formations are deployed once, before the first turn"), "BT-2")
    layout = read_layout(text)
    twice = layout.find_twice()
    if twice:
        first, second = (layout.describe_place(number) for number in twice)
        return refuse(
            gettext_noop("%(card)s is both %(first_place)s and %(second_place)s, but a seat has only one of each card"),
            "BT-1",
            card=CARD_NAMES[layout.cards[twice[0]]],
            first_place=first,
            second_place=second,
        )
    if not can_guard(layout.beside):
        return refuse_guard(layout.beside, "BT-2")
    try:
        build_shape(layout.columns)
    except BadShape as error:
        return error.refusal
    return None


def refuse_guard(card: int, ruling: str) -> Refusal:
    """Refuse a card that can't be the guard."""
    return refuse(
        gettext_noop("only a card from 2 to 10 can be the guard, not %(card)s"), ruling, card=CARD_NAMES[card]
    )


def refuse_reforming(table: Position, seat: int, text: str) -> Refusal | None:
    """Return why this reforming isn't legal, or None where it is."""
    if table.decision == DEPLOY:
        return refuse_before_deployment()
    side = table.sides[seat]
    if side.reformed:
        return refuse(gettext_noop("this seat has already reformed, and can only do so once a game"), "BT-35")
    if table.picked_up:
        return refuse(gettext_noop("a seat that picked up its wounded can't reform in the same turn"), "BT-14")
    if table.moved:
        return refuse(gettext_noop("reforming takes a whole turn, and cards have already moved in this one"), "BT-10")
    if not side.occupied:
        return refuse(gettext_noop("the formation has no cards to reform"), "BT-35")
    return refuse_layout(side, read_layout(text))


def refuse_pickup(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to pick up the wounded."""
    side = table.sides[seat]
    if table.moved:
        return refuse(
            gettext_noop("the wounded can only be picked up at the start of a turn, before any move"), "BT-14"
        )
    if side.hand:
        return refuse(gettext_noop("the wounded can only be picked up while the hand is empty"), "BT-14")
    return refuse(gettext_noop("no wounded cards to pick up"), "BT-14")


def refuse_start(side: Army, spot: int, ruling: str) -> Refusal | None:
    """Return why no card can move or attack from this cell, or None where there is one that may."""
    if spot == GUARD_SPOT and side.cards[GUARD_SPOT]:
        if side.has_only_guard():
            return None
        return refuse(gettext_noop("the guard stays in its cell while its seat has any other card"), "BT-17")
    if not has_cell(side, spot):
        return refuse_no_cell(spot, ruling)
    if side.cards[spot]:
        return None
    return refuse(gettext_noop("this seat's cell %(cell)s is empty"), ruling, cell=CELL_NAMES[spot])


def has_cell(side: Army, spot: int) -> bool:
    """Return whether the formation has this cell; it always has a guard cell."""
    return side.shape is not None and (spot == GUARD_SPOT or bool(side.graph.cells >> spot & 1))


def refuse_no_cell(spot: int, ruling: str) -> Refusal:
    """Refuse a cell that the seat's own formation doesn't have."""
    return refuse(gettext_noop("this seat's formation has no cell %(cell)s"), ruling, cell=CELL_NAMES[spot])


def refuse_move(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse a move within the formation."""
    side = table.sides[seat]
    refused = refuse_start(side, first, "BT-12")
    if refused:
        return refused
    if first in table.moved:
        template = gettext_noop("the card in %(cell)s has already moved this turn")
        return refuse(template, "BT-12", cell=CELL_NAMES[first])
    if second == GUARD_SPOT and not can_guard(side.cards[first]) and not side.cards[GUARD_SPOT]:
        return refuse_guard(side.cards[first], "BT-12")
    return refuse_goal(side, second, "BT-12") or refuse(
        gettext_noop("no direct path from %(start)s to %(goal)s through empty cells of this seat's formation"),
        "BT-11",
        "BT-12",
        start=CELL_NAMES[first],
        goal=CELL_NAMES[second],
    )


def refuse_goal(side: Army, spot: int, ruling: str) -> Refusal | None:
    """Return why no card of the seat's own can enter this cell, or None where one can."""
    if not has_cell(side, spot):
        return refuse_no_cell(spot, ruling)
    if side.cards[spot]:
        return refuse(gettext_noop("this seat's cell %(cell)s isn't empty"), ruling, cell=CELL_NAMES[spot])
    return None


def refuse_reinforcement(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to bring a card from the hand."""
    side = table.sides[seat]
    if not side.hand >> first & 1:
        return refuse(gettext_noop("%(card)s isn't in the hand"), "BT-13", card=CARD_NAMES[first])
    if second == GUARD_SPOT and not can_guard(first) and not side.cards[GUARD_SPOT]:
        return refuse_guard(first, "BT-13")
    if not side.graph.back & ~side.occupied:
        return refuse(gettext_noop("the back row has no empty cell"), "BT-13")
    return refuse_goal(side, second, "BT-13") or refuse(
        gettext_noop("no direct path from an empty back-row cell to %(goal)s"),
        "BT-11",
        "BT-13",
        goal=CELL_NAMES[second],
    )


def refuse_die(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse to roll the die while a modification is in force."""
    return refuse(
        gettext_noop("a modification of %(change)s still applies; the die can't be rolled again until it ends"),
        "BT-30",
        change=f"{table.sides[seat].modification:+d}",
    )


def refuse_attack(table: Position, seat: int, first: int, other: int, second: int) -> Refusal:
    """Refuse an attack."""
    side = table.sides[seat]
    return (
        refuse_start(side, first, "BT-20")
        or refuse_victim(table, seat, other)
        or refuse_target(table, side, first, other, second)
    )


def refuse_victim(table: Position, seat: int, other: int) -> Refusal | None:
    """Return why this seat can't be attacked at all, or None where it can."""
    if other == seat:
        return refuse(gettext_noop("a seat can't attack its own cards"), "BT-20")
    if other >= table.seats:
        template = gettext_noop("no seat %(seat)s; seats are 0 to %(last)s")
        return refuse(template, "BT-1", seat=other, last=table.seats - 1)
    if table.sides[other].out:
        return refuse(gettext_noop("seat %(seat)s is out"), "BT-40", seat=other)
    if other not in list_attackable_seats(table, seat):
        return refuse(
            gettext_noop("seat %(seat)s was attacked last turn, and can't be attacked twice in a row"),
            "BT-16",
            seat=other,
        )
    return None


def refuse_target(table: Position, side: Army, first: int, other: int, second: int) -> Refusal:
    """Refuse an attack on this cell of a seat that may be attacked."""
    foe, card = table.sides[other], side.cards[first]
    target, start = f"{other}:{CELL_NAMES[second]}", CELL_NAMES[first]
    if not has_cell(foe, second):
        template = gettext_noop("seat %(seat)s's formation has no cell %(cell)s")
        return refuse(template, "BT-20", seat=other, cell=CELL_NAMES[second])
    if second == GUARD_SPOT and card == KING:
        return refuse(gettext_noop("a King can't strike a guard or a guard cell"), "BT-25")
    if second == GUARD_SPOT and card == JACK and not foe.cards[GUARD_SPOT]:
        template = gettext_noop("the guard cell %(target)s is empty, so a Jack has nothing to look at")
        return refuse(template, "BT-24", target=target)
    if second != GUARD_SPOT and not foe.cards[second]:
        return refuse(gettext_noop("cell %(target)s is empty"), "BT-20", target=target)
    if card in (QUEEN, JACK):
        template = gettext_noop("every path from %(start)s to %(target)s passes more than one occupied cell")
        return refuse(template, "BT-22", "BT-26", start=start, target=target)
    template = gettext_noop("no direct path from %(start)s to %(target)s: cells in between are occupied")
    return refuse(template, "BT-11", "BT-20", start=start, target=target)


REFUSAL_FUNCTIONS_BY_MOVE_KIND: Final[dict[int, Callable[[Position, int, int, int, int], Refusal]]] = {
    PICKUP: refuse_pickup,
    MOVE: refuse_move,
    ATTACK: refuse_attack,
    REINFORCE: refuse_reinforcement,
    MODIFY: refuse_die,
}
"""By kind of move. Passing is always legal (BT-15)."""
