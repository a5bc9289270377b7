"""Judge attacks and carry them out (BT-20 to BT-27)."""

from typing import Final, NamedTuple

from engine.games.battalion.cards import COMBAT_VALUES_BY_CARD, JACK, KING, QUEEN, SKIPPING_QUEEN_VALUE
from engine.games.battalion.ending import eliminate_seat
from engine.games.battalion.paths import GUARD_SPOT
from engine.games.battalion.position import Position, Side

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


def is_direct_attack(mine: Side, spot: int, theirs: Side, goal: int) -> bool:
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
