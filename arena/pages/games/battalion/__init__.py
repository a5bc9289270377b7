"""Battalion on the page: what an edition shows, its marks, the charts of the atlas, and preview images."""

from dataclasses import dataclass

from arena.core.messages import gettext_lazy, ngettext
from arena.pages.games.battalion.board import (
    CARD_NAMES_HIGH_TO_LOW,
    Army,
    ArmyCell,
    BattalionBoard,
    CardSpot,
    Ground,
    build_board,
    name_seat,
)
from arena.pages.games.battalion.play import build_play
from arena.pages.games.battalion.words import (
    ENDING_LABELS,
    build_proof,
    build_rules,
    describe_ending,
    describe_events,
    draw_first_formation,
)
from arena.pages.games.chart_words import ChartKind, ChartWords
from arena.pages.games.presentation import Level, Mark, Presentation
from arena.pages.matches.replay import Playback, Step
from arena.pages.svg.card import SEAT_COLOURS, PlacedCard
from engine.core import Json
from engine.games.battalion.events import ATTACKS, FALLS, SIZES

# The charts of Battalion in the atlas.

ATTACK_RESULT_LABELS = {
    "wins": gettext_lazy("target dies"),
    "tie": gettext_lazy("both die"),
    "loses": gettext_lazy("attacker dies"),
    "emperor": gettext_lazy("emperor falls"),
    "look": gettext_lazy("Jack looks"),
    "strike": gettext_lazy("King strikes"),
}
"""By result of an attack."""


def name_size(cells: str) -> str:
    """Return the size of a formation."""
    return ngettext("%(count)s cell", "%(count)s cells", int(cells)) % {"count": cells}


CHARTS = (
    ChartWords(
        ATTACKS,
        ChartKind.MAP,
        gettext_lazy("Attack outcomes"),
        gettext_lazy("Every attack, by attacking card. Shares are of that card's attacks."),
        row_title=gettext_lazy("Result"),
        column_title=gettext_lazy("Attacker"),
        name_row=lambda result: str(ATTACK_RESULT_LABELS[result]),
        rows=list(ATTACK_RESULT_LABELS),
        columns=CARD_NAMES_HIGH_TO_LOW,
    ),
    ChartWords(
        SIZES,
        ChartKind.POINTS,
        gettext_lazy("Formation sizes"),
        gettext_lazy("How many cells were deployed (excluding the guard's), and the points scored with them."),
        row_title=gettext_lazy("Cells"),
        name_row=name_size,
        rows=list(map(str, range(1, 13))),
    ),
    ChartWords(
        FALLS,
        ChartKind.STEPS,
        gettext_lazy("When emperors fall"),
        gettext_lazy("By round, whether or not the leg continued."),
        row_title=gettext_lazy("Rounds played"),
    ),
)


# The marks on the timeline of a leg of Battalion: attacks, eliminations, a fault, and how many cards stood.

ATTACK_MARK, ELIMINATION_MARK, FORFEIT_MARK = "attack", "out", "forfeit"
JUMP_LABELS = {ATTACK_MARK: gettext_lazy("Next attack"), ELIMINATION_MARK: gettext_lazy("Next elimination")}
MEASURE_LABEL = gettext_lazy("Cards standing")


def list_marks(step: Step) -> list[Mark]:
    """Return the marks of a step on the timeline."""
    return [found for event in step.events if (found := mark_event(event)) is not None]


def mark_event(event: Json) -> Mark | None:
    """Return the mark of an event; None for those that have none."""
    kind = event.get("event") or event.get("action", "").split(" ")[0]
    if kind not in (ATTACK_MARK, ELIMINATION_MARK, FORFEIT_MARK):
        return None
    seat = event["seat"]
    icons = {ATTACK_MARK: f"pennant-{seat}", ELIMINATION_MARK: "emperor", FORFEIT_MARK: "no"}
    return Mark(kind, seat, icons[kind], str(describe_events([event])[0]))


