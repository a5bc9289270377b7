"""List the legal moves of each decision."""

from collections.abc import Callable
from typing import Final

from engine.games.battleline.cards import FIRST_TACTIC, TACTIC_DECK, TROOP_DECK, is_troop
from engine.games.battleline.moves import CLAIM, DONE, DRAW, PASS, PUT_BACK, encode_move
from engine.games.battleline.options import HAND_SIZE
from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DRAFTING,
    FINISH,
    LAYING,
    PLAY,
    RETURNING,
    SCOUTING,
    Position,
)
from engine.games.battleline.proof import is_claim_provable
from engine.games.battleline.tactics import (
    list_scout_draws,
    list_tactic_moves,
    may_play_tactics,
)
from engine.games.battleline.terrain import (
    list_draft_picks,
    list_marshes_removals,
    list_tile_layings,
    list_watchtower_removals,
)

NO_DRAW_MOVES: Final = [encode_move(DONE)]
TROOP_DRAW_MOVES: Final = [encode_move(DRAW, 0, TROOP_DECK)]
TACTIC_DRAW_MOVES: Final = [encode_move(DRAW, 0, TACTIC_DECK)]
EITHER_DRAW_MOVES: Final = TROOP_DRAW_MOVES + TACTIC_DRAW_MOVES


def list_moves_at_play(table: Position, seat: int) -> list[int]:
    """Return claims and plays."""
    return list_claim_moves(table, seat) + list_play_moves(table, seat)


def list_moves_at_finish(table: Position, seat: int) -> list[int]:
    """Return claims, where they are allowed now (BL-1), and draws at the end of a turn."""
    rules = table.rules
    may_claim = rules.claims_any_time or (rules.claims_either_time and not table.claimed_before_play)
    return (list_claim_moves(table, seat) if may_claim else []) + list_draw_moves(table, seat)


def list_claim_moves(table: Position, seat: int) -> list[int]:
    """Return exactly the provable claims (BL-20)."""
    flags = table.claimable[seat]
    if flags is None:
        flags = table.claimable[seat] = find_claimable(table, seat)
    if not flags:
        return []
    refutations, seen = table.refutations[seat], ~table.unseen
    return [
        CLAIM << 16 | flag << 4
        for flag in flags
        # The first half spares asking again what stands; it is most of the questions.
        if (not (known := refutations[flag]) or known & seen) and is_claim_provable(table, seat, flag)
    ]


def find_claimable(table: Position, seat: int) -> list[int]:
    """Return unclaimed flags with a complete own side, except where the other side is complete too and holds.

    Only a change at the flag itself brings one of those back.
    """
    slots, their_slots, their_sides = table.slots[seat], table.slots[1 - seat], table.sides[1 - seat]
    return [
        flag
        for flag, cards in enumerate(table.sides[seat])
        if len(cards) == slots[flag]
        and table.owner[flag] is None
        and (len(their_sides[flag]) < their_slots[flag] or is_claim_provable(table, seat, flag))
    ]


def list_play_moves(table: Position, seat: int) -> list[int]:
    """Return the plays of all cards, or a pass (BL-22, BL-23)."""
    hand = table.hands[seat] if table.rules.copies == 1 else list(dict.fromkeys(table.hands[seat]))
    placings = table.find_placings(seat)
    placing = placings.moves_by_card
    moves: list[int] = []
    tactics = []
    for card in hand:
        if card < FIRST_TACTIC:
            moves += placing[card]
        else:
            tactics.append(card)
    has_troop_move = bool(moves)
    if tactics and may_play_tactics(table, seat):
        for card in dict.fromkeys(tactics):
            moves += list_tactic_moves(table, seat, card, placings)
    if not (has_troop_move if table.rules.pass_without_troop else moves):
        moves.append(PASS << 16)
    return moves


def list_draw_moves(table: Position, seat: int) -> list[int]:
    """Return the draws that end a turn (BL-4)."""
    troops, tactics = table.decks
    if table.scouted or len(table.hands[seat]) >= HAND_SIZE or not (troops or tactics):
        return NO_DRAW_MOVES
    return EITHER_DRAW_MOVES if troops and tactics else TROOP_DRAW_MOVES if troops else TACTIC_DRAW_MOVES


def list_moves_at_return(table: Position, seat: int) -> list[int]:
    """Return the cards to put back: any card for a Scout, troops alone for Fields (BL-35, BL-65)."""
    held = dict.fromkeys(table.hands[seat])
    return [encode_move(PUT_BACK, card) for card in held if is_troop(card) or not table.fields_left]


MOVES: Final[dict[str, Callable[[Position, int], list[int]]]] = {
    PLAY: list_moves_at_play,
    FINISH: list_moves_at_finish,
    SCOUTING: list_scout_draws,
    RETURNING: list_moves_at_return,
    AT_MARSHES: list_marshes_removals,
    AT_WATCHTOWER: list_watchtower_removals,
    DRAFTING: list_draft_picks,
    LAYING: list_tile_layings,
}
"""By decision: every legal move of the seat to act, once."""
