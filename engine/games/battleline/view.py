"""What a seat sees of the table and learns from events, as public text, and what is counted of events."""

from collections.abc import Iterator
from typing import Final

from engine.core import Count, Json, forfeit_event
from engine.games.battleline.cards import DECK_NAMES, FIRST_TACTIC, TACTIC_NAMES, is_troop
from engine.games.battleline.formations import describe_formation
from engine.games.battleline.moves import CLAIM, LAY, PICK, PUT_BACK, TILE_FACES, decode_move, get_action_texts
from engine.games.battleline.position import (
    ACTED,
    AT_WATCHTOWER,
    AWARDED,
    DEALT,
    DRAFTING,
    DREW,
    LAYING,
    PACKET,
    RETURNING,
    TILES_SHOWN,
    Entry,
    FlagCache,
    Position,
)

# Build what a seat may see, and the events it knows, from nothing, as public text.


def view(table: Position, seat: int) -> Json:
    """Return what a seat may see."""
    names = table.names.of
    hands, decks = table.hands, table.decks
    return {
        "decision": table.decision,
        "turn": table.turn,
        "to_move": table.to_act,
        "hand": [names[card] for card in hands[seat]],
        "hand_sizes": [len(hands[0]), len(hands[1])],
        "hand_backs": [count_backs(hands[0]), count_backs(hands[1])],
        "decks": {"troop": len(decks[0]), "tactic": len(decks[1])},
        "flags": [build_flag_view(table, flag) for flag in range(table.rules.flags)],
        "tactics_played": [[names[card] for card in cards] for cards in table.tactics_played],
        "discards": [[names[card] for card in cards] for cards in table.discards],
        "leader_played": list(table.leader_played),
        "known": list_known_cards(table, seat) if table.tracks_knowledge else [],
        **({"claimed_this_turn": table.claimed_before_play} if table.rules.claims_either_time else {}),
        **build_decision_view(table, seat),
    }


def build_flag_view(table: Position, flag: int) -> Json:
    """Return what everybody sees of a flag.

    The same value is returned until something changes there: don't write into it.
    """
    cache = table.flag_caches[flag]
    if cache is None:
        cache = table.flag_caches[flag] = FlagCache()
    elif cache.view is not None:
        return cache.view
    names = table.names.of
    first, second = table.sides[0][flag], table.sides[1][flag]
    seen = cache.view = {
        "flag": flag + 1,
        "owner": table.owner[flag],
        "cards": [[names[card] for card in first], [names[card] for card in second]],
        "needs": [table.slots[0][flag], table.slots[1][flag]],
        "last": table.last_seat(flag),
        "fog": table.fog[flag],
        "mud": table.mud[flag],
        "fog_by": table.fog_by[flag],
        "mud_by": table.mud_by[flag],
        "tile": table.tiles[flag],
    }
    return seen


def count_backs(hand: list[int]) -> Json:
    """Return how many cards of each deck a hand has: everybody sees that by their backs."""
    troops = sum([card < FIRST_TACTIC for card in hand])
    return {"troop": troops, "tactic": len(hand) - troops}


def list_known_cards(table: Position, seat: int) -> list[Json]:
    """Return the hidden cards that a seat knows of (BL-35, BL-70): those it put back, wherever they may be by now.

    Places in a deck are counted from 1, the card that is drawn next.
    """
    knowledge, names = table.knowledge[seat], table.names.of
    own = [(table.decks[deck][index], False, [(deck, index)]) for deck, index in knowledge.own_places]
    traced = [(trace.card, True, list(trace.places)) for trace in knowledge.traces]
    found = [
        {
            "card": names[card],
            "in_hand": in_hand,
            "in_deck": sorted([len(table.decks[deck]) - index for deck, index in at]),
        }
        for card, in_hand, at in own + traced
    ]
    return sorted(found, key=lambda one: (one["in_hand"], one["in_deck"], one["card"]))


def build_decision_view(table: Position, seat: int) -> Json:
    """Return the keys that only some decisions have."""
    if table.to_act is None:
        return {}
    if table.decision == RETURNING:
        source = "fields" if table.fields_left else "scout"
        left = table.fields_left or len(table.hands[table.to_act]) - table.rules.hand
        return {"returning": {"from": source, "left": left}}
    if table.decision == AT_WATCHTOWER:
        return {"at": table.at + 1}
    if table.decision in (DRAFTING, LAYING):
        return build_draft_view(table, seat)
    return {}


