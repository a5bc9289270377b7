"""Forecast an attack from what all may know: the path, the value it comes with, and what each card there would do.

What may lie face down is any of the thirteen that is neither dead, wounded nor face up; in a guard cell only one that
can be a guard (BT-2). What was known of a card before it was hidden again is not used: a forecast is never too sure.
"""

from dataclasses import dataclass

from arena.pages.games.battalion.cards import CARD_NAMES_HIGH_TO_LOW, HIDDEN_CARD
from arena.pages.games.battalion.layout import GUARD_CELL
from engine.core import Json
from engine.games.battalion.cards import (
    CARD_NAMES,
    CARDS_BY_NAME,
    COMBAT_VALUES_BY_CARD,
    JACK,
    KING,
    QUEEN,
    SKIPPING_QUEEN_VALUE,
    can_guard,
)
from engine.games.battalion.combat import EMPEROR, LOOK, LOSES, STRIKE, TIE, WINS, judge_attack
from engine.games.battalion.explain import find_path, format_step, is_occupied
from engine.games.battalion.moves import SPOTS_BY_CELL_NAME
from engine.games.battalion.position import Position

FALLS, BOTH_DIE, KILLS = "falls", "both-die", "kills"
"""What a card that may lie in the target does: it falls, both die, or it kills the attacker."""
FIGHT = "fight"
"""The kind of an attack in which two cards meet; the other kinds are the results LOOK, STRIKE and EMPEROR."""
EFFECTS_BY_RESULT = {WINS: FALLS, TIE: BOTH_DIE, LOSES: KILLS, STRIKE: BOTH_DIE}


@dataclass(frozen=True, slots=True)
class Forecast:
    """What an attack may come to."""

    seat: int
    cell: str
    card: str
    other: int
    goal: str
    kind: str
    path: tuple[tuple[int, str], ...]
    """Seat and cell of each step, both ends included; empty for a strike."""
    skipped: tuple[int, str] | None
    """The occupied cell that the attacker skips."""
    printed: int
    """The value that the attacker comes with, before its die."""
    start: int
    """The value it would have without a skip, before its die."""
    modification: int
    other_modification: int
    cards: tuple[str, ...]
    """What may lie there, from the ace down; the card itself where it is seen."""
    is_seen: bool

    @property
    def value(self) -> int:
        """Return the value that the attacker comes with."""
        return self.printed + self.modification

    @property
    def compared_cards(self) -> tuple[str, ...]:
        """Return what may lie there, without Jack and King, which are never compared."""
        return tuple(card for card in self.cards if CARDS_BY_NAME[card] not in (JACK, KING))

    @property
    def highest_card(self) -> str | None:
        """Return the highest card that may be compared with the attacker; None where there is none."""
        return max(self.compared_cards, key=find_printed_value, default=None)

    @property
    def highest(self) -> int | None:
        """Return the value of that card, the other's die included."""
        card = self.highest_card
        return None if card is None else find_printed_value(card) + self.other_modification

    def list_cards_with(self, effect: str) -> tuple[str, ...]:
        """Return the cards that would have this effect, from the ace down; none at all for a look."""
        return tuple(card for card in self.cards if find_effect(self, card) == effect)

    @property
    def falls(self) -> tuple[str, ...]:
        """Return the cards that would fall."""
        return self.list_cards_with(FALLS)

    @property
    def both_die(self) -> tuple[str, ...]:
        """Return the cards that would die together with the attacker."""
        return self.list_cards_with(BOTH_DIE)

    @property
    def kills(self) -> tuple[str, ...]:
        """Return the cards that would kill the attacker."""
        return self.list_cards_with(KILLS)


def find_printed_value(card: str) -> int:
    """Return the value of a card in combat, without the die (BT-21)."""
    value: int = COMBAT_VALUES_BY_CARD[CARDS_BY_NAME[card]]
    return value


def list_possible_cards(side: Json, cell: str) -> tuple[str, ...]:
    """Return what may lie in an occupied cell of another seat's side, from the ace down."""
    cells = {place["cell"]: place["card"] for row in side["rows"] for place in row}
    cells[GUARD_CELL] = side["guard"]["card"]
    if cells[cell] != HIDDEN_CARD:
        return (cells[cell],)
    open_cards = {*side["dead"], *side["wounded"], *cells.values()}
    unseen = (card for card in CARD_NAMES_HIGH_TO_LOW if card not in open_cards)
    return tuple(card for card in unseen if cell != GUARD_CELL or can_guard(CARDS_BY_NAME[card]))


def forecast_attack(table: Position, view: Json, action: str) -> Forecast:
    """Return the forecast of a legal attack by the seat to move; `table` is the rebuilt table of its view."""
    _verb, cell, target = action.split(" ")
    seat, other, goal = view["to_move"], int(target[0]), target[2:]
    spot, goal_spot = SPOTS_BY_CELL_NAME[cell], SPOTS_BY_CELL_NAME[goal]
    attacker = table.sides[seat].cards[spot]
    path = find_path(table, (seat, spot), (other, goal_spot)) if attacker != KING else []
    skipped = next((step for step in path[1:-1] if is_occupied(table, step)), None)
    start = COMBAT_VALUES_BY_CARD[attacker]
    is_empty = not table.sides[other].cards[goal_spot]
    side = view["seats"][other]
    return Forecast(
        seat=seat,
        cell=cell,
        card=CARD_NAMES[attacker],
        other=other,
        goal=goal,
        kind=find_kind(attacker, is_empty),
        path=tuple(read_step(step) for step in path),
        skipped=read_step(skipped) if skipped else None,
        printed=SKIPPING_QUEEN_VALUE if skipped and attacker == QUEEN else start,
        start=start,
        modification=view["seats"][seat]["modification"] or 0,
        other_modification=side["modification"] or 0,
        cards=() if is_empty else list_possible_cards(side, goal),
        is_seen=not is_empty and find_card(side, goal) != HIDDEN_CARD,
    )


def find_kind(attacker: int, is_empty: bool) -> str:
    """Return the kind of an attack."""
    if attacker == KING:
        return STRIKE
    return LOOK if attacker == JACK else EMPEROR if is_empty else FIGHT


def read_step(step: tuple[int, int]) -> tuple[int, str]:
    """Return seat and cell of a step of a path."""
    seat, cell = format_step(step).split(":")
    return int(seat), cell


def find_card(side: Json, cell: str) -> str | None:
    """Return what a view shows in a cell."""
    card: str | None
    if cell == GUARD_CELL:
        card = side["guard"]["card"]
    else:
        card = next(place["card"] for row in side["rows"] for place in row if place["cell"] == cell)
    return card


def find_effect(forecast: Forecast, card: str) -> str | None:
    """Return what would become of the attack if this card lay there; None for a look."""
    attacker, target = CARDS_BY_NAME[forecast.card], CARDS_BY_NAME[card]
    values = forecast.value, find_printed_value(card) + forecast.other_modification
    clash = judge_attack(attacker, target, values, forecast.cell == GUARD_CELL, forecast.goal == GUARD_CELL)
    return EFFECTS_BY_RESULT.get(clash.result)
