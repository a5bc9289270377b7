"""What every template may draw: icons, the theme in force, numbers and times in the site's manner."""

import json
import re
from datetime import datetime
from typing import Any

from django import template
from django.contrib.humanize.templatetags.humanize import naturaltime, ordinal
from django.db.models import Count, QuerySet
from django.http import HttpRequest, QueryDict
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localtime
from django.utils.translation import get_language, gettext, gettext_lazy, ngettext

from arena.accounts.models import User
from arena.baked import baked
from arena.bots.models import BotVersion
from arena.ladders.models import Entry
from arena.messages import render_message
from arena.notices.models import Notice
from arena.pages.appearance import DUEL_RESULTS, TABLES, Appearance, entry_appearance
from arena.pages.games.cards import Face, draw_card
from arena.pages.home.missing import describe_missing_page
from arena.pages.matches.results import Finish, signed
from arena.pages.matches.slots import slot
from arena.pages.phrases import said
from arena.pages.svg.crests import draw_crest
from arena.pages.svg.icons import icon
from arena.pages.theme import THEMES, chosen_theme
from arena.runner.clock import Spent
from arena.runner.languages import LANGUAGES
from arena.runner.text import visible
from engine.message import Message, MessageError
from engine.registry import GAMES

register = template.Library()
MAIN = {
    "ladders": gettext_lazy("Ladders"),
    "matches": gettext_lazy("Matches"),
    "tournaments": gettext_lazy("Tournaments"),
    "bots": gettext_lazy("Bots"),
    "rules_index": gettext_lazy("Rules"),
    "start": gettext_lazy("First steps"),
    "api_docs": gettext_lazy("API"),
}
"""What every page leads to: names of addresses, and words."""
WIDE = {"api_docs"}
"""Of these, what narrow screens have no room for."""
PROGRAM = re.compile("`([^`]+)`")
MINUTES_SAID = 90
"""More are told in hours."""


register.simple_tag(icon)
register.simple_tag(draw_crest, name="crest")
register.filter("signed", signed)
register.tag(slot)
register.filter(signed)
register.filter(visible)
register.filter(said)


@register.filter
def message(value: Message | MessageError | None) -> str:
    """Return the text of a message, or of an error's message, in the reader's language; empty for None."""
    if isinstance(value, MessageError):
        value = value.message
    return render_message(value) if value else ""


@register.inclusion_tag("parts/chip.html")
def state_chip(kind: str, value: str) -> dict[str, Appearance]:
    """Draw the chip of a state; `kind` is a key of `appearance.TABLES`."""
    return {"chip": TABLES[kind][value]}


@register.inclusion_tag("parts/chip.html")
def entry_chip(entry: Entry) -> dict[str, Appearance]:
    """Draw the chip of the state of a ladder's entry."""
    return {"chip": entry_appearance(entry)}


@register.filter
def with_code(text: str) -> SafeString:
    """What stands between backticks, as program text."""
    return mark_safe(PROGRAM.sub(r"<code>\1</code>", escape(text)))


@register.simple_tag
def pennant(seat: int) -> SafeString:
    """The pennant of a seat: its shape tells it apart where its colour can't."""
    return icon(f"pennant-{seat}")


@register.simple_tag
def card(face: Face, tag: str = "li") -> SafeString:
    return draw_card(face, tag, get_language())


@register.simple_block_tag
def ruling(content: str, number: str) -> SafeString:
    """One ruling of a game, with its number to link to."""
    return format_html(
        '<div class="ruling" id="{0}"><a class="mark" href="#{0}">{0}</a><div>{1}</div></div>', number, content
    )


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """The reader's choice of theme; "system" where there is none, also on error pages, which know no request."""
    request: HttpRequest | None = context.get("request")
    return chosen_theme(request) if request else "system"


@register.simple_tag
def themes() -> dict[str, str]:
    return THEMES


@register.simple_tag(takes_context=True)
def main_pages(context: template.Context) -> SafeString:
    """The pages of MAIN as items of a list, with the one marked under whose address the reader is."""
    request: HttpRequest | None = context.get("request")
    path = request.path if request else ""
    items = []
    for name, words in MAIN.items():
        address = reverse(name)
        here = ' aria-current="page"' if path.startswith(address) else ""
        look = ' class="wide-only"' if name in WIDE else ""
        items.append(f'<li{look}><a href="{address}"{here}>{escape(words)}</a></li>')
    return mark_safe("\n".join(items))


@register.simple_tag(takes_context=True)
def missing(context: template.Context) -> str:
    """On the page for what isn't there: what that is."""
    return describe_missing_page(str(context.get("request_path", "")), str(context.get("exception", "")))


@register.simple_tag(takes_context=True)
def unseen_notices(context: template.Context) -> int:
    """How many the reader has not seen; none of who isn't logged in, and on error pages."""
    request: HttpRequest | None = context.get("request")
    user = getattr(request, "user", None)
    return sum(ask_unseen(user.pk)) if user and user.is_authenticated else 0


