"""The tags and filters of all templates: icons, names, times and numbers in the site's manner."""

import re
from collections.abc import Hashable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from django import template
from django.conf import settings
from django.contrib.humanize.templatetags.humanize import naturaltime, ordinal
from django.http import HttpRequest, QueryDict
from django.template.loader import get_template, render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import get_language

from arena.bots.models import Bot, BotVersion
from arena.contests.ladders.models import Entry
from arena.contests.ladders.queries import find_game_title
from arena.core.errors import describe_missing_game
from arena.core.messages import gettext, gettext_lazy, isolate, pgettext_lazy, render_message
from arena.core.release import arena_version
from arena.matches.livegames.models import LiveSeat
from arena.matches.livegames.position import list_seats
from arena.matches.livegames.queries import list_games_in_bar
from arena.pages import formatting
from arena.pages.formatting import (
    APPEARANCES_BY_KIND,
    FAULT_APPEARANCES,
    MISSING_GAME,
    TWO_PLAYER_RESULTS,
    Appearance,
    find_entry_appearance,
)
from arena.pages.games import find_ruling_url, has_rules
from arena.pages.games.cards import Face
from arena.pages.games.sentence import Sentence
from arena.pages.learn.lesson import Lesson
from arena.pages.learn.views import FIRST_LESSON, find_lesson
from arena.pages.matches.frames import slot
from arena.pages.matches.results import MatchFinish, signed
from arena.pages.serving import (
    NO_REAL_NAMES,
    THEMES,
    KnownAuthor,
    RealNames,
    chosen_theme,
    describe_missing_page,
    list_authors,
    player_of,
    write_authors,
)
from arena.pages.svg.icons import draw_crest, draw_crest_preview, draw_crest_shield, draw_icon
from arena.people.accounts.models import User
from arena.people.notices.services import list_notices
from arena.runner.program import Verdict
from arena.runner.protocol import make_visible
from engine.message import Message, MessageError
from engine.registry import GAMES

register = template.Library()
MAIN_PAGE_TITLES = {
    "watch": pgettext_lazy("menu", "Watch"),
    "play": pgettext_lazy("menu", "Play"),
    "ladders": gettext_lazy("Ladders"),
    "matches": gettext_lazy("Matches"),
    "tournaments": gettext_lazy("Tournaments"),
    "bots": gettext_lazy("Bots"),
    "rules_index": gettext_lazy("Rules"),
}
"""The entries of the menu on every page, by the names of their addresses."""

register.simple_tag(draw_icon, name="icon")
register.simple_tag(draw_crest, name="crest")
register.simple_tag(draw_crest_preview, name="crest_preview")
register.simple_tag(draw_crest_shield, name="crest_shield")
register.simple_tag(arena_version)
register.tag(slot)
register.filter(signed)
register.filter("visible", make_visible)
register.filter(isolate)
register.filter(formatting.split_links)
register.filter("whole", formatting.format_rating)
register.filter("seconds", formatting.format_milliseconds)
register.filter("took", formatting.describe_time_spent)
register.filter("about", formatting.format_estimate)
register.filter("duration", formatting.format_duration)
register.filter("at_most", formatting.format_bound)
register.filter("remaining", formatting.format_remaining)
register.filter("tail", formatting.take_last_lines)
register.filter("percent", formatting.format_percent)
register.filter("pretty_json", formatting.format_json)
register.filter("game_title", find_game_title)
register.filter(has_rules)
register.filter(formatting.variant_title)
register.filter(formatting.rules_title)
register.filter("ladder_title", formatting.translate_ladder_title)
register.filter("language_title", formatting.find_language_title)
register.filter("ladder_name", formatting.name_ladder)
register.simple_tag(find_ruling_url, name="ruling_url")


@register.filter
def about_range(seconds: tuple[float, float]) -> str:
    """Return about how long something is going to take, by the fewest and the most seconds."""
    return formatting.format_range(*seconds)


@register.filter
def clock(limit_ms: float) -> str:
    """Return a time limit, given in milliseconds, in the largest unit of which it has a few."""
    return formatting.format_duration(limit_ms / 1000)


