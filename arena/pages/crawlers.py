"""What programs that read the site find: which pages to leave out, where the others are, and whom to write to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.sitemaps import Sitemap
from django.contrib.staticfiles import finders
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.timezone import now
from django.views.decorators.cache import cache_control

from arena.bots.queries import list_bots
from arena.contests.ladders.queries import list_main_ladders
from arena.contests.stories.services import list_days
from arena.contests.tournaments.queries import list_tournaments
from arena.matches.queries import fetch_ends_between, find_newest_match_id
from arena.matches.recorded_games import list_recorded_games
from arena.pages.games import has_rules
from arena.pages.manual import list_manual_pages
from engine.registry import GAMES

# robots.txt: a match has a page for every turn, view and leg, and lists have one for every filter. Their canonical
# addresses are in the sitemap. Pages shared by a link aren't named here: they say `noindex`, which nobody would read on
# a page that may not be fetched.

PARAMETERS_LEFT_OUT = ("turn", "view", "leg", "left", "known", "format", "before", "after", "bot", "next")
PATHS_LEFT_OUT = (
    "/admin/",
    "/api/v1/",
    "/accounts/",
    "/following/",
    "/matches/?",
    "/matches/*/legs/",
    "/matches/*/sides/",
    "/matches/*/text/",
    "/matches/*/records.zip",
    "/matches/*/asked.json",
    "/ladders/*/atlas/matches/",
    "/bots/*/challenge/",
    "/embed/",
)
WEEK_S = 7 * 24 * 3600


def send_robots(request: HttpRequest) -> HttpResponse:
    """Say which pages are left out, and where the sitemap is."""
    lines = ["User-agent: *"]
    lines += [f"Disallow: {path}" for path in PATHS_LEFT_OUT]
    lines += [f"Disallow: /*{mark}{name}=" for name in PARAMETERS_LEFT_OUT for mark in ("?", "&")]
    lines += ["Allow: /api/v1/docs/", "", f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}"]
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


# security.txt, as RFC 9116 describes it: whom to tell of a weakness.

SECURITY_TXT_VALIDITY = timedelta(days=180)
"""The standard wants less than a year; the date moves on by itself."""


def send_security_contact(request: HttpRequest) -> HttpResponse:
    """Say whom to tell of a weakness. Raise Http404 where the operator has named nobody."""
    if not settings.SECURITY_CONTACT:
        raise Http404
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    contact: str = settings.SECURITY_CONTACT
    lines = (
        f"Contact: {contact if ':' in contact else f'mailto:{contact}'}",
        f"Expires: {(today + SECURITY_TXT_VALIDITY).isoformat()}",
        f"Preferred-Languages: {', '.join(code for code, _ in settings.LANGUAGES)}",
        f"Canonical: {request.build_absolute_uri(reverse('security_txt'))}",
    )
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


@cache_control(public=True, max_age=WEEK_S)
def send_icon(request: HttpRequest) -> FileResponse:
    """Send the icon to programs that ask for it at its old address, whatever pages say."""
    found = finders.find("img/favicon.ico")
    if found is None:
        raise Http404
    return FileResponse(open(found, "rb"), content_type="image/x-icon")


# The sitemap: an index, and pages of addresses that somebody without an account may open.


class PublicPages(Sitemap):  # type: ignore[type-arg]
    """A part of the sitemap."""

    limit = 5_000

    def location(self, item: Any) -> str:
        """Return the address of an item; by default the item itself."""
        return str(item)


class FixedPages(PublicPages):
    """Pages that every arena has, and those of its manual and rules."""

    def items(self) -> Sequence[str]:
        """Return their addresses."""
        names = (
            "home",
            "watch",
            "first_lesson",
            "play",
            "ladders",
            "matches",
            "tournaments",
            "bots",
            "rules_index",
            "manual",
        )
        rules = [
            reverse("rules", args=[key, edition])
            for key, game in GAMES.items()
            for edition in game.editions
            if has_rules(key)
        ]
        manual = [reverse("manual_page", args=[page.name]) for page in list_manual_pages()]
        more = ("start", "install", "viewer", "queue", "status", "api_docs", "puzzle", "puzzle_best", "puzzle_archive")
        recorded = [reverse("recorded_game", args=[game.slug]) for game in list_recorded_games()]
        return [*map(reverse, names), *rules, *manual, *map(reverse, more), *recorded]


class LadderPages(PublicPages):
    """Each ladder, how its ratings are computed, and its atlas."""

    def items(self) -> Sequence[str]:
        """Return their addresses."""
        return [
            reverse(name, args=[ladder.game, ladder.edition])
            for ladder in list_main_ladders()
            for name in ("ladder", "how", "atlas")
        ]


class StoryPages(PublicPages):
    """The days of which there are stories."""

    def items(self) -> Sequence[date]:
        """Return the days, the latest first."""
        return list_days(now().date() + timedelta(days=1), self.limit)

    def location(self, item: date) -> str:
        """Return the address of a day."""
        return reverse("stories_of_day", args=[item.isoformat()])


class BotPages(PublicPages):
    """List the public bots."""

    def items(self) -> Any:
        """Return their slugs."""
        return list_bots(None).order_by("pk").values_list("slug", flat=True)

    def location(self, item: str) -> str:
        """Return the address of a bot."""
        return reverse("bot", args=[item])


class TournamentPages(PublicPages):
    """The tournaments that everybody finds."""

    def items(self) -> Any:
        """Return their slugs."""
        return list_tournaments(AnonymousUser()).order_by("pk").values_list("slug", flat=True)

    def location(self, item: str) -> str:
        """Return the address of a tournament."""
        return reverse("tournament", args=[item])


@dataclass(frozen=True, slots=True)
class KeyRange:
    """A page of matches: those of a range of keys, however many there are in it."""

    object_list: Iterable[tuple[int, datetime | None]]


class KeyRanges(Paginator):  # type: ignore[type-arg]
    """Pages by ranges of keys: each is read by one query that costs the same, and keeps its address for good."""

    def __init__(self, size: int) -> None:
        super().__init__((), size)

    @cached_property
    def count(self) -> int:
        """Return the newest key."""
        return find_newest_match_id()

    def page(self, number: int | str) -> Any:
        """Return the matches of the range with this number, which begins at 1. Raise EmptyPage or PageNotAnInteger."""
        number = self.validate_number(number)
        first = (number - 1) * self.per_page + 1
        return KeyRange(fetch_ends_between(first, first + self.per_page - 1))


class MatchPages(PublicPages):
    """List the public finished matches."""

    @property
    def paginator(self) -> KeyRanges:
        """Return the pages."""
        return KeyRanges(self.limit)

    def items(self) -> Sequence[Any]:
        """Return nothing: the pages read for themselves."""
        return ()

    def location(self, item: tuple[int, datetime | None]) -> str:
        """Return the address of a match."""
        return f"/matches/{item[0]}/"

    def lastmod(self, item: tuple[int, datetime | None]) -> datetime | None:
        """Return when a match ended: nothing of it changes later."""
        return item[1]

    def get_latest_lastmod(self) -> None:
        """Return nothing: the index doesn't read all matches for it."""
        return


SITEMAPS: dict[str, type[PublicPages]] = {
    "pages": FixedPages,
    "ladders": LadderPages,
    "stories": StoryPages,
    "bots": BotPages,
    "tournaments": TournamentPages,
    "matches": MatchPages,
}
