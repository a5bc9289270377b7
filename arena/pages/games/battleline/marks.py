"""The marks on the timeline of a leg of Battle Line: claims, tactics, and a fault."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battleline.cards import TACTIC_ICONS, is_tactic
from arena.pages.games.battleline.descriptions import describe_events
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.presentation import Mark
from arena.pages.matches.replay import Step
from engine.core import Json

CLAIM_MARK, TACTICS_MARK, FORFEIT_MARK = "claim", "tactics", "forfeit"
JUMP_LABELS = {CLAIM_MARK: gettext_lazy("Next claim"), TACTICS_MARK: gettext_lazy("Next tactics card")}


def list_marks(wording: Wording, step: Step) -> list[Mark]:
    """Return the marks of a step on the timeline."""
    return [found for event in step.events if (found := mark_event(wording, event)) is not None]


def mark_event(wording: Wording, event: Json) -> Mark | None:
    """Return the mark of an event; None for those that have none."""
    verb, *arguments = event.get("action", "").split() or [event.get("event")]
    seat: int | None = event.get("seat")
    if seat is None:
        return None
    if verb in ("claim", "award"):
        return Mark(CLAIM_MARK, seat, f"pennant-{seat}", str(describe_events(wording, [event])[0]))
    if verb == "forfeit":
        return Mark(FORFEIT_MARK, seat, "no", str(describe_events(wording, [event])[0]))
    card = arguments[0] if verb == "play" else verb
    if not is_tactic(card):
        return None
    label = _("%(seat)s plays %(card)s") % {"seat": wording.seat(seat), "card": wording.card(card)}
    return Mark(TACTICS_MARK, seat, TACTIC_ICONS[card], label)
