"""A line of a standing, drawn in one go: a table of them is the most that a ladder's page has to draw."""

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.ladders.standings import Place
from arena.pages.svg.crests import draw_crest
from arena.pages.templatetags.pennant import author_name, finish_chip, percent, version_name, when, whole

register = template.Library()
EMPTY = SafeString("")


@register.filter
def standing_line(place: Place, is_ranked: bool) -> SafeString:
    """The row of a place; `is_ranked` tells of the block it stands in."""
    entry = place.entry
    version = entry.version
    chip = finish_chip(place.finish, place.cause)
    author = author_name(version.bot.owner)
    words = place.trend.words if is_ranked and place.trend else EMPTY
    missing = EMPTY if is_ranked else escape(place.missing)
    trend = draw_way(place, words) if is_ranked else f'<span class="muted">{missing}</span>'
    looks = ("mine" if place.is_own else "") + ("" if is_ranked else " settling")
    return mark_safe(f"""<tr class="{looks}">
<td class="rank">{place.rank or "–"}{draw_range(place)}</td>
<td>{draw_crest(version.bot.slug)}{draw_own(place)}{version_name(version, True)}\
<span class="phone-only row small muted">{author}<span>{draw_played(place)}</span>{words if is_ranked else missing}\
{draw_link(place, chip)}</span></td>
<td class="wide-only">{author}</td>
<td class="number"><span class="rating">{whole(entry.rating)}{"" if entry.is_ranked else "?"}</span>\
<small class="under">± {whole(entry.margin_95)}</small></td>
<td class="interval">{place.interval}</td>
<td class="number wide-only">{intcomma(entry.matches)}</td>
<td class="wide-only">{draw_share(place.win_rate)}</td>
<td class="trend">{trend}</td>
<td class="wide-only">{draw_last(place, chip)}</td>
</tr>
""")


def draw_own(place: Place) -> str:
    words = _("yours")
    return f'<span class="chip info beside-name">{escape(words)}</span>' if place.is_own else ""


def draw_played(place: Place) -> str:
    share = "" if place.win_rate is None else f" · {percent(place.win_rate)}"
    return f"{escape(place.played)}{share}"


def draw_link(place: Place, chip: str) -> str:
    """To its last match, with how it went."""
    return f'<a href="{place.last.match.get_absolute_url()}">{chip}</a>' if place.last and chip else ""


def draw_range(place: Place) -> str:
    """The ranks that the bot may have, under the one it has."""
    best, worst = place.entry.rank_low, place.entry.rank_high
    if not (best and place.rank):
        return ""
    return f"<small>{best}</small>" if best == worst else f"<small>{best}–{worst}</small>"


def draw_share(share: float | None) -> str:
    if share is None:
        return "–"
    return f'{percent(share)}<meter min="0" max="1" value="{share:.3f}" aria-hidden="true"></meter>'


def draw_way(place: Place, words: str) -> str:
    """How its rating moved, as a picture and in words."""
    return f"<div>{place.trend.picture}{words}</div>" if place.trend else "–"


def draw_last(place: Place, chip: str) -> str:
    if not (place.last and chip):
        words = _("waiting for its first match")
        return f'<span class="muted">{escape(words)}</span>'
    opponent = f"v {escape(place.last.opponent.bot.name)}, " if place.last.opponent else ""
    return (
        f'<a class="plain-name" href="{place.last.match.get_absolute_url()}">{chip}</a>'
        f'<span class="under">{opponent}{when(place.entry.rated_at)}</span>'
    )
