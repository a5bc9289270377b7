"""The two armies in full, front to front, what may lie in the cell aimed at, and what lies beside the own army."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from arena.core.messages import gettext as _
from arena.core.messages import ngettext, render_message
from arena.pages.games.battalion.board import (
    DEAD,
    GUARD_CELL,
    HIDDEN_CARD,
    WOUNDED,
    CardSpot,
    FormationLayout,
    LaidCell,
    build_card_part,
    build_card_parts,
    describe_cell,
    describe_die,
    find_entered_cells,
    find_face,
    format_modification,
    lay_out_formation,
    name_card,
    sort_cards,
    split_cell_address,
)
from arena.pages.games.battalion.play_turn import (
    ATTACK,
    CARD_HELP,
    PICKUP,
    REFORM,
    REINFORCE,
    Forecast,
    TargetPill,
    Turn,
    describe_idle_card,
    describe_move,
    describe_pill,
    describe_target,
    format_final_values,
    format_odds,
    format_value,
    name_place,
)
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence, format_sentence
from engine.core import Json
from engine.games.battalion.moves import MAX_REFORMED_CARDS

# The field of a table: two armies in full, front to front, and the way of an attack between them.
#
# Both stand in one grid. Its columns are the tracks of the wider army; its rows are the far army's, the guard above, a
# gap, and the near army's, the guard below. Lines are drawn in tracks and half rows.

FRONT_GAP = 1
"""Half rows between the fronts."""
DETOUR = 2
"""Tracks by which the line of an attack passes beside a card that it skips: half the way to the next one."""


FieldLine = tuple[int, int, int, int]
"""From the middle of a cell to that of a connected one: x and y of both."""


@dataclass(frozen=True, slots=True)
class FieldCell:
    """A cell with what lies in it and what can be done there."""

    key: str
    """Its address, as "1:2b"."""
    note: str
    """What is written on it: its name, or from where its card came."""
    classes: str
    face: Face | None
    is_shown: bool
    label: str
    url: str = ""
    """Where choosing it leads; empty where nothing can be chosen."""
    action: str = ""
    """What is sent when it is chosen."""
    is_pressed: bool = False
    is_target: bool = False
    """It is where a chosen card can go, not a card to choose."""
    ghost: str = ""
    """What is written into an empty cell."""
    reason: str = ""
    """Why nothing can be done with a card of the reader's own."""
    pill: TargetPill | None = None
    fallen: Face | None = None
    """The card that fell in this empty cell in the step that is shown."""
    fate: str = ""
    """The fate of the card, `dead` or `wounded`, or nothing."""
    about: str = ""
    """The card whose sentence is shown on pointing at it."""

    @property
    def id(self) -> str:
        """Return its address as a part of an element's id."""
        return self.key.replace(":", "-")

    @property
    def is_draggable(self) -> bool:
        """Return whether its card can be chosen."""
        return bool(self.face and self.url and not self.is_target)


@dataclass(frozen=True, slots=True)
class FieldArmy:
    """One of the two armies."""

    seat: int
    label: str
    cells: tuple[FieldCell, ...]
    keep: str
    """Classes of the place of the guard, beside whom the emperor stands."""


@dataclass(frozen=True, slots=True)
class AttackPace:
    """A step of an attack: where it is, and what the attacker counts there."""

    kind: str
    classes: str
    value: str
    label: str
    """The step in words."""


@dataclass(frozen=True, slots=True)
class AttackWay:
    """The way of an attack over the field."""

    path: str
    """As path data."""
    is_strike: bool
    paces: tuple[AttackPace, ...]
    tracks: int
    height: int
    """Width and height of the field, in the units of lines."""


@dataclass(frozen=True, slots=True)
class PlayField:
    """All of the field."""

    tracks: int
    far_ranks: int
    near_ranks: int
    height: int
    lines: tuple[FieldLine, ...]
    armies: tuple[FieldArmy, ...]
    """The near one, then the far one."""
    way: AttackWay | None