def build_draft_view(table: Position, seat: int) -> Json:
    """Return the tiles a seat can pick or lay, and the row so far."""
    draft = table.draft
    assert draft is not None
    laying = table.decision == LAYING
    tiles = draft.legal_tiles(seat) if laying and table.to_act == seat else draft.kept[seat]
    return {
        "draft": {"choices": [] if laying else list(draft.packets[seat]), "tiles": list(tiles)},
        "row": [{"tile": tile if up or layer == seat else None, "up": up} for tile, up, layer in draft.row],
    }


def events(table: Position, seat: int | None, since: int) -> list[Json]:
    """Return what `seat` (None: a reader who may know all) knows from log position `since` on."""
    known = (event(table, entry, seat) for entry in table.log[since : table.log_size])
    return [one for one in known if one is not None]


def event(table: Position, entry: Entry, seat: int | None) -> Json | None:
    """Return a log entry as this seat knows it, or None where it is hidden."""
    kind, actor, datum, card = entry
    knows = seat is None or seat == actor
    names = table.names.of
    if kind == ACTED and isinstance(datum, int):
        return build_action_event(table, actor, datum, knows)
    if kind == DREW and isinstance(datum, int) and isinstance(card, int):
        drawn: Json = {"seat": actor, "event": "draw", "deck": DECK_NAMES[datum]}
        return drawn | {"card": names[card]} if knows else drawn
    if kind == AWARDED and isinstance(datum, int):
        return {"event": "award", "seat": actor, "flag": datum + 1}
    if isinstance(datum, tuple):
        return build_opening_event(table, kind, actor, datum) if knows or kind == TILES_SHOWN else None
    return forfeit_event(actor, datum)


def build_opening_event(table: Position, kind: int, actor: int, datum: tuple[object, ...]) -> Json:
    """Return what a seat is given before the first turn."""
    if kind == TILES_SHOWN:
        return {"event": "tiles", "row": list(datum)}
    if kind == PACKET:
        return {"event": "packet", "choices": list(datum)}
    assert kind == DEALT
    hand = [table.names.of[dealt] for dealt in datum if isinstance(dealt, int)]
    return {"event": "deal", "seat": actor, "hand": hand}


def build_action_event(table: Position, actor: int, move: int, knows: bool) -> Json:
    """Return the event of an action, without what only its seat knows."""
    kind, card, flag, _ = decode_move(move)
    if not knows:
        if kind == PUT_BACK:
            return {"seat": actor, "action": "return ?", "deck": DECK_NAMES[0 if is_troop(card) else 1]}
        if kind == PICK:
            return {"seat": actor, "action": "pick ?"}
        if kind == LAY and not flag:
            return {"seat": actor, "action": f"lay ? {TILE_FACES[flag]}"}
    public: Json = {"seat": actor, "action": get_action_texts(table.rules.colours)[move]}
    if kind == CLAIM:
        # A claimed flag is closed (BL-5), so its side still is what it was then.
        public |= describe_formation(table.sides[actor][flag], table.names.of, table.grounds[actor][flag])
    return public


# What is counted of legs of Battle Line: formations by flag, the turns of claims, and the tactics that were played.

FORMATIONS: Final = "formations"
CLAIMS: Final = "claims"
TACTICS: Final = "tactics"
"""The charts: by formation and flag, by turn, and by tactic."""
TACTIC_CARD_NAMES: Final = frozenset(TACTIC_NAMES.values())


def count_event(table: Position, event: Json) -> Iterator[Count]:
    """Yield what an event adds: a flag that is won, by a claim or at the end of the play, or a tactic.

    A tactic is in an action by its name, whatever the kind of the action; drawing it or putting it back is not playing
    it.
    """
    seat: int = event.get("seat", 0)
    kind, *words = str(event.get("action") or event["event"]).split()
    if kind == "claim":
        yield from _count_flag(table, seat, int(words[0]), event["formation"])
    elif kind == "award":
        flag = event["flag"] - 1
        side = describe_formation(table.sides[seat][flag], table.names.of, table.grounds[seat][flag])
        yield from _count_flag(table, seat, event["flag"], side["formation"])
    elif kind in TACTIC_CARD_NAMES:
        yield Count(TACTICS, kind, "", seat)
    elif kind == "play" and words[0] in TACTIC_CARD_NAMES:
        yield Count(TACTICS, words[0], "", seat)


def _count_flag(table: Position, seat: int, flag: int, formation: str) -> Iterator[Count]:
    yield Count(FORMATIONS, formation, str(flag), seat)
    yield Count(CLAIMS, str(table.turn), "", seat)
