"""What all pages share: caches, themes, languages, static files, paging, and what a request names."""

import hashlib
import logging
import posixpath
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.core.cache import caches
from django.core.exceptions import PermissionDenied
from django.core.files.base import ContentFile, File
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    HttpResponseServerError,
    JsonResponse,
    QueryDict,
)
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response, patch_vary_headers, set_response_etag
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language, gettext_noop
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from django.views.i18n import set_language
from django_htmx.middleware import HtmxDetails
from rcssmin import cssmin
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import find_version, find_visible_bot
from arena.contests.ladders.queries import find_game_title
from arena.contests.tournaments.models import Round, Tournament
from arena.contests.tournaments.queries import listed_for
from arena.contests.tournaments.queries import visible_to as visible_tournaments_of
from arena.contests.tournaments.services.access import note_reader
from arena.core.errors import ArenaError, build_error, describe_missing_game
from arena.core.http import forbid_caching, slice_rows
from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, isolate, render_message
from arena.matches.livegames.position import LivePlayer
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import fetch_real_names
from arena.people.groups.services import visible_to as visible_groups_of
from arena.runner.data_files import CSS_IMPORT
from arena.runner.protocol import make_visible
from engine.registry import UnknownGame

# Store static files for serving: hashed and compressed, style sheets joined, and these and our scripts minified.

OWN_SCRIPTS = "js/"
STYLE_SHEETS = ("css/site.css", "css/play.css")


class Storage(CompressedManifestStaticFilesStorage):
    """The storage of static files in production."""

    support_js_module_import_aggregation = True
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
    """Rewrite imports between our own modules only, not those of libraries."""

    def post_process(self, paths: dict[str, Any], *args: Any, **options: Any) -> Iterator[Any]:
        """Join the style sheets, then process all files."""
        for sheet in STYLE_SHEETS:
            if sheet in paths:
                self._gather(paths, sheet)
        yield from super().post_process(paths, *args, **options)

    def _gather(self, paths: dict[str, Any], sheet: str) -> None:
        """Replace the imports of a style sheet by their content: one request, and better compression."""
        gathered = []
        for name in CSS_IMPORT.findall(self._text_of(sheet)):
            part = posixpath.normpath(posixpath.join(posixpath.dirname(sheet), name))
            gathered.append(self._text_of(part))
            self.delete(part)
            del paths[part]
        self.delete(sheet)
        self._save(sheet, ContentFile("".join(gathered).encode()))
        paths[sheet] = (self, sheet)

    def _text_of(self, name: str) -> str:
        with self.open(name) as file:
            text: str = file.read().decode()
            return text

    def _save(self, name: str, content: "File[bytes]") -> str:
        if name.endswith(".css"):
            content = ContentFile(cssmin(b"".join(content.chunks())))
        elif name.startswith(OWN_SCRIPTS) and name.endswith(".js"):
            content = ContentFile(jsmin(b"".join(content.chunks())))
        saved: str = super()._save(name, content)
        return saved


# Set the reader's theme and language: cookies, which need no token against forged requests.

THEME_COOKIE = "theme"
THEME_COOKIE_AGE_S = 365 * 24 * 3600
THEMES = {"light": gettext_lazy("Light"), "dark": gettext_lazy("Dark"), "system": gettext_lazy("System")}


def chosen_theme(request: HttpRequest) -> str:
    """Return the theme that the reader chose, or "system"."""
    value = request.COOKIES.get(THEME_COOKIE, "")
    return value if value in THEMES else "system"


