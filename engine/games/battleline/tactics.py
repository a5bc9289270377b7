"""Where each tactic may be played, and what it does (BL-30 to BL-39)."""

from functools import cache

from engine.games.battleline.cards import (
    DESERTER,
    FOG,
    MUD,
    REDEPLOY,
    SCOUT,
    SHIELD,
    TRAITOR,
    is_leader,
    is_troop,
)
from engine.games.battleline.moves import (
    BETRAY,
    DESERT,
    DISCARD,
    DRAW,
    DRAW_MANY,
    PLACE,
    REDEPLOY_CARD,
    SCOUT_OUT,
    encode,
)
from engine.games.battleline.position import FINISH, SCOUTING, Position, changed
from engine.games.battleline.tiles import RIVER, WOODLAND

SCOUT_CARDS = 3


def may_play_tactics(table: Position, seat: int) -> bool:
    """Return whether the seat may play a tactic (BL-30)."""
    return len(table.tactics_played[seat]) <= len(table.tactics_played[1 - seat])


def tactic_moves(table: Position, seat: int, card: int, free: tuple[int, ...]) -> list[int]:
    """Return the plays of a tactic for a seat that may play one (BL-31 to BL-39)."""
    if card in (FOG, MUD):
        return [PLACE << 16 | card << 8 | flag << 4 for flag in weather_flags(table, card)]
    if card == SCOUT:
        return [encode(SCOUT_OUT)] if any(table.decks) else []
    if card == REDEPLOY:
        return [
            REDEPLOY_CARD << 16 | moved << 8 | flag << 4 | target
            for flag, moved in table.cards_at_open_flags(seat)
            for target in [*(other for other in free if other != flag), DISCARD]
        ]
    if card == DESERTER:
        return [DESERT << 16 | lost << 8 | flag << 4 for flag, lost in table.cards_at_open_flags(1 - seat)]
    if card == TRAITOR:
        return [
            BETRAY << 16 | lost << 8 | flag << 4 | target
            for flag, lost in table.cards_at_open_flags(1 - seat)
            if is_troop(lost)
            for target in free
        ]
    if is_leader(card) and table.rules.leader_limit and table.leader_played[seat]:
        return []
    return placements(free)[card]


def weather_flags(table: Position, card: int) -> list[int]:
    """Return where Fog or Mud may be laid: no second one, and none on a tile that does the same (BL-33)."""
    there, tile = (table.fog, WOODLAND) if card == FOG else (table.mud, RIVER)
    return [flag for flag in table.unclaimed if not there[flag] and table.tiles[flag] != tile]


def scout_decision(table: Position, seat: int) -> list[int]:
    """Return the draws of a Scout (BL-35)."""
    troops, tactics = map(len, table.decks)
    if not table.rules.scout_at_once:
        return [encode(DRAW, 0, deck) for deck in (0, 1) if table.decks[deck]]
    total = min(SCOUT_CARDS, troops + tactics)
    return [encode(DRAW_MANY, 0, n, total - n) for n in range(total, -1, -1) if n <= troops and total - n <= tactics]


@cache
def placements(free: tuple[int, ...]) -> list[list[int]]:
    """Return by card the moves that place it at one of these flags."""
    return [[PLACE << 16 | card << 8 | flag << 4 for flag in free] for card in range(SHIELD + 1)]


def play_tactic(table: Position, seat: int, card: int) -> None:
    """Take a tactic out of the hand and count it as played."""
    table.passed = False
    table.decision = FINISH
    table.leave_hand(seat, card)
    table.add_tactic_played(seat, card)


def play_at_flag(table: Position, seat: int, card: int, flag: int) -> None:
    """Play Fog, Mud, or a morale card (BL-32, BL-33)."""
    play_tactic(table, seat, card)
    if card == FOG:
        table.lay_fog(flag)
    elif card == MUD:
        table.lay_mud(flag)
    else:
        table.place(card, seat, flag)
        if is_leader(card):
            table.leader_played = changed(table.leader_played, seat, True)


def redeploy(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Redeploy (BL-36)."""
    play_tactic(table, seat, REDEPLOY)
    if target == DISCARD:
        table.discard(card, seat, flag)
    else:
        table.lift(card, seat, flag)
        table.place(card, seat, target)


def desert(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Deserter (BL-37)."""
    play_tactic(table, seat, DESERTER)
    table.discard(card, 1 - seat, flag)


def betray(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Traitor (BL-38)."""
    play_tactic(table, seat, TRAITOR)
    table.lift(card, 1 - seat, flag)
    table.place(card, seat, target)


def scout_out(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Play Scout (BL-35)."""
    play_tactic(table, seat, SCOUT)
    table.scouted = True
    table.decision = SCOUTING
    table.draws_left = min(SCOUT_CARDS, len(table.decks[0]) + len(table.decks[1]))
