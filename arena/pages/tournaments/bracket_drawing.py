"""A knockout as a picture: a column for each round, two names in a box, lines to where the winner goes on."""

from collections.abc import Iterable, Mapping
from statistics import fmean

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.tournaments.bracket import Drawing, Shown, Side

WIDTH, ROW, GAP, PITCH = 178, 24, 28, 60
"""Of a box, of a name in it, between two rounds, and from one box to the next below it."""
HEIGHT = 2 * ROW
TOP, EDGE = 30, 2
"""What is kept free for the titles of the rounds, and at the sides for thick lines."""
LONGEST = 17
"""Characters of a name that fit."""
STRONG = "var(--accent)"


def draw_bracket(drawing: Drawing) -> SafeString:
    """At its own size: it is scrolled where there is less room, so that it can be read on a phone, too."""
    places = place_bouts(drawing)
    width = len(drawing.columns) * (WIDTH + GAP) - GAP + 2 * EDGE
    height = max(y for _x, y in places.values()) + HEIGHT + EDGE
    bouts = [bout for column in drawing.columns for bout in column.bouts if not bout.is_empty]
    lines = sorted((draw_lines(drawing, bout, places) for bout in bouts), key=lambda line: STRONG in line)
    key = f"bracket-{drawing.key}"
    return mark_safe(
        f'<svg viewBox="0 0 {width} {height:.0f}" width="{width}" height="{height:.0f}" '
        f'aria-labelledby="{key}-title" aria-describedby="{key}-desc" fill="var(--ink)" font-size="13">'
        f'<title id="{key}-title">{escape(drawing.title)}</title><desc id="{key}-desc">{describe(drawing)}</desc>'
        f"{draw_titles(drawing)}{''.join(lines)}"
        f"{''.join(draw_bout(bout, *places[bout.name], drawing.champion) for bout in bouts)}</svg>"
    )


def describe(drawing: Drawing) -> str:
    words = _("Rounds from left to right; the same is told in a list below.")
    return escape(words)


def place_bouts(drawing: Drawing) -> dict[str, tuple[float, float]]:
    """Where the upper left corner of each box is: in the middle of those that lead to it."""
    places: dict[str, tuple[float, float]] = {}
    for at, column in enumerate(drawing.columns):
        for row, bout in enumerate(column.bouts):
            above = [places[name][1] for name in bout.feeders if name in places]
            y = fmean(above) if above else TOP + row * PITCH
            places[bout.name] = (EDGE + at * (WIDTH + GAP), y)
    return places


def draw_titles(drawing: Drawing) -> str:
    return "".join(
        f'<text x="{EDGE + at * (WIDTH + GAP)}" y="16" fill="var(--ink-2)">{escape(column.title)}</text>'
        for at, column in enumerate(drawing.columns)
    )


def draw_lines(drawing: Drawing, bout: Shown, places: Mapping[str, tuple[float, float]]) -> str:
    """From the boxes that lead to this one. The way of who has won all of it is stressed."""
    x, y = places[bout.name]
    found = []
    for feeder, side in zip(bout.feeders, bout.sides, strict=True):
        if feeder is None or feeder not in places or side.number == 0:
            continue
        left, above = places[feeder]
        stroke = f'stroke="{STRONG}" stroke-width="2.5"' if is_champions(side, drawing.champion) else PALE
        ends = f"M{left + WIDTH} {above + ROW:.0f}H{x - GAP / 2:.0f}V{y + ROW:.0f}H{x}"
        found.append(f'<path d="{ends}" fill="none" {stroke}/>')
    return "".join(found)


PALE = 'stroke="var(--line-2)"'


def is_champions(side: Side, champion: int | None) -> bool:
    return bool(champion) and side.number == champion


def draw_bout(bout: Shown, x: float, y: float, champion: int | None) -> str:
    is_stressed = any(is_champions(side, champion) for side in bout.sides)
    stroke = f'stroke="{STRONG}" stroke-width="2"' if is_stressed else PALE
    box = (
        f'<rect x="{x}" y="{y:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="6" fill="var(--panel)" {stroke}/>'
        f'<path d="M{x} {y + ROW:.0f}h{WIDTH}" stroke="var(--line)"/>'
    )
    names = "".join(draw_side(bout, side, x, y + row * ROW) for row, side in enumerate(bout.sides))
    if bout.match is None:
        return f"<g>{box}{names}</g>"
    return f'<a href="/matches/{bout.match}/" aria-label="{escape(bout.sentence)}">{box}{names}</a>'


def draw_side(bout: Shown, side: Side, x: float, y: float) -> str:
    """Seed, name and what it won; who went on stands out, and who is out is pale."""
    base = y + ROW - 8
    if not side.number:
        words = _("bye") if side.number == 0 else ""
        return text(x + 34, base, words, 'fill="var(--ink-2)"') if words else ""
    look = 'font-weight="600"' if side.won else 'fill="var(--ink-2)"' if bout.is_over else ""
    seed = text(x + 26, base, str(side.number), 'fill="var(--ink-2)" font-size="11" text-anchor="end"')
    score = text(x + WIDTH - 8, base, score_of(bout, side), f'{look} text-anchor="end"')
    return seed + text(x + 34, base, shorten(side.name), look) + score


def score_of(bout: Shown, side: Side) -> str:
    """The sum of its matches; a tick for who went on without playing."""
    if side.score:
        return side.score
    return "✓" if side.won and not bout.is_bye else ""


def text(x: float, y: float, words: str, look: Iterable[str] | str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" {look}>{escape(words)}</text>' if words else ""


def shorten(name: str) -> str:
    return name if len(name) <= LONGEST else name[: LONGEST - 1].rstrip() + "…"
