"""An attack for people: the way cell by cell, both values, what happened, and the rulings it went by.

Reads what `State.explain` of the game says of an attack.
"""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.messages import render_message
from arena.pages.games.battalion.board import split
from arena.pages.games.battalion.cards import face_of, name_seat, token
from arena.pages.games.battalion.words import name_cell
from arena.pages.games.cards import Face
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.message import Message


@dataclass(frozen=True, slots=True)
class Side:
    seat: int
    name: str
    face: Face | None
    """None for an empty guard cell."""
    cell: str
    sum: str
    """How its value comes about: "10 + 1 = 11"; empty where values are not compared."""


@dataclass(frozen=True, slots=True)
class Pace:
    """One cell of the way."""

    seat: int
    text: SafeString


@dataclass(frozen=True, slots=True)
class Attack:
    title: str
    lead: str
    sides: list[Side]
    paces: list[Pace]
    outcome: list[SafeString]
    rulings: list[str]
    rules_url: str


def prove(scene: Scene, explanation: Json) -> Attack:
    if "refused" in explanation:
        return refuse(scene, explanation)
    attacker, target = explanation["attacker"], explanation["target"]
    values = explanation["values"] or [None, None]
    words = {"seat": name_seat(attacker["seat"]), "other": name_seat(target["seat"])}
    return Attack(
        title=_("How %(seat)s attacks %(other)s") % words,
        lead=tell_lead(explanation),
        sides=[draw_side(side, value) for side, value in zip((attacker, target), values, strict=True)],
        paces=list_paces(explanation),
        outcome=tell_outcome(explanation),
        rulings=explanation["rulings"],
        rules_url=reverse("rules", args=["battalion", scene.edition]),
    )


def refuse(scene: Scene, explanation: Json) -> Attack:
    """An attack that the rules forbid: the engine's own sentence, and the rulings it names."""
    return Attack(
        title=_("Why %(seat)s may not attack so") % {"seat": name_seat(scene.step.seat or 0)},
        lead="",
        sides=[],
        paces=[],
        outcome=[format_html("{}", render_message(Message.from_json(explanation["refused"])))],
        rulings=explanation["rulings"],
        rules_url=reverse("rules", args=["battalion", scene.edition]),
    )


def draw_side(side: Json, value: Json | None) -> Side:
    seat, card = side["seat"], side["card"]
    return Side(
        seat=seat,
        name=name_seat(seat),
        face=replace(face_of(seat, card), key="") if card else None,
        cell=name_cell(side["cell"]),
        sum=tell_value(value) if value else "",
    )


def tell_value(value: Json) -> str:
    change = value["modification"]
    if not change:
        return str(value["value"])
    sign = "+" if change > 0 else "−"
    return f"{value['printed']} {sign} {abs(change)} = {value['value']}"


def tell_lead(explanation: Json) -> str:
    """What decides, in one sentence."""
    by_result = {
        "strike": _("A King strikes without a path, and dies with what it strikes."),
        "look": _("A Jack only looks: nobody dies, and what it found is shown to all."),
        "emperor": _("The guard cell is empty, so nobody stands before the emperor."),
    }
    if explanation["result"] in by_result:
        return by_result[explanation["result"]]
    by_target = {
        "K": _("A King that is attacked takes its attacker with it."),
        "J": _("A Jack that is attacked dies, whatever attacks it."),
    }
    return by_target.get(explanation["target"]["card"], _("The higher value wins; of equal ones both die."))


def list_paces(explanation: Json) -> list[Pace]:
    """The cells of the path after the attacker's own."""
    path = explanation["path"]
    return [tell_pace(explanation, path, number) for number in range(1, len(path))] if path else []


def tell_pace(explanation: Json, path: list[str], number: int) -> Pace:
    seat, cell = split(path[number])
    before, _cell = split(path[number - 1])
    words = {"seat": name_seat(seat), "cell": name_cell(cell)}
    way = _("across the front to {cell} of {seat}") if before != seat else _("on to {cell}")
    parts = [format_html(way, **words)]
    if path[number] == explanation["skipped"]:
        parts.append(format_html("{}", tell_skip(explanation)))
    elif number < len(path) - 1:
        parts.append(format_html("{}", _("empty")))
    else:
        parts.append(tell_goal(explanation))
    return Pace(seat, format_html("{}: {}", *parts))


def tell_skip(explanation: Json) -> str:
    if explanation["attacker"]["card"] == "Q":
        return _("occupied, and skipped, so the Queen counts 8")
    return _("occupied, and skipped")


def tell_goal(explanation: Json) -> SafeString:
    target = explanation["target"]
    if not target["card"]:
        return format_html("{}", _("empty, and the goal"))
    return format_html("{}", token(target["seat"], target["card"]))


def tell_outcome(explanation: Json) -> list[SafeString]:
    """What became of the cards, and of the emperor."""
    lines = [format_html(_("{card} dies."), card=token(one["seat"], one["card"])) for one in explanation["dead"]]
    lines += [
        format_html(_("{card} is wounded."), card=token(one["seat"], one["card"])) for one in explanation["wounded"]
    ]
    if explanation["stays"]:
        seat, cell = split(explanation["stays"])
        sides = (explanation["attacker"], explanation["target"])
        card = next(side["card"] for side in sides if side["seat"] == seat and side["cell"] == cell)
        lines.append(format_html(_("{card} stays in the guard cell, shown to all."), card=token(seat, card)))
    if explanation["result"] == "look":
        lines.append(format_html(_("{card} is shown to all."), card=tell_goal(explanation)))
    if explanation["out"] is not None:
        lines.append(format_html(_("The emperor of {seat} is dead."), seat=name_seat(explanation["out"])))
    return lines
