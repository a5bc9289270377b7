"""Cells of the list of bots, drawn without a template of their own: the list has a hundred of them."""

from collections.abc import Sequence

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
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
    return format_html('<span class="chip {}">{}{}</span>', look, icon(picture), words)


@register.filter
def best_rating(entries: Sequence[Entry]) -> SafeString:
    """The rating of the first of them: they come best first."""
    if not entries:
        return SafeString("–")
    best, others = entries[0], ""
    if len(entries) > 1:
        others = ", " + gettext("best of %(ladders)s") % {"ladders": len(entries)}
    rating = whole(best.rating) + ("" if best.is_settled else "?")
    return format_html(
        '<span class="rating">{}</span><span class="under">± {}{}</span>', rating, whole(best.margin), others
    )
