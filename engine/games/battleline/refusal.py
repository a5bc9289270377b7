"""Why an action that is understood isn't legal: one sentence with the ruling."""

from collections.abc import Callable

from engine.games.battleline.cards import DESERTER, FOG, MUD, REDEPLOY, SCOUT, TRAITOR, is_leader, is_troop, spread
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
    decode,
)
from engine.games.battleline.position import (
    AT_MARSHES,
    AT_WATCHTOWER,
    DECK_NAMES,
    DRAFTING,
    FINISH,
    LAYING,
    PLAY,
    RETURNING,
    SCOUTING,
    Position,
)
from engine.games.battleline.proof import find_refutation, is_provable
from engine.games.battleline.tactics import may_play_tactics
from engine.games.battleline.tiles import TILES

DECISIONS = {
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

ASKED = {
    PLAY: "a claim or a card to play",
    FINISH: "a claim or the draw that ends the turn",
    SCOUTING: "a draw of the Scout",
    RETURNING: "a card to put back",
    AT_MARSHES: "an own troop to remove",
    AT_WATCHTOWER: "a troop of the other side to remove",
    DRAFTING: "a tile to pick",
    LAYING: "a tile to lay",
}

PLAYED_CARD = {
    SCOUT_OUT: SCOUT,
    REDEPLOY_CARD: REDEPLOY,
    DESERT: DESERTER,
    BETRAY: TRAITOR,
}


def explain_refusal(table: Position, seat: int, move: int) -> str:
    """A sentence on why this move, which is none of the legal ones, isn't."""
    kind, card, _, _ = decode(move)
    if table.decision not in DECISIONS.get(kind, (PLAY,)):
        return f"the referee asks for {ASKED[table.decision]} now (BL-1)"
    if kind in REFUSALS:
        return REFUSALS[kind](table, seat, move)
    held = PLAYED_CARD.get(kind, card)
    if held not in table.hands[seat]:
        return f"{table.names.of[held]} is not in the hand"
    if not is_troop(held) and not may_play_tactics(table, seat):
        return "a seat that has played more tactics than the other may not play another (BL-30)"
    return refuse_play(table, seat, move)


def refuse_pass(table: Position, seat: int, move: int) -> str:
    card, rule = ("troop", "BL-22") if table.rules.pass_without_troop else ("card", "BL-23")
    return f"a {card} can still be played, so passing isn't allowed ({rule})"


def refuse_tile(table: Position, seat: int, move: int) -> str:
    kind, tile, _, _ = decode(move)
    return f"the tile {TILES[tile]} is not here to {'pick' if kind == PICK else 'lay'} (BL-70)"


def refuse_return(table: Position, seat: int, move: int) -> str:
    card = decode(move)[1]
    if card in table.hands[seat]:
        return "only troops are put back for Fields (BL-65)"
    return f"{table.names.of[card]} is not in the hand"


def refuse_claim(table: Position, seat: int, move: int) -> str:
    flag = decode(move)[2]
    if table.owner[flag] is not None:
        return f"flag {flag + 1} is claimed already (BL-5)"
    if len(table.sides[seat][flag]) < table.slots[seat][flag]:
        return f"the own side of flag {flag + 1} has fewer than {table.slots[seat][flag]} cards (BL-16)"
    if is_provable(table, seat, flag):
        return "flags may be claimed only at the start of the turn (BL-1)"
    beating = find_refutation(table, seat, flag)
    if beating is None:
        return f"flag {flag + 1} is tied, and the own side placed its last card later (BL-15)"
    if not beating:
        return f"the other side of flag {flag + 1} is complete and higher (BL-16)"
    cards = " ".join(table.names.of[card] for card in spread(beating))
    return f"the other side of flag {flag + 1} could still win it with {cards} (BL-16)"


def refuse_draw(table: Position, seat: int, move: int) -> str:
    kind, _, deck, _ = decode(move)
    if kind == DRAW_MANY or (kind == DRAW and table.rules.scout_at_once and table.decision == SCOUTING):
        return "the decks hold no such cards, or another number must be drawn (BL-35)"
    if kind == DONE:
        return "a card must be drawn (BL-4)"
    if not table.decks[deck]:
        return f"the {DECK_NAMES[deck]} deck is empty (BL-4)"
    return "nothing is drawn at the end of this turn (BL-4, BL-35)"


def refuse_play(table: Position, seat: int, move: int) -> str:
    kind, card, flag, _ = decode(move)
    name = table.names.of[card]
    if kind == SCOUT_OUT:
        return "both decks are empty (BL-35)"
    if kind != PLACE:
        return refuse_guile(table, seat, move)
    if card in PLAYED_CARD.values():
        return f"{name} is not played at a flag (BL-34)"
    if table.owner[flag] is not None:
        return f"flag {flag + 1} is claimed (BL-5)"
    if card in (FOG, MUD):
        return f"{name}, or a tile that does the same, lies at flag {flag + 1} already (BL-33)"
    if is_leader(card) and table.rules.leader_limit and table.leader_played[seat]:
        return "this seat has played its leader (BL-31)"
    return f"the own side of flag {flag + 1} has no free slot (BL-3)"


def refuse_removal(table: Position, seat: int, move: int) -> str:
    _, card, flag, _ = decode(move)
    name = table.names.of[card]
    if not is_troop(card):
        return "only a troop is removed (BL-61, BL-63)"
    if table.decision == AT_MARSHES:
        return f"{name} is not an own troop at flag {flag + 1}, or the flag is claimed (BL-61)"
    return (
        f"{name} is not a troop of the other side at flag {flag + 1}, unclaimed and beside flag {table.at + 1} (BL-63)"
    )


def refuse_guile(table: Position, seat: int, move: int) -> str:
    kind, card, flag, target = decode(move)
    owner, rule = (seat, "BL-36") if kind == REDEPLOY_CARD else (1 - seat, "BL-37" if kind == DESERT else "BL-38")
    if table.owner[flag] is not None:
        return f"flag {flag + 1} is claimed (BL-5)"
    if card not in table.sides[owner][flag]:
        whose = "own" if owner == seat else "other"
        return f"{table.names.of[card]} does not lie on the {whose} side of flag {flag + 1} ({rule})"
    if kind == BETRAY and not is_troop(card):
        return "only a troop can be a traitor (BL-38)"
    if kind == REDEPLOY_CARD and target == flag:
        return "a redeployed card goes to another flag or to the discard (BL-36)"
    return f"the own side of flag {target + 1} has no free slot ({rule})"


REFUSALS: dict[int, Callable[[Position, int, int], str]] = {
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
"""By kind of move, but for plays of a card."""
