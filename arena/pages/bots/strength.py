"""How strong a bot is on one of its ladders, as its page shows it: rank, the way of its rating, and against whom."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache as shelf
from django.db.models import F, FloatField, Q, QuerySet, Sum
from django.db.models.functions import Cast
from django.utils.safestring import SafeString
from django.utils.timezone import localdate

from arena.baked import baked
from arena.ladders.models import Entry, EntryQuerySet, Ladder, PairStat, RatingChange, RatingPoint
from arena.ladders.rating.elo import INTERVAL, expected
from arena.pages.bots.head_to_head import Form
from arena.pages.svg.charts import draw_results, draw_share
from arena.pages.svg.history import draw_history, list_numbers
from arena.pages.svg.ratings import Point

DAYS, MATCHES = 366, 200
"""As far back as the history goes, by day and by match."""
FEW_DAYS = 3
"""A history by day of fewer tells less than one by match."""
LISTED = 60
RIVALS = 10
ORDER_KEPT = 30
"""Seconds for which the order of a ladder is kept."""
LARGE = 1000
"""Entries of a ladder."""


@dataclass(frozen=True, slots=True)
class Rank:
    place: int
    ranked: int
    """So many have a rank."""


@dataclass(frozen=True, slots=True)
class History:
    picture: SafeString
    points: list[Point]
    """The newest, newest first."""
    by_day: bool

    @property
    def numbers(self) -> SafeString:
        return list_numbers(self.points, self.by_day)


@dataclass(frozen=True, slots=True)
class Rival:
    entry: Entry
    matches: int
    score: float
    """Share of the points against it, from 0 to 1."""
    expected: float
    """The share that today's ratings tell."""
    last: Sequence[float] = ()
    """Its last results, oldest first."""

    @property
    def share(self) -> SafeString:
        return draw_share(self.score)

    @property
    def results(self) -> SafeString | str:
        return draw_results(self.last)

    @property
    def surplus(self) -> float:
        """Percentage points."""
        return 100 * (self.score - self.expected)


def find_rank(entry: Entry) -> Rank | None:
    """None until its rating is known well enough, and where it isn't on the board."""
    if not entry.is_ranked:
        return None
    order = read_order(entry.ladder)
    return Rank(order.index(entry.pk) + 1, len(order)) if entry.pk in order else None


def read_order(ladder: Ladder) -> "array[int]":
    """Ids of the entries with a rank, best first. Of a large ladder that takes long, so it is kept for a moment."""
    times = (one.timestamp() for one in (ladder.opened_at, ladder.fitted_at or ladder.opened_at))
    key = f"order:{ladder.pk}:{':'.join(map(str, times))}"
    kept = shelf.get(key)
    if kept is None:
        kept = array("q", Entry.objects.standing(ladder).filter(is_ranked=True).values_list("pk", flat=True)).tobytes()
        shelf.set(key, kept, ORDER_KEPT)
    return array("q", kept)


def count_standing(ladder: Ladder, everybody: EntryQuerySet) -> int:
    """How many are in it. Of a large ladder that is kept for a moment, too."""
    key = f"size:{ladder.pk}"
    kept = shelf.get(key)
    if kept is None:
        kept = everybody.count()
        if kept > LARGE:
            shelf.set(key, kept, ORDER_KEPT)
    return kept


def find_history(entry: Entry, way: str) -> History | None:
    """By day over all versions of the bot, or by match of the one that plays; `way` is `days`, `matches`, or empty for
    whichever tells more. None where there is nothing to draw."""
    days = list_days(entry)
    by_day = way == "days" or (way != "matches" and len(days) >= FEW_DAYS)
    points = days if by_day else list_matches(entry)
    if not points:
        return None
    return History(draw_history(points, by_day), points[: -LISTED - 1 : -1], by_day)


def list_days(entry: Entry) -> list[Point]:
    """The last of each day, and today."""
    today = localdate()
    rows = ask_days(entry.version.bot_id, entry.ladder_id)
    points = [Point(rating, INTERVAL * deviation, *rest) for rating, deviation, *rest in rows]
    points = [point for point in points if point.day < today or point.version != entry.version.number]
    now = Point(entry.rating, entry.margin_95, entry.matches, today, entry.version.number)
    return [*points[::-1], now] if points else []


@baked
def ask_days(bot: int, ladder: int) -> QuerySet:
    days = RatingPoint.objects.filter(entry__version__bot=bot, entry__ladder=ladder).order_by("-day", "-pk")
    return days.values_list("rating", "deviation", "matches", "day", "entry__version__number", "rank")[:DAYS]


def list_matches(entry: Entry) -> list[Point]:
    """As it was shown after each of its last matches."""
    version = entry.version.number
    return [
        Point(rating, INTERVAL * deviation, entry.matches - back, localdate(finished), version)
        for back, (rating, deviation, finished) in enumerate(ask_matches(entry.pk))
    ][::-1]


@baked
def ask_matches(entry: int) -> QuerySet:
    changes = RatingChange.objects.filter(entry=entry).order_by("-pk")
    return changes.values_list("after", "deviation", "ladder_match__match__finished_at")[:MATCHES]


def list_rivals(entry: Entry, form: Form) -> list[Rival]:
    """Whom it met most often in rated matches, at tables of all sizes."""
    found = {}
    for low, high, met, of_low in ask_rivals(entry.pk):
        is_low = low == entry.pk
        found[high if is_low else low] = (met, of_low if is_low else met - of_low)
    entries = {one.pk: one for one in ask_named(list(found))}
    rivals = []
    for pk, (met, points) in found.items():
        other = entries[pk]
        share = expected(entry.rating - other.rating)
        last = form.last.get(other.version_id, [])
        rivals.append(Rival(other, met, points / met, share, last))
    return rivals


@baked
def ask_rivals(entry: int) -> QuerySet:
    stats = PairStat.objects.filter(Q(low=entry) | Q(high=entry), matches__gt=0).values_list("low", "high")
    summed = stats.annotate(met=Sum("matches"), points=Sum(Cast("halves", FloatField()) / (2 * F("seats"))))
    return summed.order_by("-met", "low", "high")[:RIVALS]


@baked
def ask_named(entries: Sequence[int]) -> QuerySet[Entry]:
    shown = ["rating", "state", "version__number", "version__bot__name", "version__bot__slug"]
    return Entry.objects.filter(pk__in=entries).select_related("version__bot").only(*shown)
