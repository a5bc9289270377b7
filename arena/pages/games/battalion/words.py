"""Battalion in sentences: who deployed, moved, attacked whom and with what, and how it ended."""

from collections.abc import Callable, Sequence

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.battalion.army import signed
from arena.pages.games.battalion.cards import HIDDEN, name_seat, token
from arena.pages.games.picture import Line, tell_verdict
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.games.battalion.formations import index_of

GUARD = "g"


def say(events: Sequence[Json]) -> list[Line]:
    """One line for each event; cards moved one after the other share one."""
    lines: list[Line] = []
    moved: list[Json] = []
    for event in events:
        verb = event.get("action", "").split(" ")[0]
        if verb == "move":
            moved.append(event)
            continue
        lines += say_moves(moved)
        moved = []
        if event.get("event") == "out":
            lines.append(say_out(event))
        elif verb in VERBS:
            lines.append(VERBS[verb](event))
    return lines + say_moves(moved)


def fill(sentence: str, event: Json, **words: object) -> SafeString:
    """A translated sentence with its words put in; markup only from words that are safe."""
    return format_html(sentence, seat=name_seat(event["seat"]), **words)


def say_moves(moved: Sequence[Json]) -> list[Line]:
    if not moved:
        return []
    ways = [_("{start} to {end}").format(start=start, end=name_cell(end)) for start, end in map(ends_of, moved)]
    return [Line(fill(_("{seat} moves {ways}"), moved[0], ways=", ".join(ways)))]


def ends_of(event: Json) -> tuple[str, str]:
    _verb, start, end = event["action"].split(" ")
    return name_cell(start), end


def name_cell(cell: str) -> str:
    return _("the guard") if cell == GUARD else cell


def say_deploy(event: Json) -> Line:
    rows = event["action"].split(" ")[1]
    return Line(fill(_("{seat} deploys {index}"), event, index=read_index(rows)))


def read_index(rows: str) -> str:
    """The index of rows as an action writes them."""
    return index_of([row.count("=") for row in rows.split("/")])


def say_pickup(event: Json) -> Line:
    return Line(fill(_("{seat} takes up its wounded"), event))


def say_pass(event: Json) -> Line:
    return Line(fill(_("{seat} passes"), event))


def say_reinforce(event: Json) -> Line:
    _verb, card, cell = event["action"].split(" ")
    shown = _("a card") if card == HIDDEN else token(event["seat"], card)
    sentence = _("{seat} brings {card} in as guard") if cell == GUARD else _("{seat} brings {card} in to {cell}")
    return Line(fill(sentence, event, card=shown, cell=cell))


def say_modify(event: Json) -> Line:
    roll = event["roll"]
    return Line(fill(_("{seat} rolls {roll}: {value} in combat"), event, roll=roll, value=signed(roll - 3)))


def say_reform(event: Json) -> Line:
    rows, *rest = event["action"].split(" ")[1:]
    card = rest[0].removeprefix("hand=") if rest else ""
    shown = _("a card") if card == HIDDEN else token(event["seat"], card) if card else ""
    sentence = _("{seat} reforms to {index} and takes {card} into the hand") if card else _("{seat} reforms to {index}")
    return Line(fill(sentence, event, index=read_index(rows), card=shown))


RESULTS = {
    "wins": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} beats {target}"),
    "loses": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} falls to {target}"),
    "tie": gettext_lazy("{seat} attacks {other} at {cell}: {attacker} and {target} both fall"),
    "strike": gettext_lazy("{seat} strikes {other} at {cell}: {attacker} and {target} both fall"),
    "look": gettext_lazy("{seat} looks at {other}, {cell}: {attacker} uncovers {target}"),
    "emperor": gettext_lazy("{seat} attacks {other}: {attacker} finds the guard cell empty"),
}
"""By the result of an attack."""


def say_attack(event: Json) -> Line:
    other, cell = event["action"].split(" ")[2].split(":")
    target = event.get("target")
    text = fill(
        str(RESULTS[event["result"]]),
        event,
        other=name_seat(int(other)),
        cell=name_cell(cell),
        attacker=token(event["seat"], event["attacker"]),
        target=token(int(other), target) if target else "",
    )
    return Line(text, is_weighty=event["result"] != "look")


def say_forfeit(event: Json) -> Line:
    return Line(tell_verdict(name_seat(event["seat"]), event["verdict"]), is_weighty=True)


def say_out(event: Json) -> Line:
    return Line(fill(_("The emperor of {seat} is dead: {seat} is out"), event), is_weighty=True)


VERBS: dict[str, Callable[[Json], Line]] = {
    "deploy": say_deploy,
    "pickup": say_pickup,
    "pass": say_pass,
    "attack": say_attack,
    "reinforce": say_reinforce,
    "modify": say_modify,
    "reform": say_reform,
    "forfeit": say_forfeit,
}
"""By the first word of an action; moves are told together."""


def tell_ending(scene: Scene) -> str:
    """How the leg ended, as one sentence."""
    result, options = scene.result, scene.options
    first = seats_at(result, 1)
    endings = {
        ("last-standing", False): _("%(seats)s wins: the last emperor alive"),
        ("quiet", False): _("%(seats)s is first by kills: %(quiet_rounds)s rounds without a death"),
        ("quiet", True): _("%(seats)s share the first place: %(quiet_rounds)s rounds without a death"),
        ("limit", False): _("%(seats)s is first by kills: round %(round_limit)s is over"),
        ("limit", True): _("%(seats)s share the first place: round %(round_limit)s is over"),
    }
    words = {**options, "seats": name_seats(first)}
    ending = endings.get((result["reason"], len(first) > 1))
    if ending is not None:
        return ending % words
    loser = name_seat(1 - first[0])
    return _("%(seats)s wins: %(fault)s") % {**words, "fault": tell_verdict(loser, result["reason"])}


def seats_at(result: Json, place: int) -> list[int]:
    return [seat for seat, held in enumerate(result["places"]) if held == place]


def name_seats(seats: Sequence[int]) -> str:
    *most, last = [name_seat(seat) for seat in seats]
    return _("%(seats)s and %(last)s") % {"seats": ", ".join(most), "last": last} if most else last
