"""What a seat can do in its turn: actions by card, the forecast of an attack, a formation as laid out so far."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, pgettext, render_message
from arena.pages.games.battalion.board import (
    CARD_NAMES_HIGH_TO_LOW,
    GUARD_CELL,
    HIDDEN_CARD,
    LaidCell,
    build_card_part,
    find_view,
    name_card,
    read_guard,
    read_rows,
    split_cell_address,
)
from arena.pages.games.battalion.words import name_cell
from arena.pages.games.sentence import Part, Sentence, format_sentence
from arena.pages.play.table import CHOSEN, FACING, PlayTable, starts_with
from engine.core import Json
from engine.games.battalion.events import find_path, format_step, is_occupied
from engine.games.battalion.formations import (
    CARD_NAMES,
    CARDS_BY_NAME,
    COMBAT_VALUES_BY_CARD,
    EXAMPLE_CARDS,
    EXAMPLE_GUARD,
    JACK,
    KING,
    QUEEN,
    SKIPPING_QUEEN_VALUE,
    can_guard,
    card_set,
    find_named,
)
from engine.games.battalion.geometry import (
    COLUMN_LETTERS,
    GUARD_SPOT,
    MAX_CELLS_PER_ROW,
    MAX_FORMATION_ROWS,
    build_shape,
)
from engine.games.battalion.moves import SPOTS_BY_CELL_NAME, refuse_start
from engine.games.battalion.options import SEAT_0, Rules
from engine.games.battalion.position import Army, Position
from engine.games.battalion.turn import EMPEROR, LOOK, LOSES, STRIKE, TIE, WINS, judge_attack

# Forecast an attack from what all may know: the path, the value it comes with, and what each card there would do.
#
# What may lie face down is any of the thirteen that is neither dead, wounded nor face up; in a guard cell only one
# that can be a guard (BT-2). What was known of a card before it was hidden again is not used: a forecast is never too
# sure.

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
        return tuple(card for card in self.cards if find_attack_effect(self, card) == effect)

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
        kind=find_attack_kind(attacker, is_empty),
        path=tuple(split_cell_address(format_step(step)) for step in path),
        skipped=split_cell_address(format_step(skipped)) if skipped else None,
        printed=SKIPPING_QUEEN_VALUE if skipped and attacker == QUEEN else start,
        start=start,
        modification=view["seats"][seat]["modification"] or 0,
        other_modification=side["modification"] or 0,
        cards=() if is_empty else list_possible_cards(side, goal),
        is_seen=not is_empty and find_seen_card(side, goal) != HIDDEN_CARD,
    )


def find_attack_kind(attacker: int, is_empty: bool) -> str:
    """Return the kind of an attack."""
    if attacker == KING:
        return STRIKE
    return LOOK if attacker == JACK else EMPEROR if is_empty else FIGHT


def find_seen_card(side: Json, cell: str) -> str | None:
    """Return what a view shows in a cell."""
    card: str | None
    if cell == GUARD_CELL:
        card = side["guard"]["card"]
    else:
        card = next(place["card"] for row in side["rows"] for place in row if place["cell"] == cell)
    return card


def find_attack_effect(forecast: Forecast, card: str) -> str | None:
    """Return what would become of the attack if this card lay there; None for a look."""
    attacker, target = CARDS_BY_NAME[forecast.card], CARDS_BY_NAME[card]
    values = forecast.value, find_printed_value(card) + forecast.other_modification
    clash = judge_attack(attacker, target, values, forecast.cell == GUARD_CELL, forecast.goal == GUARD_CELL)
    return EFFECTS_BY_RESULT.get(clash.result)


# Rebuild the table from what one seat sees of it, so that the engine's own paths and refusals answer for it.
#
# Where the seat sees a back, a card lies that stands for any: only whether its cell is occupied is ever asked.

ANY_CARD = CARDS_BY_NAME["2"]
"""The card that stands for one that the seat doesn't see."""
NO_RULES = Rules(quiet_rounds=0, round_limit=0, start=SEAT_0)
"""Nothing is played on a rebuilt table, so no rule can end it."""


