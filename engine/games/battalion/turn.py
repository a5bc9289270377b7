"""Carry out moves (BT-2 to BT-42): attacks, eliminations and the end of the play, and show the table to a seat."""

from collections.abc import Callable
from typing import Final, NamedTuple

from engine.core import Json, Outcome
from engine.games.battalion.formations import (
    CARD_NAMES,
    COMBAT_VALUES_BY_CARD,
    JACK,
    KING,
    QUEEN,
    SKIPPING_QUEEN_VALUE,
    card_set,
    list_cards,
    name_cards,
    read_layout,
)
from engine.games.battalion.geometry import GUARD_SPOT, MAX_CELLS_PER_ROW, build_shape
from engine.games.battalion.moves import ATTACK, CELL_NAMES, MODIFY, MOVE, PASS, PICKUP, REINFORCE, reform_formation
from engine.games.battalion.position import DEPLOY, FELL, HAND_PLACE, REVEALED, TURN, Army, Position

# Build what a seat may see from nothing, as public text.

HIDDEN_CARD: Final = "?"


def build_view(table: Position, seat: int) -> Json:
    """Return what a seat may see."""
    return {
        "decision": table.decision,
        "round": table.round,
        "quiet": table.quiet,
        "to_move": table.to_act,
        "seats": [build_side_view(side, number, number == seat) for number, side in enumerate(table.sides)],
        "last_attacked": table.last_attacked,
        "moved": [CELL_NAMES[spot] for spot in table.moved],
        "picked_up": table.picked_up,
    }


def build_side_view(side: Army, number: int, own: bool) -> Json:
    """Return one seat's side. The same value is returned until something changes there: don't write into it."""
    known = side.seen[own]
    if known is not None:
        return known
    shown: Json = {
        "seat": number,
        "out": side.out,
        "rows": build_rows_view(side, own),
        "guard": None if side.shape is None else build_card_view(side, side.cards[GUARD_SPOT], own),
        "hand_size": side.hand.bit_count(),
        "wounded": name_cards(side.wounded),
        "dead": name_cards(side.dead),
        "kills": side.kills,
        "modification": side.modification,
        "modification_left": 0 if side.modification is None else abs(side.modification) + 1,
        "reformed": side.reformed,
    }
    if own:
        shown["hand"] = name_cards(list_cards(side.hand))
    side.seen[own] = shown
    return shown


def build_rows_view(side: Army, own: bool) -> list[list[Json]]:
    """Return the cells of a formation, front to back."""
    if side.shape is None:
        return []
    return [
        [
            {"cell": CELL_NAMES[spot], "x": x} | build_card_view(side, side.cards[spot], own)
            for spot, x in enumerate(row, MAX_CELLS_PER_ROW * number)
        ]
        for number, row in enumerate(side.shape.rows)
    ]


def build_card_view(side: Army, card: int, own: bool) -> Json:
    """Return the content of a cell, for its owner or another seat."""
    if not card:
        return {"card": None, "shown": False}
    shown = bool(side.shown >> card & 1)
    return {"card": CARD_NAMES[card] if own or shown else HIDDEN_CARD, "shown": shown}


def lay_open(side: Army) -> Json:
    """Return all the cards of a seat that goes out (BT-40)."""
    return {
        "rows": build_rows_view(side, True),
        "guard": None if side.shape is None else build_card_view(side, side.cards[GUARD_SPOT], True),
        "hand": name_cards(list_cards(side.hand)),
        "wounded": name_cards(side.wounded),
        "dead": name_cards(side.dead),
    }


# Eliminate seats, pass turns and rounds, and end the play (BT-40 to BT-42).

LAST_STANDING: Final = "last-standing"
QUIET: Final = "quiet"
LIMIT: Final = "limit"


def eliminate_seat(table: Position, seat: int) -> None:
    """Remove a seat whose emperor is dead, and show all its cards (BT-40)."""
    table.log.append((FELL, seat, lay_open(table.sides[seat]), None))
    table.sides[seat].clear()
    table.fallen += (seat,)
    table.seats_in = tuple(still for still in table.seats_in if still != seat)


def pass_turn(table: Position, seat: int) -> Outcome | None:
    """End the seat's turn, and return the outcome where that ends the play."""
    table.moved = ()
    table.picked_up = False
    left = table.seats_in
    if len(left) == 1:
        return build_outcome(table, LAST_STANDING)
    following = left[0] if seat >= left[-1] else next(after for after in left if after > seat)
    if table.turn_order(following) <= table.turn_order(seat):
        reason = end_round(table)
        if reason:
            return build_outcome(table, reason)
    table.to_act = following
    return None