@csrf_exempt
@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie and go back; "system" removes the cookie."""
    if not is_same_origin(request):
        raise PermissionDenied
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, require_https=request.is_secure())
    response = HttpResponseRedirect(back if is_ours else "/")
    choice = request.POST.get("theme", "")
    if choice == "system":
        response.delete_cookie(THEME_COOKIE, samesite="Lax")
    elif choice in THEMES:
        response.set_cookie(
            THEME_COOKIE, choice, max_age=THEME_COOKIE_AGE_S, samesite="Lax", secure=request.is_secure(), httponly=True
        )
    return response


@csrf_exempt
@require_POST
def choose_language(request: HttpRequest) -> HttpResponse:
    """Store the chosen language in a cookie and go back."""
    if not is_same_origin(request):
        raise PermissionDenied
    return set_language(request)


def is_same_origin(request: HttpRequest) -> bool:
    """Return whether a form was sent by a page of this site, as far as the browser says; an old one says nothing.

    These forms stand on every page. A token in each would be a cookie for every reader, and no page could be cached.
    """
    site = request.headers.get("Sec-Fetch-Site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("Origin")
    return origin is None or urlsplit(origin)[:2] == (request.scheme, request.get_host())


# Answer a request that failed through a fault of the arena.

API_PATH_PREFIX = "/api/"
logger = logging.getLogger(__name__)


def server_error(request: HttpRequest) -> HttpResponse:
    """Report a failure of the arena: as JSON to programs, as a page to people. The log has the same reference."""
    reference = secrets.token_hex(4)
    logger.error("Reference %s: %s %s", reference, request.method, request.path)
    if request.path.startswith(API_PATH_PREFIX):
        message = _("Something broke here, not in your program. Reference %(reference)s.") % {"reference": reference}
        return JsonResponse(build_error("server_error", message), status=500)
    # Rendered without the request, because a context processor may be what broke.
    return HttpResponseServerError(render_to_string("500.html", {"reference": reference}))


# Keep whole pages for some seconds for readers without a session, who all see the same.

COOKIES_OF_PERSONAL_PAGES = (settings.SESSION_COOKIE_NAME, "messages")

Handler = Callable[[HttpRequest], HttpResponseBase]


def cache_anonymous_pages(get_response: Handler) -> Handler:
    """Return middleware that serves a page kept earlier, and keeps one that may be served to others.

    It stands behind LocaleMiddleware, which finds the language, and before CsrfViewMiddleware, which sets a cookie
    where a page has a form with a token.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not (settings.ANONYMOUS_PAGE_CACHE_S and may_be_cached(request)):
            return get_response(request)
        pages, key = caches["pages"], build_cache_key(request)
        kept = pages.get(key)
        if kept is not None:
            content, headers = kept
            return send_unless_unchanged(request, HttpResponse(content, headers=headers))
        response = get_response(request)
        if not isinstance(response, HttpResponse) or not is_for_everybody(response):
            return response
        patch_vary_headers(response, ["Cookie", "Accept-Language", "HX-Request", "HX-Boosted"])
        set_response_etag(response)
        if request.method == "GET":
            pages.set(key, (response.content, dict(response.items())), settings.ANONYMOUS_PAGE_CACHE_S)
        return send_unless_unchanged(request, response)

    return middleware


def may_be_cached(request: HttpRequest) -> bool:
    """Return whether the answer to a request depends on nothing but what is in its key."""
    return (
        request.method in ("GET", "HEAD")
        and not any(name in request.COOKIES for name in COOKIES_OF_PERSONAL_PAGES)
        and "Authorization" not in request.headers
        and not request.path.startswith(API_PATH_PREFIX)
    )


def is_for_everybody(response: HttpResponse) -> bool:
    """Return whether a page may be served to other readers; one that says itself how it is cached is left alone.

    A redirect of htmx has the status of a page, and no content.
    """
    is_whole = response.status_code == 200 and bool(response.content)
    return is_whole and not response.cookies and not response.has_header("Cache-Control")