def count_cards_standing(playback: Playback) -> list[Level]:
    """Return how many cards each seat has laid out, its guard included, after each step.

    While formations are still hidden it is what they show first.
    """
    counts = [[count_cards(side) for side in playback.views[number][0]["seats"]] for number in range(playback.last + 1)]
    hidden = next((number for number, row in enumerate(counts) if any(row)), 0)
    counts[:hidden] = [counts[hidden]] * hidden
    return [Level(seat, values) for seat, values in enumerate(zip(*counts, strict=True))]


def count_cards(side: Json) -> int:
    """Return the number of cards standing, which everybody sees: hidden ones, too."""
    if side["out"]:
        return 0
    cells = [cell for row in side["rows"] for cell in row] + ([side["guard"]] if side["guard"] else [])
    return sum(cell["card"] is not None for cell in cells)


# The armies of Battalion laid out in a preview image of 1200 by 630.

IMAGE_WIDTH, ARMIES_TOP, ARMIES_BOTTOM = 1200, 196, 612
"""Where the front rows begin and the emperors end."""
MIN_CARD_GAP, MAX_CARD_WIDTH = 10, 74
CARD_HEIGHT_TO_WIDTH = 1.32
"""Height of a card by its width."""


@dataclass(frozen=True, slots=True)
class PlacedCell:
    """A cell and what happened there."""

    cell: ArmyCell
    x: float
    y: float
    width: float
    height: float
    card: PlacedCard | None

    @property
    def right(self) -> float:
        """Return the right end."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Return the lower end."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class PreviewLine:
    """A line between two connected cells."""

    start: tuple[float, float]
    end: tuple[float, float]
    colour: str
    """Empty where nobody went along it."""


@dataclass(frozen=True, slots=True)
class PreviewField:
    """An army's part of the image."""

    army: Army
    x: float
    width: float
    colour: str
    lines: list[PreviewLine]
    cells: list[PlacedCell]
    keep: tuple[float, float, float, float] | None
    """Left, top, width and height of the frame around guard and emperor."""
    emperor: tuple[float, float, float] | None
    """Left, top and size."""


@dataclass(frozen=True, slots=True)
class BattalionPreview:
    """Values for the template of a leg's preview image."""

    fields: list[PreviewField]
    arc: str
    """Where an attack goes from army to army, as path data."""
    arc_colour: str


@dataclass(frozen=True, slots=True)
class PreviewGrid:
    """Scale and origin that convert the tracks and ranks of a layout into pixels."""

    left: float
    track: float
    card: float
    pitch: float

    @property
    def height(self) -> float:
        """Return the height of a card."""
        return round(self.card * CARD_HEIGHT_TO_WIDTH, 1)

    def middle(self, spot: CardSpot) -> tuple[float, float]:
        """Return the middle of the card at a spot."""
        return round(self.left + self.track * spot.x, 1), round(
            ARMIES_TOP + self.pitch * (spot.rank - 1) + self.height / 2, 1
        )

    def corner(self, spot: CardSpot) -> tuple[float, float]:
        """Return the upper left corner of the card at a spot."""
        x, y = self.middle(spot)
        return round(x - self.card / 2, 1), round(y - self.height / 2, 1)


def lay_out_preview(board: BattalionBoard) -> BattalionPreview:
    """Return where everything of a board lies in the image."""
    armies = board.armies
    width = IMAGE_WIDTH / len(armies)
    fields = [lay_out_field(army, place * width, width) for place, army in enumerate(armies)]
    return BattalionPreview(fields, *lay_out_arc(fields))


