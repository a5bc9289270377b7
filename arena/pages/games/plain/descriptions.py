"""Events of any game in sentences, and how a leg of it ended."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from arena.pages.games.plain.values import write_label, write_value
from arena.pages.games.presentation import Line, Mark, describe_fault
from arena.pages.matches.replay import Scene, Step
from engine.core import Json

FORFEIT = "forfeit"


def name_seat(seat: int) -> str:
    """Return the name of a seat, counted from 1."""
    return _("Seat %(number)s") % {"number": seat + 1}


def describe_events(events: Sequence[Json]) -> list[Line]:
    """Return a line for each event."""
    return [describe_event(event) for event in events]


def describe_event(event: Json) -> Line:
    """Return who did what, or what else happened, with all that was told of it."""
    if event.get("action") == FORFEIT:
        return Line(describe_fault(name_seat(event["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)
    what = event["action"] if "action" in event else event["event"].replace("_", " ")
    details = ", ".join(describe_detail(key, event[key]) for key in event if key not in ("seat", "action", "event"))
    text = f"{what} ({details})" if details else what
    if "seat" not in event:
        return Line(write_label(text))
    return Line(_("%(seat)s: %(action)s") % {"seat": name_seat(event["seat"]), "action": text})


def describe_detail(key: str, value: object) -> str:
    """Return a detail of an event; seats have their names."""
    if key == "seats" and isinstance(value, list):
        return ", ".join(name_seat(seat) for seat in value)
    return f"{write_label(key).lower()} {write_value(value)}"


def list_marks(step: Step) -> list[Mark]:
    """Return the forfeits of a step."""
    forfeits = [event for event in step.events if event.get("action") == FORFEIT]
    return [Mark(FORFEIT, event["seat"], "no", str(describe_event(event))) for event in forfeits]


def describe_ending(scene: Scene) -> str:
    """Return who came first, the scores of all, and the game's own word for how it ended."""
    result = scene.final_result
    first = [name_seat(seat) for seat, place in enumerate(result["places"]) if place == 1]
    words = {
        "seats": ", ".join(first),
        "scores": " : ".join(f"{score:g}" for score in result["scores"]),
        "reason": result["reason"].replace("-", " ").replace("_", " "),
    }
    return _("First: %(seats)s. Scores %(scores)s (%(reason)s)") % words
