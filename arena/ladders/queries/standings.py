"""Read and search standings, and find the ranks of their entries."""

from array import array
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import F, Q, QuerySet, Value, Window
from django.db.models.functions import RowNumber, Upper

from arena.accounts.models import User
from arena.bots.models import Bot, TeamMember
from arena.ladders.models import Entry, EntryQuerySet, Ladder

MAX_SEARCH_RESULTS = 300
"""Up to here the bots that a search finds are looked up by their keys; of more only the best are returned."""
RANK_ORDER_CACHE_S = 30
MIN_ENTRIES_TO_CACHE_COUNT = 1000
"""The entries of a smaller ladder are counted each time."""
STANDINGS_COLUMNS = (
    *("ladder", "state", "rating", "deviation", "matches", "points", "is_ranked", "group", "rank_low", "rank_high"),
    *("last_match", "rated_at", "opponents", "version__number", "version__language"),
    *("version__bot__name", "version__bot__slug", "version__bot__co_authors"),
    *("version__bot__crest_difference", "version__bot__crest_design"),
    "version__bot__owner__username",
)
"""The columns of an entry that standings show."""


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of an entry among those that have one."""

    place: int
    ranked: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The keys of the entries that a search has found."""

    pks: Sequence[int] | QuerySet[Entry, int]
    """Best first; to be sliced."""
    is_cut: bool
    """Whether more entries fit."""


def list_standings(ladder: Ladder, *, bot: str = "") -> EntryQuerySet:
    """List the entries of a ladder, best first, or the one of a bot."""
    entries = Entry.objects.standing(ladder)
    return entries.filter(version__bot__slug=bot) if bot else entries


def count_entries_before(entry: Entry, ladder: Ladder) -> int:
    """Return how many entries of the ladder come before this one."""
    return Entry.objects.standing(ladder).before(entry).count()


def search_standings(ladder: Ladder, words: str, owner: int | None) -> SearchResult:
    """Search standings for bots or authors whose name contains the words, or for the bots of an owner, or both."""
    ordered = Entry.objects.placed(ladder.pk, ladder.idle_before).values_list("pk", flat=True)
    part = Upper(Value(words))
    authors = User.objects.filter(username_upper__contains=part).values("pk")
    on_teams = TeamMember.objects.joined().filter(user__in=authors).values("bot")
    bots = Bot.objects.filter(Q(name_upper__contains=part) | Q(owner__in=authors) | Q(pk__in=on_teams)).order_by()
    if owner is not None:
        own = Bot.objects.of_authors([owner])
        ordered, bots = ordered.filter(version__bot__in=own), bots.filter(pk__in=own)
    if not words:
        return SearchResult(ordered, False)
    few = list(bots.values_list("pk", flat=True)[: MAX_SEARCH_RESULTS + 1])
    if len(few) <= MAX_SEARCH_RESULTS:
        return SearchResult(list(ordered.filter(version__bot__in=few)), False)
    # Many bots match, so reading down the standings finds the best of them soon.
    fits = Q(version__bot__name_upper__contains=part) | Q(version__bot__owner__username_upper__contains=part)
    best = list(ordered.filter(fits)[: MAX_SEARCH_RESULTS + 1])
    return SearchResult(best[:MAX_SEARCH_RESULTS], len(best) > MAX_SEARCH_RESULTS)


def fetch_entries_in_order(pks: Sequence[int]) -> list[Entry]:
    """List these entries in this order, each with its version, bot and owner.

    They are read once it is known which: the rows that a page far down skips are not joined.
    """
    found = Entry.objects.filter(pk__in=pks).select_related("version__bot__owner").only(*STANDINGS_COLUMNS)
    entries = {entry.pk: entry for entry in found}
    return [entries[pk] for pk in pks if pk in entries]


def count_standings(ladder: Ladder) -> int:
    """Count the entries of standings; the number is cached for a moment where it is large."""
    key = f"size:{ladder.pk}"
    count: int | None = cache.get(key)
    if count is None:
        count = list_standings(ladder).count()
        if count > MIN_ENTRIES_TO_CACHE_COUNT:
            cache.set(key, count, RANK_ORDER_CACHE_S)
    return count


def number_consecutive_ranks(entries: Iterable[Entry], first: int) -> dict[int, int]:
    """Return the rank by entry, of ranked entries that follow each other in standings from the place `first` on."""
    return {entry.pk: rank for rank, entry in enumerate(entries, start=first) if entry.is_ranked}


def find_ranks(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, int]:
    """Return the rank by entry, of any ranked entries of standings; those of the cached order if it has all."""
    wanted = {entry.pk for entry in entries if entry.is_ranked}
    if not wanted:
        return {}
    ranks = {pk: rank for rank, pk in enumerate(_list_ranked_keys(ladder), start=1) if pk in wanted}
    return ranks if len(ranks) == len(wanted) else _compute_ranks(ladder, wanted)


def find_rank(entry: Entry) -> Rank | None:
    """Return the rank of an entry, or None if it has none yet or is not in the standings."""
    if not entry.is_ranked:
        return None
    order = _list_ranked_keys(entry.ladder)
    return Rank(order.index(entry.pk) + 1, len(order)) if entry.pk in order else None


def _list_ranked_keys(ladder: Ladder) -> "array[int]":
    """Return the keys of the ranked entries, best first; cached for a moment, as it takes long on a large ladder."""
    times = (one.timestamp() for one in (ladder.opened_at, ladder.fitted_at or ladder.opened_at))
    key = f"order:{ladder.pk}:{':'.join(map(str, times))}"
    kept = cache.get(key)
    if kept is None:
        kept = array("q", list_standings(ladder).filter(is_ranked=True).values_list("pk", flat=True)).tobytes()
        cache.set(key, kept, RANK_ORDER_CACHE_S)
    return array("q", kept)


def _compute_ranks(ladder: Ladder, entry_keys: Collection[int]) -> dict[int, int]:
    ranked = list_standings(ladder).filter(is_ranked=True).select_related(None)
    order = [F("rating").desc(), F("deviation").asc(), F("pk").asc()]
    # A condition on the keys alone would be pushed into the window, and only those rows counted.
    numbered = ranked.annotate(rank=Window(RowNumber(), order_by=order)).filter(Q(rank=0) | Q(pk__in=entry_keys))
    return dict(numbered.order_by().values_list("pk", "rank"))
