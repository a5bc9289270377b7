"""Explain why a well-formed action isn't legal, with the ruling."""

from collections.abc import Callable
from typing import Final

from engine.core import Refusal, refuse
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
    list_cards,
)
from engine.games.battleline.moves import (
    BETRAY,
    CLAIM,
    DESERT,
    DONE,
    DRAW,
    DRAW_MANY,
    LAY,
    PASS,
    PICK,
    PLACE,
    PUT_BACK,
    REDEPLOY_CARD,
    REMOVE,
    SCOUT_OUT,
    decode_move,
)
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
from engine.games.battleline.proof import find_refutation, is_claim_provable
from engine.games.battleline.tactics import may_play_tactics
from engine.games.battleline.tiles import TILES
from engine.message import gettext_noop, message

DECISIONS_BY_MOVE_KIND: Final = {
    CLAIM: (PLAY, FINISH),
    DRAW: (FINISH, SCOUTING),
    DRAW_MANY: (SCOUTING,),
    DONE: (FINISH,),
    PUT_BACK: (RETURNING,),
    REMOVE: (AT_MARSHES, AT_WATCHTOWER),
    PICK: (DRAFTING,),
    LAY: (LAYING,),
}
"""Where each kind of move belongs; all others to the decision `play`."""

EXPECTED_ACTION_TEXTS: Final = {
    PLAY: message(gettext_noop("a claim or a card to play")),
    FINISH: message(gettext_noop("a claim or the draw that ends the turn")),
    SCOUTING: message(gettext_noop("a draw for the Scout")),
    RETURNING: message(gettext_noop("a card to put back")),
    AT_MARSHES: message(gettext_noop("a troop of one's own to remove")),
    AT_WATCHTOWER: message(gettext_noop("a troop of the other side to remove")),
    DRAFTING: message(gettext_noop("a tile to pick")),
    LAYING: message(gettext_noop("a tile to lay")),
}
"""The action that each decision expects."""

CARD_BY_GUILE_MOVE: Final = {
    SCOUT_OUT: SCOUT,
    REDEPLOY_CARD: REDEPLOY,
    DESERT: DESERTER,
    BETRAY: TRAITOR,
}


def explain_refusal(table: Position, seat: int, move: int) -> Refusal:
    """Return why this move, which is none of the legal ones, is refused."""
    kind, card, _, _ = decode_move(move)
    if table.decision not in DECISIONS_BY_MOVE_KIND.get(kind, (PLAY,)):
        return refuse(
            gettext_noop("%(expected)s is expected now"), "BL-1", expected=EXPECTED_ACTION_TEXTS[table.decision]
        )
    if kind in REFUSAL_FUNCTIONS_BY_MOVE_KIND:
        return REFUSAL_FUNCTIONS_BY_MOVE_KIND[kind](table, seat, move)
    held = CARD_BY_GUILE_MOVE.get(kind, card)
    if held not in table.hands[seat]:
        return refuse_missing(table, held)
    if not is_troop(held) and not may_play_tactics(table, seat):
        return refuse(gettext_noop("a seat that has played more tactics than the other may not play another"), "BL-30")
    return refuse_play(table, seat, move)


def refuse_missing(table: Position, card: int) -> Refusal:
    """Refuse a card that is not held."""
    return refuse(gettext_noop("%(card)s is not in the hand"), card=table.names.of[card])


def refuse_pass(table: Position, seat: int, move: int) -> Refusal:
    """Refuse to pass while there is something to play."""
    if table.rules.pass_without_troop:
        return refuse(gettext_noop("a troop can still be played, so passing isn't allowed"), "BL-22")
    return refuse(gettext_noop("a card can still be played, so passing isn't allowed"), "BL-23")