def end_round(table: Position) -> str | None:
    """End a round, and return the reason where that ends the play (BT-42)."""
    table.quiet = 0 if table.died else table.quiet + 1
    table.died = False
    if table.quiet >= table.rules.quiet_rounds:
        return QUIET
    if table.round >= table.rules.round_limit:
        return LIMIT
    table.round += 1
    return None


def build_outcome(table: Position, reason: str) -> Outcome:
    """Return places and scores: who is still in by kills, then the others, those who fell later first."""
    tiers = [[seat] for seat in table.fallen[::-1]]
    left = table.seats_in
    for kills in sorted({table.sides[seat].kills for seat in left}):
        tiers.insert(0, [seat for seat in left if table.sides[seat].kills == kills])
    return rank_tiers(tiers, reason)


def rank_tiers(tiers: list[list[int]], reason: str) -> Outcome:
    """Return the outcome for seats from best to worst.

    Those of a tier share their places and the mean of their scores.
    """
    scores = [0.0] * sum(len(tier) for tier in tiers)
    behind = len(scores)
    for tier in tiers:
        for seat in tier:
            scores[seat] = float(behind) - (len(tier) + 1) / 2
        behind -= len(tier)
    return Outcome.from_scores(scores, reason)


# Judge attacks and carry them out (BT-20 to BT-27).

STAYS: Final = 0
WOUNDED: Final = 1
DIES: Final = 2
WINS: Final = "wins"
LOSES: Final = "loses"
TIE: Final = "tie"
LOOK: Final = "look"
STRIKE: Final = "strike"
EMPEROR: Final = "emperor"


class Clash(NamedTuple):
    """A judged attack: what becomes of both cards, and whether an emperor falls with one of them."""

    attacker: int
    target: int
    values: tuple[int, int] | None
    """Where two are compared, with the modifications."""
    result: str
    attacker_fate: int
    target_fate: int
    attacker_falls: bool = False
    target_falls: bool = False


def judge_attack(attacker: int, target: int, values: tuple[int, int], from_guard: bool, at_guard: bool) -> Clash:
    """Judge the attack of one card on another, or on an empty guard cell (target 0).

    `values` are given even where they aren't compared.
    """
    winner = STAYS if from_guard else WOUNDED
    if attacker == KING:
        return Clash(attacker, target, None, STRIKE, DIES, DIES)
    if attacker == JACK:
        return Clash(attacker, target, None, LOOK, WOUNDED, STAYS)
    if not target:
        return Clash(attacker, target, None, EMPEROR, winner, STAYS, target_falls=True)
    if target == KING:
        return Clash(attacker, target, None, TIE, DIES, DIES)
    if target == JACK:
        return Clash(attacker, target, None, WINS, winner, DIES)
    mine, theirs = values
    if mine > theirs:
        return Clash(attacker, target, values, WINS, winner, DIES, target_falls=at_guard)
    if mine < theirs:
        fate = STAYS if at_guard else WOUNDED
        return Clash(attacker, target, values, LOSES, DIES, fate, attacker_falls=from_guard)
    return Clash(attacker, target, values, TIE, DIES, DIES)


def judge_attack_on_table(table: Position, seat: int, spot: int, other: int, goal: int) -> Clash:
    """Judge the attack from `spot` on the other's `goal` as the table stands."""
    mine, theirs = table.sides[seat], table.sides[other]
    attacker, target = mine.cards[spot], theirs.cards[goal]
    printed = COMBAT_VALUES_BY_CARD[attacker]
    if attacker == QUEEN and not is_direct_attack(mine, spot, theirs, goal):
        printed = SKIPPING_QUEEN_VALUE
    values = (printed + (mine.modification or 0), COMBAT_VALUES_BY_CARD[target] + (theirs.modification or 0))
    return judge_attack(attacker, target, values, spot == GUARD_SPOT, goal == GUARD_SPOT)


def is_direct_attack(mine: Army, spot: int, theirs: Army, goal: int) -> bool:
    """Return whether all the cells between are empty (BT-11, BT-20)."""
    return bool(mine.paths.near >> spot & theirs.paths.near >> goal & 1)


def carry_out_attack(table: Position, seat: int, spot: int, other: int, goal: int, clash: Clash) -> None:
    """Move the cards where the attack sends them, count the dead, and let emperors fall."""
    settle_card(table, seat, spot, clash.attacker, clash.attacker_fate, other)
    if clash.target:
        settle_card(table, other, goal, clash.target, clash.target_fate, seat)
    if clash.attacker_falls:
        eliminate_seat(table, seat)
    elif clash.target_falls:
        eliminate_seat(table, other)


