"""Battalion in words: events in sentences, an attack explained cell by cell, and the content of the rules page."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils.translation import get_language

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, pgettext, render_message
from arena.pages.games.battalion.board import (
    CARD_NAMES_HIGH_TO_LOW,
    HIDDEN_CARD,
    SUITS_BY_SEAT,
    Army,
    BattalionBoard,
    FormationView,
    Ground,
    build_board,
    build_card_part,
    build_ground,
    find_face,
    format_modification,
    name_seat,
    read_deployment,
    read_guard,
    read_rows,
    split_cell_address,
)
from arena.pages.games.cards import Face
from arena.pages.games.presentation import Line, describe_fault
from arena.pages.games.sentence import Part, Sentence, format_sentence
from arena.pages.matches.replay import Scene, play_to
from engine.core import Json
from engine.games.battalion.formations import FORMATIONS, Formation, find_named, format_formation_index
from engine.message import Message
from engine.registry import find_game

# Battalion in sentences: who deployed, moved, attacked whom and with what, and how it ended.

GUARD_CELL = "g"


def describe_events(events: Sequence[Json]) -> list[Line]:
    """Return one line for each event; cards moved one after the other share one."""
    lines: list[Line] = []
    moved: list[Json] = []
    for event in events:
        verb = event.get("action", "").split(" ")[0]
        if verb == "move":
            moved.append(event)
            continue
        lines += describe_moves(moved)
        moved = []
        if event.get("event") == "out":
            lines.append(describe_elimination(event))
        elif verb in DESCRIBERS:
            lines.append(DESCRIBERS[verb](event))
    return lines + describe_moves(moved)


def format_for_seat(template: str, event: Json, **values: object) -> Sentence:
    """Return a sentence about the seat of an event."""
    return format_sentence(template, seat=name_seat(event["seat"]), **values)


def describe_moves(moved: Sequence[Json]) -> list[Line]:
    """Describe the cards that a seat moved, as one line; none where nothing moved."""
    if not moved:
        return []
    moves = ", ".join(describe_move(event) for event in moved)
    return [Line(format_for_seat(_("{seat} moves {ways}"), moved[0], ways=moves))]


def describe_move(event: Json) -> str:
    """Return from which cell to which a card moved."""
    _verb, start, end = event["action"].split(" ")
    return _("{start} to {end}").format(start=name_cell(start), end=name_cell(end))


def name_cell(cell: str) -> str:
    """Return the name of a cell within a sentence."""
    return _("the guard") if cell == GUARD_CELL else cell


def describe_deployment(event: Json) -> Line:
    """Describe the shape of a deployment, by its name where the library has it."""
    shape = event["action"].split(" ")[1]
    index, named = format_row_lengths(shape), find_named(read_columns(shape))
    if named is None:
        return Line(format_for_seat(_("{seat} deploys {index}"), event, index=index))
    name = pgettext("named formation", named.name)
    return Line(format_for_seat(_("{seat} deploys as {name}, {index}"), event, name=name, index=index))


def read_columns(rows: str) -> list[list[int]]:
    """Return the half-columns of rows as an action writes them, whether their cards are hidden or not."""
    return [[int(cell.partition("=")[0]) for cell in row.split(",")] for row in rows.split("/")]


def format_row_lengths(rows: str) -> str:
    """Return the index of rows as an action writes them."""
    return format_formation_index([len(row) for row in read_columns(rows)])


def describe_pickup(event: Json) -> Line:
    """Describe how the wounded come back to the hand."""
    return Line(format_for_seat(_("{seat} recovers its wounded"), event))


def describe_pass(event: Json) -> Line:
    """Describe a pass."""
    return Line(format_for_seat(_("{seat} passes"), event))


def describe_reinforcement(event: Json) -> Line:
    """Describe a card that comes from the hand into the formation."""
    _verb, card, cell = event["action"].split(" ")
    shown = _("a card") if card == HIDDEN_CARD else build_card_part(event["seat"], card)
    template = _("{seat} brings {card} in as guard") if cell == GUARD_CELL else _("{seat} brings {card} into {cell}")
    return Line(format_for_seat(template, event, card=shown, cell=cell))


def describe_die_roll(event: Json) -> Line:
    """Describe a roll of the die."""
    roll = event["roll"]
    template = _("{seat} rolls {roll}: {value} in combat")
    return Line(format_for_seat(template, event, roll=roll, value=format_modification(roll - 3)))


def describe_reforming(event: Json) -> Line:
    """Describe how the rows are closed up, and which card is taken into the hand."""
    rows, *rest = event["action"].split(" ")[1:]
    card = rest[0].removeprefix("hand=") if rest else ""
    shown = _("a card") if card == HIDDEN_CARD else build_card_part(event["seat"], card) if card else ""
    template = _("{seat} reforms to {index} and takes {card} into hand") if card else _("{seat} reforms to {index}")
    return Line(format_for_seat(template, event, index=format_row_lengths(rows), card=shown))


ATTACK_TEMPLATES = {
    "wins": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} beats {target}"),
    "loses": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} falls to {target}"),
    "tie": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} and {target} both fall"),
    "strike": gettext_lazy("{seat} strikes {other} at {cell}: {attacker} and {target} both fall"),
    "look": gettext_lazy("{seat} looks at {other}, {cell}: {attacker} reveals {target}"),
    "emperor": gettext_lazy("{seat} attacks {other}: {attacker} finds the guard cell empty"),
}
"""By the result of an attack."""


def describe_attack(event: Json) -> Line:
    """Describe an attack and its result."""
    other, cell = event["action"].split(" ")[2].split(":")
    target = event.get("target")
    sentence = format_for_seat(
        str(ATTACK_TEMPLATES[event["result"]]),
        event,
        other=name_seat(int(other)),
        cell=name_cell(cell),
        attacker=build_card_part(event["seat"], event["attacker"]),
        target=build_card_part(int(other), target) if target else "",
    )
    return Line(sentence, is_weighty=event["result"] != "look")


def describe_forfeit(event: Json) -> Line:
    """Describe the fault by which a seat went out."""
    return Line(describe_fault(name_seat(event["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)


def describe_elimination(event: Json) -> Line:
    """Describe the death of an emperor."""
    return Line(format_for_seat(_("{seat} is out: its emperor is dead"), event), is_weighty=True)


DESCRIBERS: dict[str, Callable[[Json], Line]] = {
    "deploy": describe_deployment,
    "pickup": describe_pickup,
    "pass": describe_pass,
    "attack": describe_attack,
    "reinforce": describe_reinforcement,
    "modify": describe_die_roll,
    "reform": describe_reforming,
    "forfeit": describe_forfeit,
}
"""By the first word of an action; moves are described together."""


ENDING_LABELS = {
    "last-standing": gettext_lazy("last emperor alive"),
    "quiet": gettext_lazy("rounds without a death"),
    "limit": gettext_lazy("round limit reached"),
}
"""By reason for which a leg ends."""


def describe_ending(scene: Scene) -> str:
    """Return how the leg ended, as one sentence without its stop."""
    result, options = scene.final_result, scene.options
    first = [seat for seat, place in enumerate(result["places"]) if place == 1]
    endings = {
        ("last-standing", False): _("%(seats)s wins: the last emperor alive"),
        ("quiet", False): _("%(seats)s wins on kills: %(quiet_rounds)s rounds without a death"),
        ("quiet", True): _("%(seats)s share first place: %(quiet_rounds)s rounds without a death"),
        ("limit", False): _("%(seats)s wins on kills after round %(round_limit)s"),
        ("limit", True): _("%(seats)s share first place after round %(round_limit)s"),
    }
    values = {**options, "seats": join_names(first)}
    ending = endings.get((result["reason"], len(first) > 1))
    if ending is not None:
        return ending % values
    fault = describe_fault(name_seat(1 - first[0]), result["reason"])
    return _("%(seats)s wins: %(fault)s") % {**values, "fault": fault}


def join_names(seats: Sequence[int]) -> str:
    """Return the names of seats, the last one after an "and"."""
    *most, last = [name_seat(seat) for seat in seats]
    return _("%(seats)s and %(last)s") % {"seats": ", ".join(most), "last": last} if most else last


# An attack for people: the way cell by cell, both values, what happened, and the rulings it went by.
#
# Reads what `State.explain` of the game says of an attack.


@dataclass(frozen=True, slots=True)
class ProofSide:
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
    sides: list[ProofSide]
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
        title=_("Why %(seat)s can't make this attack") % {"seat": name_seat(scene.step.seat or 0)},
        lead="",
        sides=[],
        path=[],
        outcome=[render_message(Message.from_json(explanation["refused"]))],
        rulings=explanation["rulings"],
        rules_url=reverse("rules", args=["battalion", scene.edition]),
    )


def build_side(side: Json, value: Json | None) -> ProofSide:
    """Return the attacker or the target."""
    seat, card = side["seat"], side["card"]
    return ProofSide(
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
        "strike": _("A King strikes without a path and dies with its target."),
        "look": _("A Jack only looks: no card dies, and the card it finds is revealed."),
        "emperor": _("The guard cell is empty, so nothing protects the emperor."),
    }
    if explanation["result"] in by_result:
        return by_result[explanation["result"]]
    by_target = {
        "K": _("An attacked King takes its attacker with it."),
        "J": _("An attacked Jack always dies."),
    }
    return by_target.get(explanation["target"]["card"], _("The higher value wins; if equal, both die."))


def list_path_cells(explanation: Json) -> list[PathCell]:
    """Return the cells of the path after the attacker's own."""
    path = explanation["path"]
    return [describe_path_cell(explanation, path, number) for number in range(1, len(path))] if path else []