@register.simple_tag
def sign_up_mode() -> str:
    """Return who may make an account: a value of `SignUpMode`."""
    return str(settings.SIGN_UP)


@register.simple_tag
def offers_school_account() -> bool:
    """Return whether people can sign in with an account of their school."""
    return bool(settings.SCHOOL_SERVER)


@register.filter
def is_installed(game: str) -> bool:
    """Return whether the package of a game is there: without it nothing of the game is played or shown again."""
    return game in GAMES


@register.inclusion_tag("parts/missing_game.html")
def missing_game(game: str) -> dict[str, Any]:
    """Say that a game is not installed; draw nothing where it is."""
    return {"sentence": None if game in GAMES else describe_missing_game(find_game_title(game))}


@register.inclusion_tag("parts/chip.html")
def missing_game_chip(game: str) -> dict[str, Appearance | None]:
    """Draw the chip of a game that is not installed; nothing where it is."""
    return {"chip": None if game in GAMES else MISSING_GAME}


@register.filter
def message(value: Message | MessageError | None) -> str:
    """Return the text of a message, or of an error's message, in the reader's language; empty for None."""
    if isinstance(value, MessageError):
        value = value.message
    return render_message(value) if value else ""


@register.filter
def fault_label(verdict: str) -> str:
    """Return what a fault is called in the reader's language."""
    return str(FAULT_APPEARANCES[Verdict(verdict)].label)


@register.inclusion_tag("parts/chip.html")
def state_chip(kind: str, value: str) -> dict[str, Appearance]:
    """Draw the chip of a state; `kind` is a key of `appearance.TABLES`."""
    return {"chip": APPEARANCES_BY_KIND[kind][value]}


@register.inclusion_tag("parts/chip.html")
def entry_chip(entry: Entry) -> dict[str, Appearance]:
    """Draw the chip of the state of a ladder's entry."""
    return {"chip": find_entry_appearance(entry)}


@register.inclusion_tag("parts/chip.html")
def finish_chip(finish: MatchFinish | None, cause: str = "") -> dict[str, Any]:
    """Draw how a match ended for a participant: won, lost or drawn between two, with the cause; else the place."""
    if finish is None:
        return {"chip": None}
    if finish.is_duel:
        result = "drawn" if finish.is_shared else "won" if finish.is_first else "lost"
        return {"chip": TWO_PLAYER_RESULTS[result], "more": cause}
    label = gettext("%(place)s of %(total)s") % {"place": ordinal(finish.place), "total": finish.participants}
    chip = Appearance("good", "won", label) if finish.place == 1 else Appearance("plain", "", label)
    return {"chip": chip, "more": gettext("shared") if finish.is_shared else ""}


@register.inclusion_tag("parts/with_code.html")
def with_code(text: str, inline: bool = False) -> dict[str, Any]:
    """Draw a text as paragraphs, or as one line, with program text between backticks."""
    paragraphs = [text] if inline else [part for part in text.split("\n\n") if part.strip()]
    return {"lines": [formatting.split_code(part) for part in paragraphs], "inline": inline}


@register.simple_tag
def pennant(seat: int) -> SafeString:
    """Draw the pennant of a seat: its shape tells it apart where its colour can't."""
    return draw_icon(f"pennant-{seat}")


@register.simple_tag
def cached_include(template_name: str, **values: Hashable) -> str:
    """Include a partial that shows nothing but these values; it is rendered once for equal values and language."""
    return render_cached(template_name, get_language(), **values)


@lru_cache(maxsize=16_384)
def render_cached(template_name: str, language: str | None, **values: Hashable) -> str:
    """Return a partial in the reader's language, which is `language`."""
    return get_template(template_name).render(values)


@register.simple_tag
def card(face: Face, tag: str = "li") -> str:
    """Draw a card as an element of this name. A replay shows thousands of them, and few different ones."""
    return cached_include("games/_card.html", face=face, tag=tag)


@register.filter
def sentence(value: Sentence | str) -> str:
    """Draw a sentence with its cards; plain text stays as it is."""
    return cached_include("games/_sentence.html", sentence=value) if isinstance(value, Sentence) else value