def rebuild_table(view: Json) -> Position:
    """Return the table of a view, to be asked and never to be played on."""
    sides = view["seats"]
    table = Position(NO_RULES, len(sides), ())
    table.sides = [rebuild_side(side) for side in sides]
    table.seats_in = tuple(side["seat"] for side in sides if not side["out"])
    table.to_act, table.decision, table.round = view["to_move"], view["decision"], view["round"]
    table.last_attacked, table.picked_up = view["last_attacked"], view["picked_up"]
    table.moved = tuple(SPOTS_BY_CELL_NAME[cell] for cell in view["moved"])
    return table


def rebuild_side(view: Json) -> Army:
    """Return one seat's side; of a hand that is not seen nothing is kept."""
    side = Army()
    side.out, side.reformed, side.modification = view["out"], view["reformed"], view["modification"]
    side.hand = card_set(tuple(CARDS_BY_NAME[card] for card in view.get("hand", [])))
    side.wounded = tuple(CARDS_BY_NAME[card] for card in view["wounded"])
    side.dead = tuple(CARDS_BY_NAME[card] for card in view["dead"])
    if not view["rows"]:
        return side
    cells = [cell for row in view["rows"] for cell in row]
    shape = build_shape(tuple(tuple(cell["x"] for cell in row) for row in view["rows"]))
    side.lay_out(shape, tuple(read_seen_card(cell["card"]) for cell in cells))
    for cell in cells:
        if cell["card"] is None:
            side.take(SPOTS_BY_CELL_NAME[cell["cell"]])
    side.cards[GUARD_SPOT] = read_seen_card(view["guard"]["card"])
    return side


def read_seen_card(card: str | None) -> int:
    """Return a card of a view: 0 for none, ANY_CARD for a back."""
    return CARDS_BY_NAME.get(card, ANY_CARD) if card is not None else 0


# What a seat can do in its turn, sorted by the card that does it, and what of it the reader has chosen.

ATTACK, MOVE, REINFORCE, REFORM = "attack", "move", "reinforce", "reform"
TURN_ENDINGS = ("pass", "modify")
"""Actions of one word that end the turn."""
PICKUP = "pickup"


@dataclass(frozen=True, slots=True)
class Turn:
    """The table as its reader sees it, and the legal actions of a turn."""

    table: PlayTable
    view: Json
    """What the reader sees, with what it was told of its own deployment."""
    seen: Position
    """The same as the engine's table."""
    chosen: tuple[str, ...]
    """The words chosen so far: the beginning of a listed action, or none."""
    near: int
    facing: int | None
    """The other seat that is shown in full; None where nobody else is left."""
    attacks: dict[str, dict[tuple[int, str], str]] = field(default_factory=dict)
    """By own cell: the actions by seat and cell of the target."""
    moves: dict[str, dict[str, str]] = field(default_factory=dict)
    """By own cell: the actions by goal."""
    reinforcements: dict[str, dict[str, str]] = field(default_factory=dict)
    """By card: the actions by goal."""

    @property
    def verb(self) -> str:
        """Return the first of the words chosen, or empty."""
        return self.chosen[0] if self.chosen else ""

    @property
    def action(self) -> str:
        """Return the chosen action, or empty where words are missing."""
        text = " ".join(self.chosen)
        return text if text in self.table.legal else ""

    @property
    def cell(self) -> str:
        """Return the own cell whose card is chosen to move or to attack, or empty."""
        return self.chosen[1] if self.verb in (ATTACK, MOVE) and len(self.chosen) > 1 else ""

    @property
    def card(self) -> str:
        """Return the card of the hand that is chosen, or empty."""
        return self.chosen[1] if self.verb == REINFORCE and len(self.chosen) > 1 else ""

    @property
    def target(self) -> tuple[int, str] | None:
        """Return the cell that is aimed at."""
        return split_cell_address(self.chosen[2]) if self.verb == ATTACK and self.action else None

    @property
    def goal(self) -> str:
        """Return the own cell where the chosen card is to go, or empty."""
        return self.chosen[2] if self.verb in (MOVE, REINFORCE) and self.action else ""

    @property
    def goals(self) -> dict[str, str]:
        """Return the actions that bring the chosen card to each own cell."""
        return self.reinforcements.get(self.card, {}) if self.card else self.moves.get(self.cell, {})

    @property
    def targets(self) -> dict[tuple[int, str], str]:
        """Return the attacks of the chosen card by their targets."""
        return self.attacks.get(self.cell, {})

    @property
    def others(self) -> list[int]:
        """Return the seats that are neither near nor shown in full, from the next one on."""
        seats = len(self.view["seats"])
        around = [(self.near + step) % seats for step in range(1, seats)]
        return [seat for seat in around if seat != self.facing]

    def forecast(self, action: str) -> Forecast:
        """Return the forecast of an attack."""
        return forecast_attack(self.seen, self.view, action)

    def build_url(self, *words: str, facing: int | None = None) -> str:
        """Return the address of the table with these words chosen, and with this or the same seat in full."""
        return build_url(words, self.facing if facing is None else facing, len(self.view["seats"]))

    def choose_cell(self, cell: str) -> str:
        """Return the address with the card of an own cell chosen, or let go; empty where it can do nothing."""
        if cell == self.cell:
            return self.build_url()
        verb = ATTACK if self.attacks.get(cell) else MOVE if self.moves.get(cell) else ""
        return self.build_url(verb, cell) if verb else ""

    def read_side(self, seat: int) -> tuple[tuple[tuple[LaidCell, ...], ...], LaidCell | None]:
        """Return rows and guard of a seat."""
        side = self.view["seats"][seat]
        return read_rows(side["rows"]), read_guard(side["guard"])

    def find_cell(self, seat: int, cell: str) -> LaidCell:
        """Return a cell with what is seen in it."""
        rows, guard = self.read_side(seat)
        return next(laid for laid in (*(laid for row in rows for laid in row), guard) if laid and laid.name == cell)

    def find_card(self, seat: int, cell: str) -> str:
        """Return the card in a cell as it is seen; empty for none."""
        rows, guard = self.read_side(seat)
        cells = [*(laid for row in rows for laid in row), *([guard] if guard else [])]
        return next((laid.card or "" for laid in cells if laid.name == cell), "")