def describe_path_cell(explanation: Json, path: list[str], number: int) -> PathCell:
    """Return one step of the path, and what is found there."""
    seat, cell = split_cell_address(path[number])
    before, _cell = split_cell_address(path[number - 1])
    template = _("across the front to {seat}'s {cell}") if before != seat else _("on to {cell}")
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
        return _("occupied and skipped, so the Queen counts 8")
    return _("occupied and skipped")


def describe_goal(explanation: Json) -> Part:
    """Return the card at the end of the path."""
    target = explanation["target"]
    return build_card_part(target["seat"], target["card"]) if target["card"] else Part(_("empty, and the target"))


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
        lines.append(format_sentence(_("{card} stays in the guard cell, revealed."), card=build_card_part(seat, card)))
    if explanation["result"] == "look":
        lines.append(format_sentence(_("{card} is revealed."), card=describe_goal(explanation)))
    if explanation["out"] is not None:
        lines.append(format_sentence(_("{seat}'s emperor is dead."), seat=name_seat(explanation["out"])))
    return lines


# The content of the rules page. Its examples are short plays by the engine, which guarantees their results.

GAME_TITLE = "Battalion"
GAME_SUMMARY = gettext_lazy(
    "Two to four players, thirteen cards each, no luck apart from one die. Lose your guard and your emperor "
    "falls; the last emperor alive wins."
)
RULE_PART_TITLES = {
    "aim": gettext_lazy("Goal"),
    "deployment": gettext_lazy("Deployment"),
    "turn": gettext_lazy("The turn"),
    "attacks": gettext_lazy("Attacks"),
    "die": gettext_lazy("The die"),
    "reforming": gettext_lazy("Reforming"),
    "end": gettext_lazy("Game end"),
    "library": gettext_lazy("Named formations"),
    "bots": gettext_lazy("For bot authors"),
    "credits": gettext_lazy("Credits"),
}
"""Titles by name of a part's template."""
EXAMPLE_DICE_ROLLS = [5] * 200
"""Of the examples; none of them rolls."""
EXAMPLE_OPENING_ACTIONS = [
    "deploy 0=10,2=9/0=A,2=Q guard=8",
    "deploy 0=7,2=9/0=5,2=J guard=4",
    "attack 1a 1:1a",
    "pass",
]
EXAMPLE_ACTIONS_BY_NAME = {
    "path": [*EXAMPLE_OPENING_ACTIONS, "attack 2a 1:2a"],
    "skip": [*EXAMPLE_OPENING_ACTIONS, "attack 2b 1:2a"],
}
"""By name of an example: the actions of the play, the last one being the one shown."""