@dataclass(frozen=True, slots=True)
class ArmyPlacement:
    """Where an army lies in the grid of the field."""

    layout: FormationLayout
    left: int
    """Tracks to the left of it."""
    top: int
    """Rows above its first row, the gap counted as one; 0 where it lies at the top."""
    is_far: bool

    def locate(self, spot: CardSpot) -> tuple[int, int]:
        """Return track and row in the grid of the field, from 1."""
        row = self.layout.ranks + 1 - spot.rank if self.is_far else self.top + spot.rank
        return self.left + spot.track, row

    def classes(self, spot: CardSpot) -> str:
        """Return track and row as classes of the style."""
        track, row = self.locate(spot)
        return f"tens-{track // 10} ones-{track % 10} line-{row}"

    def point(self, spot: CardSpot) -> tuple[int, int]:
        """Return the middle of a card in the units of lines."""
        track, row = self.locate(spot)
        return track + 1, 2 * row - 1 - (FRONT_GAP if self.top else 0)


def build_field(turn: Turn) -> PlayField:
    """Return the field with the near army and the one it faces."""
    placements = place_armies(turn, turn.facing)
    far_ranks, near_ranks = (
        placements[seat].layout.ranks if seat is not None and seat in placements else 0
        for seat in (turn.facing, turn.near)
    )
    aimed = turn.forecast(turn.action) if turn.target else None
    return PlayField(
        tracks=measure_tracks(placements),
        far_ranks=far_ranks,
        near_ranks=near_ranks,
        height=measure_height(placements),
        lines=tuple(line for placement in placements.values() for line in draw_connections(placement)),
        armies=tuple(build_field_army(turn, seat, placement) for seat, placement in placements.items()),
        way=draw_way(aimed, placements) if aimed else None,
    )


def measure_tracks(placements: Mapping[int, ArmyPlacement]) -> int:
    """Return how wide a field is."""
    return max((placement.layout.tracks for placement in placements.values()), default=0)


def measure_height(placements: Mapping[int, ArmyPlacement]) -> int:
    """Return how high a field is, in half rows."""
    return 2 * sum(placement.layout.ranks for placement in placements.values()) + FRONT_GAP


def place_armies(turn: Turn, facing: int | None) -> dict[int, ArmyPlacement]:
    """Return where the near army and the one it faces lie, by seat, the near one first."""
    seats = [seat for seat in (turn.near, facing) if seat is not None and turn.view["seats"][seat]["rows"]]
    layouts = {seat: lay_out_seat(turn, seat) for seat in seats}
    tracks = max((layout.tracks for layout in layouts.values()), default=0)
    far_ranks = layouts[facing].ranks if facing is not None and facing in layouts else 0
    return {
        seat: ArmyPlacement(
            layout, (tracks - layout.tracks) // 2, 0 if seat == facing else far_ranks + 1, seat == facing
        )
        for seat, layout in layouts.items()
    }


def lay_out_seat(turn: Turn, seat: int) -> FormationLayout:
    """Return the drawing of a seat's formation by itself."""
    rows, _guard = turn.read_side(seat)
    return put_guard_in_middle(lay_out_formation([cell.x for cell in row] for row in rows))


