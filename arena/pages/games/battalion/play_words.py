"""The words of a table: questions before an attack, what a target's pill says, and why a card can do nothing."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from arena.messages import render_message
from arena.pages.games.battalion.army import format_modification
from arena.pages.games.battalion.cards import build_card_part, name_card
from arena.pages.games.battalion.forecast import FIGHT, Forecast
from arena.pages.games.battalion.layout import GUARD_CELL
from arena.pages.games.battalion.play_turn import Turn
from arena.pages.games.sentence import Part, Sentence, format_sentence
from engine.games.battalion.combat import EMPEROR, LOOK, STRIKE
from engine.games.battalion.moves import SPOTS_BY_CELL_NAME
from engine.games.battalion.refusal import refuse_start

SURE, OPEN, LOST = "ok", "mid", "bad"
"""Tones of a pill."""


@dataclass(frozen=True, slots=True)
class Pill:
    """The value an attack comes with, and how many of the cards that may lie there would fall."""

    value: str
    odds: str
    tone: str
    icon: str


def name_place(cell: str) -> str:
    """Return the name of a cell as it stands on it."""
    return _("guard") if cell == GUARD_CELL else cell


def name_target(turn: Turn, seat: int, cell: str) -> str:
    """Return the name of another's cell, with the player's name where there are several others."""
    words = {"cell": name_place(cell), "name": turn.table.players[seat].name}
    return _("%(cell)s (%(name)s)") % words if len(turn.view["seats"]) > 2 else words["cell"]


def describe_pill(forecast: Forecast) -> Pill:
    """Return what stands at a target."""
    if forecast.kind == LOOK:
        return Pill("", pgettext("what a Jack does", "look"), OPEN, "scout")
    if forecast.kind == STRIKE:
        return Pill("", _("both die"), OPEN, "no")
    if forecast.kind == EMPEROR:
        return Pill("", _("emperor"), SURE, "ok")
    value, count = str(forecast.value), len(forecast.cards)
    if len(forecast.falls) == count:
        return Pill(value, pgettext("an attack that wins", "sure"), SURE, "ok")
    if len(forecast.kills) == count:
        return Pill(value, pgettext("an attack", "loses"), LOST, "no")
    if len(forecast.both_die) == count:
        return Pill(value, _("both die"), OPEN, "")
    return Pill(value, format_odds(forecast), OPEN, "")


def format_odds(forecast: Forecast) -> str:
    """Return how many of the cards that may lie there fall."""
    return _("%(count)s of %(all)s") % {"count": len(forecast.falls), "all": len(forecast.cards)}


def describe_target(forecast: Forecast) -> str:
    """Return a target in words, with what the attack counts and what may come of it."""
    cell = name_place(forecast.goal)
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
    return _("Attack %(cell)s: %(value)s against a hidden card, at most %(highest)s with its die; %(odds)s") % words


def describe_odds(forecast: Forecast) -> str:
    """Return in words what may come of a fight."""
    count = len(forecast.cards)
    if len(forecast.falls) == count:
        return _("it falls for certain")
    if len(forecast.kills) == count:
        return _("your card would die")
    if len(forecast.both_die) == count:
        return _("both would die")
    return _("%(count)s of %(all)s cards that may lie there fall") % {"count": len(forecast.falls), "all": count}


def describe_move(turn: Turn, cell: str) -> str:
    """Return in words what it means to put the chosen card into an own empty cell."""
    words = {"card": name_card(turn.near, find_chosen_card(turn)), "cell": name_place(cell)}
    if turn.card:
        return _("Bring %(card)s in to %(cell)s") % words
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
    return _("No path leads from here to a target or to an empty cell (BT-11).")


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
    return (_("%(value)s : %(highest)s") if forecast.is_seen else _("%(value)s : at most %(highest)s")) % words


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
        return _("It skips {skipped} and counts {value}.") if forecast.skipped else _("It counts {value}.")
    return _("It skips {skipped}.") if forecast.skipped else ""


def describe_outlook(forecast: Forecast) -> str:
    """Return the template of the sentence about what it meets."""
    if forecast.kind != FIGHT:
        return {
            LOOK: _("The card stays face up for all, and your Jack is wounded."),
            STRIKE: _("Both die."),
            EMPEROR: _("The emperor dies, and its player is out."),
        }[forecast.kind]
    if not forecast.is_seen:
        return _("At most {highest} lies there.") if forecast.highest is not None else ""
    if forecast.highest is not None:
        return _("{target} counts {highest}.")
    return _("{target} falls to any card.") if forecast.falls else _("{target} takes it along.")


def ask_what_to_do(turn: Turn) -> Sentence:
    """Return what is asked of the reader while no action is complete."""
    if not (turn.cell or turn.card):
        return Sentence((Part(_("Choose a card to attack with, or another action.")),))
    if turn.card:
        template = _("Choose a cell for {card}.")
    elif not turn.targets:
        template = _("Choose an empty cell for {card}.")
    elif not turn.goals:
        template = _("Choose a target for {card}.")
    else:
        template = _("Choose a target for {card}, or an empty cell to move it to.")
    return format_sentence(template, card=build_chosen_part(turn))


def ask_before_action(turn: Turn) -> Sentence:
    """Return the question before an action that ends the turn, or takes up the wounded."""
    questions = {
        "pass": _("Pass? Your turn ends."),
        "modify": _("Roll the die? Its roll less three counts for all your cards, and your turn ends."),
        "pickup": _("Take up the wounded? They are hidden again, and there is no reforming in this turn."),
        "reinforce": _("Bring {card} in to {cell}? Your turn ends."),
        "move": _("Move {card} to {cell}?"),
    }
    card = build_chosen_part(turn) if turn.cell or turn.card else ""
    return format_sentence(questions[turn.verb], card=card, cell=name_place(turn.goal))


def describe_own_die(turn: Turn) -> str:
    """Return what the reader's die does, in a few words."""
    modification = turn.view["seats"][turn.near]["modification"]
    return "" if modification is None else format_modification(modification)
