"""Ways to another step of a leg that work without script."""

from functools import lru_cache

from django import template
from django.http import HttpRequest, QueryDict
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from arena.pages.matches.replay import Step
from arena.pages.svg.timeline import Timeline, draw_marks

register = template.Library()


@lru_cache(maxsize=128)
def rest_of(query: str) -> str:
    """A query string without its turn, ready for one."""
    parameters = QueryDict(query, mutable=True)
    parameters.pop("turn", None)
    return f"?{parameters.urlencode()}&turn=" if parameters else "?turn="


@register.simple_tag(takes_context=True)
def turn_url(context: template.Context, number: int | str) -> str:
    """This page at another step; with an empty number, what such a number comes after."""
    request: HttpRequest | None = context.get("request")
    return f"{rest_of(request.META.get('QUERY_STRING', '') if request else '')}{number}"


@register.simple_block_tag(takes_context=True)
def step(
    context: template.Context, content: str, number: int, *, now: int | None = None, **attributes: object
) -> SafeString:
    """What leads to a step, with the attributes named: a link, or where the leg has no address (`is_loose`) a button of
    the form `steps`. The viewer takes it over by its `data-step`. `now` is the step shown."""
    if number == now:
        attributes["aria_current"] = "step"
    given = mark_safe("".join(format_html(' {}="{}"', name.replace("_", "-"), attributes[name]) for name in attributes))
    if context.get("is_loose"):
        return format_html(
            '<button form="steps" name="turn" value="{0}" data-step="{0}"{1}>{2}</button>',
            number,
            given,
            mark_safe(content),
        )
    return format_html(
        '<a href="{}" data-step="{}"{}>{}</a>', turn_url(context, number), number, given, mark_safe(content)
    )


@register.simple_tag(takes_context=True)
def marks(context: template.Context, timeline: Timeline) -> SafeString:
    """What happened when, each a way to its step; where `is_loose`, for the viewer alone."""
    return draw_marks(timeline, None if context.get("is_loose") else turn_url(context, ""))


@register.filter
def chances(step: Step) -> str:
    """What the bot said of its chances in this step, from −1 to +1; empty where it said nothing."""
    said = [entry.eval for entry in step.entries if entry.eval is not None]
    return f"{said[-1]:+.2f}".replace("-", "−") if said else ""
