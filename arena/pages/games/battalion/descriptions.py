"""Battalion in sentences: who deployed, moved, attacked whom and with what, and how it ended."""

from collections.abc import Callable, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from arena.pages.games.battalion.army import format_modification
from arena.pages.games.battalion.cards import HIDDEN_CARD, build_card_part, name_seat
from arena.pages.games.presentation import Line, describe_fault
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battalion.formations import find_named, format_formation_index

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
    return Line(format_for_seat(_("{seat} takes up its wounded"), event))


def describe_pass(event: Json) -> Line:
    """Describe a pass."""
    return Line(format_for_seat(_("{seat} passes"), event))


def describe_reinforcement(event: Json) -> Line:
    """Describe a card that comes from the hand into the formation."""
    _verb, card, cell = event["action"].split(" ")
    shown = _("a card") if card == HIDDEN_CARD else build_card_part(event["seat"], card)
    template = _("{seat} brings {card} in as guard") if cell == GUARD_CELL else _("{seat} brings {card} in to {cell}")
    return Line(format_for_seat(template, event, card=shown, cell=cell))


def describe_roll(event: Json) -> Line:
    """Describe a roll of the die."""
    roll = event["roll"]
    template = _("{seat} rolls {roll}: {value} in combat")
    return Line(format_for_seat(template, event, roll=roll, value=format_modification(roll - 3)))


def describe_reforming(event: Json) -> Line:
    """Describe how the rows are closed up, and which card is taken into the hand."""
    rows, *rest = event["action"].split(" ")[1:]
    card = rest[0].removeprefix("hand=") if rest else ""
    shown = _("a card") if card == HIDDEN_CARD else build_card_part(event["seat"], card) if card else ""
    template = _("{seat} reforms to {index} and takes {card} into the hand") if card else _("{seat} reforms to {index}")
    return Line(format_for_seat(template, event, index=format_row_lengths(rows), card=shown))


ATTACK_TEMPLATES = {
    "wins": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} beats {target}"),
    "loses": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} falls to {target}"),
    "tie": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} and {target} both fall"),
    "strike": gettext_lazy("{seat} strikes {other} at {cell}: {attacker} and {target} both fall"),
    "look": gettext_lazy("{seat} looks at {other}, {cell}: {attacker} uncovers {target}"),
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
    return Line(format_for_seat(_("The emperor of {seat} is dead: {seat} is out"), event), is_weighty=True)


DESCRIBERS: dict[str, Callable[[Json], Line]] = {
    "deploy": describe_deployment,
    "pickup": describe_pickup,
    "pass": describe_pass,
    "attack": describe_attack,
    "reinforce": describe_reinforcement,
    "modify": describe_roll,
    "reform": describe_reforming,
    "forfeit": describe_forfeit,
}
"""By the first word of an action; moves are described together."""


ENDING_LABELS = {
    "last-standing": gettext_lazy("last emperor alive"),
    "quiet": gettext_lazy("rounds without a death"),
    "limit": gettext_lazy("last round over"),
}
"""By reason for which a leg ends."""


def describe_ending(scene: Scene) -> str:
    """Return how the leg ended, as one sentence without its stop."""
    result, options = scene.final_result, scene.options
    first = [seat for seat, place in enumerate(result["places"]) if place == 1]
    endings = {
        ("last-standing", False): _("%(seats)s wins: the last emperor alive"),
        ("quiet", False): _("%(seats)s is first by kills: %(quiet_rounds)s rounds without a death"),
        ("quiet", True): _("%(seats)s share the first place: %(quiet_rounds)s rounds without a death"),
        ("limit", False): _("%(seats)s is first by kills: round %(round_limit)s is over"),
        ("limit", True): _("%(seats)s share the first place: round %(round_limit)s is over"),
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
