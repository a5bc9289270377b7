"""Explain to people why a flag may be claimed or not: the proof step by step.

`explain_claim` gives
`{"rule": "BL-16", "flag", "seat", "holds": bool, "because": BECAUSE, "needs": int,
"mine": {"cards", "formation"?, "sum"?, "as"?}, "theirs": {"cards", "free": int, "unseen": int},
"replies": [{"formation", "cards": [troops that come] or null, "sum"?, "beats": bool, "why": WHY, "gone"?: [troops]}…],
"refutation": [troops] or null}`.
Replies go from wedge to host (host alone where only the sum counts): the best the other side can still do of each kind.
`formation`, `sum`, `as` stand in "mine" when that side is complete.

BECAUSE: `beats-all` no reply reaches it · `short` too few unseen troops to complete (BL-19) · `tie-first`, `tie-last`
both complete and equal, the claimant placed its last card earlier or later (BL-15) · `beaten` by "refutation", which is
empty where the other side is complete · `incomplete` the claimant's side · `closed` the flag is claimed.
WHY, of a reply: `beats` · `weaker` · `equal` (would be the last to place: BL-18) · and where that kind is out of reach:
`colours` differ · `values` differ or repeat · `apart` too far for a run · `gone` the troops it lacks lie face up ·
`short` too few are unseen.
"""

from engine.core import Json
from engine.games.battleline.cards import TROOP_SETS_BY_VALUE, list_cards
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
    find_best_reach_of_kind,
    find_runs,
    list_phalanx_values,
    read_side,
    split_strength,
)
from engine.games.battleline.position import Position
from engine.games.battleline.proof import compute_side_strength, find_refutation, is_claim_provable
from engine.games.battleline.wild_cards import describe_formation


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
    troops = range(10 * len(table.rules.colours))
    return [table.names.of[card] for card in troops if wanted >> card & 1 and not table.unseen >> card & 1]