def build_url(words: Sequence[str], facing: int | None, seats: int) -> str:
    """Return the address of a table; the seat in full stands in it where there is a choice."""
    shown = [f"{FACING}={facing}"] if seats > 2 and facing is not None else []
    return f"?{urlencode({CHOSEN: ' '.join([*shown, *words])})}"


def read_turn(table: PlayTable) -> Turn:
    """Return the turn of a table, whoever is to act."""
    scene, near = table.scene, table.near
    view: Json = {**scene.after[near], "seats": [find_view(scene, seat) for seat in range(len(scene.after))]}
    chosen = table.chosen if any(starts_with(action, table.chosen) for action in table.legal) else ()
    turn = Turn(table, view, rebuild_table(view), chosen, near, find_facing_seat(table, view, chosen))
    for action in table.legal:
        verb, *words = action.split(" ")
        if verb == ATTACK:
            turn.attacks.setdefault(words[0], {})[split_cell_address(words[1])] = action
        elif verb == MOVE:
            turn.moves.setdefault(words[0], {})[words[1]] = action
        elif verb == REINFORCE:
            turn.reinforcements.setdefault(words[0], {})[words[1]] = action
    return turn


def find_facing_seat(table: PlayTable, view: Json, chosen: tuple[str, ...]) -> int | None:
    """Return the seat that is shown in full: the one aimed at, the one asked for, who acts, or who acted before."""
    seats, near = len(view["seats"]), table.near
    others = [seat for step in range(1, seats) if not view["seats"][seat := (near - step) % seats]["out"]]
    aimed = split_cell_address(chosen[2])[0] if chosen[:1] == (ATTACK,) and len(chosen) > 2 else None
    wanted = [aimed, table.facing, view["to_move"], *others]
    return next((seat for seat in wanted if seat in others), None)


# What cards and actions do, a sentence each.

CARD_HELP = {
    "A": gettext_lazy("The strongest card: it counts 11."),
    "K": gettext_lazy("Strikes any card but a guard, no path needed: both die."),
    "Q": gettext_lazy("Counts 10. Can skip one card to attack, and then counts 8."),
    "J": gettext_lazy("Looks at a card, past at most one other, and is wounded. Dies if attacked."),
}
"""By card; the others count as printed."""
ACT_HELP = {
    PICKUP: gettext_lazy("If your hand is empty, recover your wounded at the start of your turn."),
    "modify": gettext_lazy(
        "Adds the roll minus 3 to all your cards in combat until the end of your next turn, then fades by one a turn."
    ),
    REFORM: gettext_lazy("Once a game, as your whole turn: lay out your cards again in one or two rows."),
    "pass": gettext_lazy("Ends your turn. Always possible."),
}
"""By verb."""


