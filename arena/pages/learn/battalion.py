"""Learn Battalion: one attack by each court card, up to the enemy's emperor."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.games.battalion.board import build_card_part, find_face, name_seat
from arena.pages.games.battalion.play import BattalionPlay
from arena.pages.games.battalion.play_field import NumberReason, list_reasons
from arena.pages.games.battalion.play_turn import ATTACK, CARD_HELP, FIGHT, describe_odds, read_turn
from arena.pages.games.battalion.words import AttackProof, build_proof, describe_events, describe_outcome, name_cell
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.learn.lesson import (
    LEARNER,
    Lesson,
    Panel,
    Place,
    Step,
    Teaching,
    Text,
    build_table,
    describe_answer,
)
from engine.core import Json

# The deal and the game. All of it follows the rules; the other seat's deployment lets each court card do its part.

KING, JACK, QUEEN = 1, 2, 3
"""The numbers of the steps."""
SCRIPT = """
0: deploy 0=Q,2=J,4=9/1=K,3=5 guard=8
1: deploy 0=9,2=4,4=10/1=A,3=8 guard=7
0: * attack 2a 1:2a
1: attack 1c 0:1c
0: * attack 1b 1:g
1: reinforce 6 2a
0: * attack 1a 1:g
"""
DEAL: Json = {"dice": [3] * 200}
"""Nobody rolls in this game."""


@dataclass(frozen=True, slots=True)
class CourtCard:
    """A court card, and what its attack comes to."""

    face: Face
    help: str
    reasons: tuple[NumberReason, ...]
    """Where its numbers come from; empty where no values meet."""
    proof: AttackProof | None
    """How the attack went; None before it."""


def teach(place: Place) -> Teaching:
    """Return what is said at a position."""
    first = place.find_first()
    explanation = first.state.explain(first.wanted)
    assert explanation is not None, "an attack is always explained"
    card, cell = explanation["attacker"]["card"], explanation["target"]["cell"]
    values = {"card": build_card_part(LEARNER, card), "cell": name_cell(cell), "other": name_seat(1 - LEARNER)}
    title, lead, caption, now = {
        KING: (
            _("The King strikes any card"),
            _("It needs no path, and both cards die. Only the guard is out of its reach."),
            _("Strike {cell} with {card}."),
            _("Two cards stand between you and the guard. No card can skip two, so remove {cell}."),
        ),
        JACK: (
            _("The Jack looks"),
            _("It can look at any card, even the guard, and skip one on the way. The Jack is wounded."),
            _("Look at {cell} with {card}."),
            _("Only one card is in the way now. Look before you attack: a guard can be anything from 2 to 10."),
        ),
        QUEEN: (
            _("The Queen skips a card"),
            _("On an open path she counts 10. If she has to skip a card, she counts 8."),
            _("Attack {cell} with {card}."),
            _("If the guard dies, {other}'s emperor falls and you win."),
        ),
    }[place.step]
    said = format_sentence(caption, **values)
    if place.is_done:
        said = tell_attack(place, describe_outcome(explanation))
    then = "" if place.is_done else format_sentence(now, **values)
    panel = Panel(title, lead, then, "attack", build_court_card(place, first, explanation))
    return Teaching(said, panel)


def tell_attack(place: Place, outcome: Sequence[Text]) -> Sentence:
    """Return what the learner's attack has done, and what the other seat did then."""
    lines = {f"line_{number}": line for number, line in enumerate(outcome)}
    return format_sentence(
        " ".join(f"{{{name}}}" for name in (*lines, "answer")),
        **lines,
        answer="" if place.is_last else describe_answer(place, describe_events),
    )


def build_court_card(place: Place, first: Place, explanation: Json) -> CourtCard:
    """Return the card of a step, with its numbers before the attack and how it went after it."""
    card = explanation["attacker"]["card"]
    turn = read_turn(build_table(first, _("You"), first.wanted))
    forecast = turn.forecast(first.wanted)
    return CourtCard(
        face=replace(find_face(LEARNER, card), key=""),
        help=str(CARD_HELP[card]),
        reasons=tuple(list_reasons(turn, forecast)) if forecast.kind == FIGHT else (),
        proof=build_proof(first.scene, explanation) if place.is_done else None,
    )


def explain_other(place: Place, action: str) -> Text:
    """Return why another legal action is taken back, and what to do instead."""
    wanted = teach(place).caption
    if not action.startswith(f"{ATTACK} "):
        return format_sentence(_("That doesn't bring you closer to the guard. {wanted}"), wanted=wanted)
    forecast = read_turn(build_table(place, _("You"), action)).forecast(action)
    values = {"card": build_card_part(LEARNER, forecast.card), "cell": name_cell(forecast.goal), "wanted": wanted}
    if forecast.kind == FIGHT and len(forecast.falls) < len(forecast.cards):
        template = _("{card} at {cell}: {odds}. {wanted}")
        return format_sentence(template, **values, odds=describe_odds(forecast))
    return format_sentence(_("{card} at {cell} leaves the way to the guard as it is. {wanted}"), **values)


def simplify(play: BattalionPlay) -> BattalionPlay:
    """Return the table without the actions that need no card."""
    return play if play.own is None else replace(play, own=replace(play.own, acts=()))


LESSON = Lesson(
    game="battalion",
    title=gettext_lazy("Learn Battalion in three attacks"),
    brief=gettext_lazy("One attack by each court card, every step explained."),
    aim=gettext_lazy("Take the guard, and its emperor falls."),
    opponent=lambda: _("Opponent"),
    options={},
    deal=DEAL,
    script=SCRIPT,
    steps=(
        Step(gettext_lazy("King"), gettext_lazy("Back to the King"), ("attack 2a 1:2a",)),
        Step(gettext_lazy("Jack"), gettext_lazy("Next: the Jack"), ("attack 1b 1:g",)),
        Step(gettext_lazy("Queen"), gettext_lazy("Next: the Queen"), ("attack 1a 1:g",)),
    ),
    teach=teach,
    explain_other=explain_other,
    simplify=simplify,
    ending=gettext_lazy(
        "A real game begins with your own formation, hidden until everyone has deployed. The table shows "
        "every path and what an attack can come to, as it did here."
    ),
)
