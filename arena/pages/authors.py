"""Who writes bots: an author's bots, where they stand, and their latest matches. Nothing that is theirs alone."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.accounts.models import User
from arena.baked import baked
from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry
from arena.matches.filters import newest_matches
from arena.matches.queries.played import list_matches
from arena.pages.bots.strength import find_rank
from arena.pages.matches.results import list_rows

SHOWN = 50
"""Bots of an author."""
RECENT = 10


@dataclass(frozen=True, slots=True)
class Own:
    """One bot of the author, with what plays for it, ladder by ladder."""

    bot: Bot
    entries: list[Entry]


def detail(request: HttpRequest, name: str) -> HttpResponse:
    found = ask_author(name) if "\0" not in name else []
    if not found:
        raise Http404(_("There is no author called %(name)s.") % {"name": name})
    author = found[0]
    entries = list_entries(author)
    context = {
        "author": author,
        "is_own": author == request.user,
        "bots": [Own(bot, [one for one in entries if one.version.bot_id == bot.pk]) for bot in ask_bots(author.pk)],
        "rows": list_rows(list_matches(newest_matches(ask_versions(author.pk), RECENT))),
    }
    return render(request, "authors/detail.html", context)


@baked
def ask_author(name: str) -> QuerySet[User]:
    return User.objects.filter(username=name, is_active=True)


@baked
def ask_bots(author: int) -> QuerySet[Bot]:
    return Bot.objects.filter(owner=author)[:SHOWN]


@baked
def ask_versions(author: int) -> QuerySet:
    return BotVersion.objects.filter(bot__owner=author).order_by().values_list("pk", flat=True)


def list_entries(author: User) -> list[Entry]:
    """What plays on the ladders that run, with `rank`, which is None until it is known."""
    entries = sorted(ask_entries(author.pk), key=lambda one: (one.ladder.game, one.ladder.place))
    for entry in entries:
        rank = find_rank(entry)
        entry.rank = rank.place if rank else None
    return entries


@baked
def ask_entries(author: int) -> QuerySet[Entry]:
    entries = Entry.objects.active().filter(version__bot__owner=author, ladder__closed_at=None)
    return entries.select_related("ladder", "version__bot").defer("version__build_log", "ladder__secret")