@dataclass(frozen=True, slots=True)
class BattalionEdition:
    """An edition in the list of all of them."""

    key: str
    title: str
    brief: str


@dataclass(frozen=True, slots=True)
class NamedFormation:
    """A formation of the library."""

    name: str
    index: str
    ground: Ground | None
    action: str


@dataclass(frozen=True, slots=True)
class PlayedExample:
    """A short play, shown after its last action."""

    board: BattalionBoard
    proofs: list[AttackProof]


def build_rules(edition: str) -> dict[str, Any]:
    """Return everything the templates of the rules ask for."""
    game = find_game("battalion")
    options = game.options(edition)
    editions = [BattalionEdition(key, _(title), str(GAME_SUMMARY)) for key, title in game.editions.items()]
    return {
        "edition": next(one for one in editions if one.key == edition),
        "editions": editions,
        "parts": {part: str(title) for part, title in RULE_PART_TITLES.items()},
        "options": options,
        "wire_options": [(name, json.dumps(value)) for name, value in options.items()],
        "suits": [(find_face(seat, "A"), name_seat(seat), seat) for seat in range(len(SUITS_BY_SEAT))],
        "deck": [find_face(0, card) for card in CARD_NAMES_HIGH_TO_LOW],
        "library": [build_named_formation(formation) for formation in FORMATIONS],
        "example": {name: play_example(edition, options, actions) for name, actions in EXAMPLE_ACTIONS_BY_NAME.items()},
    }


