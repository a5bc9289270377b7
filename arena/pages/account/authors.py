"""The public page of an author: their bots, where these stand, and their latest matches."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.accounts.queries import find_author
from arena.bots.models import Bot
from arena.bots.queries.authors import list_bots_of_author, list_version_ids_of_author
from arena.bots.queries.teams import list_invitations
from arena.ladders.models import Entry
from arena.ladders.queries.entries import list_entries_of_author
from arena.ladders.queries.standings import find_rank
from arena.matches.queries.lists import keep_visible_matches
from arena.matches.queries.played import fetch_matches
from arena.matches.queries.scan import list_newest_match_ids
from arena.pages.account.following import build_follow_button
from arena.pages.matches.results import list_rows
from arena.pages.tournaments.index import list_current_lines

AUTHOR_BOTS_SHOWN = 50
AUTHOR_MATCHES_SHOWN = 10
TOURNAMENTS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class RankedEntry:
    """An entry and its rank, None until it is known."""

    entry: Entry
    rank: int | None


@dataclass(frozen=True, slots=True)
class BotRow:
    """One bot of the author, with what plays for it on each ladder."""

    bot: Bot
    entries: list[RankedEntry]


def show_author(request: HttpRequest, name: str) -> HttpResponse:
    """Show an author. Raises Http404 where there is none of this name."""
    author = find_author(name)
    if author is None:
        raise Http404(_("There is no author called %(name)s.") % {"name": name})
    entries: dict[int, list[RankedEntry]] = {}
    for entry in list_entries_of_author(request.user, author):
        rank = find_rank(entry)
        entries.setdefault(entry.version.bot_id, []).append(RankedEntry(entry, rank.place if rank else None))
    bots = list_bots_of_author(request.user, author, AUTHOR_BOTS_SHOWN)
    versions = list_version_ids_of_author(request.user, author)
    newest = keep_visible_matches(request.user, list_newest_match_ids(versions, AUTHOR_MATCHES_SHOWN))
    context = {
        "author": author,
        "is_own": author == request.user,
        "invitations": list_invitations(author) if author == request.user else [],
        "follow": build_follow_button(request, author),
        "tournaments": list_current_lines(request.user, TOURNAMENTS_SHOWN, author=author),
        "bots": [BotRow(bot, entries.get(bot.pk, [])) for bot in bots],
        "rows": list_rows(fetch_matches(newest)),
    }
    return render(request, "account/author.html", context)