# The words of a table: questions before an attack, what a target's pill says, and why a card can do nothing.

SURE, OPEN, LOST = "ok", "mid", "bad"
"""Tones of a pill."""


@dataclass(frozen=True, slots=True)
class TargetPill:
    """The value an attack comes with, and how many of the cards that may lie there would fall."""

    value: str
    odds: str
    tone: str
    icon: str


def name_place(cell: str) -> str:
    """Return the name of a cell as it stands on it."""
    return _("guard") if cell == GUARD_CELL else cell


def name_goal(cell: str) -> str:
    """Return the name of an own empty cell within a sentence."""
    return _("the guard cell") if cell == GUARD_CELL else cell


def name_target(turn: Turn, seat: int, cell: str) -> str:
    """Return the name of another's cell, with the player's name where there are several others."""
    words = {"cell": name_cell(cell), "name": turn.table.players[seat].name}
    return _("%(cell)s (%(name)s)") % words if len(turn.view["seats"]) > 2 else words["cell"]


def describe_pill(forecast: Forecast) -> TargetPill:
    """Return what stands at a target."""
    if forecast.kind == LOOK:
        return TargetPill("", pgettext("what a Jack does", "look"), OPEN, "scout")
    if forecast.kind == STRIKE:
        return TargetPill("", _("both die"), OPEN, "no")
    if forecast.kind == EMPEROR:
        return TargetPill("", _("emperor"), SURE, "ok")
    value, count = str(forecast.value), len(forecast.cards)
    if len(forecast.falls) == count:
        return TargetPill(value, pgettext("an attack that wins", "sure"), SURE, "ok")
    if len(forecast.kills) == count:
        return TargetPill(value, pgettext("an attack", "loses"), LOST, "no")
    if len(forecast.both_die) == count:
        return TargetPill(value, _("both die"), OPEN, "")
    return TargetPill(value, format_odds(forecast), OPEN, "")


def format_odds(forecast: Forecast) -> str:
    """Return how many of the cards that may lie there fall."""
    return _("%(count)s of %(all)s") % {"count": len(forecast.falls), "all": len(forecast.cards)}


def describe_target(forecast: Forecast) -> str:
    """Return a target in words, with what the attack counts and what may come of it."""
    cell = name_cell(forecast.goal)
    if forecast.kind != FIGHT:
        return {
            LOOK: _("Look at %(cell)s with the Jack"),
            STRIKE: _("Strike %(cell)s with the King: both die"),
            EMPEROR: _("Attack the empty guard cell: the emperor dies"),
        }[forecast.kind] % {"cell": cell}
    words = {"cell": cell, "value": forecast.value, "highest": forecast.highest, "odds": describe_odds(forecast)}
    if forecast.is_seen:
        words["card"] = name_card(forecast.other, forecast.cards[0])
        return _("Attack %(cell)s: %(value)s against %(card)s; %(odds)s") % words
    if forecast.highest is None:
        return _("Attack %(cell)s: %(value)s against a hidden card; %(odds)s") % words
    return _("Attack %(cell)s: %(value)s against a hidden card, up to %(highest)s with its die; %(odds)s") % words


def describe_odds(forecast: Forecast) -> str:
    """Return in words what may come of a fight."""
    count = len(forecast.cards)
    if len(forecast.falls) == count:
        return _("it's sure to fall")
    if len(forecast.kills) == count:
        return _("your card would die")
    if len(forecast.both_die) == count:
        return _("both would die")
    return _("beats %(count)s of the %(all)s cards it could be") % {"count": len(forecast.falls), "all": count}


def describe_move(turn: Turn, cell: str) -> str:
    """Return in words what it means to put the chosen card into an own empty cell."""
    words = {"card": name_card(turn.near, find_chosen_card(turn)), "cell": name_goal(cell)}
    if turn.card:
        return _("Bring %(card)s into %(cell)s") % words
    return _("Move %(card)s to %(cell)s") % words


def find_chosen_card(turn: Turn) -> str:
    """Return the card that is chosen; empty where none is."""
    return turn.card or (turn.find_card(turn.near, turn.cell) if turn.cell else "")


