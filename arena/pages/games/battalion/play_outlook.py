"""What may lie in the cell that is aimed at, and why the attack counts what it counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.games.battalion.army import format_modification
from arena.pages.games.battalion.cards import HIDDEN_CARD, build_card_part, build_card_parts, find_face, sort_cards
from arena.pages.games.battalion.forecast import Forecast
from arena.pages.games.battalion.layout import GUARD_CELL
from arena.pages.games.battalion.play_turn import Turn
from arena.pages.games.battalion.play_words import format_odds, name_place
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Group:
    """Cards that may lie in a target, by what they would do."""

    kind: str
    label: str
    cards: tuple[Face, ...]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What may lie in the target that is aimed at."""

    heading: str
    text: Sentence
    groups: tuple[Group, ...]
    odds: str


@dataclass(frozen=True, slots=True)
class Reason:
    """A line of the panel that explains a number."""

    term: str
    text: Sentence
    rulings: tuple[str, ...]


def build_outlook(turn: Turn, forecast: Forecast) -> Outlook:
    """Return what may lie in the target, sorted by what it would do."""
    mine = build_card_part(forecast.seat, forecast.card)
    groups = [
        ("good", ngettext("falls", "fall", len(forecast.falls)), forecast.falls),
        ("tie", _("both die"), forecast.both_die),
        ("bad", _("your card dies"), forecast.kills),
    ]
    name = turn.table.players[forecast.other].name
    return Outlook(
        heading=_("What may lie on %(cell)s") % {"cell": name_place(forecast.goal)}
        if not forecast.is_seen
        else _("What lies on %(cell)s") % {"cell": name_place(forecast.goal)},
        text=format_sentence(
            choose_outlook_text(forecast),
            name=name,
            count=len(forecast.cards),
            card=find_highest_part(forecast),
            highest=forecast.highest,
            value=forecast.value,
            mine=mine,
        ),
        groups=tuple(
            Group(kind, label, tuple(find_face(forecast.other, card) for card in reversed(cards)))
            for kind, label, cards in groups
            if cards
        ),
        odds=format_odds(forecast),
    )


def choose_outlook_text(forecast: Forecast) -> str:
    """Return the template of the sentence above the cards."""
    if forecast.is_seen or forecast.highest is None:
        return _("You come with {value}.")
    if forecast.other_modification:
        return _(
            "Cards of {name} that may lie here: {count}, at most {card}. Its die makes that {highest}; you: {value}."
        )
    return _("Cards of {name} that may lie here: {count}, at most {card}. You come with {value}.")


def find_highest_part(forecast: Forecast) -> object:
    """Return the highest card that may lie in the target, within a sentence."""
    return build_card_part(forecast.other, forecast.highest_card) if forecast.highest_card else ""


def list_reasons(turn: Turn, forecast: Forecast) -> Iterator[Reason]:
    """Yield why the attack counts what it counts, and why no more may lie there than is said."""
    mine = build_card_part(forecast.seat, forecast.card)
    if forecast.skipped:
        template = _("{card} skips the card on {cell}, so it counts {value}.")
        text = format_sentence(template, card=mine, cell=name_place(forecast.skipped[1]), value=forecast.printed)
        yield Reason(str(forecast.printed), text, ("BT-22",))
    if forecast.modification:
        change = format_modification(forecast.modification)
        yield Reason(change, format_sentence(_("What your die adds to all your cards.")), ("BT-30",))
    if forecast.other_modification:
        change = format_modification(forecast.other_modification)
        text = format_sentence(_("What the die of {name} adds."), name=turn.table.players[forecast.other].name)
        yield Reason(change, text, ("BT-30",))
    if not forecast.is_seen and forecast.highest_card:
        yield from explain_highest_card(turn, forecast)
    if "J" in forecast.cards:
        yield Reason("J", format_sentence(_("A Jack that is attacked always dies.")), ("BT-26",))
    if "K" in forecast.cards:
        yield Reason("K", format_sentence(_("A King that is attacked takes the attacker along.")), ("BT-25",))


def explain_highest_card(turn: Turn, forecast: Forecast) -> Iterator[Reason]:
    """Yield why no higher card may lie in the target."""
    gone = list_open_cards(turn.view["seats"][forecast.other])
    if forecast.goal == GUARD_CELL:
        yield Reason("≤ 10", format_sentence(_("A guard is a card from 2 to 10.")), ("BT-2",))
    if gone:
        text = format_sentence(
            _("{cards} lie open or are dead or wounded."), cards=build_card_parts(forecast.other, gone)
        )
        yield Reason(f"≤ {forecast.highest_card}", text, ("BT-27",))


def list_open_cards(side: Json) -> Sequence[str]:
    """Return the cards of a player that all can see, from the ace down."""
    laid = [cell for row in side["rows"] for cell in row] + ([side["guard"]] if side["guard"] else [])
    shown = [cell["card"] for cell in laid if cell["card"] not in (None, HIDDEN_CARD)]
    return sort_cards([*shown, *side["dead"], *side["wounded"]])
