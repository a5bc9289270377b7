"""What of a leg of Battle Line stands on its timeline: claims, tactics, and a fault."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battleline.cards import PICTURES, is_tactic
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.battleline.words import say
from arena.pages.games.picture import Mark
from arena.pages.matches.replay import Step
from engine.core import Json

CLAIM, TACTICS, FORFEIT = "claim", "tactics", "forfeit"
JUMPS = {CLAIM: gettext_lazy("Next claim"), TACTICS: gettext_lazy("Next tactics card")}


def mark(wording: Wording, step: Step) -> list[Mark]:
    return [found for event in step.events if (found := mark_event(wording, event)) is not None]


def mark_event(wording: Wording, event: Json) -> Mark | None:
    verb, *words = event.get("action", "").split() or [event.get("event")]
    seat = event.get("seat")
    if verb in ("claim", "award"):
        return Mark(CLAIM, seat, f"pennant-{seat}", say(wording, [event])[0].plain)
    if verb == "forfeit":
        return Mark(FORFEIT, seat, "no", say(wording, [event])[0].plain)
    card = words[0] if verb == "play" else verb
    if not is_tactic(card):
        return None
    label = _("%(seat)s plays %(card)s") % {"seat": wording.seat(seat), "card": wording.card(card)}
    return Mark(TACTICS, seat, PICTURES[card], label)
