"""The decisions that tactics (BL-30 to BL-39) and tiles (BL-61 to BL-70) ask for, and how they are carried out."""

from typing import Final

from engine.games.battleline.cards import (
    DESERTER,
    FOG,
    MUD,
    REDEPLOY,
    SCOUT,
    TRAITOR,
    TROOP_DECK,
    is_leader,
    is_troop,
)
from engine.games.battleline.moves import (
    BETRAY,
    DESERT,
    DISCARD_TARGET,
    DRAW,
    DRAW_MANY,
    LAY,
    PICK,
    PLACE,
    REDEPLOY_CARD,
    REMOVE,
    SCOUT_OUT,
    Placings,
    encode_move,
)
from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DRAFTING,
    FINISH,
    LAYING,
    PACKET,
    PLAY,
    RETURNING,
    SCOUTING,
    TILES_SHOWN,
    Position,
    replace_item,
)
from engine.games.battleline.tiles import (
    FIELDS,
    FIELDS_DRAW_COUNT,
    MARSHES,
    RIVER,
    TILES,
    TOWN,
    WATCHTOWER,
    WOODLAND,
    Draft,
)

# List the moves of each tactic and carry them out (BL-30 to BL-39).

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
        table.lay_fog(flag, seat)
    elif card == MUD:
        table.lay_mud(flag, seat)
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


# The decisions of tiles: when their flag is claimed (BL-61, BL-63, BL-65), drafted or laid (BL-70).


def lay_dealt_tiles(table: Position, tiles: list[str]) -> None:
    """Lay the tiles of a deal, one a flag, face up (BL-69)."""
    for flag, tile in enumerate(tiles):
        table.lay_tile(flag, tile)
    table.record(TILES_SHOWN, 0, tuple(tiles))


def begin_draft(table: Position, tiles: list[str]) -> None:
    """Begin to draft the tiles of a deal."""
    table.draft = Draft.begin(tiles)
    table.decision = DRAFTING
    table.turn = 0
    record_packets(table, table.draft)


def record_packets(table: Position, draft: Draft) -> None:
    """Record which packet each seat picks from."""
    for seat in (0, 1):
        table.record(PACKET, seat, tuple(draft.packets[seat]))


def list_draft_picks(table: Position, seat: int) -> list[int]:
    """Return the tiles to pick."""
    assert table.draft is not None
    return [encode_move(PICK, TILES.index(tile)) for tile in table.draft.packets[seat]]


def list_tile_layings(table: Position, seat: int) -> list[int]:
    """Return the tiles to lay, with both faces."""
    assert table.draft is not None
    return [encode_move(LAY, TILES.index(tile), face) for tile in table.draft.legal_tiles(seat) for face in (1, 0)]


def list_marshes_removals(table: Position, seat: int) -> list[int]:
    """Return removals of one's own troops at unclaimed flags (BL-61)."""
    return [REMOVE << 16 | lying for lying in table.list_lying_cards(seat) if is_troop(lying >> 8)]


def list_watchtower_removals(table: Position, seat: int) -> list[int]:
    """Return removals of the other side's troops at unclaimed flags next to the one claimed (BL-63)."""
    return [
        REMOVE << 16 | lying
        for lying in table.list_lying_cards(1 - seat)
        if is_troop(lying >> 8) and are_flags_adjacent(table, lying >> 4 & 15, table.at)
    ]


def are_flags_adjacent(table: Position, flag: int, other: int) -> bool:
    """Return whether two flags are adjacent. A Town is adjacent to nothing (BL-63, BL-64)."""
    return abs(flag - other) == 1 and TOWN not in (table.tiles[flag], table.tiles[other])


def trigger_tile(table: Position, seat: int, flag: int) -> None:
    """Carry out the tile of a flag that `seat` has just claimed."""
    tile = table.tiles[flag]
    if tile == MARSHES:
        ask_for_tile_decision(table, AT_MARSHES, 1 - seat, flag)
        if not list_marshes_removals(table, 1 - seat):
            resume_interrupted_decision(table, seat)
    elif tile == WATCHTOWER:
        ask_for_tile_decision(table, AT_WATCHTOWER, seat, flag)
        if not list_watchtower_removals(table, seat):
            resume_interrupted_decision(table, seat)
    elif tile == FIELDS:
        draw_from_fields(table, seat)


def ask_for_tile_decision(table: Position, decision: str, seat: int, flag: int) -> None:
    """Ask a seat for the decision of a tile."""
    table.resume, table.decision = table.decision, decision
    table.to_act, table.at = seat, flag


def resume_interrupted_decision(table: Position, claimant: int) -> None:
    """Go on with the decision that a tile interrupted."""
    table.to_act, table.decision = claimant, table.resume


def draw_from_fields(table: Position, seat: int) -> None:
    """Draw three troops, of which all but one are to be put back (BL-65)."""
    drawn = min(FIELDS_DRAW_COUNT, len(table.decks[TROOP_DECK]))
    for _ in range(drawn):
        table.draw(seat, TROOP_DECK)
    table.fields_left = min(max(drawn - 1, 0), sum(map(is_troop, table.hands[seat])))
    if table.fields_left:
        table.resume, table.decision = table.decision, RETURNING


def remove_troop(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Discard a troop for Marshes or a Watchtower."""
    if table.decision == AT_MARSHES:
        table.discard(card, seat, flag)
        resume_interrupted_decision(table, 1 - seat)
    else:
        table.discard(card, 1 - seat, flag)
        resume_interrupted_decision(table, seat)


def pick_tile(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Pick a tile."""
    draft = table.draft
    assert draft is not None
    if draft.pick(seat, TILES[card]) and draft.picking:
        record_packets(table, draft)
    table.to_act = 1 - seat
    if seat == 1 and not draft.picking:
        table.decision = LAYING


def lay_tile(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Lay a tile."""
    draft = table.draft
    assert draft is not None
    place = len(draft.row)
    draft.lay(seat, TILES[card], bool(flag))
    if flag:
        table.lay_tile(place, TILES[card])
    table.to_act = 1 - seat
    if place == len(table.owner) - 2:
        table.record(PACKET, 0, (draft.aside,))
    elif place == len(table.owner) - 1:
        table.draft, table.decision = None, PLAY
        table.to_act, table.turn = 0, 1
