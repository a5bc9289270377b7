"""The decisions of tiles: when their flag is claimed (BL-61, BL-63, BL-65), drafted or laid (BL-70)."""

from engine.games.battleline.cards import is_troop
from engine.games.battleline.draft import Draft
from engine.games.battleline.moves import LAY, PICK, REMOVE, encode
from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DRAFTING,
    LAYING,
    PACKET,
    PLAY,
    RETURNING,
    TILES_SHOWN,
    TROOP_DECK,
    Position,
)
from engine.games.battleline.tiles import FIELDS, FIELDS_CARDS, MARSHES, TILES, TOWN, WATCHTOWER


def lay_all(table: Position, tiles: list[str]) -> None:
    """Lay the tiles of a deal, one a flag, face up (BL-69)."""
    for flag, tile in enumerate(tiles):
        table.lay_tile(flag, tile)
    table.record(TILES_SHOWN, 0, tuple(tiles))


def begin_draft(table: Position, tiles: list[str]) -> None:
    """Begin to draft the tiles of a deal."""
    table.draft = Draft.begin(tiles)
    table.decision = DRAFTING
    table.turn = 0
    show_packets(table, table.draft)


def show_packets(table: Position, draft: Draft) -> None:
    """Record which packet each seat picks from."""
    for seat in (0, 1):
        table.record(PACKET, seat, tuple(draft.packets[seat]))


def draft_decision(table: Position, seat: int) -> list[int]:
    """Return the tiles to pick."""
    assert table.draft is not None
    return [encode(PICK, TILES.index(tile)) for tile in table.draft.packets[seat]]


def lay_decision(table: Position, seat: int) -> list[int]:
    """Return the tiles to lay, with both faces."""
    assert table.draft is not None
    return [encode(LAY, TILES.index(tile), face) for tile in table.draft.legal_tiles(seat) for face in (1, 0)]


def marshes_decision(table: Position, seat: int) -> list[int]:
    """Return removals of one's own troops at unclaimed flags (BL-61)."""
    return [encode(REMOVE, card, flag) for flag, card in table.cards_at_open_flags(seat) if is_troop(card)]


def watchtower_decision(table: Position, seat: int) -> list[int]:
    """Return removals of the other side's troops at unclaimed flags next to the one claimed (BL-63)."""
    return [
        encode(REMOVE, card, flag)
        for flag, card in table.cards_at_open_flags(1 - seat)
        if is_troop(card) and is_beside(table, flag, table.at)
    ]


def is_beside(table: Position, flag: int, other: int) -> bool:
    """Return whether two flags are adjacent. A Town is adjacent to nothing (BL-63, BL-64)."""
    return abs(flag - other) == 1 and TOWN not in (table.tiles[flag], table.tiles[other])


def trigger(table: Position, seat: int, flag: int) -> None:
    """Carry out the tile of a flag that `seat` has just claimed."""
    tile = table.tiles[flag]
    if tile == MARSHES:
        interrupt(table, AT_MARSHES, 1 - seat, flag)
        if not marshes_decision(table, 1 - seat):
            resume(table, seat)
    elif tile == WATCHTOWER:
        interrupt(table, AT_WATCHTOWER, seat, flag)
        if not watchtower_decision(table, seat):
            resume(table, seat)
    elif tile == FIELDS:
        draw_from_fields(table, seat)


def interrupt(table: Position, decision: str, seat: int, flag: int) -> None:
    """Ask a seat for the decision of a tile."""
    table.resume, table.decision = table.decision, decision
    table.to_act, table.at = seat, flag


def resume(table: Position, claimant: int) -> None:
    """Go on with the decision that a tile interrupted."""
    table.to_act, table.decision = claimant, table.resume


def draw_from_fields(table: Position, seat: int) -> None:
    """Draw three troops, of which all but one are to be put back (BL-65)."""
    drawn = min(FIELDS_CARDS, len(table.decks[TROOP_DECK]))
    for _ in range(drawn):
        table.draw(seat, TROOP_DECK)
    table.fields_left = min(max(drawn - 1, 0), sum(map(is_troop, table.hands[seat])))
    if table.fields_left:
        table.resume, table.decision = table.decision, RETURNING


def remove(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Discard a troop for Marshes or a Watchtower."""
    if table.decision == AT_MARSHES:
        table.discard(card, seat, flag)
        resume(table, 1 - seat)
    else:
        table.discard(card, 1 - seat, flag)
        resume(table, seat)


def pick(table: Position, seat: int, card: int, flag: int, target: int) -> None:
    """Pick a tile."""
    draft = table.draft
    assert draft is not None
    if draft.pick(seat, TILES[card]) and draft.picking:
        show_packets(table, draft)
    table.to_act = 1 - seat
    if seat == 1 and not draft.picking:
        table.decision = LAYING


def lay(table: Position, seat: int, card: int, flag: int, target: int) -> None:
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
