"""The table of Battalion after a step: an army for each player, and the way an attack took across the front."""

from dataclasses import dataclass, replace

from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from arena.pages.games.battalion.army import (
    DEAD,
    SIDES,
    SMALL,
    UNDER_ATTACK_TONE,
    WOUNDED,
    Army,
    FormationView,
    Mark,
    build_ground,
    list_facts,
    list_piles,
    read_guard,
    read_rows,
)
from arena.pages.games.battalion.cards import SUITS_BY_SEAT, build_card_part, name_seat
from arena.pages.games.battalion.deployment import add_deployment
from arena.pages.games.cards import Suit
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene
from engine.core import Json
from engine.games.battalion.formations import find_named, format_formation_index

ARC_HEIGHT, ARMY_WIDTH = 60, 100
"""Of the band above the armies in which the arcs of attacks are drawn."""


@dataclass(frozen=True, slots=True)
class Arc:
    """An attack from one army to the other beside it, as path data over both."""

    path: str
    seat: int
    width: int = 2 * ARMY_WIDTH


@dataclass(frozen=True, slots=True)
class Board:
    """The table, for `board.html`."""

    armies: list[Army]
    """By seat; two of them are drawn in full, side by side, and the others small."""
    arc: Arc | None
    suits: tuple[Suit, ...]
    state: list[str]
    """Round, and how near the leg is to its end, in words."""


def build_board(scene: Scene) -> Board:
    """Return the table as the scene's onlooker sees it."""
    seats = range(len(scene.after))
    attack = next((proof for proof in scene.proofs if "attacker" in proof), None)
    views = [find_view(scene, seat) for seat in seats]
    formations = [build_formation_view(scene, seat, view, attack) for seat, view in enumerate(views)]
    pair = find_full_armies(scene, attack, [view["out"] for view in views])
    armies = [build_army(scene, seen, view, attack) for seen, view in zip(formations, views, strict=True)]
    return Board(
        armies=[replace(army, place=SIDES[pair.index(army.seat)] if army.seat in pair else SMALL) for army in armies],
        arc=build_arc(pair, formations, attack),
        suits=SUITS_BY_SEAT[: len(seats)],
        state=describe_state(scene),
    )


def find_full_armies(scene: Scene, attack: Json | None, out: list[bool]) -> tuple[int, int]:
    """Return the two seats that are drawn in full, from left to right.

    Of two players it is always both, in order. Among more it is who attacks and who is attacked, else who acts and who
    acted last before it, of those that are still in.
    """
    if len(out) == 2:
        return 0, 1
    if attack is not None:
        return attack["attacker"]["seat"], attack["target"]["seat"]
    acted = [step.seat for step in reversed(scene.steps[: scene.number + 1]) if step.seat is not None]
    seats = dict.fromkeys([*acted, *range(len(out))])
    standing = sorted(seats, key=lambda seat: seat != scene.step.seat and out[seat])
    return standing[0], standing[1]


def find_view(scene: Scene, seat: int) -> Json:
    """Return what the onlooker may see of a seat, with what it was told of its deployment."""
    view = find_view_of_seat(scene.after, scene, seat)
    return view if view["rows"] or view["out"] else add_deployment(scene, seat, view)


def build_formation_view(scene: Scene, seat: int, view: Json, attack: Json | None) -> FormationView:
    """Return a formation as the onlooker sees it; a fallen one as it stood when it fell."""
    fall = next((event for event in scene.step.events if event.get("event") == "out" and event["seat"] == seat), None)
    is_fallen = fall is not None
    cards = fall["cards"] if fall is not None else view
    return FormationView(
        seat=seat,
        rows=read_rows(cards["rows"]),
        guard=read_guard(cards["guard"]),
        marks=tuple(mark_attacked_cells(seat, attack).items()) if attack else (),
        arrived=find_entered_cells(scene, seat),
        walked=list_path_cells_of_seat(seat, attack),
        walker=attack["attacker"]["seat"] if attack else None,
        is_fallen=is_fallen,
    )


def find_view_of_seat(views: list[Json], scene: Scene, seat: int) -> Json:
    """Return the part of the views about `seat`: as it sees itself where all is open, else as the onlooker sees it."""
    if scene.onlooker is None:
        eyes = seat
    elif scene.onlooker == PUBLIC_ONLOOKER:
        eyes = (seat + 1) % len(views)
    else:
        eyes = scene.onlooker
    part: Json = views[eyes]["seats"][seat]
    return part


def find_entered_cells(scene: Scene, seat: int) -> frozenset[str]:
    """Return the cells that a card of the seat entered in this step."""
    cells = set()
    for event in scene.step.events:
        verb, *arguments = event.get("action", "").split(" ")
        if event["seat"] == seat and verb in ("move", "reinforce"):
            cells.add(arguments[1])
    return frozenset(cells)