@register.simple_block_tag
def ruling(content: str, number: str) -> SafeString:
    """Draw one ruling of a game, with its number to link to."""
    return render_to_string("parts/ruling.html", {"content": content, "number": number})


@register.simple_tag(takes_context=True)
def theme(context: template.Context) -> str:
    """Return the reader's theme; "system" where none is chosen, and on error pages, which know no request."""
    request: HttpRequest | None = context.get("request")
    return chosen_theme(request) if request else "system"


@register.simple_tag
def themes() -> dict[str, Any]:
    """Return the titles of the themes by key."""
    return THEMES


@register.inclusion_tag("parts/main_pages.html", takes_context=True)
def main_pages(context: template.Context) -> dict[str, Any]:
    """Draw the menu as items of a list; the entry under whose address the reader is gets a mark."""
    request: HttpRequest | None = context.get("request")
    path = request.path if request else ""
    if path.startswith(reverse("puzzle")):
        path = reverse("play")
    addresses = [(reverse(name), title) for name, title in MAIN_PAGE_TITLES.items()]
    pages = [{"url": url, "title": title, "is_here": path.startswith(url)} for url, title in addresses]
    return {"pages": pages}


@register.simple_tag(takes_context=True)
def canonical(context: template.Context) -> str:
    """Return the address of this page without its turn, view or filter; empty on error pages, which know no request."""
    request: HttpRequest | None = context.get("request")
    return request.build_absolute_uri(request.path) if request else ""


PAGES_OF_OTHERS = (
    (re.compile(r"/bots/([\w-]+)/"), "bot", gettext_lazy("See the bot's page")),
    (re.compile(r"/tournaments/([\w-]+)/"), "tournament", gettext_lazy("See the tournament's page")),
    (re.compile(r"/groups/([\w-]+)/"), "group", gettext_lazy("See the group's page")),
)
"""Where somebody can go who may not open a page below: what is hidden altogether is answered with 404."""


@register.simple_tag
def lesson_of(game: str) -> Lesson | None:
    """Return the lesson of a game, or for an empty name the one for newcomers; None where there is none here."""
    return find_lesson(game or FIRST_LESSON)


@register.simple_tag(takes_context=True)
def allowed_page(context: template.Context) -> tuple[str, str] | None:
    """Return the address and name of the page that this reader may open above one that was refused, or None."""
    request: HttpRequest | None = context.get("request")
    for pattern, name, words in PAGES_OF_OTHERS if request else ():
        found = pattern.match(request.path) if request else None
        if found and request and reverse(name, args=[found[1]]) != request.path:
            return reverse(name, args=[found[1]]), str(words)
    return None


@register.simple_tag(takes_context=True)
def missing(context: template.Context) -> str:
    """Describe what isn't there, on the page that says so."""
    return describe_missing_page(str(context.get("request_path", "")), str(context.get("exception", "")))


@register.simple_tag(takes_context=True)
def unseen_notices(context: template.Context) -> int:
    """Count the notices that the reader has not seen; 0 for who isn't signed in, and on error pages."""
    request: HttpRequest | None = context.get("request")
    user = getattr(request, "user", None)
    return list_notices(user, only_unread=True).count() if user and user.is_authenticated else 0


@register.simple_tag(takes_context=True)
def return_to(context: template.Context) -> str:
    """Return the query that leads who signs in or up back to this page; empty where another page suits better.

    From the front page one goes where one signs in or up for; pages of accounts pass on what they were given.
    """
    request: HttpRequest | None = context.get("request")
    if request is None or request.path == reverse("home"):
        return ""
    is_entrance = request.path in (reverse("account_login"), reverse("account_signup"))
    page = request.GET.get("next", "") if is_entrance else request.get_full_path()
    return f"?{urlencode({'next': page})}" if page else ""


