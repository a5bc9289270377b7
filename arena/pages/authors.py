"""Who writes bots: an author's bots, where they stand, and their latest matches. Nothing that is theirs alone."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry
from arena.matches.filters import newest_matches
from arena.matches.models import Match
from arena.pages.results import list_rows, with_results
from arena.pages.standings import with_ranks

SHOWN = 50
"""Bots of an author."""
RECENT = 10


@dataclass(frozen=True, slots=True)
class Own:
    """One bot of the author, with what plays for it, ladder by ladder."""

    bot: Bot
    entries: list[Entry]


def detail(request: HttpRequest, name: str) -> HttpResponse:
    author = User.objects.filter(username=name, is_active=True).first() if "\0" not in name else None
    if author is None:
        raise Http404(_("There is no author called %(name)s.") % {"name": name})
    entries = list_entries(author)
    bots = [
        Own(bot, [one for one in entries if one.version.bot_id == bot.pk]) for bot in Bot.objects.of(author)[:SHOWN]
    ]
    matches = Match.objects.filter(pk__in=newest_matches(BotVersion.objects.filter(bot__owner=author), RECENT))
    context = {
        "author": author,
        "is_own": author == request.user,
        "bots": bots,
        "rows": list_rows(with_results(matches)),
    }
    return render(request, "authors/detail.html", context)


def list_entries(author: User) -> list[Entry]:
    """What plays on the ladders that run, with `rank`, which is None until it is known."""
    entries = Entry.objects.active().filter(version__bot__owner=author, ladder__closed_at=None)
    shown = with_ranks(entries).select_related("ladder", "version").defer("version__build_log", "ladder__secret")
    return sorted(shown, key=lambda one: (one.ladder.game, one.ladder.place))