def mark_attacked_cells(seat: int, attack: Json) -> dict[str, Mark]:
    """Return what the attack did at cells of this seat."""
    marks: dict[str, Mark] = {}
    path = attack["path"] or []
    for number, place in enumerate(path):
        owner, cell = split_cell_address(place)
        if owner == seat:
            marks[cell] = Mark(number or None, place == attack["skipped"])
    for side in (attack["attacker"], attack["target"]):
        if side["seat"] == seat:
            known = marks.get(side["cell"], Mark())
            fate = find_fate_of_card(seat, side["card"], attack)
            left = side["card"] if fate else ""
            marks[side["cell"]] = Mark(known.number, left=left, fate=fate, is_end=True)
    return marks


def find_fate_of_card(seat: int, card: str | None, attack: Json) -> str:
    """Return what became of a card in the attack: dead, wounded or nothing."""
    fallen = {"seat": seat, "card": card}
    return DEAD if fallen in attack["dead"] else WOUNDED if fallen in attack["wounded"] else ""


def split_cell_address(place: str) -> tuple[int, str]:
    """Return seat and cell of "1:2b"."""
    seat, cell = place.split(":")
    return int(seat), cell


def list_path_cells_of_seat(seat: int, attack: Json | None) -> tuple[str, ...]:
    """Return the cells of this seat on the path of the attack, in order."""
    places = [split_cell_address(place) for place in attack["path"] or []] if attack else []
    return tuple(cell for owner, cell in places if owner == seat)


def build_army(scene: Scene, seen: FormationView, view: Json, attack: Json | None) -> Army:
    """Return a player's side of the table."""
    seat = seen.seat
    is_out = view["out"]
    chip, tone = describe_role_in_step(scene, seat, attack, is_out)
    attacked_by = attack if attack and attack["target"]["seat"] == seat and seen.walked else None
    return Army(
        seat=seat,
        name=name_seat(seat),
        ground=build_ground(seen, get_language()),
        absence=describe_absence(scene, seat, is_out),
        piles=[] if is_out else list_piles(seat, view),
        facts=list_facts(view, is_out),
        chip=chip,
        chip_tone=tone,
        is_out=is_out,
        shape=describe_shape(seen.columns),
        entry=seen.layout.spots[seen.walked[0]] if attacked_by else None,
        raider=find_attacking_card(attacked_by) if attacked_by else None,
    )


def find_attacking_card(attack: Json) -> Sentence:
    """Return the attacking card."""
    return Sentence((build_card_part(attack["attacker"]["seat"], attack["attacker"]["card"]),))


def describe_shape(rows: list[list[int]]) -> str:
    """Return the index of a formation, and its name where the library has it; empty where nothing is laid out."""
    if not rows:
        return ""
    named = find_named(rows)
    index = format_formation_index([len(row) for row in rows])
    return f"{pgettext('named formation', named.name)} {index}" if named else index


def describe_role_in_step(scene: Scene, seat: int, attack: Json | None, is_out: bool) -> tuple[str, str]:
    """Return what a seat does or suffers in this step, and the tone of its chip."""
    if is_out:
        return _("out"), "bad"
    if scene.is_over:
        places = scene.final_result["places"]
        return describe_place(places, seat), "good" if places[seat] == 1 else "plain"
    if attack and attack["target"]["seat"] == seat:
        return _("under attack"), UNDER_ATTACK_TONE
    if attack and attack["attacker"]["seat"] == seat:
        return _("attacks"), "info"
    return (_("at turn"), "info") if scene.step.seat == seat else ("", "")


def describe_place(places: list[int], seat: int) -> str:
    """Return the final place of a seat in words."""
    words = {"place": places[seat]}
    return (_("shared place %(place)s") if places.count(places[seat]) > 1 else _("place %(place)s")) % words


def describe_absence(scene: Scene, seat: int, is_out: bool) -> str:
    """Return why no formation of a seat is drawn."""
    if is_out and scene.result is None:
        return _("The emperor is dead.")
    if is_out:
        place = describe_place(scene.final_result["places"], seat)
        return _("The emperor is dead: %(place)s.") % {"place": place}
    has_deployed = any(entry.seat == seat for step in scene.steps[: scene.number + 1] for entry in step.entries)
    return _("Deployed, and hidden until all have.") if has_deployed else _("Not yet deployed.")


def build_arc(pair: tuple[int, int], formations: list[FormationView], attack: Json | None) -> Arc | None:
    """Return the arc from the last own cell of an attack to the first one of the other army; None without a path."""
    if attack is None or not attack["path"]:
        return None
    attacker, target = attack["attacker"]["seat"], attack["target"]["seat"]
    start = compute_cell_x(formations[attacker], -1, pair.index(attacker))
    end = compute_cell_x(formations[target], 0, pair.index(target))
    return Arc(f"M{start} {ARC_HEIGHT}C{start} 8 {end} 8 {end} {ARC_HEIGHT}", attacker)


def compute_cell_x(seen: FormationView, place: int, column: int) -> int:
    """Return where over the two armies one of the walked cells is, from left to right."""
    layout = seen.layout
    return round(ARMY_WIDTH * (column + layout.spots[seen.walked[place]].x / layout.tracks))


def describe_state(scene: Scene) -> list[str]:
    """Return the round, and how near the leg is to its end."""
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