def build_named_formation(formation: Formation) -> NamedFormation:
    """Return a formation of the library as it is drawn."""
    name = pgettext("named formation", formation.name)
    return NamedFormation(name, formation.index, draw_deployment(formation.action), formation.action)


def draw_deployment(action: str) -> Ground | None:
    """Return the drawing of a legal `deploy` action, with its cards."""
    rows, guard = read_deployment(action)
    seen = FormationView(seat=0, rows=read_rows(rows), guard=read_guard(guard))
    return build_ground(seen, get_language())


def draw_first_formation() -> Ground | None:
    """Return the drawing of the first formation of the library, as a picture of the game."""
    return draw_deployment(FORMATIONS[0].action)


def play_example(edition: str, options: dict[str, Any], actions: list[str]) -> PlayedExample:
    """Return what the replay page shows of the last of these actions, taken by two players in turn."""
    record = {
        "game": "battalion",
        "edition": edition,
        "options": options,
        "seats": [{}, {}],
        "deal": {"dice": EXAMPLE_DICE_ROLLS},
        "actions": [{"seat": number % 2, "action": action} for number, action in enumerate(actions)],
        "result": {"places": [1, 1], "scores": [0.5, 0.5], "reason": "", "verdicts": ["ok", "ok"]},
    }
    scene = play_to(record, len(actions))
    return PlayedExample(
        strip_facts_from_board(build_board(scene)), [build_proof(scene, proof) for proof in scene.proofs]
    )


def strip_facts_from_board(board: BattalionBoard) -> BattalionBoard:
    """Return a board with nothing but the formations."""
    return replace(board, armies=[strip_piles_from_army(army) for army in board.armies], state=[])


def strip_piles_from_army(army: Army) -> Army:
    """Return an army with nothing but its formation."""
    return replace(army, piles=[], facts=[], chip="", shape="")
