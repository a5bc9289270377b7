"""A library of named formations with cards laid out in them, and the shapes that the actions of a leg lay out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from engine.games.battalion.cards import CARDS_BY_NAME, CARDS_HIGH_TO_LOW
from engine.games.battalion.geometry import Rows
from engine.games.battalion.layout import PLACES_BESIDE_FORMATION, Cells, format_rows, read_layout

EXAMPLE_CARDS: Final = "10 A 8 Q 7 J 6 5 K 4 3 2"
"""Fill the cells of a formation without a name, front to back: strong cards first, as a King strikes from any cell."""
EXAMPLE_GUARD: Final = "9"


def format_formation_index(lengths: Sequence[int]) -> str:
    """Return the number of cells in each of three rows, from the front."""
    return "-".join(str(length) for length in [*lengths, 0, 0][:3])


@dataclass(frozen=True)
class Formation:
    """A shape by name. `cards` fills its cells front to back, left to right; the rest is the hand."""

    name: str
    rows: Rows
    cards: str
    guard: str

    @property
    def index(self) -> str:
        """Return the number of cells in each of three rows, from the front."""
        return format_formation_index([len(row) for row in self.rows])

    @property
    def picture(self) -> str:
        """Return the cells drawn as text, one line a row, the front first."""
        lines = []
        for row in self.rows:
            line = ""
            for x in row:
                line = line.ljust(2 * x) + "[ ]"
            lines.append(line)
        return "\n".join(lines)

    @cached_property
    def action(self) -> str:
        """Return the deployment as an action string."""
        cards = iter(self.cards.split())
        rows: tuple[Cells, ...] = tuple(tuple((x, CARDS_BY_NAME[next(cards)]) for x in row) for row in self.rows)
        return f"deploy {format_rows(rows)} guard={self.guard}"


FORMATIONS: Final = (
    Formation("Phalanx", ((0, 2, 4, 6), (0, 2, 4, 6), (1, 3, 5)), "10 A 8 7 5 Q J 6 4 K 3", "9"),
    Formation("Square", ((0, 2, 4), (0, 2, 4), (0, 2, 4)), "8 A 10 7 J 6 4 Q K", "9"),
    Formation("Shield", ((1, 3, 5), (0, 2, 4, 6), (1, 3, 5)), "A 9 10 7 J Q 8 5 K 6", "4"),
    Formation("Wedge", ((2,), (1, 3), (0, 2, 4)), "10 J A Q K 8", "9"),
    Formation("Funnel", ((0, 2, 4, 6), (1, 3, 5), (2, 4)), "9 A 7 10 J 6 Q K 5", "8"),
    Formation("Arrow", ((0, 2, 4), (1, 3), (2,)), "10 A 8 Q J K", "9"),
    Formation("Hexagon", ((1, 3), (0, 2, 4), (1, 3)), "A 10 8 Q J 7 K", "9"),
    Formation("Cross", ((2,), (0, 2, 4), (2,)), "10 9 A J Q", "8"),
    Formation("Hourglass", ((0, 2, 4), (2,), (0, 2, 4)), "8 A 10 J 7 Q 6", "9"),
    Formation("Horns", ((0, 2, 6, 8), (1, 3, 5, 7)), "10 8 7 A 6 Q J 9", "5"),
    Formation("Bridge", ((0, 2, 4, 6), (0, 6)), "A 8 7 10 Q J", "9"),
    Formation("Box", ((0, 2), (0, 2)), "A 10 Q J", "8"),
    Formation("Column", ((0,), (0,), (0,)), "10 J Q", "9"),
    Formation("Line", ((0, 2, 4, 6),), "10 A 9 Q", "8"),
)
"""Full ones first, then such with a larger hand."""
LIBRARY: Final = {formation.rows: formation for formation in FORMATIONS}
"""By shape, as `canonical` gives it."""


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A shape that a seat has laid out."""

    seat: int
    verb: str
    """`deploy` or `reform`."""
    rows: Rows


def canonical(rows: Sequence[Sequence[int]]) -> Rows:
    """Return a shape with its smallest half-column at 0, and the same for its mirror image.

    The rules know no left or right (BT-3, BT-4): a shape and its mirror image are the same formation.
    """
    columns = [x for row in rows for x in row]
    left, right = min(columns), max(columns)
    shifted = tuple(tuple(sorted(x - left for x in row)) for row in rows)
    mirrored = tuple(tuple(sorted(right - x for x in row)) for row in rows)
    return min(shifted, mirrored)


def find_named(rows: Sequence[Sequence[int]]) -> Formation | None:
    """Return the formation of the library with this shape, or None."""
    return LIBRARY.get(canonical(rows))


def print_shape(rows: Rows) -> str:
    """Return a shape as text: the half-columns of each row, front to back, as in "0,2,4/1,3"."""
    return "/".join(",".join(map(str, row)) for row in rows)


def read_shape(text: str) -> Rows:
    """Return the shape that `print_shape` wrote."""
    return tuple(tuple(int(x) for x in row.split(",")) for row in text.split("/"))


def count_hand(rows: Rows) -> int:
    """Return how many cards stay in the hand when this shape is deployed."""
    return len(CARDS_HIGH_TO_LOW) - 1 - sum(len(row) for row in rows)


def example_of(rows: Rows) -> str:
    """Return an action that deploys this shape."""
    named = find_named(rows)
    example = named or Formation("", rows, EXAMPLE_CARDS, EXAMPLE_GUARD)
    return example.action


def list_laid_out(actions: Iterable[Mapping[str, Any]]) -> Iterator[LaidOut]:
    """Yield the shape of each deployment and each reforming among the actions of a record, in their order."""
    for entry in actions:
        verb = entry["action"].partition(" ")[0]
        if verb in PLACES_BESIDE_FORMATION:
            yield LaidOut(entry["seat"], verb, canonical(read_layout(entry["action"]).columns))
