"""The table of any game in a preview image of 1200 by 630: the seats, and what each has."""

from dataclasses import dataclass

from arena.pages.games.plain.board import Board
from arena.pages.svg.card import SEAT_COLOURS

IMAGE_WIDTH, LEFT, TOP, LINE_HEIGHT = 1200, 60, 170, 52
MAX_LINES = 8
MAX_TEXT_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Text:
    """A text and where it begins."""

    text: str
    x: int
    y: int
    colour: str = "#1E1A14"
    is_heading: bool = False


def lay_out_preview(board: Board) -> list[Text]:
    """Return the texts of the image: a column for each seat, then what is common to all."""
    width = (IMAGE_WIDTH - 2 * LEFT) // (len(board.seats) + 1)
    texts = [
        Text(name, LEFT + width * (seat + 1), TOP, SEAT_COLOURS[seat % len(SEAT_COLOURS)], is_heading=True)
        for seat, name in board.seats
    ]
    lines = [(row.label, row.cells) for row in board.rows] + [(label, [cell]) for label, cell in board.facts]
    for number, (label, cells) in enumerate(lines[:MAX_LINES], start=1):
        y = TOP + number * LINE_HEIGHT
        texts.append(Text(label, LEFT, y, "#5B5347"))
        for column, cell in enumerate(cells, start=1):
            words = " ".join(item.text for item in cell.items)
            longest = MAX_TEXT_LENGTH * (len(board.seats) if len(cells) == 1 else 1) // len(board.seats)
            texts.append(Text(words if len(words) <= longest else f"{words[: longest - 1]}…", LEFT + width * column, y))
    return texts
