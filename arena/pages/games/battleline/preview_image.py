"""The line of Battle Line laid out in a preview image of 1200 by 630."""

from dataclasses import dataclass

from arena.pages.games.battleline.board import FLAG_COLUMN_WIDTH, Board, Flag, Side
from arena.pages.games.battleline.cards import Tag
from arena.pages.games.battleline.opening import Place
from arena.pages.svg.card import SEAT_COLOURS, PlacedCard

FRONT_LEFT, FRONT_RIGHT, FRONT_TOP, FRONT_HEIGHT = 24, 1176, 330, 70
"""The ends of the line, the top of the front and its height."""
CARD_HEIGHT, BAND_HEIGHT = 92, 31
FLAG_TOPS_BY_OWNER = {None: FRONT_TOP + 14, 0: FRONT_TOP + 22, 1: FRONT_TOP + 4}
"""Where the top of a flag is, by its owner."""
TAG_HEIGHT = 20


@dataclass(frozen=True, slots=True)
class Note:
    """A dark label with what lies on the ground."""

    tag: Tag
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class Held:
    """The formation of a full side, named at its outer end."""

    side: Side
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Column:
    """A flag with its sides."""

    flag: Flag
    x: float
    width: float
    y: float
    """Of the flag."""
    cards: list[PlacedCard]
    card_x: float
    card_width: float
    slots: list[float]
    """Tops of the free ones."""
    held: list[Held]
    notes: list[Note]

    @property
    def middle(self) -> float:
        """Return the middle of the column."""
        return self.x + self.width / 2

    @property
    def colour(self) -> str:
        """Return the colour of the flag."""
        return "#FFFDF8" if self.flag.owner is None else SEAT_COLOURS[self.flag.owner]


@dataclass(frozen=True, slots=True)
class Preview:
    """Values for the template of a leg's preview image."""

    columns: list[Column]
    front: str
    scale: float
    """From the units of the front's path to those of the picture, sideways."""
    places: list[tuple[Place, float]]
    """While tiles are laid: the row so far, and where each place begins."""
    step: float


def lay_out_preview(board: Board) -> Preview:
    """Return where everything of a board lies in the image."""
    step = (FRONT_RIGHT - FRONT_LEFT) / len(board.flags)
    if board.opening:
        return Preview(
            [], "", 1, [(place, FRONT_LEFT + step * number) for number, place in enumerate(board.opening.row)], step
        )
    columns = [lay_out_column(flag, FRONT_LEFT + step * place, step) for place, flag in enumerate(board.flags)]
    return Preview(columns, board.front, step / FLAG_COLUMN_WIDTH, [], step)


def lay_out_column(flag: Flag, x: float, step: float) -> Column:
    """Return a flag and its sides; `x` is the left end and `step` the width of the column."""
    south, north = flag.sides
    width = min(78, step - 12)
    left = round(x + (step - width) / 2, 1)
    tags = [*([flag.tile] if flag.tile else []), *flag.weather]
    below = TAG_HEIGHT * len(tags)
    start = FRONT_TOP + FRONT_HEIGHT + (4 + below if tags else 4)
    cards, slots, held = [], [], []
    for side, is_south in ((north, False), (south, True)):
        own, free, end = lay_out_side(side, left, width, start if is_south else FRONT_TOP - 4, is_south)
        cards += own
        slots += free
        if side.formation:
            held.append(Held(side, x + step / 2, end + 19 if is_south else end - 9))
    notes = [
        Note(tag, x + 3, FRONT_TOP + FRONT_HEIGHT + 3 + TAG_HEIGHT * place, step - 6) for place, tag in enumerate(tags)
    ]
    return Column(flag, x, step, FLAG_TOPS_BY_OWNER[flag.owner], cards, left, width, slots, held, notes)


def lay_out_side(
    side: Side, x: float, width: float, start: float, is_south: bool
) -> tuple[list[PlacedCard], list[float], float]:
    """Return cards in the order in which they are drawn, the tops of free slots, and where the side ends."""
    count = len(side.faces)
    places = range(count + len(side.free))
    tops = [start + BAND_HEIGHT * place if is_south else start - CARD_HEIGHT - BAND_HEIGHT * place for place in places]
    cards = [
        PlacedCard(face, x, top, width, CARD_HEIGHT, BAND_HEIGHT) for face, top in zip(side.faces, tops, strict=False)
    ]
    outer = BAND_HEIGHT * (count - 1)
    if is_south:
        return cards, tops[count:], start + CARD_HEIGHT + outer
    return cards[::-1], tops[count:], start - CARD_HEIGHT - outer
