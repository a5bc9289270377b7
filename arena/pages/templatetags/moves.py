"""The list of moves, within a template."""

from collections.abc import Sequence

from django import template
from django.utils.safestring import SafeString

from arena.pages.matches.moves import Move, draw_moves
from arena.pages.templatetags.steps import turn_url

register = template.Library()


@register.simple_tag(takes_context=True)
def move_list(context: template.Context, moves: Sequence[Move], now: int | None = None) -> SafeString:
    """The items of a list of moves; `now` is the step shown. Where `is_loose`, the leg has no address."""
    return draw_moves(list(moves), now, None if context.get("is_loose") else turn_url(context, ""))
