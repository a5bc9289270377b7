"""Who plays: all bots, and one bot with its rating, versions, matches and faults."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import OuterRef, Prefetch, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from arena.bots.models import Bot, BotVersion
from arena.errors import ArenaError
from arena.ladders.models import Entry
from arena.ladders.services import entering
from arena.matches.models import LegSeat, Match, Participant
from arena.pages.results import FAULTS, list_rows, with_results
from arena.pages.strength import find_history, find_rank, list_rivals
from arena.runner.verdict import Verdict

PAGE = 50
RECENT = 10
VERSIONS_SHOWN = 20
FAULTS_SHOWN = 5
LOOKED_BACK = 100
"""In so many of a bot's newest matches its latest faults are looked for."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    version: BotVersion
    entry: Entry | None
    """On the ladder the page is about."""
    legs: int
    faults: int


def index(request: HttpRequest) -> HttpResponse:
    found = Bot.objects.all()
    if request.GET.get("mine") and request.user.is_authenticated:
        found = found.of(request.user)
    page = Paginator(found.values_list("pk", flat=True), PAGE).get_page(request.GET.get("page"))
    return render(request, "bots/index.html", {"page": page, "bots": read_bots(list(page.object_list))})


def read_bots(pks: Sequence[int]) -> list[Bot]:
    """In this order, each with its newest version and what plays for it."""
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number")
    active = Entry.objects.active().filter(ladder__closed_at=None).order_by("-is_settled", "-rating")
    bots = (
        Bot.objects.select_related("owner")
        .annotate(newest_number=Subquery(newest.values("number")[:1]))
        .annotate(newest_state=Subquery(newest.values("state")[:1]))
        .annotate(newest_language=Subquery(newest.values("language")[:1]))
        .prefetch_related(
            Prefetch(
                "versions",
                BotVersion.objects.defer("build_log")
                .filter(entries__state=Entry.State.ACTIVE, entries__ladder__closed_at=None)
                .distinct()
                .prefetch_related(Prefetch("entries", active, to_attr="active_entries")),
                to_attr="playing",
            )
        )
        .in_bulk(pks)
    )
    return [bots[pk] for pk in pks]


def detail(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
    versions = count_legs(bot)
    entries = list_entries(bot)
    entry = next((one for one in entries if one.ladder.edition == request.GET.get("ladder")), None)
    entry = entry or next(iter(entries), None)
    verdicts = sum_verdicts(versions)
    newest = newest_matches(versions, LOOKED_BACK)
    context = {
        "bot": bot,
        "is_owner": bot.owner_id == request.user.pk,
        "entries": entries,
        "entry": entry,
        "suspended": [one for one in entries if not one.is_active],
        "versions": list_versions(versions, entry),
        "older": max(len(versions) - VERSIONS_SHOWN, 0),
        "rows": list_rows(with_results(Match.objects.filter(pk__in=newest[:RECENT])), bot),
        "faults": [(*FAULTS[Verdict(verdict)], legs) for verdict, legs in verdicts.items() if verdict in FAULTS],
        "fault_count": sum(legs for verdict, legs in verdicts.items() if verdict != Verdict.OK),
        "latest_faults": list_faults(bot, newest),
        "legs": sum(verdicts.values()),
    }
    if entry is not None:
        context["rank"] = find_rank(entry)
        context["history"] = find_history(entry, request.GET.get("history", ""))
        context["rivals"] = list_rivals(entry)
    return render(request, "bots/detail.html", context)


def list_entries(bot: Bot) -> list[Entry]:
    """What plays, or is suspended, on the ladders that run, one at most on each."""
    entries = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot, ladder__closed_at=None)
    entries = entries.select_related("ladder", "version").defer("version__build_log", "ladder__secret")
    return sorted(entries, key=lambda one: one.ladder.place)


def count_legs(bot: Bot) -> list[BotVersion]:
    """All versions, newest first, with the verdicts of their legs."""
    return list(bot.versions.defer("build_log").prefetch_related("verdict_counts").order_by("-number"))


def sum_verdicts(versions: Iterable[BotVersion]) -> dict[str, int]:
    sums: dict[str, int] = {}
    for version in versions:
        for count in version.verdict_counts.all():
            sums[count.verdict] = sums.get(count.verdict, 0) + count.legs
    return sums


def list_versions(versions: Sequence[BotVersion], entry: Entry | None) -> list[VersionRow]:
    """The newest ones, with what became of them on the ladder of this entry."""
    shown = versions[:VERSIONS_SHOWN]
    of_ladder = Entry.objects.filter(version__in=shown, ladder=entry.ladder_id if entry else None)
    entries = {one.version_id: one for one in of_ladder}
    rows = []
    for version in shown:
        legs = {count.verdict: count.legs for count in version.verdict_counts.all()}
        played = sum(legs.values())
        rows.append(VersionRow(version, entries.get(version.pk), played, played - legs.get(Verdict.OK, 0)))
    return rows


def newest_matches(versions: Iterable[BotVersion], limit: int) -> list[int]:
    """Ids of the newest matches of these versions, newest first.

    The version that played most tells how far back one has to look: all of its matches are never read.
    """
    played = {version.pk: sum(count.legs for count in version.verdict_counts.all()) for version in versions}
    if not played:
        return []
    busiest = max(played, key=lambda pk: played[pk])
    of_busiest = Participant.objects.filter(version=busiest).order_by("-match").values_list("match", flat=True)
    oldest = next(iter(of_busiest[limit - 1 : limit]), 0)
    found = Participant.objects.filter(version__in=played, match__gte=oldest).order_by("-match")
    return list(found.values_list("match", flat=True).distinct()[:limit])


def list_faults(bot: Bot, matches: Iterable[int]) -> QuerySet[LegSeat]:
    """Where it failed in these matches, newest first."""
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot=bot)
    seats = seats.exclude(verdict=Verdict.OK).select_related("leg")
    return seats.only("verdict", "leg__match", "leg__number").order_by("-pk")[:FAULTS_SHOWN]


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
        messages.error(request, str(error))
    else:
        messages.success(request, done % {"name": bot.name})
    return redirect(bot)
