"""Links to another step of a leg, which work without script."""

from functools import lru_cache

from django import template
from django.http import HttpRequest, QueryDict

from arena.pages.formatting import format_signed
from arena.pages.matches.results import signed
from arena.pages.svg.timeline import Timeline, draw_marks

register = template.Library()


@lru_cache(maxsize=128)
def drop_turn(query: str) -> str:
    """Return a query string without its turn, ready for one."""
    parameters = QueryDict(query, mutable=True)
    parameters.pop("turn", None)
    return f"?{parameters.urlencode()}&turn=" if parameters else "?turn="


@register.simple_tag(takes_context=True)
def turn_url(context: template.Context, number: int | str = "") -> str:
    """Return the address of this page at another step; without a number, what such a number comes after."""
    request: HttpRequest | None = context.get("request")
    return f"{drop_turn(request.META.get('QUERY_STRING', '') if request else '')}{number}"


@register.simple_tag(takes_context=True)
def timeline_marks(context: template.Context, timeline: Timeline) -> str:
    """Draw what happened when, each mark a link to its step; where `is_loose`, for the viewer alone."""
    return draw_marks(timeline, None if context.get("is_loose") else turn_url(context))


@register.filter
def signed_points(points: int) -> str:
    """Return a whole number with its sign, as a change of a rating has it."""
    return signed(points)


@register.filter
def signed_decimal(number: float) -> str:
    """Return a number with its sign and two decimals."""
    return format_signed(number, 2)
