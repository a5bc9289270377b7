"""The same position again, with nothing remembered of how it came about."""

from engine.games.battleline.state import BattleLineState

COPIED = (
    "to_act", "decision", "resume", "turn", "ply", "passed", "draws_left", "scouted", "at", "fields_left", "owner",
    "unclaimed", "leader_played", "tactics_played", "discards", "draft", "outcome",
    "knowledge", "tracks_knowledge",
)  # fmt: skip
"""What a position is made of besides hands, decks, the cards at the flags and their ground."""


def rebuilt(state: BattleLineState) -> BattleLineState:
    hands = ([*state.hands[0]], [*state.hands[1]])
    fresh = BattleLineState(state.rules, hands, state.decks[0][::-1], state.decks[1][::-1])
    for flag in range(state.rules.flags):
        lay_ground(state, fresh, flag)
    placed = sorted(
        (stamp, seat, flag, card)
        for seat in (0, 1)
        for flag in range(state.rules.flags)
        for stamp, card in zip(state.stamps[seat][flag], state.sides[seat][flag], strict=True)
    )
    for _, seat, flag, card in placed:
        show(fresh, seat, card)
        fresh.place(card, seat, flag)
    for seat, cards in enumerate(state.discards):
        for card in cards:
            show(fresh, seat, card)
    for name in COPIED:
        setattr(fresh, name, getattr(state, name))
    return fresh


def lay_ground(state: BattleLineState, fresh: BattleLineState, flag: int) -> None:
    tile = state.tiles[flag]
    if tile is not None:
        fresh.lay_tile(flag, tile)
    if state.fog[flag]:
        fresh.lay_fog(flag, state.fog_by[flag])
    if state.mud[flag]:
        fresh.lay_mud(flag, state.mud_by[flag])


def show(table: BattleLineState, seat: int, card: int) -> None:
    """Turn the card face up, and leave an equal one where it is in the hand."""
    table.hands[seat].insert(0, card)
    table.leave_hand(seat, card)
