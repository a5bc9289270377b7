"""Cells and rows of lists of bots, drawn without a template of their own: a list has a hundred cells."""

from collections.abc import Sequence

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from arena.bots.models import Bot
from arena.ladders.models import Entry
from arena.pages.bots.strength import Rival
from arena.pages.matches.results import signed
from arena.pages.svg.crests import draw_crest
from arena.pages.templatetags.pennant import percent, whole

register = template.Library()
CREST = 30
"""Pixels: as high as a name and what stands under it begin."""


@register.filter
def best_rating(entries: Sequence[Entry]) -> SafeString:
    """The rating of the first of them: they come best first."""
    if not entries:
        return SafeString("–")
    best, others = entries[0], ""
    if len(entries) > 1:
        others = ", " + gettext("best of %(ladders)s") % {"ladders": len(entries)}
    rating = whole(best.rating) + ("" if best.is_ranked else "?")
    return mark_safe(
        f'<span class="rating">{rating}</span><span class="under">± {whole(best.margin_95)}{escape(others)}</span>'
    )


@register.filter
def rival_rows(rivals: Sequence[Rival], bot: Bot) -> SafeString:
    """Whom a bot met, a row for each, with the way to all of their matches."""
    address = escape(bot.get_absolute_url())
    return mark_safe("".join(draw_rival(rival, address) for rival in rivals))


def draw_rival(rival: Rival, address: str) -> str:
    entry, other = rival.entry, rival.entry.version.bot
    words = gettext("version %(number)s, %(rating)s")
    under = words % {"number": entry.version.number, "rating": whole(entry.rating)}
    if entry.state == Entry.State.RETIRED:
        retired = gettext("retired")
        under = f"{under}, {retired}"
    return (
        f"<tr><td>{draw_crest(other.slug, CREST)}"
        f'<a class="name" href="{address}against/{other.slug}/">{escape(other.name)}</a>'
        f'<span class="under">{escape(under)}</span></td><td class="number">{intcomma(rival.matches)}</td>'
        f'<td class="wide-only">{rival.share}</td><td class="number"><b>{percent(rival.score)}</b></td>'
        f'<td class="number">{signed(rival.surplus)}</td><td class="wide-only">{rival.results}</td></tr>'
    )