def put_guard_in_middle(layout: FormationLayout) -> FormationLayout:
    """Return the same drawing with the guard in the middle: the emperor stands beside it without a place of its own."""
    before, guard = layout.spots[GUARD_CELL], CardSpot(layout.ranks, layout.tracks // 2 - 1)
    connections = (replace(line, end=guard) if line.end == before else line for line in layout.connections)
    return replace(layout, spots={**layout.spots, GUARD_CELL: guard}, connections=tuple(connections))


def draw_connections(placement: ArmyPlacement) -> Iterator[FieldLine]:
    """Yield the lines between connected cells."""
    for connection in placement.layout.connections:
        yield (*placement.point(connection.start), *placement.point(connection.end))


def build_field_army(turn: Turn, seat: int, placement: ArmyPlacement) -> FieldArmy:
    """Return an army with what can be chosen in it."""
    rows, guard = turn.read_side(seat)
    cells = [*(cell for row in rows for cell in row), *([guard] if guard else [])]
    is_own = seat == turn.table.seat
    build = build_own_cell if is_own else build_other_cell
    name = turn.table.players[seat].name
    return FieldArmy(
        seat=seat,
        label=_("Your army, front to back") if is_own else _("%(name)s's army, front to back") % {"name": name},
        cells=tuple(build(turn, seat, cell, placement.classes(placement.layout.spots[cell.name])) for cell in cells),
        keep=placement.classes(placement.layout.spots[GUARD_CELL]),
    )


def find_cell_face(seat: int, cell: LaidCell) -> Face | None:
    """Return the card of a cell as it looks."""
    return find_face(seat, cell.card) if cell.card else None


def build_other_cell(turn: Turn, seat: int, cell: LaidCell, place: str) -> FieldCell:
    """Return a cell of another's army, which may be a target."""
    face, key = find_cell_face(seat, cell), f"{seat}:{cell.name}"
    fallen, fate = find_fallen_card(turn, seat, cell)
    action = turn.targets.get((seat, cell.name), "")
    is_aimed = turn.target == (seat, cell.name)
    forecast = turn.forecast(action) if action else None
    states = ["target" * bool(action), "aimed" * is_aimed, "void" * (not cell.card), *list_changes(turn, seat, cell)]
    return FieldCell(
        key=key,
        note=name_place(cell.name),
        classes=" ".join([place, *filter(None, states)]),
        face=face,
        is_shown=bool(cell.shown and cell.card),
        label=describe_target(forecast) if forecast else describe_cell(cell.name, face or fallen, cell.shown, fate),
        url=turn.build_url(ATTACK, turn.cell, *([] if is_aimed else [key])) if forecast else "",
        is_pressed=is_aimed,
        is_target=True,
        pill=describe_pill(forecast) if forecast and not is_aimed else None,
        fallen=fallen,
        fate=fate,
    )


def build_own_cell(turn: Turn, seat: int, cell: LaidCell, place: str) -> FieldCell:
    """Return a cell of the reader's own army: a card to choose, or where the chosen one can go."""
    face = find_cell_face(seat, cell)
    is_chosen = bool(cell.card) and cell.name == turn.cell
    action = turn.goals.get(cell.name, "")
    is_goal = turn.goal == cell.name
    is_choosing = bool(turn.cell or turn.card)
    states = [
        "chosen" * is_chosen,
        "goal" * bool(action),
        "aimed" * is_goal,
        "void" * (not cell.card),
        "faded" * (bool(cell.card) and is_choosing and not is_chosen),
        *list_changes(turn, seat, cell),
    ]
    url = turn.choose_cell(cell.name) if cell.card and turn.table.is_own_turn else ""
    fallen, fate = find_fallen_card(turn, seat, cell)
    name = describe_cell(cell.name, face or fallen, cell.shown, fate)
    return FieldCell(
        key=f"{seat}:{cell.name}",
        note=find_origin(turn, cell.name) or name_place(cell.name),
        classes=" ".join([place, *filter(None, states)]),
        face=face,
        is_shown=bool(cell.shown and cell.card),
        label=describe_move(turn, cell.name) if action else name,
        url=turn.build_url("reinforce", turn.card, cell.name) if action and turn.card else url,
        action=action if turn.cell else "",
        is_pressed=is_chosen or is_goal,
        is_target=bool(action),
        reason=describe_idle_card(turn, cell.name) if cell.card and turn.table.is_own_turn and not url else "",
        about=cell.card if cell.card in CARD_HELP else "",
        fallen=fallen,
        fate=fate,
    )


def list_changes(turn: Turn, seat: int, cell: LaidCell) -> list[str]:
    """Return as states of a cell what the step that is shown did there."""
    return ["entered"] if cell.card and cell.name in find_entered_cells(turn.table.scene, seat) else []


def find_fallen_card(turn: Turn, seat: int, cell: LaidCell) -> tuple[Face | None, str]:
    """Return the card that fell in an empty cell in the step that is shown, and what became of it."""
    for event in turn.table.scene.step.events if not cell.card else ():
        verb, *words = event.get("action", "").split(" ")
        if verb != ATTACK:
            continue
        fought = {(event["seat"], words[0]): event["attacker"], split_cell_address(words[1]): event["target"]}
        card = fought.get((seat, cell.name))
        if card and (fate := find_fate(turn, seat, card)):
            return find_face(seat, card), fate
    return None, ""


def find_fate(turn: Turn, seat: int, card: str) -> str:
    """Return what became of a card in the step that is shown: dead, wounded or nothing."""
    before, after = turn.table.scene.before[turn.near]["seats"][seat], turn.view["seats"][seat]
    return next((fate for fate in (DEAD, WOUNDED) if card in after[fate] and card not in before[fate]), "")


def find_origin(turn: Turn, cell: str) -> str:
    """Return from where the card of a cell came in this turn, as "2b → 1b"; empty where it has not moved."""
    if cell not in turn.view["moved"]:
        return ""
    moves = [entry.action.split(" ") for entry in turn.table.scene.step.entries if entry.action.startswith("move ")]
    start = next((words[1] for words in reversed(moves) if words[2] == cell), "")
    return f"{name_place(start)} → {name_place(cell)}" if start else ""


def draw_way(forecast: Forecast, placements: Mapping[int, ArmyPlacement]) -> AttackWay:
    """Return the way of an attack that is aimed."""
    ends = [(forecast.seat, forecast.cell), (forecast.other, forecast.goal)]
    steps = list(forecast.path) or ends
    points = []
    for step in steps:
        x, y = placements[step[0]].point(placements[step[0]].layout.spots[step[1]])
        points.append((x - DETOUR if step == forecast.skipped else x, y))
    return AttackWay(
        path="M" + "L".join(f"{x} {y}" for x, y in points),
        is_strike=not forecast.path,
        paces=tuple(build_paces(forecast, steps, placements)),
        tracks=measure_tracks(placements),
        height=measure_height(placements),
    )


def build_paces(
    forecast: Forecast, steps: Sequence[tuple[int, str]], placements: Mapping[int, ArmyPlacement]
) -> Iterator[AttackPace]:
    """Yield the steps of the way with the value so far."""
    has_skipped = False
    for number, step in enumerate(steps):
        seat, cell = step
        has_skipped = has_skipped or step == forecast.skipped
        is_last = number == len(steps) - 1
        kind = "end" if is_last else "first" if not number else "over" if step == forecast.skipped else "along"
        value = format_final_values(forecast) if is_last else format_value(forecast, has_skipped, kind != "along")
        words = {"cell": name_place(cell), "value": value}
        yield AttackPace(
            kind=kind,
            classes=placements[seat].classes(placements[seat].layout.spots[cell]),
            value=value,
            label=(_("%(cell)s: %(value)s") % words if value else name_place(cell)),
        )


# What may lie in the cell that is aimed at, and why the attack counts what it counts.


@dataclass(frozen=True, slots=True)
class OutlookGroup:
    """Cards that may lie in a target, by what they would do."""

    kind: str
    label: str
    cards: Sentence


@dataclass(frozen=True, slots=True)
class Outlook:
    """What could be in the target that is aimed at."""

    heading: str
    text: Sentence
    groups: tuple[OutlookGroup, ...]
    odds: str


@dataclass(frozen=True, slots=True)
class NumberReason:
    """A line of the panel that explains a number."""

    term: str
    text: Sentence
    rulings: tuple[str, ...]


def build_outlook(turn: Turn, forecast: Forecast) -> Outlook:
    """Return what could be in the target, sorted by what it would do."""
    mine = build_card_part(forecast.seat, forecast.card)
    groups = [
        ("good", ngettext("falls", "fall", len(forecast.falls)), forecast.falls),
        ("tie", _("both die"), forecast.both_die),
        ("bad", _("your card dies"), forecast.kills),
    ]
    name = turn.table.players[forecast.other].name
    return Outlook(
        heading=head_outlook(forecast),
        text=format_sentence(
            choose_outlook_text(forecast),
            name=name,
            count=len(forecast.cards),
            card=build_card_part(forecast.other, forecast.highest_card) if forecast.highest_card else "",
            highest=forecast.highest,
            value=forecast.value,
            mine=mine,
        ),
        groups=tuple(
            OutlookGroup(kind, label, build_card_parts(forecast.other, cards[::-1]))
            for kind, label, cards in groups
            if cards
        ),
        odds=format_odds(forecast),
    )


def head_outlook(forecast: Forecast) -> str:
    """Return the heading of what is or could be in the target."""
    if forecast.goal == GUARD_CELL:
        return _("What the guard is") if forecast.is_seen else _("What the guard could be")
    words = {"cell": forecast.goal}
    return (_("What is on %(cell)s") if forecast.is_seen else _("What could be on %(cell)s")) % words


def choose_outlook_text(forecast: Forecast) -> str:
    """Return the template of the sentence above the cards."""
    if forecast.is_seen or forecast.highest is None:
        return _("You attack with {value}.")
    if forecast.other_modification:
        return _("{count} of {name}'s cards could be here, up to {card}; its die makes that {highest}. You: {value}.")
    return _("{count} of {name}'s cards could be here, up to {card}. You attack with {value}.")


def list_reasons(turn: Turn, forecast: Forecast) -> Iterator[NumberReason]:
    """Yield why the attack counts what it counts, and why no more may lie there than is said."""
    mine = build_card_part(forecast.seat, forecast.card)
    if forecast.skipped:
        template = _("{card} skips the card on {cell}, so it counts {value}.")
        text = format_sentence(template, card=mine, cell=name_place(forecast.skipped[1]), value=forecast.printed)
        yield NumberReason(str(forecast.printed), text, ("BT-22",))
    if forecast.modification:
        change = format_modification(forecast.modification)
        yield NumberReason(change, format_sentence(_("Your die adds this to all your cards.")), ("BT-30",))
    if forecast.other_modification:
        change = format_modification(forecast.other_modification)
        text = format_sentence(_("{name}'s die adds this."), name=turn.table.players[forecast.other].name)
        yield NumberReason(change, text, ("BT-30",))
    if not forecast.is_seen and forecast.highest_card:
        yield from explain_highest_card(turn, forecast)
    if "J" in forecast.cards:
        yield NumberReason("J", format_sentence(_("An attacked Jack always dies.")), ("BT-26",))
    if "K" in forecast.cards:
        yield NumberReason("K", format_sentence(_("An attacked King takes its attacker with it.")), ("BT-25",))


def explain_highest_card(turn: Turn, forecast: Forecast) -> Iterator[NumberReason]:
    """Yield why no higher card may lie in the target."""
    gone = list_open_cards(turn.view["seats"][forecast.other])
    if forecast.goal == GUARD_CELL:
        yield NumberReason("≤ 10", format_sentence(_("A guard is a card from 2 to 10.")), ("BT-2",))
    if gone:
        text = format_sentence(_("{cards} are face up, dead or wounded."), cards=build_card_parts(forecast.other, gone))
        yield NumberReason(f"≤ {forecast.highest_card}", text, ("BT-27",))


def list_open_cards(side: Json) -> Sequence[str]:
    """Return the cards of a player that all can see, from the ace down."""
    laid = [cell for row in side["rows"] for cell in row] + ([side["guard"]] if side["guard"] else [])
    shown = [cell["card"] for cell in laid if cell["card"] not in (None, HIDDEN_CARD)]
    return sort_cards([*shown, *side["dead"], *side["wounded"]])


# What lies beside the reader's army, and the actions that need no card of it.


@dataclass(frozen=True, slots=True)
class HandCard:
    """A card of the reader's hand."""

    face: Face
    label: str
    url: str
    is_pressed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class OwnAct:
    """An action beside attacks and moves; with a reason where it can't be done now."""

    label: str
    icon: str
    key: str
    url: str
    is_pressed: bool
    reason: str
    about: str
    """Its verb, whose sentence is shown on pointing at it."""


@dataclass(frozen=True, slots=True)
class OwnSide:
    """What lies beside the reader's army."""

    hand: tuple[HandCard, ...]
    wounded: Sentence | None
    dead: Sentence | None
    die: str
    die_label: str
    acts: tuple[OwnAct, ...]


def build_own_side(turn: Turn) -> OwnSide:
    """Return what lies beside the reader's army, and the actions that need no card of it."""
    side = turn.view["seats"][turn.near]
    return OwnSide(
        hand=tuple(build_hand_card(turn, card) for card in sort_cards(side.get("hand", []))),
        wounded=build_card_parts(turn.near, side["wounded"]) if side["wounded"] else None,
        dead=build_card_parts(turn.near, side["dead"]) if side["dead"] else None,
        die="" if side["modification"] is None else format_modification(side["modification"]),
        die_label=describe_die(side["modification"], side["modification_left"]),
        acts=tuple(list_acts(turn)) if turn.table.is_own_turn else (),
    )


def build_hand_card(turn: Turn, card: str) -> HandCard:
    """Return a card of the hand, to be chosen where it can be brought in."""
    is_pressed = turn.card == card
    goals = turn.reinforcements.get(card)
    url = turn.build_url(*([] if is_pressed else [REINFORCE, card])) if goals else ""
    is_refused = turn.table.is_own_turn and not goals
    return HandCard(
        face=find_face(turn.near, card),
        label=name_card(turn.near, card),
        url=url,
        is_pressed=is_pressed,
        reason=_("The back row has no empty cell (BT-13).") if is_refused else "",
    )


def list_acts(turn: Turn) -> Iterator[OwnAct]:
    """Yield the actions beside attacks and moves."""
    side = turn.view["seats"][turn.near]
    if side["wounded"]:
        yield build_act(turn, PICKUP, _("Recover wounded"), "redeploy", "t")
    yield build_act(turn, "modify", _("Roll"), "die", "r")
    yield OwnAct(
        label=_("Reform"),
        icon="swap",
        key="f",
        url="" if (reason := refuse_reforming(turn)) else turn.build_url(REFORM),
        is_pressed=False,
        reason=reason,
        about=REFORM,
    )
    yield build_act(turn, "pass", _("Pass"), "", "p")


def build_act(turn: Turn, verb: str, label: str, icon: str, key: str) -> OwnAct:
    """Return an action of one word."""
    refused = turn.table.refuse(verb) if verb not in turn.table.legal else None
    is_pressed = turn.verb == verb
    reason, change = render_message(refused) if refused else "", turn.view["seats"][turn.near]["modification"]
    if refused and verb == "modify" and change is not None:
        words = {"change": format_modification(change)}
        reason = _("Your last roll still counts: %(change)s. You can roll again once it has faded (BT-30).") % words
    return OwnAct(
        label=label,
        icon=icon,
        key=key,
        url="" if refused else turn.build_url(*([] if is_pressed else [verb])),
        is_pressed=is_pressed,
        reason=reason,
        about=verb,
    )


def refuse_reforming(turn: Turn) -> str:
    """Return why there is no reforming now; empty where there is."""
    if any(action.startswith(REFORM) for action in turn.table.legal):
        return ""
    side = turn.seen.sides[turn.near]
    if not side.reformed and not turn.view["picked_up"] and side.occupied.bit_count() > MAX_REFORMED_CARDS:
        return _("Too many cards for two rows (BT-35).")
    refused = turn.table.refuse(f"{REFORM} 0=A")
    return render_message(refused) if refused else ""