def build_chosen_part(turn: Turn) -> Part:
    """Return the chosen card within a sentence."""
    return build_card_part(turn.near, find_chosen_card(turn))


def describe_idle_card(turn: Turn, cell: str) -> str:
    """Return why a card of the reader's own can do nothing."""
    refused = refuse_start(turn.seen.sides[turn.near], SPOTS_BY_CELL_NAME[cell], "BT-12")
    if refused:
        return render_message(refused.message)
    if cell in turn.view["moved"]:
        return _("It has already moved this turn (BT-12), and no path leads to a target you can attack (BT-11).")
    return _("No path to a target you can attack or an empty cell (BT-11).")


def format_value(forecast: Forecast, has_skipped: bool, is_whole: bool) -> str:
    """Return what the attacker counts at a step of its way; with the sum where `is_whole` says so."""
    if forecast.kind != FIGHT:
        return ""
    printed = forecast.printed if has_skipped else forecast.start
    value, change = printed + forecast.modification, forecast.modification
    if not is_whole or not change:
        return str(value)
    return f"{printed} {'+' if change > 0 else '−'} {abs(change)} = {value}"


def format_final_values(forecast: Forecast) -> str:
    """Return what meets what at the end of the way."""
    if forecast.kind != FIGHT:
        return describe_pill(forecast).odds
    if forecast.highest is None:
        return str(forecast.value)
    words = {"value": forecast.value, "highest": forecast.highest}
    return (_("%(value)s v %(highest)s") if forecast.is_seen else _("%(value)s v %(highest)s at most")) % words


def ask_before_attack(turn: Turn, forecast: Forecast) -> Sentence:
    """Return the question before an attack."""
    questions = {
        FIGHT: _("Attack {cell} with {card}?"),
        LOOK: _("Look at {cell} with {card}?"),
        STRIKE: _("Strike {cell} with {card}?"),
        EMPEROR: _("Attack the empty guard cell with {card}?"),
    }
    texts = [questions[forecast.kind], describe_way(forecast), describe_outlook(forecast)]
    return format_sentence(
        " ".join(text for text in texts if text),
        cell=name_target(turn, forecast.other, forecast.goal),
        card=build_card_part(forecast.seat, forecast.card),
        skipped=name_place(forecast.skipped[1]) if forecast.skipped else "",
        value=forecast.value,
        highest=forecast.highest,
        target=build_card_part(forecast.other, forecast.cards[0]) if forecast.is_seen else "",
    )


def describe_way(forecast: Forecast) -> str:
    """Return the template of the sentence about the way and the value."""
    if forecast.kind == FIGHT:
        skips = _("It skips {skipped}, so {card} counts {value}.")
        return skips if forecast.skipped else _("{card} counts {value}.")
    return _("It skips {skipped}.") if forecast.skipped else ""


def describe_outlook(forecast: Forecast) -> str:
    """Return the template of the sentence about what it meets."""
    if forecast.kind != FIGHT:
        return {
            LOOK: _("The card is revealed, and your Jack is wounded."),
            STRIKE: _("Both die."),
            EMPEROR: _("The emperor dies, and its player is out."),
        }[forecast.kind]
    if not forecast.is_seen:
        return _("The hidden card counts {highest} at most.") if forecast.highest is not None else ""
    if forecast.highest is not None:
        return _("{target} counts {highest}.")
    return _("{target} falls to any card.") if forecast.falls else _("{target} takes the attacker with it.")


def ask_what_to_do(turn: Turn) -> Sentence:
    """Return what is asked of the reader while no action is complete."""
    if not (turn.cell or turn.card):
        return Sentence((Part(_("Choose a card to move or attack with, or another action.")),))
    if turn.card:
        template = _("Choose a back-row cell for {card}.")
    elif not turn.targets:
        template = _("Choose an empty cell for {card}.")
    elif not turn.goals:
        template = _("Choose a target for {card}.")
    else:
        template = _("Choose a target for {card}, or an empty cell to move it to.")
    help_text = CARD_HELP.get(find_chosen_card(turn), "") if turn.cell else ""
    return format_sentence(f"{template} {help_text}".strip(), card=build_chosen_part(turn))


