"""List the legal moves, prove claims of flags (BL-16 to BL-20), and explain why something isn't legal."""

from collections.abc import Callable
from typing import Final

from engine.core import Json, Refusal, refuse
from engine.games.battleline.cards import (
    DESERTER,
    FIRST_TACTIC,
    FOG,
    MUD,
    REDEPLOY,
    SCOUT,
    TACTIC_DECK,
    TRAITOR,
    TROOP_DECK,
    TROOP_SETS_BY_VALUE,
    is_leader,
    is_troop,
    list_cards,
)
from engine.games.battleline.formations import (
    BATTALION,
    FORMATION_NAMES,
    GROUND_IGNORES_HIGHEST,
    GROUND_SUM_ONLY,
    HOST,
    PHALANX,
    SKIRMISH,
    STRENGTH_RANK_BITS,
    WEDGE,
    Side,
    compute_strength,
    describe_formation,
    find_best_reach,
    find_best_reach_of_kind,
    find_runs,
    list_phalanx_values,
    read_side,
    split_strength,
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
    encode_move,
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
    full_deck,
)
from engine.games.battleline.tactics import (
    list_draft_picks,
    list_marshes_removals,
    list_scout_draws,
    list_tactic_moves,
    list_tile_layings,
    list_watchtower_removals,
    may_play_tactics,
)
from engine.games.battleline.tiles import TILES
from engine.message import gettext_noop, message

# Prove claims (BL-16 to BL-20): whether a seat may claim a flag, and what would refute it.


def is_claim_provable(table: Position, seat: int, flag: int) -> bool:
    """Return whether `seat` may claim an unclaimed flag."""
    known = table.refutations[seat][flag]
    if known and not known & ~table.unseen:
        return False
    if len(table.sides[seat][flag]) != table.slots[seat][flag]:
        return False
    if len(table.sides[1 - seat][flag]) == table.slots[1 - seat][flag]:
        return wins_with_both_complete(table, seat, flag)
    refutation = find_refutation(table, seat, flag)
    table.refutations[seat][flag] = refutation or 0
    return refutation is None


def compute_side_strength(table: Position, seat: int, flag: int) -> int:
    """Return the strength of a seat's complete side."""
    return compute_strength(table.sets[seat][flag], table.grounds[seat][flag])


def wins_with_both_complete(table: Position, seat: int, flag: int) -> bool:
    """Return whether the seat's side is the higher of two complete ones, or equal and complete first (BL-15)."""
    mine, theirs = compute_side_strength(table, seat, flag), compute_side_strength(table, 1 - seat, flag)
    return theirs < mine or (theirs == mine and table.last_seat(flag) != seat)


def find_refutation(table: Position, seat: int, flag: int) -> int | None:
    """Return the unseen troops with which the other side beats the complete one of `seat`, or None (BL-18, BL-19).

    The troops are a card set, empty where the other side is complete.
    """
    other = 1 - seat
    mine = compute_side_strength(table, seat, flag)
    free = table.slots[other][flag] - len(table.sides[other][flag])
    theirs, cards = find_best_reach(table.sets[other][flag], free, table.unseen, table.grounds[other][flag], mine)
    return cards if theirs > mine else None


# List the legal moves of each decision.

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
    if table.scouted or len(table.hands[seat]) >= table.rules.hand or not (troops or tactics):
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


# Explain why a well-formed action isn't legal, with the ruling.

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
    AT_MARSHES: message(gettext_noop("one of this seat's troops to remove")),
    AT_WATCHTOWER: message(gettext_noop("one of the other side's troops to remove")),
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
        return refuse(gettext_noop("a seat that has played more tactics than the other can't play another"), "BL-30")
    return refuse_play(table, seat, move)


def refuse_missing(table: Position, card: int) -> Refusal:
    """Refuse a card that is not held."""
    return refuse(gettext_noop("%(card)s isn't in the hand"), card=table.names.of[card])


def refuse_pass(table: Position, seat: int, move: int) -> Refusal:
    """Refuse to pass while there is something to play."""
    if table.rules.pass_without_troop:
        return refuse(gettext_noop("a troop can still be played, so passing isn't allowed"), "BL-22")
    return refuse(gettext_noop("a card can still be played, so passing isn't allowed"), "BL-23")


