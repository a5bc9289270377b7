"""The drawing of a knockout: a column for each round, two bots in a box, lines to where the winner goes on."""

from collections.abc import Mapping
from statistics import fmean

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from arena.core.messages import gettext as _
from arena.pages.tournaments.rounds import BoutResult, BoutSide, BracketDrawing

BOX_WIDTH, ROW_HEIGHT = 178, 36
BOX_HEIGHT = 2 * ROW_HEIGHT
COLUMN_GAP = 28
BOX_PITCH = 84
"""The distance from the top of a box to the top of the next one below it."""
COLUMN_TITLE_HEIGHT, CAPTION_HEIGHT, BRACKET_MARGIN = 30, 18, 2
MAX_NAME_LENGTH_IN_BOX, MAX_AUTHOR_LENGTH_IN_BOX = 17, 22
HIGHLIGHT_COLOUR = "var(--accent)"
NORMAL_STROKE = 'stroke="var(--line-2)"'


def draw_bracket(drawing: BracketDrawing) -> SafeString:
    """Draw a part of a bracket at its own size: on narrow screens it is scrolled, so that it stays readable."""
    places = place_bouts(drawing)
    width = len(drawing.columns) * (BOX_WIDTH + COLUMN_GAP) - COLUMN_GAP + 2 * BRACKET_MARGIN
    height = max(y for _x, y in places.values()) + BOX_HEIGHT + BRACKET_MARGIN
    bouts = [bout for column in drawing.columns for bout in column[1] if not bout.is_empty]
    lines = sorted(
        (draw_lines_into_bout(drawing, bout, places) for bout in bouts), key=lambda line: HIGHLIGHT_COLOUR in line
    )
    key = f"bracket-{drawing.key}"
    description = escape(_("Rounds from left to right, also listed below."))
    return mark_safe(
        f'<svg viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}" '
        f'aria-labelledby="{key}-title" aria-describedby="{key}-desc" fill="var(--ink)" font-size="13">'
        f'<title id="{key}-title">{escape(drawing.title)}</title><desc id="{key}-desc">{description}</desc>'
        f"{draw_column_titles(drawing)}{''.join(lines)}"
        f"{''.join(draw_bout(bout, *places[bout.name], drawing.champion) for bout in bouts)}</svg>"
    )


def place_bouts(drawing: BracketDrawing) -> dict[str, tuple[float, float]]:
    """Return the upper left corner of each box by name: at half the height between those that lead to it.

    A box with a caption, to which no winner leads, is below the one before it.
    """
    places: dict[str, tuple[float, float]] = {}
    for at, column in enumerate(drawing.columns):
        for row, bout in enumerate(column[1]):
            above = [places[name][1] for name in bout.feeders if name in places]
            y = fmean(above) if above else COLUMN_TITLE_HEIGHT + row * BOX_PITCH
            if bout.caption:
                y = places[column[1][row - 1].name][1] + BOX_PITCH + CAPTION_HEIGHT
            places[bout.name] = (BRACKET_MARGIN + at * (BOX_WIDTH + COLUMN_GAP), y)
    return places


def draw_column_titles(drawing: BracketDrawing) -> str:
    """Draw the titles of the columns."""
    return "".join(
        f'<text x="{BRACKET_MARGIN + at * (BOX_WIDTH + COLUMN_GAP)}" y="16" fill="var(--ink-2)">'
        f"{escape(column[0])}</text>"
        for at, column in enumerate(drawing.columns)
    )


def draw_lines_into_bout(drawing: BracketDrawing, bout: BoutResult, places: Mapping[str, tuple[float, float]]) -> str:
    """Draw the lines from the boxes that lead to this one; those of the champion are strong."""
    x, y = places[bout.name]
    found = []
    for feeder, side in zip(bout.feeders, bout.sides, strict=True):
        if feeder is None or feeder not in places or side.number == 0:
            continue
        left, above = places[feeder]
        stroke = (
            f'stroke="{HIGHLIGHT_COLOUR}" stroke-width="2.5"'
            if is_side_of_champion(side, drawing.champion)
            else NORMAL_STROKE
        )
        ends = f"M{left + BOX_WIDTH} {above + ROW_HEIGHT:.0f}H{x - COLUMN_GAP / 2:.0f}V{y + ROW_HEIGHT:.0f}H{x}"
        found.append(f'<path d="{ends}" fill="none" {stroke}/>')
    return "".join(found)


def is_side_of_champion(side: BoutSide, champion: int | None) -> bool:
    """Return whether the champion is on this side."""
    return bool(champion) and side.number == champion


def draw_bout(bout: BoutResult, x: float, y: float, champion: int | None) -> str:
    """Draw a box with two names, linked to the first match."""
    is_stressed = any(is_side_of_champion(side, champion) for side in bout.sides)
    stroke = f'stroke="{HIGHLIGHT_COLOUR}" stroke-width="2"' if is_stressed else NORMAL_STROKE
    box = (
        f'<rect x="{x}" y="{y:.0f}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" fill="var(--panel)" {stroke}/>'
        f'<path d="M{x} {y + ROW_HEIGHT:.0f}h{BOX_WIDTH}" stroke="var(--line)"/>'
    )
    if bout.caption:
        box = draw_text(x, y - 7, bout.caption, 'fill="var(--ink-2)"') + box
    names = "".join(draw_side(bout, side, x, y + row * ROW_HEIGHT) for row, side in enumerate(bout.sides))
    if bout.match is None:
        return f"<g>{box}{names}</g>"
    label = escape(f"{bout.caption}: {bout.sentence}" if bout.caption else bout.sentence)
    return f'<a href="/matches/{bout.match}/" aria-label="{label}">{box}{names}</a>'


def draw_side(bout: BoutResult, side: BoutSide, x: float, y: float) -> str:
    """Draw seed, name, author and score; the winner is bold, and the loser is pale."""
    base = y + ROW_HEIGHT / 2 - 2
    if not side.number:
        words = _("bye") if side.number == 0 else ""
        return draw_text(x + 34, base, words, 'fill="var(--ink-2)"') if words else ""
    look = 'font-weight="600"' if side.won else 'fill="var(--ink-2)"' if bout.is_over else ""
    seed = draw_text(x + 26, base, str(side.seed), 'fill="var(--ink-2)" font-size="11" text-anchor="end"')
    score = draw_text(x + BOX_WIDTH - 8, base, format_side_score(bout, side), f'{look} text-anchor="end"')
    author = draw_text(
        x + 34, base + 13, shorten_name(side.author, MAX_AUTHOR_LENGTH_IN_BOX), 'fill="var(--ink-2)" font-size="11"'
    )
    return seed + draw_text(x + 34, base, shorten_name(side.name), look) + author + score


def format_side_score(bout: BoutResult, side: BoutSide) -> str:
    """Return the score of a side; a tick for one that went on without playing."""
    if side.score:
        return side.score
    return "✓" if side.won and not bout.is_bye else ""


def draw_text(x: float, y: float, text: str, attributes: str = "") -> str:
    """Draw a text with these attributes; nothing for an empty one."""
    return f'<text x="{x:.0f}" y="{y:.0f}" {attributes}>{escape(text)}</text>' if text else ""


def shorten_name(name: str, most: int = MAX_NAME_LENGTH_IN_BOX) -> str:
    """Return the first characters of a name, as many as fit into a box."""
    return name if len(name) <= most else name[: most - 1].rstrip() + "…"
