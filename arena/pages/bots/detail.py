"""Who plays: all bots, and one bot with its rating, versions, matches and faults."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from arena.baked import baked
from arena.bots.models import Bot, BotVersion
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.ladders.services import entering
from arena.matches.models import LegSeat, Match, Participant
from arena.matches.waiting import Waiting, place_in_queue
from arena.pages.bots.faults import last_fault, read_health
from arena.pages.bots.head_to_head import HALF, newest_played, read_form
from arena.pages.bots.reading import find_bot, list_versions
from arena.pages.bots.strength import find_history, find_rank, list_rivals
from arena.pages.bots.thinking import read_thinking
from arena.pages.matches.results import list_rows
from arena.pages.phrases import said
from arena.pages.svg.charts import HATCHED, draw_health
from arena.runner.verdict import Verdict

RECENT = 8
VERSIONS_SHOWN = 20
LOOKED_BACK = 100
"""So many of a bot's newest matches are looked through for those of one kind."""
WAYS = {
    "": gettext_lazy("All"),
    "lost": gettext_lazy("Lost"),
    "faults": gettext_lazy("Faults"),
    "unrated": gettext_lazy("Unrated"),
}
"""Of choosing among its matches."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    version: BotVersion
    entry: Entry | None
    """On the ladder the page is about."""
    legs: int
    faults: int

    @property
    def score(self) -> float | None:
        """Share of the points of its rated matches, from 0 to 1."""
        return self.entry.points / self.entry.matches if self.entry and self.entry.matches else None


def detail(request: HttpRequest, slug: str) -> HttpResponse:
    bot = find_bot(slug)
    versions = list_versions(bot)
    known = read_bot_entries(bot, versions[:VERSIONS_SHOWN])
    entries = [one for one in known if one.state != Entry.State.RETIRED]
    entry = next((one for one in entries if one.ladder.edition == request.GET.get("ladder")), None)
    entry = entry or next(iter(entries), None)
    health = read_health(versions)
    played = newest_played(versions, LOOKED_BACK)
    newest, participants = list(played), list(chain(*played.values()))
    way = request.GET.get("matches", "")
    rows = list_rows(choose_matches(newest, bot, way), bot)
    context = {
        "bot": bot,
        "is_owner": bot.owner_id == request.user.pk,
        "entries": entries,
        "entry": entry,
        "playing": entry.version if entry else next((one for one in versions if one.is_final), None),
        "suspended": [one for one in entries if not one.is_active],
        "versions": row_versions(versions, [one for one in known if entry and one.ladder_id == entry.ladder_id]),
        "next_number": versions[0].number + 1 if versions else 1,
        "older": max(len(versions) - VERSIONS_SHOWN, 0),
        "rows": rows,
        "waiting": None if rows or way else find_waiting(newest),
        "way": way,
        "ways": WAYS,
        "looked_back": len(newest),
        "health": health,
        "health_bar": draw_health(health.clean, [(one.kind.colour, one.legs) for one in health.counts]),
        "last_fault": last_fault(participants) if health.faults else None,
        "thinking": read_thinking(participants),
        "hatched": HATCHED,
        **(tell_strength(entry, versions, request.GET.get("history", "")) if entry else {}),
    }
    return render(request, "bots/detail.html", context)


def tell_strength(entry: Entry, versions: Sequence[BotVersion], way: str) -> dict[str, Any]:
    """What the page says of it on one ladder."""
    form = read_form(entry)
    version = next(one for one in versions if one.pk == entry.version_id)
    legs = sum(version.verdicts.values())
    return {
        "low": entry.rating - entry.margin_95,
        "high": entry.rating + entry.margin_95,
        "rank": find_rank(entry),
        "history": find_history(entry, way),
        "rivals": list_rivals(entry, form),
        "tally": form.tally,
        "score": entry.points / entry.matches if entry.matches else None,
        "version_legs": legs,
        "version_faults": legs - version.verdicts.get(Verdict.OK, 0),
    }


def choose_matches(newest: Sequence[int], bot: Bot, way: str) -> list[Match]:
    """The newest ones of a kind of WAYS, out of these."""
    if way in ("lost", "faults"):
        return ask_bad(newest, bot.pk, is_fault=way == "faults", limit=RECENT)
    return ask_matches(newest, is_unrated=way == "unrated", limit=RECENT)


@baked
def ask_matches(newest: Sequence[int], *, is_unrated: bool, limit: int) -> QuerySet[Match]:
    found = Match.objects.filter(pk__in=newest)
    found = found.filter(ladder_match=None) if is_unrated else found.exclude(state=Match.State.QUEUED)
    return found.order_by("-pk").lean()[:limit]


@baked
def ask_bad(newest: Sequence[int], bot: int, *, is_fault: bool, limit: int) -> QuerySet[Match]:
    """Those in which the bot was at fault, or got less than half."""
    own = Participant.objects.filter(match__in=newest, version__bot=bot)
    if is_fault:
        seats = LegSeat.objects.filter(participant__in=own).exclude(verdict=Verdict.OK)
        bad = seats.values("participant__match")
    else:
        bad = own.filter(points__lt=HALF).values("match")
    return Match.objects.filter(pk__in=bad).order_by("-pk").lean()[:limit]


def find_waiting(newest: Sequence[int]) -> Waiting | None:
    """Where the first of these stands in the queue that has not been played."""
    first = Match.objects.queued().filter(pk__in=newest).defer("deal", "options", "limits").first()
    return first and place_in_queue(first)


def read_bot_entries(bot: Bot, versions: Sequence[BotVersion]) -> list[Entry]:
    """What plays, or is suspended, on the ladders that run, one at most on each; and what these versions were there."""
    return sorted(ask_entries(bot.pk, [one.pk for one in versions]), key=lambda one: one.ladder.place)


@baked
def ask_entries(bot: int, versions: Sequence[int]) -> QuerySet[Entry]:
    entries = Entry.objects.filter(~Q(state=Entry.State.RETIRED) | Q(version__in=versions))
    entries = entries.filter(version__bot=bot, ladder__closed_at=None)
    return entries.select_related("ladder", "version").defer("version__build_log", "ladder__secret")


def row_versions(versions: Sequence[BotVersion], entries: Sequence[Entry]) -> list[VersionRow]:
    """The newest ones, with what became of them on the ladder of these entries."""
    own = {one.version_id: one for one in entries}
    rows = []
    for version in versions[:VERSIONS_SHOWN]:
        played = sum(version.verdicts.values())
        rows.append(VersionRow(version, own.get(version.pk), played, played - version.verdicts.get(Verdict.OK, 0)))
    return rows


@require_POST
@login_required
def resume_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Let it play again wherever it was suspended."""
    return change_bot(request, own_bot(request, slug), entering.resume_bot, _("%(name)s plays again."))


@require_POST
@login_required
def pause_bot(request: HttpRequest, slug: str) -> HttpResponse:
    """Take it out of play until its owner resumes it."""
    return change_bot(request, own_bot(request, slug), entering.pause_bot, _("%(name)s is paused."))


def own_bot(request: HttpRequest, slug: str) -> Bot:
    bot = get_object_or_404(Bot, slug=slug)
    if bot.owner_id != request.user.pk:
        raise PermissionDenied
    return bot


def change_bot(request: HttpRequest, bot: Bot, change: Callable[..., None], done: str) -> HttpResponse:
    """Who asked is told what came of it."""
    try:
        change(bot=bot, owner=request.user)
    except ArenaError as error:
        messages.error(request, said(error))
    else:
        messages.success(request, done % {"name": bot.name})
    return redirect(bot)
