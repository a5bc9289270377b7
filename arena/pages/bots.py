"""Who plays: all bots, and one bot with its versions, matches and faults."""

from django.core.paginator import Paginator
from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from arena.bots.models import Bot, BotVersion
from arena.ladders.models import Entry
from arena.matches.models import LegSeat, Match
from arena.pages.results import FAULTS, list_rows, with_results
from arena.runner.verdict import Verdict

PAGE = 50
RECENT = 10
FAULTS_SHOWN = 5


def index(request: HttpRequest) -> HttpResponse:
    newest = BotVersion.objects.filter(bot=OuterRef("pk")).order_by("-number")
    active = Entry.objects.active().order_by("-rating")
    bots = (
        Bot.objects.select_related("owner")
        .annotate(newest_number=Subquery(newest.values("number")[:1]))
        .annotate(newest_state=Subquery(newest.values("state")[:1]))
        .annotate(newest_language=Subquery(newest.values("language")[:1]))
        .prefetch_related(
            Prefetch(
                "versions",
                BotVersion.objects.defer("build_log")
                .filter(entries__state=Entry.State.ACTIVE)
                .distinct()
                .prefetch_related(Prefetch("entries", active, to_attr="active_entries")),
                to_attr="playing",
            )
        )
    )
    if request.GET.get("mine") and request.user.is_authenticated:
        bots = bots.of(request.user)
    page = Paginator(bots, PAGE).get_page(request.GET.get("page"))
    return render(request, "bots/index.html", {"page": page})


def detail(request: HttpRequest, slug: str) -> HttpResponse:
    bot = get_object_or_404(Bot.objects.select_related("owner"), slug=slug)
    verdicts = dict(
        LegSeat.objects.filter(participant__version__bot=bot).values_list("verdict").annotate(Count("pk")).order_by()
    )
    entries = Entry.objects.active().filter(version__bot=bot)
    entry = entries.select_related("ladder", "version").defer("version__build_log").first()
    return render(
        request,
        "bots/detail.html",
        {
            "bot": bot,
            "is_owner": bot.owner_id == request.user.pk,
            "versions": list_versions(bot),
            "entry": entry,
            "rank": rank_of(entry) if entry else None,
            "rows": list_rows(with_results(Match.objects.of_bot(bot))[:RECENT], bot),
            "faults": [(*FAULTS[Verdict(verdict)], count) for verdict, count in verdicts.items() if verdict in FAULTS],
            "fault_count": sum(count for verdict, count in verdicts.items() if verdict != Verdict.OK),
            "latest_faults": list_faults(bot),
            "legs": sum(verdicts.values()),
        },
    )


def list_faults(bot: Bot) -> QuerySet[LegSeat]:
    """Where it failed of late, newest first."""
    seats = LegSeat.objects.filter(participant__version__bot=bot).exclude(verdict=Verdict.OK).select_related("leg")
    return seats.only("verdict", "leg__match", "leg__number").order_by("-pk")[:FAULTS_SHOWN]


def list_versions(bot: Bot) -> list[BotVersion]:
    """Newest first, with legs played, faults, and entries."""
    is_fault = ~Q(participations__leg_seats__verdict=Verdict.OK) & Q(participations__leg_seats__isnull=False)
    return list(
        bot.versions.defer("build_log")
        .annotate(played=Count("participations__leg_seats"), faults=Count("participations__leg_seats", filter=is_fault))
        .prefetch_related(Prefetch("entries", Entry.objects.order_by("-rating")))
        .order_by("-number")
    )


def rank_of(entry: Entry) -> int:
    """Its place on its ladder: how many stand before it, and one."""
    better = (
        Q(rating__gt=entry.rating)
        | Q(rating=entry.rating, matches__gt=entry.matches)
        | Q(rating=entry.rating, matches=entry.matches, pk__lt=entry.pk)
    )
    return Entry.objects.active().filter(better, ladder=entry.ladder_id).count() + 1
