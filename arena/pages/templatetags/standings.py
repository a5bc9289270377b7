"""A line of a standing, drawn in one go: a table of them is the most that a ladder's page has to draw."""

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.crests import draw_crest
from arena.pages.standings import Place
from arena.pages.templatetags.pennant import author_name, finish_chip, percent, version_name, when, whole

register = template.Library()
EMPTY = SafeString("")
LINE = """<tr class="{looks}">
<td class="rank">{rank}{range}</td>
<td>{crest}{own}{name}<span class="phone-only row small muted">{author}<span>{played}</span>{state}{link}</span></td>
<td class="wide-only">{author}</td>
<td class="number"><span class="rating">{rating}</span><small class="under">± {margin}</small></td>
<td class="interval">{interval}</td>
<td class="number wide-only">{matches}</td>
<td class="wide-only">{share}</td>
<td class="trend">{trend}</td>
<td class="wide-only">{last}</td>
</tr>
"""


@register.filter
def standing_line(place: Place, is_settled: bool) -> SafeString:
    """The row of a place; `is_settled` tells of the block it stands in."""
    entry = place.entry
    version = entry.version
    chip = finish_chip(place.finish, place.cause)
    missing = EMPTY if is_settled else place.missing
    words = place.trend.words if is_settled and place.trend else EMPTY
    return format_html(
        LINE,
        looks=("mine" if place.is_own else "") + ("" if is_settled else " settling"),
        rank=place.rank or "–",
        range=draw_range(place),
        crest=draw_crest(version.bot.slug),
        own=format_html('<span class="chip info beside-name">{}</span>', _("yours")) if place.is_own else EMPTY,
        name=version_name(version, True),
        author=author_name(version.bot.owner),
        played=f"{place.played} · {percent(place.win_rate)}" if place.win_rate is not None else place.played,
        state=words if is_settled else missing,
        link=format_html('<a href="{}">{}</a>', place.last.match.get_absolute_url(), chip) if chip else EMPTY,
        rating=whole(entry.rating) + ("" if entry.is_settled else "?"),
        margin=whole(entry.margin),
        interval=place.interval,
        matches=intcomma(entry.matches),
        share=draw_share(place.win_rate),
        trend=draw_way(place, words) if is_settled else format_html('<span class="muted">{}</span>', missing),
        last=draw_last(place, chip),
    )


def draw_range(place: Place) -> SafeString:
    """The ranks that the bot may have, under the one it has."""
    best, worst = place.entry.rank_best, place.entry.rank_worst
    if not (best and place.rank):
        return EMPTY
    return mark_safe(f"<small>{best}</small>" if best == worst else f"<small>{best}–{worst}</small>")


def draw_share(share: float | None) -> SafeString:
    if share is None:
        return SafeString("–")
    meter = f'<meter min="0" max="1" value="{share:.3f}" aria-hidden="true"></meter>'
    return mark_safe(percent(share) + meter)


def draw_way(place: Place, words: SafeString) -> SafeString:
    """How its rating moved, as a picture and in words."""
    return format_html("<div>{}{}</div>", place.trend.picture, words) if place.trend else SafeString("–")


def draw_last(place: Place, chip: SafeString | str) -> SafeString:
    if not (place.last and chip):
        return format_html('<span class="muted">{}</span>', _("waiting for its first match"))
    opponent = f"v {place.last.opponent.bot.name}, " if place.last.opponent else ""
    return format_html(
        '<a class="plain-name" href="{}">{}</a><span class="under">{}{}</span>',
        place.last.match.get_absolute_url(),
        chip,
        opponent,
        when(place.entry.rated_at),
    )
