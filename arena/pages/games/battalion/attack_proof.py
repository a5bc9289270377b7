"""An attack for people: the way cell by cell, both values, what happened, and the rulings it went by.

Reads what `State.explain` of the game says of an attack.
"""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.messages import render_message
from arena.pages.games.battalion.board import split_cell_address
from arena.pages.games.battalion.cards import build_card_part, find_face, name_seat
from arena.pages.games.battalion.descriptions import name_cell
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Part, Sentence, format_sentence
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.message import Message


@dataclass(frozen=True, slots=True)
class Side:
    """The attacker or the target."""

    seat: int
    name: str
    face: Face | None
    """None for an empty guard cell."""
    cell: str
    sum: str
    """How its value comes about: "10 + 1 = 11"; empty where values are not compared."""


@dataclass(frozen=True, slots=True)
class PathCell:
    """One cell of the path."""

    seat: int
    text: Sentence


@dataclass(frozen=True, slots=True)
class AttackProof:
    """The explanation of an attack, for `proof.html`."""

    title: str
    lead: str
    sides: list[Side]
    path: list[PathCell]
    outcome: list[Sentence | str]
    rulings: list[str]
    rules_url: str


def build_proof(scene: Scene, explanation: Json) -> AttackProof:
    """Return how an attack of the scene shown went, or why the rules forbid it."""
    if "refused" in explanation:
        return build_refusal(scene, explanation)
    attacker, target = explanation["attacker"], explanation["target"]
    values = explanation["values"] or [None, None]
    words = {"seat": name_seat(attacker["seat"]), "other": name_seat(target["seat"])}
    return AttackProof(
        title=_("How %(seat)s attacks %(other)s") % words,
        lead=describe_lead(explanation),
        sides=[build_side(side, value) for side, value in zip((attacker, target), values, strict=True)],
        path=list_path_cells(explanation),
        outcome=describe_outcome(explanation),
        rulings=explanation["rulings"],
        rules_url=reverse("rules", args=["battalion", scene.edition]),
    )


def build_refusal(scene: Scene, explanation: Json) -> AttackProof:
    """Return the engine's own sentence on an attack that the rules forbid, and the rulings it names."""
    return AttackProof(
        title=_("Why %(seat)s may not attack so") % {"seat": name_seat(scene.step.seat or 0)},
        lead="",
        sides=[],
        path=[],
        outcome=[render_message(Message.from_json(explanation["refused"]))],
        rulings=explanation["rulings"],
        rules_url=reverse("rules", args=["battalion", scene.edition]),
    )


def build_side(side: Json, value: Json | None) -> Side:
    """Return the attacker or the target."""
    seat, card = side["seat"], side["card"]
    return Side(
        seat=seat,
        name=name_seat(seat),
        face=replace(find_face(seat, card), key="") if card else None,
        cell=name_cell(side["cell"]),
        sum=describe_value(value) if value else "",
    )


def describe_value(value: Json) -> str:
    """Return how the value of a card comes about."""
    change = value["modification"]
    if not change:
        return str(value["value"])
    sign = "+" if change > 0 else "−"
    return f"{value['printed']} {sign} {abs(change)} = {value['value']}"


def describe_lead(explanation: Json) -> str:
    """Return what decides, in one sentence."""
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


def list_path_cells(explanation: Json) -> list[PathCell]:
    """Return the cells of the path after the attacker's own."""
    path = explanation["path"]
    return [describe_path_cell(explanation, path, number) for number in range(1, len(path))] if path else []


def describe_path_cell(explanation: Json, path: list[str], number: int) -> PathCell:
    """Return one step of the path, and what is found there."""
    seat, cell = split_cell_address(path[number])
    before, _cell = split_cell_address(path[number - 1])
    template = _("across the front to {cell} of {seat}") if before != seat else _("on to {cell}")
    step = format_sentence(template, seat=name_seat(seat), cell=name_cell(cell))
    if path[number] == explanation["skipped"]:
        found = Part(describe_skip(explanation))
    elif number < len(path) - 1:
        found = Part(_("empty"))
    else:
        found = describe_goal(explanation)
    return PathCell(seat, format_sentence("{step}: {found}", step=step, found=found))


def describe_skip(explanation: Json) -> str:
    """Return what is said of an own card that is skipped."""
    if explanation["attacker"]["card"] == "Q":
        return _("occupied, and skipped, so the Queen counts 8")
    return _("occupied, and skipped")


def describe_goal(explanation: Json) -> Part:
    """Return the card at the end of the path."""
    target = explanation["target"]
    return build_card_part(target["seat"], target["card"]) if target["card"] else Part(_("empty, and the goal"))


def describe_outcome(explanation: Json) -> list[Sentence | str]:
    """Return what became of the cards, and of the emperor."""
    dead, wounded = (
        [build_card_part(one["seat"], one["card"]) for one in explanation[name]] for name in ("dead", "wounded")
    )
    lines: list[Sentence | str] = [format_sentence(_("{card} dies."), card=card) for card in dead]
    lines += [format_sentence(_("{card} is wounded."), card=card) for card in wounded]
    if explanation["stays"]:
        seat, cell = split_cell_address(explanation["stays"])
        sides = (explanation["attacker"], explanation["target"])
        card = next(side["card"] for side in sides if side["seat"] == seat and side["cell"] == cell)
        lines.append(
            format_sentence(_("{card} stays in the guard cell, shown to all."), card=build_card_part(seat, card))
        )
    if explanation["result"] == "look":
        lines.append(format_sentence(_("{card} is shown to all."), card=describe_goal(explanation)))
    if explanation["out"] is not None:
        lines.append(format_sentence(_("The emperor of {seat} is dead."), seat=name_seat(explanation["out"])))
    return lines