@register.inclusion_tag("parts/running_game.html", takes_context=True)
def running_game(context: template.Context) -> dict[str, Any]:
    """Show the way back to the reader's game, first to one in which it is their turn, or how one ended meanwhile."""
    request: HttpRequest | None = context.get("request")
    player = player_of(request) if request and hasattr(request, "session") and hasattr(request, "user") else None
    games = [one for one in list_games_in_bar(player) if one[0].game in GAMES] if player and player.is_known else []
    if not games:
        return {}
    game, own = games[0]
    others = [seat for seat in list_seats(game) if seat.seat != own.seat]
    return {
        "live_game": game,
        "bot": next((seat.version.bot for seat in others if seat.version), None),
        "names": join_players(others),
        "is_own_turn": game.seat_to_act == own.seat,
        "has_won": own.place == 1,
        "winners": join_players([seat for seat in others if seat.place == 1]),
        "more": len(games) - 1,
    }


def join_players(seats: Sequence[LiveSeat]) -> str:
    """Return the names of those who sit there, as in a sentence; empty of nobody."""
    names = [seat.version.bot.name if seat.version else str(seat.user or gettext("Guest")) for seat in seats]
    return formatting.join_words(names, gettext("%(first)s and %(last)s")) if names else ""


@register.simple_tag(takes_context=True)
def query(context: template.Context, **changes: Any) -> str:
    """Return the query string of this page with some parameters changed; None removes one."""
    request: HttpRequest | None = context.get("request")
    parameters = request.GET.copy() if request else QueryDict(mutable=True)
    for name, value in changes.items():
        if value is None:
            parameters.pop(name, None)
        else:
            parameters[name] = str(value)
    return f"?{parameters.urlencode()}"


@register.inclusion_tag("parts/when.html")
def when(moment: datetime | None) -> dict[str, Any]:
    """Draw how long ago a moment was, with the exact time as its title."""
    if moment is None:
        return {}
    return {
        "moment": moment.isoformat(timespec="seconds"),
        "exact": f"{localtime(moment):%Y-%m-%d %H:%M:%S %Z}",
        "ago": naturaltime(moment),
    }


@register.inclusion_tag("parts/moment.html")
def moment(at: datetime | None) -> dict[str, Any]:
    """Draw a time that readers plan by, with the name of its zone; a script shows it in the reader's own zone."""
    return {"at": at, "iso": at and at.isoformat(timespec="seconds"), "text": at and formatting.format_moment(at)}


@register.simple_tag
def remote_badge(bot: object, is_short: bool = False) -> str:
    """Draw the badge of a remote bot, with a space before it; nothing of another bot. A short one is a picture."""
    return cached_include("parts/remote.html", is_short=is_short) if getattr(bot, "is_remote", False) else ""


@register.simple_tag
def version_name(version: BotVersion, has_language: bool = False) -> str:
    """Draw a bot and its version, each with its page, and on demand its language."""
    return cached_include(
        "parts/version_name.html",
        name=version.bot.name,
        bot_url=version.bot.get_absolute_url(),
        number=version.number,
        url=version.get_absolute_url(),
        written_in=version.language if has_language else "",
        is_remote=version.bot.is_remote,
    )


@register.simple_tag(takes_context=True)
def author_name(context: template.Context, author: User) -> str:
    """Draw an author's name with a link to the author's page."""
    return cached_include("parts/authors.html", authors=(_know_person(context, author),))


@register.simple_tag(takes_context=True)
def bot_authors(context: template.Context, bot: Bot) -> str:
    """Draw the names of a bot's authors, the one who leads first, each with a link to the author's page."""
    return cached_include("parts/authors.html", authors=tuple(list_authors(bot, _find_real_names(context))))


@register.simple_tag(takes_context=True)
def person_as_text(context: template.Context, person: User) -> str:
    """Return a person's name without a link."""
    return str(_know_person(context, person))


@register.simple_tag(takes_context=True)
def authors_as_text(context: template.Context, bot: Bot, is_short: bool = False) -> str:
    """Return the names of a bot's authors without links; a short text has one name for each."""
    return write_authors(bot, _find_real_names(context), is_short=is_short)


def _find_real_names(context: template.Context) -> RealNames:
    """Return the real names that a page has for its reader."""
    return context.get("real_names") or NO_REAL_NAMES


def _know_person(context: template.Context, person: User) -> KnownAuthor:
    return KnownAuthor(person.username, _find_real_names(context).get(person.pk, ""))
