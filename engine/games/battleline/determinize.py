"""Make a whole table from what one seat sees, for bots that search: all the rest is dealt at random."""

from collections import Counter
from random import Random

from engine.core import Json
from engine.deal import shuffle
from engine.games.battleline.cards import (
    CARD_NAMES_BY_COLOURS,
    DECK_NAMES,
    FIRST_TACTIC,
    TACTIC_DECK,
    TROOP_DECK,
    remove_card,
)
from engine.games.battleline.options import HAND_SIZE, Rules
from engine.games.battleline.position import AT_WATCHTOWER, DRAFTING, FINISH, LAYING, PLAY, SCOUTING
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.tactics import SCOUT_DRAW_COUNT


def determinize(rules: Rules, cards: list[int], seat: int, view: Json, rng: Random) -> BattleLineState:
    """Return a state in which `seat` sees `view`. `cards` are all cards of the rules, those dealt to hands included.

    Of what happened before, only what still shows is kept: who placed last at a flag, but not who placed before; no
    knowledge of hidden cards. Raises ValueError while tiles are drafted or laid.
    """
    if view["decision"] in (DRAFTING, LAYING):
        raise ValueError("a draft can't be determinized from a view")
    state = BattleLineState(rules, *deal_hidden(rules, cards, seat, view, rng))
    for flag in view["flags"]:
        restore_flag(state, flag)
    known = state.names.card
    for name in list_troops_on_table(view):
        state.unseen = remove_card(state.unseen, known[name])
    state.tactics_played = read_cards_by_seat(known, view["tactics_played"])
    state.discards = read_cards_by_seat(known, view["discards"])
    state.leader_played = tuple(view["leader_played"])
    restore_turn(state, view)
    state.log, state.log_size = [], 0
    return state


def deal_hidden(
    rules: Rules, cards: list[int], seat: int, view: Json, rng: Random
) -> tuple[tuple[list[int], list[int]], list[int], list[int]]:
    """Return hands and decks: the own hand as seen, all else that is unseen at random."""
    known = CARD_NAMES_BY_COLOURS[rules.colours].card
    own = [known[name] for name in view["hand"]]
    seen = [known[name] for side in view["tactics_played"] for name in side]
    seen += [known[name] for name in list_troops_on_table(view)]
    hidden = list((Counter(cards) - Counter(own) - Counter(seen)).elements())
    shuffle(hidden, rng)
    decks: tuple[list[int], list[int]] = ([], [])
    other: list[int] = []
    for card in hidden:
        deck = TROOP_DECK if card < FIRST_TACTIC else TACTIC_DECK
        room = view["decks"][DECK_NAMES[deck]]
        (decks[deck] if len(decks[deck]) < room else other).append(card)
    return (own, other) if seat == 0 else (other, own), *decks


def read_cards_by_seat(known: dict[str, int], seen: list[list[str]]) -> tuple[tuple[int, ...], ...]:
    """Return cards by seat from their names."""
    return tuple(tuple(known[name] for name in names) for names in seen)


def list_troops_on_table(view: Json) -> list[str]:
    """Return the names of the troops face up on the table."""
    sides = [side for flag in view["flags"] for side in flag["cards"]] + view["discards"]
    return [name for side in sides for name in side if name[1:].isdigit()]


def restore_flag(state: BattleLineState, seen: Json) -> None:
    """Put what a view shows of a flag on the table."""
    flag = seen["flag"] - 1
    if seen["tile"] is not None:
        state.lay_tile(flag, seen["tile"])
    if seen["fog"]:
        state.lay_fog(flag)
    if seen["mud"]:
        state.lay_mud(flag)
    last = seen["last"] or 0
    for side in (1 - last, last):
        for name in seen["cards"][side]:
            state.place(state.names.card[name], side, flag)
    if seen["owner"] is not None:
        state.claim(seen["owner"], flag)


def restore_turn(state: BattleLineState, view: Json) -> None:
    """Set whose decision it is.

    A view doesn't say what a tile has interrupted. Where claims are allowed at any time, the turn goes on after its
    play; otherwise it is known whether the flag was claimed before it (BL-1).
    """
    state.turn, state.to_act, state.decision = view["turn"], view["to_move"], view["decision"]
    rules = state.rules
    state.claimed_before_play = view.get("claimed_this_turn", False)
    at_start = state.claimed_before_play or not (rules.claims_any_time or rules.claims_either_time)
    state.resume = PLAY if at_start else FINISH
    if state.decision == AT_WATCHTOWER:
        state.at = view["at"] - 1
    elif state.decision == SCOUTING:
        state.scouted = True
        drawn = view["hand_sizes"][view["to_move"]] - (HAND_SIZE - 1)
        state.draws_left = min(max(1, SCOUT_DRAW_COUNT - drawn), len(state.decks[0]) + len(state.decks[1]))
    elif "returning" in view:
        fields = view["returning"]["from"] == "fields"
        state.fields_left, state.scouted = (view["returning"]["left"] if fields else 0), not fields
