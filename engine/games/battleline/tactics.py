"""List the moves of each tactic and carry them out (BL-30 to BL-39)."""

from typing import Final

from engine.games.battleline.cards import (
    DESERTER,
    FOG,
    MUD,
    REDEPLOY,
    SCOUT,
    TRAITOR,
    is_leader,
    is_troop,
)
from engine.games.battleline.moves import (
    BETRAY,
    DESERT,
    DISCARD_TARGET,
    DRAW,
    DRAW_MANY,
    PLACE,
    REDEPLOY_CARD,
    SCOUT_OUT,
    Placings,
    encode_move,
)
from engine.games.battleline.position import FINISH, SCOUTING, Position, replace_item
from engine.games.battleline.tiles import RIVER, WOODLAND

SCOUT_DRAW_COUNT: Final = 3


def may_play_tactics(table: Position, seat: int) -> bool:
    """Return whether the seat may play a tactic (BL-30)."""
    return len(table.tactics_played[seat]) <= len(table.tactics_played[1 - seat])


def list_tactic_moves(table: Position, seat: int, card: int, placings: Placings) -> list[int]:
    """Return the plays of a tactic for a seat that may play one (BL-31 to BL-39)."""
    if card in (FOG, MUD):
        return [PLACE << 16 | card << 8 | flag << 4 for flag in list_weather_flags(table, card)]
    if card == SCOUT:
        return [encode_move(SCOUT_OUT)] if any(table.decks) else []
    if card == REDEPLOY:
        targets = [*placings.flags, DISCARD_TARGET]
        return [
            REDEPLOY_CARD << 16 | lying | target
            for lying in table.list_lying_cards(seat)
            for target in targets
            if target != lying >> 4 & 15
        ]
    if card == DESERTER:
        return [DESERT << 16 | lying for lying in table.list_lying_cards(1 - seat)]
    if card == TRAITOR:
        return [
            BETRAY << 16 | lying | target
            for lying in table.list_lying_cards(1 - seat)
            if is_troop(lying >> 8)
            for target in placings.flags
        ]
    if is_leader(card) and table.rules.leader_limit and table.leader_played[seat]:
        return []
    return placings.moves_by_card[card]


def list_weather_flags(table: Position, card: int) -> list[int]:
    """Return where Fog or Mud may be laid: no second one, and none on a tile that does the same (BL-33)."""
    there, tile = (table.fog, WOODLAND) if card == FOG else (table.mud, RIVER)
    return [flag for flag in table.unclaimed if not there[flag] and table.tiles[flag] != tile]


def list_scout_draws(table: Position, seat: int) -> list[int]:
    """Return the draws of a Scout (BL-35)."""
    troops, tactics = map(len, table.decks)
    if not table.rules.scout_at_once:
        return [encode_move(DRAW, 0, deck) for deck in (0, 1) if table.decks[deck]]
    total = min(SCOUT_DRAW_COUNT, troops + tactics)
    return [
        encode_move(DRAW_MANY, 0, n, total - n) for n in range(total, -1, -1) if n <= troops and total - n <= tactics
    ]


def take_tactic_from_hand(table: Position, seat: int, card: int) -> None:
    """Take a tactic out of the hand and count it as played."""
    table.passed = False
    table.decision = FINISH
    table.leave_hand(seat, card)
    table.add_tactic_played(seat, card)


def play_at_flag(table: Position, seat: int, card: int, flag: int) -> None:
    """Play Fog, Mud, or a morale card (BL-32, BL-33)."""
    take_tactic_from_hand(table, seat, card)
    if card == FOG:
        table.lay_fog(flag)
    elif card == MUD:
        table.lay_mud(flag)
    else:
        table.place(card, seat, flag)
        if is_leader(card):
            table.leader_played = replace_item(table.leader_played, seat, True)


def play_redeploy(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Redeploy (BL-36)."""
    take_tactic_from_hand(table, seat, REDEPLOY)
    if target == DISCARD_TARGET:
        table.discard(card, seat, flag)
    else:
        table.lift(card, seat, flag)
        table.place(card, seat, target)


def play_deserter(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Deserter (BL-37)."""
    take_tactic_from_hand(table, seat, DESERTER)
    table.discard(card, 1 - seat, flag)


def play_traitor(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Traitor (BL-38)."""
    take_tactic_from_hand(table, seat, TRAITOR)
    table.lift(card, 1 - seat, flag)
    table.place(card, seat, target)


def play_scout(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Scout (BL-35)."""
    take_tactic_from_hand(table, seat, SCOUT)
    table.scouted = True
    table.decision = SCOUTING
    table.draws_left = min(SCOUT_DRAW_COUNT, len(table.decks[0]) + len(table.decks[1]))