def ask_before_action(turn: Turn) -> Sentence:
    """Return the question before an action that ends the turn, or recovers the wounded."""
    questions = {
        "pass": _("Pass? It ends your turn."),
        "modify": _("Roll the die? It adds the roll minus 3 to all your cards in combat and ends your turn."),
        "pickup": _("Recover the wounded? They'll be hidden again, and you can't reform this turn."),
        "reinforce": _("Bring {card} into {cell}? It ends your turn."),
        "move": _("Move {card} to {cell}?"),
    }
    card = build_chosen_part(turn) if turn.cell or turn.card else ""
    return format_sentence(questions[turn.verb], card=card, cell=name_goal(turn.goal))


# A formation that is being laid out, as text: a `deploy` or `reform` action of which cards are still missing.
#
# `deploy 0=A,2=,4=/1=7 guard= card=K`: the cells after `=` may be empty, and so may the guard; `card=` is the one
# chosen to be laid next. With `cell=` beside it that card is laid there, which saves a script the arithmetic: such a
# text is read as the draft after it. What a reforming takes into the hand is what is left over, so it isn't written.

DEPLOY_VERB, REFORM_VERB = "deploy", "reform"
IN_HAND = "hand"
"""The place of cards that are not laid out."""
CELL_PATTERN = re.compile(r"(-?\d{1,2})=(A|K|Q|J|10|[2-9])?")
MAX_DRAWN_WIDTH = 18
"""Half-columns from the first to the last cell: no formation is wider than the widest drawing."""

DraftRow = tuple[tuple[int, str], ...]
"""Half-column and card of each cell, from left to right; an empty text where no card lies yet."""


@dataclass(frozen=True, slots=True)
class FormationDraft:
    """What has been laid out so far."""

    verb: str
    rows: tuple[DraftRow, ...]
    guard: str = ""
    """Empty with `reform`, which leaves the guard where it is."""
    held: str = ""
    """The card chosen to be laid next."""

    def __str__(self) -> str:
        words = [self.verb, self.shape, *([f"guard={self.guard}"] if self.verb == DEPLOY_VERB else [])]
        return " ".join([*words, *([f"card={self.held}"] if self.held else [])])

    @property
    def shape(self) -> str:
        """Return the rows as they are written."""
        return "/".join(",".join(f"{x}={card}" for x, card in row) for row in self.rows)

    @property
    def empty_shape(self) -> str:
        """Return the rows as they are written without any card."""
        return start_draft(self.verb, self.columns).shape

    def complete(self, cards: Sequence[str]) -> str:
        """Return the action as it would be sent, legal or not; `cards` are all that may be laid."""
        if self.verb == DEPLOY_VERB:
            return str(replace(self, held=""))
        left = [card for card in cards if card not in self.laid_cards]
        return " ".join([self.verb, self.shape, *(f"hand={card}" for card in left)])

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """Return the half-columns of each row."""
        return tuple(tuple(x for x, _card in row) for row in self.rows)

    @property
    def cells(self) -> dict[str, str]:
        """Return the cards by the names of their cells, front to back; the guard's is the last one of a deployment."""
        cells = {name_draft_cell(row, column): card for row, column, card in self.iterate_cells()}
        return {**cells, GUARD_CELL: self.guard} if self.verb == DEPLOY_VERB else cells

    def iterate_cells(self) -> Iterator[tuple[int, int, str]]:
        """Yield row, column and card of each cell, both counted from 0."""
        for number, row in enumerate(self.rows):
            for column, (_x, card) in enumerate(row):
                yield number, column, card

    def find_place(self, card: str) -> str:
        """Return the cell of a card, or HAND."""
        return next((cell for cell, laid in self.cells.items() if laid == card), IN_HAND)

    @property
    def laid_cards(self) -> list[str]:
        """Return the cards that lie somewhere."""
        return [card for card in self.cells.values() if card]

    @property
    def empty_cells(self) -> list[str]:
        """Return the cells where no card lies yet, the guard's cell among them."""
        return [cell for cell, card in self.cells.items() if not card]

    def put(self, cell: str, card: str) -> "FormationDraft":
        """Return the draft with this card in this cell, or none, whatever lay there before."""
        if cell == GUARD_CELL:
            return replace(self, guard=card)
        rows = tuple(
            tuple(
                (x, card if name_draft_cell(number, column) == cell else laid) for column, (x, laid) in enumerate(row)
            )
            for number, row in enumerate(self.rows)
        )
        return replace(self, rows=rows)

    def lay(self, card: str, cell: str) -> "FormationDraft":
        """Return the draft with a card laid in a cell; what lay there goes where the card came from."""
        before, replaced = self.find_place(card), self.cells[cell]
        draft = self.put(before, replaced) if before != IN_HAND else self
        return replace(draft.put(cell, card), held="")

    def take_back(self, card: str) -> "FormationDraft":
        """Return the draft without this card."""
        place = self.find_place(card)
        return replace(self.put(place, "") if place != IN_HAND else self, held="")

    def with_columns(self, columns: Sequence[Sequence[int]]) -> "FormationDraft":
        """Return the draft in another shape: the cards keep their order, and those without a cell are taken back."""
        cards = iter([card for _row, _column, card in self.iterate_cells() if card])
        rows = tuple(tuple((x, next(cards, "")) for x in row) for row in columns)
        return replace(self, rows=rows, held="")

    def fill(self, cards: Sequence[str]) -> "FormationDraft":
        """Return the draft with its empty cells filled from these cards, in this order, without those laid already."""
        draft = self
        left = [card for card in cards if card not in self.laid_cards]
        if GUARD_CELL in draft.empty_cells:
            guard = next((card for card in left if can_guard(CARDS_BY_NAME[card])), "")
            left = [card for card in left if card != guard]
            draft = draft.put(GUARD_CELL, guard)
        for cell, card in zip(draft.empty_cells, left, strict=False):
            draft = draft.put(cell, card)
        return replace(draft, held="")