def settle_card(table: Position, seat: int, spot: int, card: int, fate: int, foe: int) -> None:
    """Show a card that fought and stays, or take it away as wounded or dead; the dead count for the foe (BT-42)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.reveal(card, spot)
    if fate == STAYS:
        side.shown |= 1 << card
        side.seen = [None, None]
        return
    side.shown &= ~(1 << card)
    side.take(spot)
    if fate == WOUNDED:
        side.wounded += (card,)
        return
    side.dead += (card,)
    table.sides[foe].kills += 1
    table.sides[foe].seen = [None, None]
    table.quiet = 0
    table.died = True


# Carry out each kind of move (BT-2, BT-10 to BT-14, BT-30).

ROLL_OF_ZERO: Final = 3
"""The roll that gives modification 0 (BT-30)."""


def pick_up(table: Position, seat: int, first: int, other: int, second: int) -> None:
    """Take the wounded pile into the hand (BT-14)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.pick_up(side.wounded)
    side.hand = card_set(side.wounded)
    side.wounded = ()
    side.seen = [None, None]
    table.picked_up = True


def move(table: Position, seat: int, first: int, other: int, second: int) -> None:
    """Move a card within the formation (BT-12)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.move(first, second)
    side.move(first, second)
    table.moved += (second,)


def do_pass(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """End the turn (BT-15)."""
    return end_turn(table, seat)


def attack(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Attack a cell of another seat (BT-20)."""
    clash = judge_attack_on_table(table, seat, first, other, second)
    add_detail(table, clash)
    carry_out_attack(table, seat, first, other, second, clash)
    return end_turn(table, seat, attacked=other)


def reinforce(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Bring a card from the hand (BT-13)."""
    side = table.sides[seat]
    side.knowledge = side.knowledge.move(HAND_PLACE, second)
    side.hand &= ~(1 << first)
    side.put(first, second)
    return end_turn(table, seat)


def modify(table: Position, seat: int, first: int, other: int, second: int) -> Outcome | None:
    """Roll the die for a modification.

    It stays as rolled to the end of the next turn (BT-30), so it is not aged here.
    """
    side = table.sides[seat]
    roll = table.roll()
    add_detail(table, roll)
    side.modification = roll - ROLL_OF_ZERO
    side.seen = [None, None]
    table.last_attacked = None
    return pass_turn(table, seat)


def add_detail(table: Position, detail: object) -> None:
    """Add what follows from the move being played to its log entry."""
    kind, seat, datum, _ = table.log[-1]
    table.log[-1] = (kind, seat, datum, detail)


def end_turn(table: Position, seat: int, attacked: int | None = None) -> Outcome | None:
    """End a turn other than a roll: the die goes one step, and the next seat is to act."""
    table.last_attacked = attacked
    if not table.sides[seat].out:
        age_die(table.sides[seat])
    return pass_turn(table, seat)


def age_die(side: Army) -> None:
    """Move the die one step toward zero, or from zero back to the emperor (BT-30)."""
    if side.modification is None:
        return
    step = side.modification
    side.modification = None if step == 0 else step - 1 if step > 0 else step + 1
    side.seen = [None, None]


def deploy(table: Position, seat: int, text: str) -> Outcome | None:
    """Keep a deployment. Nothing is laid out before every seat has deployed (BT-2)."""
    table.deployed[seat] = text
    ask_for_deployment(table)
    return None


def ask_for_deployment(table: Position) -> None:
    """Go on to the next seat that has not deployed, or reveal all shapes and begin."""
    waiting = [seat for seat in table.seats_in if table.deployed[seat] is None]
    if waiting:
        table.to_act = waiting[0]
        return
    for seat in table.seats_in:
        text = table.deployed[seat]
        assert text is not None
        lay_out(table.sides[seat], text)
        table.log.append((REVEALED, seat, text, None))
    table.decision = TURN
    table.round = 1
    table.to_act = min(table.seats_in, key=table.turn_order)


def lay_out(side: Army, text: str) -> None:
    """Lay out a deployment."""
    layout = read_layout(text)
    side.lay_out(build_shape(layout.columns), tuple(card for row in layout.rows for _, card in row))
    side.cards[GUARD_SPOT] = layout.beside
    side.hand &= ~card_set(layout.cards)


def do_reform(table: Position, seat: int, text: str) -> Outcome | None:
    """Reform, and end the turn."""
    reform_formation(table.sides[seat], text)
    return end_turn(table, seat)


EFFECTS: Final[dict[int, Callable[[Position, int, int, int, int], Outcome | None]]] = {
    PICKUP: pick_up,
    MOVE: move,
    PASS: do_pass,
    ATTACK: attack,
    REINFORCE: reinforce,
    MODIFY: modify,
}
"""By kind: change the table for `(table, seat, first, other, second)`; an outcome where that ends the play."""

LAYOUTS: Final[dict[str, Callable[[Position, int, str], Outcome | None]]] = {DEPLOY: deploy, TURN: do_reform}
"""By decision: what a layout's text does, for `(table, seat, text)`."""
