"""A small picture of how long a leg was: a bar for each turn. Steps in, SVG out."""

from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import ngettext

from arena.pages.games.presentation import Presentation
from arena.pages.matches.replay import Scene

LENGTH_HEIGHT = 40
BAR_HEIGHT, MARKED_BAR_HEIGHT = 9, 18
"""A bar is taller where what decides a leg happened: a claim, or an attack."""
BAR_WIDTH = 0.7
"""Of the width that a turn has."""


def draw_length(scene: Scene, presentation: Presentation) -> SafeString:
    """Draw the turns of a leg, the first seat's below a line and those of the others above it."""
    kind = next(iter(presentation.jump_labels), "")
    bars: list[str] = []
    for step in scene.steps:
        if step.seat is None:
            continue
        is_marked = any(mark.kind == kind for mark in presentation.list_marks(step))
        height = MARKED_BAR_HEIGHT if is_marked else BAR_HEIGHT
        top = LENGTH_HEIGHT / 2 + (1 if step.seat == 0 else -1 - height)
        bars.append(
            f'<path class="seat-{step.seat}" d="M{len(bars)} {top:g}h{BAR_WIDTH}v{height}H{len(bars)}z"></path>'
        )
    return format_html(
        '<svg class="length" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        max(len(bars), 1),
        LENGTH_HEIGHT,
        ngettext("One bar for its %(count)d turn", "One bar for each of its %(count)d turns", len(bars))
        % {"count": len(bars)},
        mark_safe("".join(bars)),
    )