@baked
def ask_unseen(user: int) -> QuerySet:
    unseen = Notice.objects.unseen().filter(user=user).order_by().values("user")
    return unseen.annotate(unseen=Count("pk")).values_list("unseen", flat=True)


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """The query string of this page with some parameters changed; None takes one away."""
    request: HttpRequest | None = context.get("request")
    parameters = request.GET.copy() if request else QueryDict(mutable=True)
    for name, value in changes.items():
        if value is None:
            parameters.pop(name, None)
        else:
            parameters[name] = str(value)
    return f"?{parameters.urlencode()}"


@register.filter
def when(at: datetime | None) -> SafeString | str:
    """How long ago, and on asking the exact time."""
    if at is None:
        return ""
    exact = f"{localtime(at):%Y-%m-%d %H:%M:%S %Z}"
    ago = escape(naturaltime(at))
    return mark_safe(f'<time datetime="{at.isoformat(timespec="seconds")}" title="{escape(exact)}">{ago}</time>')


@register.filter
def version_name(version: BotVersion, has_language: bool = False) -> SafeString:
    """A bot and its version, each with its page; and in what it is written."""
    words = gettext("version %(number)s") % {"number": version.number}
    if has_language:
        words = f"{words} · {language_title(version.language)}"
    bot, own = escape(version.bot.get_absolute_url()), escape(version.get_absolute_url())
    return mark_safe(
        f'<a class="name" href="{bot}">{escape(version.bot.name)}</a><a class="under" href="{own}">{escape(words)}</a>'
    )


@register.filter
def author_name(user: User) -> SafeString:
    """An author, with the page that tells of them."""
    return mark_safe(f'<a href="{escape(user.get_absolute_url())}">{escape(user.username)}</a>')


@register.filter
def finish_chip(finish: Finish | None, cause: str = "") -> SafeString | str:
    """How a match ended for a participant: won, lost or drawn between two, with the cause; the place among more."""
    if finish is None:
        return ""
    if finish.is_duel:
        chip = DUEL_RESULTS["drawn" if finish.is_shared else "won" if finish.is_first else "lost"]
        words = f"{chip.label}, {cause}" if cause else chip.label
        return mark_safe(f'<span class="chip {chip.tone}">{icon(chip.icon)}{escape(words)}</span>')
    words = gettext("%(place)s of %(total)s") % {"place": ordinal(finish.place), "total": finish.participants}
    if finish.is_shared:
        words = f"{words}, {gettext('shared')}"
    is_best = finish.place == 1
    return format_html(
        '<span class="chip {}">{}{}</span>', "good" if is_best else "plain", icon("won") if is_best else "", words
    )


@register.filter
def whole(number: float) -> str:
    """A rating as people say it, with a real minus sign."""
    return f"{number:.0f}".replace("-", "−")


@register.filter
def seconds(ms: float) -> str:
    """A time given in milliseconds."""
    return "<1 ms" if ms < 1 else f"{ms:.0f} ms" if ms < 100 else f"{floatformat(ms / 1000, 2)} s"


@register.filter
def took(spent: Spent) -> str:
    """What an answer took: what it computed, how long it was waited for, and how much of that was our delay."""
    words = {"cpu": f"{spent.cpu_ms:.0f}", "wall": f"{spent.wall_ms:.0f}", "late": f"{spent.late_ms:.0f}"}
    if spent.late_ms < 1:
        return gettext("%(cpu)s ms of processor time within %(wall)s ms") % words
    return gettext("%(cpu)s ms of processor time within %(wall)s ms, %(late)s ms of it our delay") % words


@register.filter
def about(seconds: float) -> str:
    """How long something is going to take, as far as one can say."""
    minutes = round(seconds / 60)
    if minutes < 1:
        return gettext("less than a minute")
    if minutes < MINUTES_SAID:
        return ngettext("about %(count)d minute", "about %(count)d minutes", minutes) % {"count": minutes}
    hours = round(minutes / 60)
    return ngettext("about %(count)d hour", "about %(count)d hours", hours) % {"count": hours}


@register.filter
def tail(text: str, lines: int) -> str:
    """The last lines of it."""
    return "\n".join(text.rstrip().splitlines()[-lines:])


@register.filter
def percent(share: float) -> str:
    return f"{share * 100:.0f}%"


@register.filter
def game_title(key: str) -> str:
    return GAMES[key].title if key in GAMES else key


@register.filter
def ladder_title(title: str) -> str:
    """A ladder is called after its game and edition; games keep their names, editions have one in each language."""
    game, comma, edition = title.partition(", ")
    return f"{game}{comma}{gettext(edition)}" if edition else title


@register.filter
def language_title(key: str) -> str:
    return said(LANGUAGES[key].title) if key in LANGUAGES else key


@register.filter
def pretty_json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False)
