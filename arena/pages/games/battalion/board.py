"""The table of Battalion after a step: an army for each player, and the way an attack took across the front."""

from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from arena.pages.games.battalion.army import (
    DEAD,
    UNDER_ATTACK,
    WOUNDED,
    Army,
    Mark,
    Sight,
    draw_ground,
    lay_cells,
    lay_guard,
    list_facts,
    list_piles,
)
from arena.pages.games.battalion.cards import legend, name_seat, token
from arena.pages.games.battalion.deployment import deployed_so_far
from arena.pages.matches.replay import PUBLIC, Scene
from engine.core import Json
from engine.games.battalion.formations import FORMATIONS, index_of

SKY = 60
"""Height of the band over the armies in which attacks fly, and the width of an army there is 100."""
NAMES = {formation.rows: formation.name for formation in FORMATIONS}
"""Of the library, by half-columns."""
COLUMNS = {2: 2, 3: 3, 4: 2}
"""Armies side by side, by number of players."""


@dataclass(frozen=True, slots=True)
class Arc:
    """An attack from one army to another beside it, as path data over their row."""

    path: str
    seat: int
    width: int


@dataclass(frozen=True, slots=True)
class Row:
    """Armies side by side."""

    armies: list[Army]
    arc: Arc | None


@dataclass(frozen=True, slots=True)
class Board:
    rows: list[Row]
    players: int
    suits: SafeString
    state: list[str]
    """Round, and how near the leg is to its end, in words."""


def draw(scene: Scene) -> Board:
    seats = range(len(scene.after))
    attack = next((proof for proof in scene.proofs if "attacker" in proof), None)
    views = [find_view(scene, seat) for seat in seats]
    sights = [see(scene, seat, view, attack) for seat, view in enumerate(views)]
    armies = [draw_army(scene, sight, view, attack) for sight, view in zip(sights, views, strict=True)]
    columns = COLUMNS[len(seats)]
    rows = [armies[start : start + columns] for start in range(0, len(seats), columns)]
    return Board(
        rows=[Row(row, draw_arc(row, sights, attack)) for row in rows],
        players=len(seats),
        suits=legend(len(seats)),
        state=tell_state(scene),
    )


def find_view(scene: Scene, seat: int) -> Json:
    """What the onlooker may see of a seat, with what it was told of its deployment."""
    view = view_of(scene.after, scene, seat)
    return view if view["rows"] or view["out"] else deployed_so_far(scene, seat, view)


def see(scene: Scene, seat: int, view: Json, attack: Json | None) -> Sight:
    fall = next((event for event in scene.step.events if event.get("event") == "out" and event["seat"] == seat), None)
    is_fallen = fall is not None
    cards = fall["cards"] if fall is not None else view
    return Sight(
        seat=seat,
        rows=lay_cells(cards["rows"]),
        guard=lay_guard(cards["guard"]),
        marks=tuple(mark_cells(seat, attack).items()) if attack else (),
        arrived=find_arrived(scene, seat),
        walked=walk_of(seat, attack),
        walker=attack["attacker"]["seat"] if attack else None,
        is_fallen=is_fallen,
    )


def view_of(views: list[Json], scene: Scene, seat: int) -> Json:
    """The part of the views about `seat`: as it sees itself where all is open, else as the onlooker or another seat."""
    if scene.onlooker is None:
        eyes = seat
    elif scene.onlooker == PUBLIC:
        eyes = (seat + 1) % len(views)
    else:
        eyes = scene.onlooker
    part: Json = views[eyes]["seats"][seat]
    return part


def find_arrived(scene: Scene, seat: int) -> frozenset[str]:
    """Cells that a card of the seat entered in this step."""
    cells = set()
    for event in scene.step.events:
        verb, *words = event.get("action", "").split(" ")
        if event["seat"] == seat and verb in ("move", "reinforce"):
            cells.add(words[1])
    return frozenset(cells)


def mark_cells(seat: int, attack: Json) -> dict[str, Mark]:
    """What the attack did at cells of this seat."""
    marks: dict[str, Mark] = {}
    path = attack["path"] or []
    for number, place in enumerate(path):
        owner, cell = split(place)
        if owner == seat:
            marks[cell] = Mark(number or None, place == attack["skipped"])
    for side in (attack["attacker"], attack["target"]):
        if side["seat"] == seat:
            known = marks.get(side["cell"], Mark())
            fate = fate_of(seat, side["card"], attack)
            left = side["card"] if fate else ""
            marks[side["cell"]] = Mark(known.number, left=left, fate=fate, is_end=True)
    return marks


