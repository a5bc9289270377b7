"""Who is best: the ladders and their standings."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.db.models import Avg, Count, Max, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from arena.ladders.models import Entry, Ladder
from arena.matches.models import Match, Participant
from arena.pages.results import Finish, finish_of
from engine.registry import find_game

PAGE = 50


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a standing."""

    rank: int
    entry: Entry
    win_rate: float | None
    """Mean points of its rated matches, from 0 to 1: the share of the others that it left behind."""
    last: Match | None
    finish: Finish | None
    """How that one went."""
    is_own: bool


def index(request: HttpRequest) -> HttpResponse:
    ladders = Ladder.objects.annotate(
        bots=Count("entries", filter=Q(entries__state=Entry.State.ACTIVE)),
        best=Max("entries__rating", filter=Q(entries__state=Entry.State.ACTIVE)),
    )
    return render(request, "ladders/index.html", {"ladders": ladders})


def standing(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    ladder = get_object_or_404(Ladder, game=game, edition=edition)
    page = Paginator(Entry.objects.standing(ladder), PAGE).get_page(request.GET.get("page"))
    places = rank_entries(ladder, list(page), page.start_index(), request.user.pk)
    return render(
        request,
        "ladders/standing.html",
        {
            "ladder": ladder,
            "page": page,
            "places": places,
            "ladders": Ladder.objects.filter(game=game),
            "seats": find_game(game).seats,
        },
    )


def rank_entries(ladder: Ladder, entries: Sequence[Entry], first: int, reader: int | None) -> list[Place]:
    versions = [entry.version_id for entry in entries]
    rated = Participant.objects.filter(
        version__in=versions, match__ladder_match__ladder=ladder, match__ladder_match__sequence__isnull=False
    )
    sums = {row["version"]: row for row in rated.values("version").annotate(rate=Avg("points"), last=Max("match"))}
    lasts = {
        participant.version_id: participant
        for participant in Participant.objects.filter(
            version__in=versions, match__in=[row["last"] for row in sums.values()]
        )
        .select_related("match")
        .prefetch_related("match__participants")
        .defer("match__deal", "match__options", "match__limits")
        if participant.match_id == sums[participant.version_id]["last"]
    }
    return [
        make_place(rank, entry, sums.get(entry.version_id, {}).get("rate"), lasts.get(entry.version_id), reader)
        for rank, entry in enumerate(entries, start=first)
    ]


def make_place(rank: int, entry: Entry, rate: float | None, last: Participant | None, reader: int | None) -> Place:
    return Place(
        rank=rank,
        entry=entry,
        win_rate=rate,
        last=last.match if last else None,
        finish=finish_of(last, last.match.participants.all()) if last else None,
        is_own=entry.version.bot.owner_id == reader,
    )