def refuse_tile(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a tile that is not among those to pick or to lay."""
    kind, tile, _, _ = decode_move(move)
    if kind == PICK:
        return refuse(gettext_noop("tile %(tile)s can't be picked now"), "BL-70", tile=TILES[tile])
    return refuse(gettext_noop("tile %(tile)s can't be laid now"), "BL-70", tile=TILES[tile])


def refuse_return(table: Position, seat: int, move: int) -> Refusal:
    """Refuse a card that can't be put back."""
    card = decode_move(move)[1]
    if card in table.hands[seat]:
        return refuse(gettext_noop("only troops can be put back for Fields"), "BL-65")
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
            template = gettext_noop("a seat that claimed a flag before playing can't claim one at the end of that turn")
            return refuse(template, "BL-1")
        return refuse(gettext_noop("flags can only be claimed at the start of the turn"), "BL-1")
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
        return refuse(gettext_noop("the decks don't have these cards, or the wrong number is drawn"), "BL-35")
    if kind == DONE:
        return refuse(gettext_noop("a card must be drawn"), "BL-4")
    if not table.decks[deck]:
        if deck == TROOP_DECK:
            return refuse(gettext_noop("the troop deck is empty"), "BL-4")
        return refuse(gettext_noop("the tactics deck is empty"), "BL-4")
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
        return refuse(gettext_noop("%(card)s can't be played at a flag"), "BL-34", card=name)
    if table.owner[flag] is not None:
        return refuse_claimed_flag(flag)
    if card in (FOG, MUD):
        return refuse(
            gettext_noop("flag %(flag)s already has %(card)s or a tile with the same effect"),
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
        return refuse(gettext_noop("only troops can be removed"), "BL-61", "BL-63")
    if table.decision == AT_MARSHES:
        return refuse(
            gettext_noop("%(card)s isn't one of this seat's troops at flag %(flag)s, or the flag is claimed"),
            "BL-61",
            card=name,
            flag=flag + 1,
        )
    return refuse(
        gettext_noop(
            "%(card)s isn't one of the other side's troops at flag %(flag)s, or that flag is claimed or not "
            "next to flag %(beside)s"
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
            gettext_noop("%(card)s isn't on this seat's side of flag %(flag)s")
            if owner == seat
            else gettext_noop("%(card)s isn't on the other seat's side of flag %(flag)s")
        )
        return refuse(template, ruling, card=table.names.of[card], flag=flag + 1)
    if kind == BETRAY and not is_troop(card):
        return refuse(gettext_noop("only a troop can be a traitor"), "BL-38")
    if kind == REDEPLOY_CARD and target == flag:
        return refuse(gettext_noop("a redeployed card must go to another flag or be discarded"), "BL-36")
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


# Explain to people why a flag may be claimed or not: the proof step by step.
#
# `explain_claim` gives `{"rule": "BL-16", "flag", "seat", "holds": bool, "because": BECAUSE, "needs": int, "mine":
# {"cards", "formation"?, "sum"?, "as"?}, "theirs": {"cards", "free": int, "unseen": int}, "replies": [{"formation",
# "cards": [troops that come] or null, "sum"?, "beats": bool, "why": WHY, "gone"?: [troops]}…], "refutation": [troops]
# or null}`. Replies go from wedge to host (host alone where only the sum counts): the best the other side can still do
# of each kind. `formation`, `sum`, `as` stand in "mine" when that side is complete.
#
# BECAUSE: `beats-all` no reply reaches it · `short` too few unseen troops to complete (BL-19) · `tie-first`, `tie-
# last` both complete and equal, the claimant placed its last card earlier or later (BL-15) · `beaten` by "refutation",
# which is empty where the other side is complete · `incomplete` the claimant's side · `closed` the flag is claimed.
# WHY, of a reply: `beats` · `weaker` · `equal` (would be the last to place: BL-18) · and where that kind is out of
# reach: `colours` differ · `values` differ or repeat · `apart` too far for a run · `gone` the troops it lacks lie face
# up · `short` too few are unseen.


def explain_claim(table: Position, seat: int, flag: int) -> Json:
    """Return the proof of a seat's claim on a flag, in the shape above."""
    names = table.names.of
    needs = table.slots[seat][flag]
    own, other = table.sides[seat][flag], table.sides[1 - seat][flag]
    complete = len(own) == needs
    mine: Json = {"cards": [names[card] for card in own]}
    if complete:
        mine |= describe_formation(own, names, table.grounds[seat][flag])
    refutation = find_refutation(table, seat, flag) if complete else None
    return {
        "rule": "BL-16",
        "flag": flag + 1,
        "seat": seat,
        "holds": complete and table.owner[flag] is None and is_claim_provable(table, seat, flag),
        "because": find_claim_reason(table, seat, flag, refutation),
        "needs": needs,
        "mine": mine,
        "theirs": {
            "cards": [names[card] for card in other],
            "free": table.slots[1 - seat][flag] - len(other),
            "unseen": table.unseen.bit_count(),
        },
        "replies": list_best_replies(table, seat, flag) if complete else [],
        "refutation": None if refutation is None else [names[card] for card in list_cards(refutation)],
    }


def find_claim_reason(table: Position, seat: int, flag: int, refutation: int | None) -> str:
    """Return the code of BECAUSE for a claim."""
    if table.owner[flag] is not None:
        return "closed"
    if len(table.sides[seat][flag]) < table.slots[seat][flag]:
        return "incomplete"
    if refutation is not None:
        return "beaten"
    free = table.slots[1 - seat][flag] - len(table.sides[1 - seat][flag])
    if free > table.unseen.bit_count():
        return "short"
    if not free and compute_side_strength(table, seat, flag) == compute_side_strength(table, 1 - seat, flag):
        return "tie-last" if table.last_seat(flag) == seat else "tie-first"
    return "beats-all"


def list_best_replies(table: Position, seat: int, flag: int) -> list[Json]:
    """Return the other side's best of each kind, against the complete side of `seat`."""
    kinds = (HOST,) if table.grounds[seat][flag] & GROUND_SUM_ONLY else (WEDGE, PHALANX, BATTALION, SKIRMISH, HOST)
    return [explain_best_reply(table, seat, flag, kind) for kind in kinds]


def explain_best_reply(table: Position, seat: int, flag: int, kind: int) -> Json:
    """Return the other side's best of one kind."""
    side, ground = table.sets[1 - seat][flag], table.grounds[1 - seat][flag]
    free = table.slots[1 - seat][flag] - len(table.sides[1 - seat][flag])
    rank, cards = find_best_reach_of_kind(kind, side, free, table.unseen, ground)
    answer: Json = {"formation": FORMATION_NAMES[kind], "cards": None, "beats": False}
    if rank < 0:
        return answer | explain_obstacle(side, free, table, kind, ground)
    reached, mine = kind << STRENGTH_RANK_BITS | rank, compute_side_strength(table, seat, flag)
    why = "beats" if reached > mine else "equal" if reached == mine else "weaker"
    return answer | {
        "cards": [table.names.of[card] for card in list_cards(cards)],
        "sum": split_strength(reached, ground)[1],
        "beats": reached > mine,
        "why": why,
    }


def explain_obstacle(cards: int, free: int, table: Position, kind: int, ground: int) -> Json:
    """Return why the side with these cards can't become a formation of this kind."""
    side = read_side(cards)
    if table.unseen.bit_count() < free:
        return {"why": "short"}
    if ground & GROUND_IGNORES_HIGHEST:
        # One card is left out of such a side, so no single card of it stands in the way.
        return {"why": "gone", "gone": []}
    if kind in (WEDGE, BATTALION) and side.colour == -1:
        return {"why": "colours"}
    if kind == PHALANX:
        return explain_phalanx_obstacle(side, cards, table)
    return {"why": "gone", "gone": []} if kind == BATTALION else explain_run_obstacle(side, free, table, kind)


def explain_run_obstacle(side: Side, free: int, table: Position, kind: int) -> Json:
    """Return why the side can't become a run."""
    if not side.distinct:
        return {"why": "values"}
    runs = find_runs(side.size + free, side.values, side.leaders, side.cavalry, side.shields, False)
    if not runs:
        return {"why": "apart"}
    lacking = 0
    for _, missing in runs:
        lacking |= missing
    return {
        "why": "gone",
        "gone": name_troops_face_up(table, build_run_troops(lacking, side.colour if kind == WEDGE else 6)),
    }


def explain_phalanx_obstacle(side: Side, cards: int, table: Position) -> Json:
    """Return why the side can't become a phalanx."""
    values = list_phalanx_values(side.values, side.cavalry, side.shields, False)
    if not values:
        return {"why": "values"}
    return {
        "why": "gone",
        "gone": name_troops_face_up(table, TROOP_SETS_BY_VALUE[values[0]] & ~cards) if len(values) == 1 else [],
    }


def build_run_troops(values: int, colour: int) -> int:
    """Return the troops of these values, of one colour or (6) of all."""
    colours = range(6) if colour == 6 else (colour,)
    return sum(values << 10 * c for c in colours)


def name_troops_face_up(table: Position, wanted: int) -> list[str]:
    """Return which of the wanted troops lie face up."""
    face_up = wanted & full_deck(len(table.rules.colours), 1, table.rules.values) & ~table.unseen
    return [table.names.of[card] for card in range(10 * len(table.rules.colours)) if face_up >> card & 1]
