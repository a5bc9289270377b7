"""The table of Battalion after a step: cards, the cells of formations, armies, and the way of an attack."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from django.utils.translation import get_language

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, ngettext, pgettext
from arena.pages.games.cards import Face, Suit
from arena.pages.games.sentence import Part, Sentence, join_parts
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Scene
from engine.core import Json
from engine.games.battalion.formations import find_named, format_formation_index
from engine.games.battalion.geometry import Shape, build_shape

# Lay out the cells of a formation in its drawing, and the lines that join them.
#
# The drawing is a grid: a row for each row of the formation from the front, one more for the guard, and `tracks` from
# left to right, two for each half-column. A card takes four tracks. Lines are in these units, twice as fine downwards.

MIN_GRID_TRACKS = 16
"""Tracks of the narrowest drawing: four cards side by side."""
MIN_BROAD_GRID_TRACKS = 24
"""A drawing with more tracks gets a row of its own, or its cards would be too small to read."""
GRID_TRACKS_PER_CARD = 4
GUARD_CELL = "g"


@dataclass(frozen=True, slots=True)
class CardSpot:
    """The position of a card: its row of the grid and the first of its tracks, both from 1."""

    rank: int
    track: int

    @property
    def track_classes(self) -> str:
        """Return its track as CSS classes, one for each digit: the style sheet has no class for each track."""
        return f"tens-{self.track // 10} ones-{self.track % 10}"

    @property
    def position_classes(self) -> str:
        """Return its track and its row as CSS classes."""
        return f"{self.track_classes} rank-{self.rank}"

    @property
    def x(self) -> int:
        """Return the middle of the card, for lines."""
        return self.track + 1

    @property
    def y(self) -> int:
        """Return the height of the row, for lines."""
        return 2 * self.rank - 1


@dataclass(frozen=True, slots=True)
class CellConnection:
    """A line between two connected cells."""

    start: CardSpot
    end: CardSpot
    walker: int | None = None
    """The seat whose attack went along it."""


@dataclass(frozen=True, slots=True)
class FormationLayout:
    """The positions of all parts of a formation."""

    tracks: int
    ranks: int
    """Rows of the formation, and one for the guard."""
    spots: dict[str, CardSpot]
    """By name of the cell; the guard's cell is "g"."""
    connections: tuple[CellConnection, ...]

    @property
    def is_broad(self) -> bool:
        """Return whether the drawing needs a row of its own."""
        return self.tracks > MIN_BROAD_GRID_TRACKS

    @property
    def height(self) -> int:
        """Return the height in the units of lines."""
        return 2 * self.ranks

    @property
    def keep(self) -> CardSpot:
        """Return where the frame around guard and emperor begins."""
        return CardSpot(self.ranks, self.tracks // 2 - GRID_TRACKS_PER_CARD - 1)

    @property
    def emperor(self) -> CardSpot:
        """Return where the emperor stands."""
        return CardSpot(self.ranks, self.tracks // 2 + 2)

    def walk(self, cells: Sequence[str], walker: int | None) -> list[CellConnection]:
        """Return the lines from each of these cells to the next, taken by an attack."""
        return [CellConnection(self.spots[a], self.spots[b], walker) for a, b in pairwise(cells)]


def lay_out_formation(rows: Iterable[Iterable[int]]) -> FormationLayout:
    """Return the drawing of a formation given by the half-columns of its rows, front to back."""
    return lay_out_cached_formation(tuple(tuple(row) for row in rows))


@lru_cache(maxsize=256)
def lay_out_cached_formation(rows: tuple[tuple[int, ...], ...]) -> FormationLayout:
    """Return the same, kept for formations seen before."""
    shape = build_shape(rows)
    width = 2 * (max(max(row) for row in shape.rows) + 2)
    tracks = max(MIN_GRID_TRACKS, width)
    left = (tracks - width) // 2
    ranks = len(shape.rows) + 1
    places = [CardSpot(rank, left + 2 * x + 1) for rank, row in enumerate(shape.rows, start=1) for x in row]
    guard = CardSpot(ranks, tracks // 2 - GRID_TRACKS_PER_CARD)
    return FormationLayout(
        tracks=tracks,
        ranks=ranks,
        spots={**dict(zip(shape.cells, places, strict=True)), GUARD_CELL: guard},
        connections=(*connect_cells(shape, places), *(CellConnection(places[cell], guard) for cell in shape.back)),
    )


def connect_cells(shape: Shape, places: Sequence[CardSpot]) -> list[CellConnection]:
    """Return the lines between neighbours, each once."""
    return [
        CellConnection(places[cell], places[other])
        for cell, others in enumerate(shape.neighbours)
        for other in others
        if cell < other
    ]


# The suits that tell the players apart, and cards as they are drawn and named.

SUITS_BY_SEAT = (
    Suit("S", "spade", gettext_lazy("Spades")),
    Suit("H", "heart", gettext_lazy("Hearts")),
    Suit("D", "pip", gettext_lazy("Diamonds")),
    Suit("C", "club", gettext_lazy("Clubs")),
)
"""By seat. A player is called by its suit, as others are called White and Black."""
CARD_NAMES_HIGH_TO_LOW = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
"""From the strongest to the weakest."""
HIDDEN_CARD = "?"


def name_seat(seat: int) -> str:
    """Return the name of a seat, which is that of its suit."""
    return str(SUITS_BY_SEAT[seat].name)


def name_card(seat: int, card: str) -> str:
    """Return the name of a card in full."""
    return _("%(card)s of %(suit)s") % {"card": card, "suit": name_seat(seat).lower()}


def find_face(seat: int, card: str, is_new: bool = False) -> Face:
    """Return how a card of a seat looks; "?" face down."""
    return build_face(seat, card, is_new, get_language())


@cache
def build_face(seat: int, card: str, is_new: bool, language: str | None) -> Face:
    """Return how a card looks. Kept by language: the same card lies in dozens of scenes."""
    suit = SUITS_BY_SEAT[seat]
    if card == HIDDEN_CARD:
        return Face("troop", "", "", _("face down"), "", is_new=is_new, is_back=True)
    return Face(suit.letter, suit.icon, card, name_card(seat, card), "", is_new=is_new, key=f"{suit.letter}{card}")


def build_card_part(seat: int, card: str) -> Part:
    """Return the card within a sentence; read aloud it is its name."""
    suit = SUITS_BY_SEAT[seat]
    return Part(card, suit.icon, suit.letter, str(suit.name))


def build_card_parts(seat: int, cards: Iterable[str]) -> Sentence:
    """Return cards of a seat side by side."""
    return join_parts(build_card_part(seat, card) for card in cards)


def sort_cards(cards: Iterable[str]) -> list[str]:
    """Return the cards from the ace down, hidden ones last."""
    return sorted(
        cards,
        key=lambda card: (
            CARD_NAMES_HIGH_TO_LOW.index(card) if card in CARD_NAMES_HIGH_TO_LOW else len(CARD_NAMES_HIGH_TO_LOW)
        ),
    )


# One player's side of the table: its formation, its guard, and what lies beside them.

DEAD, WOUNDED = "dead", "wounded"
SIDES = ("field-left", "field-right")
SMALL = "field-small"
UNDER_ATTACK_TONE = "warn"
"""The tone of the chip of who is attacked."""


@dataclass(frozen=True, slots=True)
class AttackMark:
    """The effect at a cell of the attack in a step."""

    number: int | None = None
    """Its place on the attack's path, from 1; None where the attack began, or where there was no path."""
    is_skipped: bool = False
    left: str = ""
    """The card that left the cell."""
    fate: str = ""
    """The fate of the card, `dead` or `wounded`, or nothing."""
    is_end: bool = False
    """The attacker's cell or the target's."""


NO_ATTACK_MARK = AttackMark()


@dataclass(frozen=True, slots=True)
class ArmyCell:
    """A cell of a formation as it is drawn."""

    name: str
    spot: CardSpot
    face: Face | None
    is_shown: bool
    mark: AttackMark
    label: str
    """The cell and its card in words, to be read aloud."""

    @property
    def classes(self) -> str:
        """Return where it lies and what happened there, as classes of the style."""
        mark = self.mark
        happened = [mark.fate, "end" * mark.is_end, "skipped" * mark.is_skipped, "walked" * bool(mark.number)]
        return " ".join([self.spot.position_classes, *filter(None, happened)])


@dataclass(frozen=True, slots=True)
class Ground:
    """A formation as it is drawn."""

    tracks: int
    ranks: int
    height: int
    is_broad: bool
    cells: tuple[ArmyCell, ...]
    connections: tuple[CellConnection, ...]
    keep: CardSpot
    emperor: CardSpot
    is_fallen: bool = False
    """The emperor is dead."""


@dataclass(frozen=True, slots=True)
class CardPile:
    """Cards that lie beside a formation."""

    name: str
    count: int
    cards: Sentence | None
    """None where they may not be seen."""


@dataclass(frozen=True, slots=True)
class Army:
    """A player's side of the table."""

    seat: int
    name: str
    ground: Ground | None
    """None where nothing is laid out, or nobody may see it."""
    absence: str
    """Why there is nothing to draw."""
    piles: list[CardPile]
    facts: list[str]
    chip: str
    """What it does or suffers in this step, in one or two words."""
    chip_tone: str
    is_out: bool
    shape: str
    """What is laid out, in words: "Phalanx 4-4-3"."""
    entry: CardSpot | None = None
    """The track above which an attack comes in."""
    raider: Sentence | None = None
    """The card that comes in there."""
    place: str = SIDES[0]
    """Where it is drawn: in full at the left or at the right, or small below them."""

    @property
    def part(self) -> str:
        """Return what it does in an attack of this step: `attacks`, `attacked` or nothing."""
        marks = [cell.mark for cell in self.ground.cells if cell.mark.is_end] if self.ground else []
        return "" if not marks else "attacked" if self.is_target else "attacks"

    @property
    def is_target(self) -> bool:
        """Return whether it is attacked in this step."""
        return self.chip_tone == UNDER_ATTACK_TONE

    @property
    def field(self) -> tuple[object, ...]:
        """Return all that is drawn of the formation."""
        return self.ground, self.absence, self.is_out, self.entry, self.raider, self.is_target, self.place


@dataclass(frozen=True, slots=True)
class LaidCell:
    """A cell with what lies there, as a view shows it."""

    name: str
    x: int
    card: str | None
    shown: bool


@dataclass(frozen=True, slots=True)
class FormationView:
    """The formation of one seat as the onlooker sees it."""

    seat: int
    rows: tuple[tuple[LaidCell, ...], ...] = ()
    guard: LaidCell | None = None
    marks: tuple[tuple[str, AttackMark], ...] = ()
    """By name of the cell."""
    arrived: frozenset[str] = frozenset()
    """Cells into which a card came in this step."""
    walked: tuple[str, ...] = ()
    """Cells of this formation along which the attack went, in order."""
    walker: int | None = None
    """The seat that attacked."""
    is_fallen: bool = False

    @property
    def columns(self) -> list[list[int]]:
        """Return the half-columns of each row."""
        return [[cell.x for cell in row] for row in self.rows]

    @property
    def layout(self) -> FormationLayout:
        """Return where the cells lie in the drawing."""
        return lay_out_formation(self.columns)


def read_rows(rows: Sequence[Sequence[Json]]) -> tuple[tuple[LaidCell, ...], ...]:
    """Return the cells of a view's rows."""
    return tuple(tuple(LaidCell(cell["cell"], cell["x"], cell["card"], cell["shown"]) for cell in row) for row in rows)


def read_guard(guard: Json | None) -> LaidCell | None:
    """Return the cell of a view's guard."""
    return LaidCell(GUARD_CELL, 0, guard["card"], guard["shown"]) if guard is not None else None


@lru_cache(maxsize=1024)
def build_ground(seen: FormationView, language: str | None) -> Ground | None:
    """Return a formation; None where nothing is laid out. Kept: it stays as it is for many turns."""
    if not seen.rows:
        return None
    layout = seen.layout
    connections = (*layout.connections, *layout.walk(seen.walked, seen.walker))
    cells = [build_cell(seen, layout, cell) for row in seen.rows for cell in row]
    if seen.guard is not None:
        cells.append(build_cell(seen, layout, seen.guard))
    return Ground(
        tracks=layout.tracks,
        ranks=layout.ranks,
        height=layout.height,
        is_broad=layout.is_broad,
        cells=tuple(cells),
        connections=connections,
        keep=layout.keep,
        emperor=layout.emperor,
        is_fallen=seen.is_fallen,
    )


def build_cell(seen: FormationView, layout: FormationLayout, cell: LaidCell) -> ArmyCell:
    """Return a cell with its card, or with what died or was wounded there."""
    mark = dict(seen.marks).get(cell.name, NO_ATTACK_MARK)
    card = cell.card or mark.left
    face = find_face(seen.seat, card, is_new=cell.name in seen.arrived) if card else None
    fate = mark.fate if not cell.card else ""
    return ArmyCell(
        name=cell.name,
        spot=layout.spots[cell.name],
        face=face,
        is_shown=bool(cell.shown and cell.card),
        mark=mark if fate or not mark.left else AttackMark(mark.number, mark.is_skipped, is_end=mark.is_end),
        label=describe_cell(cell.name, face, cell.shown, fate),
    )


def describe_cell(name: str, face: Face | None, is_shown: bool, fate: str) -> str:
    """Return a cell and its card in words."""
    place = _("guard") if name == GUARD_CELL else name
    words = {"cell": place, "card": face.name if face else ""}
    if face is None:
        return _("%(cell)s: empty") % words
    if fate:
        died, wounded = _("%(cell)s: empty, %(card)s died here"), _("%(cell)s: empty, %(card)s was wounded here")
        return (died if fate == DEAD else wounded) % words
    return (_("%(cell)s: %(card)s, revealed") if is_shown else _("%(cell)s: %(card)s")) % words


def list_piles(seat: int, view: Json) -> list[CardPile]:
    """Return hand, wounded and dead."""
    hand = build_card_parts(seat, sort_cards(view["hand"])) if "hand" in view else None
    return [
        CardPile(_("Hand"), view["hand_size"], hand),
        CardPile(_("Wounded"), len(view["wounded"]), build_card_parts(seat, view["wounded"])),
        CardPile(_("Dead"), len(view["dead"]), build_card_parts(seat, view["dead"])),
    ]


def list_facts(view: Json, is_out: bool) -> list[str]:
    """Return kills, die and reforming in words."""
    kills = view["kills"]
    facts = [ngettext("%(count)s kill", "%(count)s kills", kills) % {"count": kills}]
    if not is_out:
        facts.append(describe_die(view["modification"], view["modification_left"]))
    if view["reformed"]:
        facts.append(_("has reformed"))
    return facts


def describe_die(modification: int | None, left: int) -> str:
    """Return what the die does to values in combat. `left` is the number of turns for which it still holds."""
    if modification is None:
        return _("die available")
    words = {"value": format_modification(modification), "count": left}
    return ngettext("%(value)s in combat, for %(count)s turn", "%(value)s in combat, for %(count)s turns", left) % words


def format_modification(number: int) -> str:
    """Return what the die adds, with its sign."""
    return f"+{number}" if number > 0 else f"−{-number}" if number < 0 else "±0"


# Formations while they are being deployed: no view shows them yet, so they are read from the actions told.

SLOT_LETTERS = "abcd"


def add_deployment(scene: Scene, seat: int, view: Json) -> Json:
    """Return the seat's part of a view with what the onlooker was told in full of its deployment."""
    told = (event for step in scene.steps[: scene.number + 1] for event in step.events)
    action = next((event["action"] for event in told if is_deployment(event, seat)), None)
    if action is None:
        return view
    rows, guard = read_deployment(action)
    laid = {cell["card"] for row in rows for cell in row} | {guard["card"]}
    hand = [card for card in view.get("hand", []) if card not in laid]
    return {**view, "rows": rows, "guard": guard, "hand": hand, "hand_size": len(hand)}


def is_deployment(event: Json, seat: int) -> bool:
    """Return whether the event tells the whole deployment of a seat."""
    return (
        event["seat"] == seat and event.get("action", "").startswith("deploy ") and HIDDEN_CARD not in event["action"]
    )


def read_deployment(action: str) -> tuple[list[list[Json]], Json]:
    """Return rows and guard as a view gives them, of a legal `deploy` action in full."""
    _verb, rows, guard = action.split(" ")
    read = [read_row(number, row) for number, row in enumerate(rows.split("/"), start=1)]
    least = min(cell["x"] for row in read for cell in row)
    shifted = [[{**cell, "x": cell["x"] - least} for cell in row] for row in read]
    return shifted, {"card": guard.removeprefix("guard="), "shown": False}


def read_row(number: int, text: str) -> list[Json]:
    """Return the cells of one row of a `deploy` action."""
    pairs = sorted((int(x), card) for x, card in (cell.split("=") for cell in text.split(",")))
    return [
        {"cell": f"{number}{letter}", "x": x, "card": card, "shown": False}
        for letter, (x, card) in zip(SLOT_LETTERS, pairs, strict=False)
    ]


# The table of Battalion after a step: an army for each player, and the way an attack took across the front.

ARC_HEIGHT, ARMY_WIDTH = 60, 100
"""Of the band above the armies in which the arcs of attacks are drawn."""


@dataclass(frozen=True, slots=True)
class AttackArc:
    """An attack from one army to the other beside it, as path data over both."""

    path: str
    seat: int
    width: int = 2 * ARMY_WIDTH


@dataclass(frozen=True, slots=True)
class BattalionBoard:
    """The table, for `board.html`."""

    armies: list[Army]
    """By seat; two of them are drawn in full, side by side, and the others small."""
    arc: AttackArc | None
    suits: tuple[Suit, ...]
    state: list[str]
    """Round, and how near the leg is to its end, in words."""


def build_board(scene: Scene) -> BattalionBoard:
    """Return the table as the scene's onlooker sees it."""
    seats = range(len(scene.after))
    attack = next((proof for proof in scene.proofs if "attacker" in proof), None)
    views = [find_view(scene, seat) for seat in seats]
    formations = [build_formation_view(scene, seat, view, attack) for seat, view in enumerate(views)]
    pair = find_full_armies(scene, attack, [view["out"] for view in views])
    armies = [build_army(scene, seen, view, attack) for seen, view in zip(formations, views, strict=True)]
    return BattalionBoard(
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


def mark_attacked_cells(seat: int, attack: Json) -> dict[str, AttackMark]:
    """Return what the attack did at cells of this seat."""
    marks: dict[str, AttackMark] = {}
    path = attack["path"] or []
    for number, place in enumerate(path):
        owner, cell = split_cell_address(place)
        if owner == seat:
            marks[cell] = AttackMark(number or None, place == attack["skipped"])
    for side in (attack["attacker"], attack["target"]):
        if side["seat"] == seat:
            known = marks.get(side["cell"], AttackMark())
            fate = find_fate_of_card(seat, side["card"], attack)
            left = side["card"] if fate else ""
            marks[side["cell"]] = AttackMark(known.number, left=left, fate=fate, is_end=True)
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
    return (_("to move"), "info") if scene.step.seat == seat else ("", "")


def describe_place(places: list[int], seat: int) -> str:
    """Return the final place of a seat in words."""
    words = {"place": places[seat]}
    return (_("tied for place %(place)s") if places.count(places[seat]) > 1 else _("place %(place)s")) % words


def describe_absence(scene: Scene, seat: int, is_out: bool) -> str:
    """Return why no formation of a seat is drawn."""
    if is_out and scene.result is None:
        return _("The emperor is dead.")
    if is_out:
        place = describe_place(scene.final_result["places"], seat)
        return _("The emperor is dead: %(place)s.") % {"place": place}
    has_deployed = any(entry.seat == seat for step in scene.steps[: scene.number + 1] for entry in step.entries)
    return _("Deployed; hidden until everyone has.") if has_deployed else _("Not yet deployed.")


def build_arc(pair: tuple[int, int], formations: list[FormationView], attack: Json | None) -> AttackArc | None:
    """Return the arc from the last own cell of an attack to the first one of the other army; None without a path."""
    if attack is None or not attack["path"]:
        return None
    attacker, target = attack["attacker"]["seat"], attack["target"]["seat"]
    start = compute_cell_x(formations[attacker], -1, pair.index(attacker))
    end = compute_cell_x(formations[target], 0, pair.index(target))
    return AttackArc(f"M{start} {ARC_HEIGHT}C{start} 8 {end} 8 {end} {ARC_HEIGHT}", attacker)


def compute_cell_x(seen: FormationView, place: int, column: int) -> int:
    """Return where over the two armies one of the walked cells is, from left to right."""
    layout = seen.layout
    return round(ARMY_WIDTH * (column + layout.spots[seen.walked[place]].x / layout.tracks))


def describe_state(scene: Scene) -> list[str]:
    """Return the round, and how near the leg is to its end."""
    view, options = scene.after[0], scene.options
    if not view["round"]:
        return [_("Deployment"), _("formations stay hidden until everyone has deployed")]
    quiet = view["quiet"]
    words = {**options, "round": view["round"], "quiet": quiet}
    rounds = ngettext(
        "%(quiet)s whole round without a death (the leg ends after %(quiet_rounds)s)",
        "%(quiet)s whole rounds without a death (the leg ends after %(quiet_rounds)s)",
        quiet,
    )
    return [_("Round %(round)s of at most %(round_limit)s") % words, rounds % words]
