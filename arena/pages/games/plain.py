"""A game nobody has drawn yet: its actions as they stand, and what each seat sees as data."""

import json
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _

from arena.pages.games.picture import Line, Picture, tell_verdict
from arena.pages.matches.replay import Scene
from engine.core import Json


def name_seat(seat: int) -> str:
    return _("Seat %(number)s") % {"number": seat + 1}


def say(events: Sequence[Json]) -> list[Line]:
    return [say_action(event) for event in events if "action" in event]


def say_action(event: Json) -> Line:
    seat = name_seat(event["seat"])
    if event["action"] == "forfeit":
        return Line(tell_verdict(seat, event["verdict"]), is_weighty=True)
    return Line(_("%(seat)s: %(action)s") % {"seat": seat, "action": event["action"]})


def draw(scene: Scene) -> Any:
    seats = [seat for seat in range(len(scene.after)) if scene.sees(seat)]
    return [{"seat": seat, "name": name_seat(seat), "view": json.dumps(scene.after[seat], indent=1)} for seat in seats]


def prove(scene: Scene, explanation: Json) -> Any:
    return json.dumps(explanation, indent=1)


def tell_ending(scene: Scene) -> str:
    result = scene.result
    first = [name_seat(seat) for seat, place in enumerate(result["places"]) if place == 1]
    return _("First: %(seats)s (%(reason)s)") % {"seats": ", ".join(first), "reason": result["reason"]}


PICTURE = Picture(folder="plain", name_seat=name_seat, say=say, draw=draw, prove=prove, tell_ending=tell_ending)
