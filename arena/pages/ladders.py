"""Who is best, and how sure that is: the ladders, their standings and seasons."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.core.paginator import Paginator
from django.db.models import Count, Max, Prefetch, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.ladders.models import Entry, EntryQuerySet, Ladder
from arena.ladders.services.seasons import revealed_secret
from arena.matches.models import Match, Participant
from arena.pages.drawings import Axis, draw_axis, draw_interval, make_axis
from arena.pages.results import Finish, finish_of
from engine.registry import find_game

PAGE = 40
LONGEST_SEARCH = 40
SHOWN = (
    *("ladder", "state", "rating", "deviation", "matches", "points", "is_settled", "group", "rank_best", "rank_worst"),
    *("last_match", "rated_at", "version__number", "version__bot__name", "version__bot__slug"),
    "version__bot__owner__username",
)
"""What a standing shows of an entry."""


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a standing."""

    rank: int | None
    """None until its rating is known well enough."""
    entry: Entry
    interval: SafeString
    """A picture of it."""
    finish: Finish | None
    """How its last match went."""
    is_own: bool

    @property
    def win_rate(self) -> float | None:
        """Mean points of its rated matches, from 0 to 1: the share of the others that it left behind."""
        return self.entry.points / self.entry.matches if self.entry.matches else None


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: a group of bots that can't be told apart, or those that are settling in."""

    group: int | None
    is_settled: bool
    places: list[Place] = field(default_factory=list)


def index(request: HttpRequest) -> HttpResponse:
    is_active = Q(entries__state=Entry.State.ACTIVE)
    ladders = (
        Ladder.objects.open()
        .defer("secret")
        .annotate(
            bots=Count("entries", filter=is_active),
            best=Max("entries__rating", filter=is_active & Q(entries__is_settled=True)),
        )
    )
    ladders = sorted(ladders, key=lambda one: (one.game, one.place))
    return render(request, "ladders/index.html", {"ladders": ladders})


def standing(request: HttpRequest, game: str, edition: str) -> HttpResponse:
    """Of the season that runs."""
    ladders = list_ladders(game)
    ladder = next((one for one in ladders if one.edition == edition and one.closed_at is None), None)
    return show_standing(request, ladder, ladders)


def season(request: HttpRequest, game: str, edition: str, number: int) -> HttpResponse:
    """Of a season that is over, as it ended."""
    ladders = list_ladders(game)
    ladder = next((one for one in ladders if one.edition == edition and one.season == number), None)
    if ladder is not None and ladder.closed_at is None:
        return redirect(ladder)
    return show_standing(request, ladder, ladders)


def list_ladders(game: str) -> list[Ladder]:
    """All seasons of all editions of a game, in their places."""
    return sorted(Ladder.objects.filter(game=game).defer("secret"), key=lambda one: one.place)


def show_standing(request: HttpRequest, ladder: Ladder | None, ladders: Sequence[Ladder]) -> HttpResponse:
    if ladder is None:
        raise Http404(_("There is no such ladder."))
    everybody = Entry.objects.standing(ladder)
    words = request.GET.get("q", "").strip()[:LONGEST_SEARCH]
    is_mine = bool(request.GET.get("mine")) and request.user.is_authenticated
    found = filter_entries(everybody, words, request.user.pk if is_mine else None)
    page = Paginator(found.select_related(None).values_list("pk", flat=True), PAGE).get_page(request.GET.get("page"))
    entries = read_entries(list(page.object_list))
    is_filtered = bool(words) or is_mine
    ranks = find_ranks(everybody, entries) if is_filtered else count_ranks(entries, page.start_index())
    axis = make_axis((entry.rating, entry.margin) for entry in entries)
    context = {
        "ladder": ladder,
        "ladders": [one for one in ladders if one.closed_at is None],
        "seasons": [one for one in ladders if one.edition == ladder.edition][::-1],
        "secret": revealed_secret(ladder),
        "seats": find_game(ladder.game).seats,
        "page": page,
        "blocks": list_blocks(make_place(entry, ranks, axis, request.user.pk) for entry in entries),
        "scale": draw_axis(axis),
        "words": words,
        "is_mine": is_mine,
        "is_filtered": is_filtered,
    }
    return render(request, "ladders/standing.html", context)


def filter_entries(entries: EntryQuerySet, words: str, owner: int | None) -> EntryQuerySet:
    """Those whose bot or author is called so; those of an owner."""
    if words:
        is_called = Q(version__bot__name__icontains=words) | Q(version__bot__owner__username__icontains=words)
        entries = entries.filter(is_called)
    if owner is not None:
        entries = entries.filter(version__bot__owner=owner)
    return entries


def read_entries(pks: Sequence[int]) -> list[Entry]:
    """In this order, each with its version, bot and owner, and its last match with who was in it.

    Read only once it is known which: the rows that a page far down leaves behind it are not put together.
    """
    participants = Prefetch("participants", Participant.objects.only("match", "index", "version", "points"))
    entries = (
        Entry.objects.select_related("version__bot__owner")
        .only(*SHOWN)
        .prefetch_related(Prefetch("last_match", Match.objects.only("pk").prefetch_related(participants)))
        .in_bulk(pks)
    )
    return [entries[pk] for pk in pks]


def count_ranks(entries: Iterable[Entry], first: int) -> dict[int, int]:
    """By entry, where a standing is shown as it is: the settled ones come first in it."""
    return {entry.pk: rank for rank, entry in enumerate(entries, start=first) if entry.is_settled}


def find_ranks(everybody: EntryQuerySet, entries: Iterable[Entry]) -> dict[int, int]:
    """By entry, of some that were picked out of a standing."""
    wanted = {entry.pk for entry in entries if entry.is_settled}
    if not wanted:
        return {}
    ranked = everybody.filter(is_settled=True).select_related(None).values_list("pk", flat=True)
    return {pk: rank for rank, pk in enumerate(ranked, start=1) if pk in wanted}


def make_place(entry: Entry, ranks: dict[int, int], axis: Axis, reader: int | None) -> Place:
    finish = None
    if entry.last_match is not None:
        taken = list(entry.last_match.participants.all())
        own = next((one for one in taken if one.version_id == entry.version_id), None)
        finish = finish_of(own, taken) if own else None
    return Place(
        rank=ranks.get(entry.pk),
        entry=entry,
        interval=draw_interval(axis, entry.rating, entry.margin),
        finish=finish,
        is_own=entry.version.bot.owner_id == reader,
    )


def list_blocks(places: Iterable[Place]) -> list[Block]:
    """A group begins where its first one stands; who has moved among others since the groups were made stays there."""
    blocks: list[Block] = []
    for place in places:
        entry = place.entry
        last = blocks[-1] if blocks else None
        group = entry.group if entry.is_settled else None
        if last is None or last.is_settled != entry.is_settled or (group or 0) > (last.group or 0):
            last = Block(group, entry.is_settled)
            blocks.append(last)
        last.places.append(place)
    return blocks