def name_draft_cell(row: int, column: int) -> str:
    """Return the public name of a cell of a draft."""
    return f"{row + 1}{COLUMN_LETTERS[column]}"


def start_draft(verb: str, columns: Sequence[Sequence[int]]) -> FormationDraft:
    """Return a draft of this shape without any card."""
    return FormationDraft(verb, tuple(tuple((x, "") for x in row) for row in columns))


def read_draft(text: str) -> FormationDraft | None:
    """Return the draft of a text, or None where it is not one: nobody but our own pages writes them."""
    verb, *words = text.split(" ")
    if verb not in (DEPLOY_VERB, REFORM_VERB) or not words:
        return None
    rows = read_draft_rows(words[0])
    values = dict(word.partition("=")[::2] for word in words[1:])
    guard, held = values.get("guard", "") if verb == DEPLOY_VERB else "", values.get("card", "")
    if rows is None or any(card and card not in CARDS_BY_NAME for card in (guard, held)):
        return None
    draft = FormationDraft(verb, rows, guard, held)
    if len(draft.laid_cards) != len(set(draft.laid_cards)):
        return None
    cell = values.get("cell", "")
    if held and cell == IN_HAND:
        return draft.take_back(held)
    return draft.lay(held, cell) if held and cell in draft.cells else draft


def read_draft_rows(text: str) -> tuple[DraftRow, ...] | None:
    """Return the rows of a draft; None where they can't be read or are more than any formation has."""
    rows = []
    for row in text.split("/"):
        found = [CELL_PATTERN.fullmatch(cell) for cell in row.split(",")]
        if not all(found) or len(found) > MAX_CELLS_PER_ROW:
            return None
        rows.append(tuple(sorted((int(cell[1]), cell[2] or "") for cell in found if cell)))
    columns = [[x for x, _card in row] for row in rows]
    return tuple(rows) if len(rows) <= MAX_FORMATION_ROWS and is_drawable(columns) else None


def is_drawable(columns: Sequence[Sequence[int]]) -> bool:
    """Return whether rows with these half-columns have room in a drawing."""
    found = [x for row in columns for x in row]
    return bool(found) and max(found) - min(found) <= MAX_DRAWN_WIDTH


def list_cards_to_fill(draft: FormationDraft) -> list[str]:
    """Return the cards in the order in which they fill empty cells: the library's, where it has the shape."""
    named = find_named(draft.columns)
    cards, guard = (named.cards, named.guard) if named else (EXAMPLE_CARDS, EXAMPLE_GUARD)
    order = [guard, *cards.split()]
    return [*order, *(card for card in CARD_NAMES_HIGH_TO_LOW if card not in order)]