def build_cache_key(request: HttpRequest) -> str:
    """Return the key of a page: scheme and host, language, theme, how htmx asks, whether gzip is read, and path.

    What htmx says is read as views read it: the same header can be written in two ways.
    """
    htmx = HtmxDetails(request)
    parts = (
        f"{request.scheme}://{request.get_host()}",
        get_language() or "",
        chosen_theme(request),
        f"{bool(htmx)} {htmx.boosted}",
        "gzip" if "gzip" in request.headers.get("Accept-Encoding", "") else "",
        request.get_full_path(),
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def send_unless_unchanged(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """Return the page, or 304 if the reader has it."""
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


# Answer with a sentence where a page is about a game that is not installed now.


class MissingGameMiddleware:
    """Answer a request that raised UnknownGame with a page that names the game. The API has an answer of its own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the response of the view."""
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """Return the page for a game that is not installed; None for any other error."""
        if not isinstance(error, UnknownGame):
            return None
        context = {"sentence": describe_missing_game(find_game_title(error.key))}
        return render(request, "home/missing_game.html", context, status=404)


# Say what is missing at an address that leads nowhere.

MISSING_PAGE_TEXTS = (
    (re.compile(r"/matches/(\d+)/"), gettext_noop("Match %(name)s, or this part of it, doesn't exist.")),
    (re.compile(r"/bots/([\w-]+)/v/(?:\d+)/"), gettext_noop("%(name)s has no such version.")),
    (re.compile(r"/bots/([\w-]+)/"), gettext_noop("No bot called %(name)s, or it has no such page.")),
    (re.compile(r"/rules/([\w-]+)/"), gettext_noop("%(name)s has no such rules.")),
)
"""Patterns of addresses and what to say there; the first that fits is taken."""
DJANGO_NOT_FOUND_TEXT = "given query"
"""A part of Django's own message for a row that was not found, which is of no use to readers."""


def describe_missing_page(path: str, reason: str) -> str:
    """Describe what is missing at an address, or return an empty text. `reason` is the message of an Http404."""
    if reason.endswith(".") and DJANGO_NOT_FOUND_TEXT not in reason:
        return reason
    for pattern, text in MISSING_PAGE_TEXTS:
        if found := pattern.match(path):
            return _(text) % {"name": found[1]}
    return ""


# Page through lists by the keys `before` and `after` in the address.


@dataclass(frozen=True, slots=True)
class PageByKey:
    """A page of rows, and the keys of its neighbours."""

    rows: list[Any]
    newer: int | None
    """Value of `after` for the page of newer rows; None on the first page."""
    older: int | None
    """Value of `before` for the page of older rows; None on the last page."""
    scanned_to: int | None = None
    """The key at which the search stopped, if there may be more rows beyond it."""


def read_key(query: QueryDict, name: str) -> int | None:
    """Return a key from the query, or None if it is missing or invalid."""
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def read_keys(query: QueryDict) -> tuple[int | None, int | None]:
    """Return the keys `before` and `after` of the query; at most one is not None."""
    before, after = read_key(query, "before"), read_key(query, "after")
    return (None, after) if after is not None else (before, None)


def read_page_by_key(rows: QuerySet[Any], query: QueryDict, size: int, end: int | None = None) -> PageByKey:
    """Return the page before or after the key in the query, newest first, and not beyond the key `end`."""
    before, after = read_keys(query)
    is_backwards = after is not None
    if end is not None:
        rows = rows.filter(**{"pk__lte" if is_backwards else "pk__gte": end})
    key = after if is_backwards else before
    found = slice_rows(rows, size, start=None if key is None else [key], backwards=is_backwards)
    shown = found.rows
    if end is not None and not (found.has_previous if is_backwards else found.has_next):
        return build_page_until(end, shown, before, after)
    return PageByKey(
        shown,
        shown[0].pk if shown and found.has_previous else None,
        shown[-1].pk if shown and found.has_next else None,
    )


def build_page_until(end: int, shown: list[Any], before: int | None, after: int | None) -> PageByKey:
    """Return a page that ends where the search stopped instead of at its last row."""
    if after is not None:
        return PageByKey(shown, end, shown[-1].pk if shown else after + 1, end)
    newer = None if before is None else shown[0].pk if shown else before - 1
    return PageByKey(shown, newer, end, end)


# Render pages with a part that polls for updates until its content is final.

HTTP_STOP_POLLING = 286
"""The status at which htmx shows the content and stops polling."""


class HtmxRequest(HttpRequest):
    """A request that has passed the middleware of django-htmx."""

    htmx: HtmxDetails


def render_live(
    request: HtmxRequest,
    page: str,
    part: str,
    context: dict[str, Any],
    is_final: bool,
    *,
    reloads_at_end: bool = False,
) -> HttpResponse:
    """Render the whole page, or its live part for a poll.

    An unchanged part is answered with 304, and a final one ends the polling. With `reloads_at_end` the whole page is
    loaded then: what is outside of the part has changed, too.
    """
    if not request.htmx:
        response = render(request, page, context)
        patch_vary_headers(response, ["HX-Request"])
        return response
    response = render(request, part, context)
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request"])
    if is_final:
        response.status_code = HTTP_STOP_POLLING
        if reloads_at_end:
            response["HX-Refresh"] = "true"
        return response
    set_response_etag(response)
    return get_conditional_response(request, etag=response["ETag"], response=response) or response


def reload_if_changed(request: HtmxRequest, state: str) -> HttpResponse | None:
    """Return the answer to a poll of a page that was drawn in another state, which loads it whole; None elsewhere.

    Buttons and forms outside of the polled part may have become void.
    """
    if not request.htmx or request.GET.get("state", state) == state:
        return None
    return HttpResponse(status=204, headers={"HX-Refresh": "true"})


# Show why a service refused what was asked for.


@contextmanager
def refusal_as_message(request: HttpRequest) -> Iterator[None]:
    """Show the reason on the next page where the block is refused, and leave the block."""
    try:
        yield
    except ArenaError as error:
        messages.error(request, render_message(error.message))


@contextmanager
def refusal_in_form(form: BaseForm, field: str | None = None) -> Iterator[None]:
    """Show the reason at this field, or above the form, where the block is refused, and leave the block."""
    try:
        yield
    except ArenaError as error:
        form.add_error(field, render_message(error.message))


# The reader of a page.


def reader_of(request: HttpRequest) -> User | None:
    """Return the user who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None


# Tell by the session who plays: a user, or a guest with a secret in the session.

GUEST_SECRET = "guest"
"""Key of a guest's secret in the session. It stays there when the guest signs up, so that the games can be kept."""
GUEST_SESSION_AGE = timedelta(days=30)


def player_of(request: HttpRequest) -> LivePlayer:
    """Return who plays; a guest who has never played is nobody."""
    return LivePlayer.of_secret(reader_of(request), request.session.get(GUEST_SECRET, ""))


def make_player(request: HttpRequest) -> LivePlayer:
    """Return who plays, and give a new guest a secret."""
    if reader_of(request) is None and not request.session.get(GUEST_SECRET):
        request.session[GUEST_SECRET] = secrets.token_urlsafe(24)
        request.session.set_expiry(GUEST_SESSION_AGE)
    return player_of(request)


def signed_in_reader(request: HttpRequest) -> User:
    """Return the user of a page that nobody reaches without signing in."""
    assert isinstance(request.user, User)
    return request.user


# Real names beside usernames on the pages of what belongs to a group, for its members alone.
#
# A page has them where its context has `real_names`: the tags `bot_authors`, `author_name` and `authors_as_text` read
# it, and write usernames wherever it is missing.

RealNames = Mapping[int, str]
"""Real names by the keys of users."""
NO_REAL_NAMES: RealNames = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class KnownAuthor:
    """A person as the reader knows it."""

    username: str
    real_name: str = ""
    """Its name in the group; empty where it has none, and for readers who are not in the group."""

    def __str__(self) -> str:
        """Return both names where both are known."""
        return f"{isolate(self.real_name)} ({isolate(self.username)})" if self.real_name else self.username


def find_shown_group(request: HttpRequest, group: int | None) -> Group | None:
    """Return the group with this key if the reader is in it; a page that names it is never cached."""
    found = visible_groups_of(reader_of(request)).filter(pk=group).first() if group is not None else None
    if found is not None:
        forbid_caching(request)
    return found


def fetch_shown_names(request: HttpRequest, group: int | None) -> dict[int, str]:
    """Return the real names that the reader may see on a page of this group; one with such names is never cached."""
    names = fetch_real_names(reader_of(request), group)
    if names:
        forbid_caching(request)
    return {key: make_visible(name) for key, name in names.items()}


def list_authors(bot: Bot, names: RealNames) -> list[KnownAuthor]:
    """Return the authors of a bot, the one who leads first."""
    people = [(bot.owner_id, bot.owner.username), *((one["id"], one["username"]) for one in bot.co_authors)]
    return [KnownAuthor(username, names.get(key, "")) for key, username in people]


def write_authors(bot: Bot, names: RealNames, *, is_short: bool = False) -> str:
    """Return the authors of a bot as a text; a short one has the real name instead of the username where it can."""
    authors = list_authors(bot, names)
    if is_short:
        return ", ".join(one.real_name or one.username for one in authors)
    return ", ".join(isolate(str(one)) for one in authors)


# Find the bot or version that an address names, or answer that there is none.


def bot_or_404(request: HttpRequest, slug: str) -> Bot:
    """Return the bot with its owner if the reader may see it. Raises Http404. One for a group is never cached."""
    bot = find_visible_bot(request.user, slug)
    if bot is None:
        raise Http404
    if bot.group_id is not None:
        forbid_caching(request)
    return bot


def own_bot_or_403(request: HttpRequest, slug: str) -> Bot:
    """Return a bot of which the reader is an author. Raises Http404 or PermissionDenied."""
    bot = bot_or_404(request, slug)
    if not bot.has_author(request.user):
        raise PermissionDenied
    return bot


def version_or_404(request: HttpRequest, slug: str, number: int) -> BotVersion:
    """Return that version with its bot and owner if the reader may see it. Raises Http404."""
    version = find_version(request.user, slug, number)
    if version is None:
        raise Http404
    if version.bot.group_id is not None:
        forbid_caching(request)
    return version


def own_version_or_403(request: HttpRequest, slug: str, number: int) -> BotVersion:
    """Return that version of a bot of which the reader is an author. Raises Http404 or PermissionDenied."""
    version = version_or_404(request, slug, number)
    if not version.bot.has_author(request.user):
        raise PermissionDenied
    return version


# Find the tournament in the address of a page.


def tournament_or_404(request: HttpRequest, slug: str) -> Tournament:
    """Return the tournament if the reader may see it. Raise Http404. Where not everybody may, nothing is cached."""
    tournament = visible_tournaments_of(request.user).select_related("organiser", "group").filter(slug=slug).first()
    if tournament is None:
        raise Http404(_("No such tournament."))
    note_reader(tournament, request.user)
    if not tournament.is_public or tournament.shows_all:
        forbid_caching(request)
    return tournament


def find_named_round(request: HttpRequest, match: Match) -> Round | None:
    """Return the round of a match, read by `find_match`, if the reader has its tournament in lists, or None.

    A tournament that only who has the link sees isn't betrayed by its matches.
    """
    row = getattr(match, "pairing_match", None)
    if row is None:
        return None
    round: Round = row.pairing.round
    is_listed = round.tournament.is_public or listed_for(request.user).filter(pk=round.tournament_id).exists()
    return round if is_listed else None
