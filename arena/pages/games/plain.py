"""A game without a presentation of its own: its actions as they stand, and what each seat sees as data."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from arena.pages.games.presentation import Line, Presentation, describe_fault
from arena.pages.matches.replay import Scene
from engine.core import Json


def name_seat(seat: int) -> str:
    """Return the name of a seat, counted from 1."""
    return _("Seat %(number)s") % {"number": seat + 1}


def describe_events(events: Sequence[Json]) -> list[Line]:
    """Return one line for each action."""
    return [describe_action(event) for event in events if "action" in event]


def describe_action(event: Json) -> Line:
    """Return the action as it stands, or the fault that ended it."""
    seat = name_seat(event["seat"])
    if event["action"] == "forfeit":
        return Line(describe_fault(seat, event.get("verdict") or event["reason"]), is_weighty=True)
    return Line(_("%(seat)s: %(action)s") % {"seat": seat, "action": event["action"]})


def build_board(scene: Scene) -> Any:
    """Return the views of the seats that the onlooker may see."""
    seats = [seat for seat in range(len(scene.after)) if scene.sees(seat)]
    return [{"seat": seat, "name": name_seat(seat), "view": json.dumps(scene.after[seat], indent=1)} for seat in seats]


def build_proof(scene: Scene, explanation: Json) -> Any:
    """Return the explanation as data."""
    return json.dumps(explanation, indent=1)


def describe_ending(scene: Scene) -> str:
    """Return who came first, and the reason the game gives."""
    result = scene.final_result
    first = [name_seat(seat) for seat, place in enumerate(result["places"]) if place == 1]
    return _("First: %(seats)s (%(reason)s)") % {"seats": ", ".join(first), "reason": result["reason"]}


PRESENTATION = Presentation(
    folder="plain",
    name_seat=name_seat,
    describe_events=describe_events,
    build_board=build_board,
    build_proof=build_proof,
    describe_ending=describe_ending,
)
