"""List the legal moves of each decision."""

from typing import Final

from engine.games.battalion.cards import HIGHEST_GUARD_CARD, JACK, KING, list_cards
from engine.games.battalion.formations import FORMATIONS
from engine.games.battalion.layout import pack_layout
from engine.games.battalion.moves import ATTACK, MODIFY, MOVE, PASS, PICKUP, REFORM, REINFORCE, encode_move
from engine.games.battalion.paths import ALL_CELLS_MASK, GUARD_BIT, GUARD_SPOT, list_bits
from engine.games.battalion.position import DEPLOY, Position, Side
from engine.games.battalion.reform import can_reform, list_example_reformings

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


def may_pick_up(table: Position, side: Side) -> bool:
    """Return whether the seat may pick up its wounded (BT-14)."""
    return bool(side.wounded) and not (side.hand or table.moved or table.picked_up)


def may_reform(table: Position, side: Side) -> bool:
    """Return whether the seat may reform (BT-10, BT-14, BT-35)."""
    return not table.moved and not table.picked_up and can_reform(side)


def list_rearrangements(table: Position, side: Side) -> list[int]:
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


def list_attacks(table: Position, seat: int, side: Side) -> list[int]:
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


def find_special_goals(side: Side, spot: int, card: int, foe: Side, near: int) -> int:
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


def list_reinforcements(side: Side) -> list[int]:
    """Return the ways to bring a card from the hand (BT-13)."""
    landing = list_bits(side.paths.landing)
    moves: list[int] = []
    for card in list_cards(side.hand):
        start = ENCODED_REINFORCE | card << 8
        moves += [start | goal for goal in landing]
        if card <= HIGHEST_GUARD_CARD and not side.cards[GUARD_SPOT]:
            moves.append(start | GUARD_SPOT)
    return moves