def fate_of(seat: int, card: str | None, attack: Json) -> str:
    fallen = {"seat": seat, "card": card}
    return DEAD if fallen in attack["dead"] else WOUNDED if fallen in attack["wounded"] else ""


def split(place: str) -> tuple[int, str]:
    """Seat and cell of "1:2b"."""
    seat, cell = place.split(":")
    return int(seat), cell


def walk_of(seat: int, attack: Json | None) -> tuple[str, ...]:
    """The cells of this seat on the attack's path, in order."""
    places = [split(place) for place in attack["path"] or []] if attack else []
    return tuple(cell for owner, cell in places if owner == seat)


def draw_army(scene: Scene, sight: Sight, view: Json, attack: Json | None) -> Army:
    seat = sight.seat
    is_out = view["out"]
    chip, kind = tell_part(scene, seat, attack, is_out)
    is_target = attack is not None and attack["target"]["seat"] == seat and bool(sight.walked)
    return Army(
        seat=seat,
        name=name_seat(seat),
        ground=draw_ground(sight, get_language()),
        absence=tell_absence(scene, seat, is_out),
        piles=[] if is_out else list_piles(seat, view),
        facts=list_facts(view, is_out),
        chip=chip,
        chip_kind=kind,
        is_out=is_out,
        shape=name_shape(sight.columns),
        entry=sight.layout.spots[sight.walked[0]] if is_target else None,
        raider=token(attack["attacker"]["seat"], attack["attacker"]["card"]) if is_target and attack else "",
    )


def name_shape(rows: list[list[int]]) -> str:
    """The index of a formation, and its name where the library has it; empty where nothing is laid out."""
    if not rows:
        return ""
    name = NAMES.get(tuple(tuple(row) for row in rows))
    index = index_of([len(row) for row in rows])
    return f"{_(name)} {index}" if name else index


def tell_part(scene: Scene, seat: int, attack: Json | None, is_out: bool) -> tuple[str, str]:
    """What a seat does or suffers in this step, and how its chip looks."""
    if is_out:
        return _("out"), "bad"
    if scene.is_over:
        return tell_place(scene.result["places"], seat), "good" if scene.result["places"][seat] == 1 else "plain"
    if attack and attack["target"]["seat"] == seat:
        return _("under attack"), UNDER_ATTACK
    if attack and attack["attacker"]["seat"] == seat:
        return _("attacks"), "info"
    return (_("at turn"), "info") if scene.step.seat == seat else ("", "")


def tell_place(places: list[int], seat: int) -> str:
    words = {"place": places[seat]}
    return (_("shared place %(place)s") if places.count(places[seat]) > 1 else _("place %(place)s")) % words


def tell_absence(scene: Scene, seat: int, is_out: bool) -> str:
    if is_out and scene.result is None:
        return _("The emperor is dead.")
    if is_out:
        place = tell_place(scene.result["places"], seat)
        return _("The emperor is dead: %(place)s.") % {"place": place}
    has_deployed = any(entry.seat == seat for step in scene.steps[: scene.number + 1] for entry in step.entries)
    return _("Deployed, and hidden until all have.") if has_deployed else _("Not yet deployed.")


def draw_arc(row: list[Army], sights: list[Sight], attack: Json | None) -> Arc | None:
    """From the last own cell to the first one of the other army, where both armies are in this row."""
    if attack is None or not attack["path"]:
        return None
    seats = [army.seat for army in row]
    attacker, target = attack["attacker"]["seat"], attack["target"]["seat"]
    if attacker not in seats or target not in seats:
        return None
    start = across(sights[attacker], -1, seats.index(attacker))
    end = across(sights[target], 0, seats.index(target))
    return Arc(f"M{start} {SKY}C{start} 8 {end} 8 {end} {SKY}", attacker, 100 * len(row))


def across(sight: Sight, place: int, column: int) -> int:
    """Where in the row of armies one of the walked cells is, from left to right."""
    layout = sight.layout
    return round(100 * (column + layout.spots[sight.walked[place]].x / layout.tracks))


def tell_state(scene: Scene) -> list[str]:
    view, options = scene.after[0], scene.options
    if not view["round"]:
        return [_("Deployment"), _("nobody sees another's formation before all have deployed")]
    quiet = view["quiet"]
    words = {**options, "round": view["round"], "quiet": quiet}
    rounds = ngettext(
        "%(quiet)s whole round without a death (the leg ends after %(quiet_rounds)s)",
        "%(quiet)s whole rounds without a death (the leg ends after %(quiet_rounds)s)",
        quiet,
    )
    return [_("Round %(round)s of at most %(round_limit)s") % words, rounds % words]
