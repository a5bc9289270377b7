"""What lies beside the reader's army, and the actions that need no card of it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.messages import render_message
from arena.pages.games.battalion.army import describe_die, format_modification
from arena.pages.games.battalion.cards import build_card_parts, find_face, name_card, sort_cards
from arena.pages.games.battalion.play_turn import PICKUP, REFORM, REINFORCE, Turn
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence
from engine.games.battalion.reform import MAX_REFORMED_CARDS


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the reader's hand."""

    face: Face
    label: str
    url: str
    is_pressed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Act:
    """An action beside attacks and moves; with a reason where it can't be done now."""

    label: str
    icon: str
    key: str
    url: str
    is_pressed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class OwnSide:
    """What lies beside the reader's army."""

    hand: tuple[HandCard, ...]
    wounded: Sentence | None
    dead: Sentence | None
    die: str
    die_label: str
    acts: tuple[Act, ...]


def build_own_side(turn: Turn) -> OwnSide:
    """Return what lies beside the reader's army, and the actions that need no card of it."""
    side = turn.view["seats"][turn.near]
    return OwnSide(
        hand=tuple(build_hand_card(turn, card) for card in sort_cards(side.get("hand", []))),
        wounded=build_card_parts(turn.near, side["wounded"]) if side["wounded"] else None,
        dead=build_card_parts(turn.near, side["dead"]) if side["dead"] else None,
        die="" if side["modification"] is None else format_modification(side["modification"]),
        die_label=describe_die(side["modification"], side["modification_left"]),
        acts=tuple(list_acts(turn)) if turn.table.is_own_turn else (),
    )


def build_hand_card(turn: Turn, card: str) -> HandCard:
    """Return a card of the hand, to be chosen where it can be brought in."""
    is_pressed = turn.card == card
    goals = turn.reinforcements.get(card)
    url = turn.build_url(*([] if is_pressed else [REINFORCE, card])) if goals else ""
    is_refused = turn.table.is_own_turn and not goals
    return HandCard(
        face=find_face(turn.near, card),
        label=name_card(turn.near, card),
        url=url,
        is_pressed=is_pressed,
        reason=_("The back row has no empty cell where a card could enter (BT-13).") if is_refused else "",
    )


def list_acts(turn: Turn) -> Iterator[Act]:
    """Yield the actions beside attacks and moves."""
    side = turn.view["seats"][turn.near]
    if side["wounded"]:
        yield build_act(turn, PICKUP, _("Take up"), "redeploy", "t")
    yield build_act(turn, "modify", _("Roll"), "die", "r")
    yield Act(
        label=_("Reform"),
        icon="swap",
        key="f",
        url="" if (reason := refuse_reforming(turn)) else turn.build_url(REFORM),
        is_pressed=False,
        reason=reason,
    )
    yield build_act(turn, "pass", _("Pass"), "", "p")


def build_act(turn: Turn, verb: str, label: str, icon: str, key: str) -> Act:
    """Return an action of one word."""
    refused = turn.table.refuse(verb) if verb not in turn.table.legal else None
    is_pressed = turn.verb == verb
    return Act(
        label=label,
        icon=icon,
        key=key,
        url="" if refused else turn.build_url(*([] if is_pressed else [verb])),
        is_pressed=is_pressed,
        reason=render_message(refused) if refused else "",
    )


def refuse_reforming(turn: Turn) -> str:
    """Return why there is no reforming now; empty where there is."""
    if any(action.startswith(REFORM) for action in turn.table.legal):
        return ""
    side = turn.seen.sides[turn.near]
    if not side.reformed and not turn.view["picked_up"] and side.occupied.bit_count() > MAX_REFORMED_CARDS:
        return _("Too many cards are laid out for two rows (BT-35).")
    refused = turn.table.refuse(f"{REFORM} 0=A")
    return render_message(refused) if refused else ""