def lay_out_field(army: Army, left: float, width: float) -> PreviewField:
    """Return an army's part of the image, from `left` on."""
    ink, ground = SEAT_COLOURS[army.seat], army.ground
    if ground is None:
        return PreviewField(army, left, width, ink, [], [], None, None)
    grid = lay_out_grid(ground, left, width)
    cells = [lay_out_cell(grid, cell) for cell in ground.cells]
    lines = [
        PreviewLine(
            grid.middle(connection.start),
            grid.middle(connection.end),
            "" if connection.walker is None else SEAT_COLOURS[connection.walker],
        )
        for connection in ground.connections
    ]
    x, y = grid.corner(ground.keep)
    end, _y = grid.corner(ground.emperor)
    keep = (x - 8, y - 6, end + grid.card - x + 16, grid.height + 12)
    return PreviewField(army, left, width, ink, lines, cells, keep, (*grid.corner(ground.emperor), grid.card))


def lay_out_grid(ground: Ground, left: float, width: float) -> PreviewGrid:
    """Return how large cards are, so that the formation fits."""
    room = (ARMIES_BOTTOM - ARMIES_TOP) / ground.ranks
    track = width / ground.tracks
    card = round(min(MAX_CARD_WIDTH, 4 * track - MIN_CARD_GAP, (room - MIN_CARD_GAP) / CARD_HEIGHT_TO_WIDTH), 1)
    track = min(track, (card + 3 * MIN_CARD_GAP) / 4)
    return PreviewGrid(
        left + (width - track * ground.tracks) / 2, track, card, min(room, card * CARD_HEIGHT_TO_WIDTH + 22)
    )


def lay_out_cell(grid: PreviewGrid, cell: ArmyCell) -> PlacedCell:
    """Return where a cell and its card lie."""
    x, y = grid.corner(cell.spot)
    band = round(grid.card * 0.42, 1)
    card = PlacedCard(cell.face, x, y, grid.card, grid.height, band) if cell.face else None
    return PlacedCell(cell, x, y, grid.card, grid.height, card)


def lay_out_arc(fields: list[PreviewField]) -> tuple[str, str]:
    """Return path data and colour of the arc from the attacker to the cell that the attack enters or strikes."""
    ends = {field.army.part: field for field in fields if field.army.part}
    if len(ends) != 2 or not all(field.cells for field in ends.values()):
        return "", ""
    attacker, target = ends["attacks"], ends["attacked"]
    start, end = (find_arc_end(field) for field in (attacker, target))
    if start is None or end is None:
        return "", ""
    rise = 158
    path = f"M{start.x + start.width / 2} {start.y - 4}C{start.x + start.width / 2} {rise}"
    return f"{path} {end.x + end.width / 2} {rise} {end.x + end.width / 2} {end.y - 14}", attacker.colour


def find_arc_end(field: PreviewField) -> PlacedCell | None:
    """Return the front cell of the path, or where there is none the cell that takes part."""
    walked = [placed for placed in field.cells if placed.cell.mark.number or placed.cell.mark.is_end]
    return min(walked, key=lambda placed: placed.y, default=None)


# Battalion on the page: armies side by side, their sentences, the way of an attack, and the rules.


def present_edition(edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition; it is the same with other options than its own."""
    return Presentation(
        folder="battalion",
        name_seat=name_seat,
        describe_events=describe_events,
        build_board=build_board,
        build_proof=build_proof,
        describe_ending=describe_ending,
        ending_labels=ENDING_LABELS,
        emblem="emperor",
        build_rules=lambda: build_rules(edition),
        build_edition_picture=draw_first_formation,
        seats_note=gettext_lazy(
            "With three or four players, an early seat is a handicap. Every bot plays every seat once per "
            "match, so it evens out."
        ),
        pages={"formations": gettext_lazy("Formation library")},
        start_text=gettext_lazy("Everyone has thirteen cards and has yet to deploy."),
        unseen_text=gettext_lazy("%(seat)s deploys in secret"),
        lay_out_preview=lay_out_preview,
        list_marks=list_marks,
        jump_labels=JUMP_LABELS,
        measure=count_cards_standing,
        measure_label=MEASURE_LABEL,
        build_play=build_play,
        charts=CHARTS,
    )
