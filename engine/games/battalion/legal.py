"""The legal moves of each decision."""

from engine.games.battalion.cards import GUARDS, JACK, KING, QUEEN
from engine.games.battalion.formations import FORMATIONS
from engine.games.battalion.layout import pack
from engine.games.battalion.moves import ATTACK, MODIFY, MOVE, PASSING, PICKUP, REFORM, REINFORCE, encode, product
from engine.games.battalion.paths import CELL_BITS, GUARD, GUARD_BIT, bits
from engine.games.battalion.position import DEPLOY, Position, Side
from engine.games.battalion.reform import can_reform, list_examples

DEPLOYMENTS = [pack(formation.action) for formation in FORMATIONS]
PICKING_UP, MODIFYING = encode(PICKUP), encode(MODIFY)


def legal_moves(table: Position) -> list[int]:
    """Every legal move of the seat that is asked, once; of deployments and reformings only examples."""
    seat = table.to_act
    if seat is None:
        return []
    if table.decision == DEPLOY:
        return DEPLOYMENTS[:]
    side = table.sides[seat]
    moves = [PICKING_UP] if may_pick_up(table, side) else []
    moves += rearrangements(table, side)
    moves.append(PASSING)
    moves += attacks(table, seat, side)
    if side.hand and side.paths.landing:
        moves += reinforcements(side)
    if side.modification is None:
        moves.append(MODIFYING)
    if may_reform(table, side):
        moves += [encode(REFORM, number) for number in list_examples(side)]
    return moves


def may_pick_up(table: Position, side: Side) -> bool:
    """BT-14."""
    return bool(side.wounded) and not (side.hand or table.moved or table.picked_up)


def may_reform(table: Position, side: Side) -> bool:
    """BT-10, BT-14, BT-35."""
    return not table.moved and not table.picked_up and can_reform(side)


def rearrangements(table: Position, side: Side) -> list[int]:
    """BT-12, BT-17."""
    moves: list[int] = []
    reach, cards = side.paths.reach, side.cards
    guard_cell = 0 if cards[GUARD] else GUARD_BIT
    for spot in bits(side.occupied):
        if spot not in table.moved:
            goals = reach[spot] if guard_cell and cards[spot] <= 10 else reach[spot] & CELL_BITS
            if goals:
                moves += product(MOVE, 1 << spot, 0, goals)
    if side.has_only_guard() and GUARD not in table.moved:
        moves += product(MOVE, GUARD_BIT, 0, reach[GUARD])
    return moves


def attackable(table: Position, seat: int) -> list[int]:
    """Who may be attacked (BT-16)."""
    others = [other for other, side in enumerate(table.sides) if other != seat and not side.out]
    if len(others) > 1 and table.last_attacked in others:
        others.remove(table.last_attacked)
    return others


def attacks(table: Position, seat: int, side: Side) -> list[int]:
    """BT-20 to BT-26."""
    cards, paths = side.cards, side.paths
    attackers = side.occupied | (GUARD_BIT if side.has_only_guard() else 0)
    if not attackers:
        return []
    king, queen, jack = (1 << cards.index(card) if card in cards else 0 for card in (KING, QUEEN, JACK))
    plain = attackers & paths.near & ~(king | queen | jack)
    moves: list[int] = []
    for other in attackable(table, seat):
        foe = table.sides[other]
        near = foe.paths.near & (foe.occupied | GUARD_BIT)
        far = foe.paths.far & (foe.occupied | GUARD_BIT)
        if plain:
            moves += product(ATTACK, plain, other, near)
        if king:
            moves += product(ATTACK, king, other, foe.occupied)
        if queen:
            moves += product(ATTACK, queen, other, skipping(side, queen, near, far))
        if jack:
            seen = skipping(side, jack, near, far)
            moves += product(ATTACK, jack, other, seen if foe.cards[GUARD] else seen & CELL_BITS)
    return moves


def skipping(side: Side, spot: int, near: int, far: int) -> int:
    """What a card in this cell can attack on a path with at most one occupied cell (BT-22, BT-26)."""
    return far if side.paths.near & spot else near if side.paths.far & spot else 0


def reinforcements(side: Side) -> list[int]:
    """BT-13."""
    landing = side.paths.landing
    if side.cards[GUARD]:
        return list(product(REINFORCE, side.hand, 0, landing))
    guards = side.hand & GUARDS
    return [
        *product(REINFORCE, guards, 0, landing | GUARD_BIT),
        *product(REINFORCE, side.hand & ~guards, 0, landing),
    ]
