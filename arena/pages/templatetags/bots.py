"""Cells of the list of bots, drawn without a template of their own: the list has a hundred of them."""

from collections.abc import Sequence

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, gettext_lazy

from arena.ladders.models import Entry
from arena.pages.icons import icon
from arena.pages.templatetags.pennant import whole

register = template.Library()
STATES = {
    "accepted": ("good", "ok", gettext_lazy("Accepted")),
    "rejected": ("bad", "no", gettext_lazy("Rejected")),
    "building": ("info", "dots", gettext_lazy("Being built")),
}
"""Of a version: look, picture and words of its chip."""
CHECKED = ("info", "dots", gettext_lazy("Being checked"))
"""The same for any other."""


@register.filter
def state_chip(state: str) -> SafeString:
    look, picture, words = STATES.get(state, CHECKED)
    return mark_safe(f'<span class="chip {look}">{icon(picture)}{escape(words)}</span>')


@register.filter
def best_rating(entries: Sequence[Entry]) -> SafeString:
    """The rating of the first of them: they come best first."""
    if not entries:
        return SafeString("–")
    best, others = entries[0], ""
    if len(entries) > 1:
        others = ", " + gettext("best of %(ladders)s") % {"ladders": len(entries)}
    rating = whole(best.rating) + ("" if best.is_settled else "?")
    return mark_safe(
        f'<span class="rating">{rating}</span><span class="under">± {whole(best.margin)}{escape(others)}</span>'
    )