def refuse_tile(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a tile that is not among those to pick or to lay."""
    kind, tile, _, _ = decode_move(move)
    if kind == PICK:
        return refuse(gettext_noop("the tile %(tile)s is not here to pick"), "BL-70", tile=TILES[tile])
    return refuse(gettext_noop("the tile %(tile)s is not here to lay"), "BL-70", tile=TILES[tile])


def refuse_return(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a card that can't be put back."""
    card = decode_move(move)[1]
    if card in table.hands[seat]:
        return refuse(gettext_noop("only troops are put back for Fields"), "BL-65")
    return refuse_missing(table, card)


def refuse_claim(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a claim on a flag that is closed or not proved."""
    flag = decode_move(move)[2]
    if table.owner[flag] is not None:
        return refuse_claimed_flag(flag)
    needs = table.slots[seat][flag]
    if len(table.sides[seat][flag]) < needs:
        return refuse(
            gettext_noop("this seat's side of flag %(flag)s has fewer than %(needs)s cards"),
            "BL-16",
            flag=flag + 1,
            needs=needs,
        )
    if is_claim_provable(table, seat, flag):
        if table.rules.claims_either_time:
            template = gettext_noop("a seat that claimed a flag before playing claims none at the end of that turn")
            return refuse(template, "BL-1")
        return refuse(gettext_noop("flags may be claimed only at the start of the turn"), "BL-1")
    beating = find_refutation(table, seat, flag)
    if beating is None:
        return refuse(
            gettext_noop("flag %(flag)s is tied, and this seat's side was completed later"), "BL-15", flag=flag + 1
        )
    if not beating:
        return refuse(gettext_noop("the other side of flag %(flag)s is complete and stronger"), "BL-16", flag=flag + 1)
    cards = " ".join(table.names.of[card] for card in list_cards(beating))
    return refuse(
        gettext_noop("the other side of flag %(flag)s could still win it with %(cards)s"),
        "BL-16",
        flag=flag + 1,
        cards=cards,
    )


def refuse_claimed_flag(flag: int) -> Refusal:
    """Refuse anything at a flag that is claimed."""
    return refuse(gettext_noop("flag %(flag)s is already claimed"), "BL-5", flag=flag + 1)


def refuse_draw(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a draw from an empty deck, of another number of cards, or at the wrong time."""
    kind, _, deck, _ = decode_move(move)
    if kind == DRAW_MANY or (kind == DRAW and table.rules.scout_at_once and table.decision == SCOUTING):
        return refuse(gettext_noop("the decks don't have these cards, or another number must be drawn"), "BL-35")
    if kind == DONE:
        return refuse(gettext_noop("a card must be drawn"), "BL-4")
    if not table.decks[deck]:
        if deck == TROOP_DECK:
            return refuse(gettext_noop("the troop deck is empty"), "BL-4")
        return refuse(gettext_noop("the tactic deck is empty"), "BL-4")
    return refuse(gettext_noop("nothing is drawn at the end of this turn"), "BL-4", "BL-35")


def refuse_play(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a card of the hand that can't be played there."""
    kind, card, flag, _ = decode_move(move)
    name = table.names.of[card]
    if kind == SCOUT_OUT:
        return refuse(gettext_noop("both decks are empty"), "BL-35")
    if kind != PLACE:
        return refuse_guile(table, seat, move)
    if card in CARD_BY_GUILE_MOVE.values():
        return refuse(gettext_noop("%(card)s is not played at a flag"), "BL-34", card=name)
    if table.owner[flag] is not None:
        return refuse_claimed_flag(flag)
    if card in (FOG, MUD):
        return refuse(
            gettext_noop("%(card)s, or a tile that does the same, already lies at flag %(flag)s"),
            "BL-33",
            card=name,
            flag=flag + 1,
        )
    if is_leader(card) and table.rules.leader_limit and table.leader_played[seat]:
        return refuse(gettext_noop("this seat has already played its leader"), "BL-31")
    return refuse_full_side(flag, "BL-3")


def refuse_full_side(flag: int, ruling: str) -> Refusal:
    """Refuse one card more on a side without a free slot."""
    return refuse(gettext_noop("this seat's side of flag %(flag)s has no free slot"), ruling, flag=flag + 1)


def refuse_removal(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a card that the tile doesn't remove."""
    _, card, flag, _ = decode_move(move)
    name = table.names.of[card]
    if not is_troop(card):
        return refuse(gettext_noop("only a troop is removed"), "BL-61", "BL-63")
    if table.decision == AT_MARSHES:
        return refuse(
            gettext_noop("%(card)s is not a troop of this seat at flag %(flag)s, or the flag is claimed"),
            "BL-61",
            card=name,
            flag=flag + 1,
        )
    return refuse(
        gettext_noop(
            "%(card)s is not a troop of the other side at flag %(flag)s, unclaimed and beside flag %(beside)s"
        ),
        "BL-63",
        card=name,
        flag=flag + 1,
        beside=table.at + 1,
    )


def refuse_guile(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a Redeploy, Deserter or Traitor that doesn't fit the table."""
    kind, card, flag, target = decode_move(move)
    owner, ruling = (seat, "BL-36") if kind == REDEPLOY_CARD else (1 - seat, "BL-37" if kind == DESERT else "BL-38")
    if table.owner[flag] is not None:
        return refuse_claimed_flag(flag)
    if card not in table.sides[owner][flag]:
        template = (
            gettext_noop("%(card)s does not lie on this seat's side of flag %(flag)s")
            if owner == seat
            else gettext_noop("%(card)s does not lie on the other side of flag %(flag)s")
        )
        return refuse(template, ruling, card=table.names.of[card], flag=flag + 1)
    if kind == BETRAY and not is_troop(card):
        return refuse(gettext_noop("only a troop can be a traitor"), "BL-38")
    if kind == REDEPLOY_CARD and target == flag:
        return refuse(gettext_noop("a redeployed card goes to another flag or to the discard"), "BL-36")
    return refuse_full_side(target, ruling)


REFUSAL_FUNCTIONS_BY_MOVE_KIND: Final[dict[int, Callable[[Position, int, int], Refusal]]] = {
    CLAIM: refuse_claim,
    PASS: refuse_pass,
    DRAW: refuse_draw,
    DRAW_MANY: refuse_draw,
    DONE: refuse_draw,
    PUT_BACK: refuse_return,
    REMOVE: refuse_removal,
    PICK: refuse_tile,
    LAY: refuse_tile,
}
"""By kind of move, except for plays of a card."""
