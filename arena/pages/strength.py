"""How strong a bot is on one of its ladders, as its page shows it: rank, the way of its rating, and against whom."""

from dataclasses import dataclass

from django.db.models import Case, Count, F, FloatField, Q, Sum, When
from django.db.models.functions import Cast
from django.utils.safestring import SafeString
from django.utils.timezone import localdate

from arena.ladders.models import Entry, PairStat, RatingChange, RatingPoint, is_before
from arena.ladders.rating.elo import INTERVAL, expected
from arena.pages.drawings import Point, draw_history

DAYS, MATCHES = 366, 200
"""As far back as the history goes, by day and by match."""
FEW_DAYS = 3
"""A history by day of fewer tells less than one by match."""
LISTED = 60
RIVALS = 10


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


@dataclass(frozen=True, slots=True)
class Rival:
    entry: Entry
    matches: int
    score: float
    """Share of the points against it, from 0 to 1."""
    expected: float
    """The share that today's ratings tell."""

    @property
    def surplus(self) -> float:
        """Percentage points."""
        return 100 * (self.score - self.expected)


def find_rank(entry: Entry) -> Rank | None:
    """None until its rating is known well enough, and where it isn't on the board."""
    if not entry.is_settled:
        return None
    ranked = Entry.objects.standing(entry.ladder).filter(is_settled=True)
    counts = ranked.aggregate(
        own=Count("pk", filter=Q(pk=entry.pk)), before=Count("pk", filter=is_before(entry)), all=Count("pk")
    )
    return Rank(counts["before"] + 1, counts["all"]) if counts["own"] else None


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
    of_bot = RatingPoint.objects.filter(entry__version__bot=entry.version.bot_id, entry__ladder=entry.ladder_id)
    rows = of_bot.order_by("-day", "-pk").values_list(
        "rating", "deviation", "matches", "day", "entry__version__number", "rank"
    )
    today = localdate()
    points = [Point(rating, INTERVAL * deviation, *rest) for rating, deviation, *rest in rows[:DAYS]]
    points = [point for point in points if point.day < today or point.version != entry.version.number]
    now = Point(entry.rating, entry.margin, entry.matches, today, entry.version.number)
    return [*points[::-1], now] if points else []


def list_matches(entry: Entry) -> list[Point]:
    """As it was shown after each of its last matches."""
    rows = RatingChange.objects.filter(entry=entry).order_by("-pk")
    found = list(rows.values_list("after", "deviation", "ladder_match__match__finished_at")[:MATCHES])
    version = entry.version.number
    return [
        Point(rating, INTERVAL * deviation, entry.matches - back, localdate(finished), version)
        for back, (rating, deviation, finished) in enumerate(found)
    ][::-1]


def list_rivals(entry: Entry) -> list[Rival]:
    """Whom it met most often in rated matches, at tables of all sizes."""
    is_low = Q(low=entry)
    halves = Case(When(is_low, then=F("halves")), default=2 * F("seats") * F("matches") - F("halves"))
    rows = (
        PairStat.objects.filter(is_low | Q(high=entry), matches__gt=0)
        .annotate(other=Case(When(is_low, then=F("high")), default=F("low")))
        .values("other")
        .annotate(met=Sum("matches"), points=Sum(Cast(halves, FloatField()) / (2 * F("seats"))))
        .order_by("-met", "other")[:RIVALS]
    )
    found = {row["other"]: row for row in rows}
    entries = Entry.objects.select_related("version__bot").defer("version__build_log").in_bulk(found)
    return [
        Rival(entries[other], row["met"], row["points"] / row["met"], expected(entry.rating - entries[other].rating))
        for other, row in found.items()
    ]
