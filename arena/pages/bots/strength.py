"""How strong a bot is on one of its ladders, as its page shows it: rank, the way of its rating, and against whom."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.timezone import localdate

from arena.ladders.models import Entry
from arena.ladders.queries import ratings
from arena.ladders.rating.elo import Z_95, expected_score
from arena.pages.bots.head_to_head import Form
from arena.pages.svg.charts import draw_results, draw_share
from arena.pages.svg.history import draw_history
from arena.pages.svg.ratings import Point

FEW_DAYS = 3
"""A history by day of fewer tells less than one by match."""
LISTED = 60


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


def find_history(entry: Entry, way: str) -> History | None:
    """By day over all versions of the bot, or by match of the one that plays; `way` is `days`, `matches`, or empty for
    whichever tells more. None where there is nothing to draw."""
    days = list_days(entry)
    by_day = way == "days" or (way != "matches" and len(days) >= FEW_DAYS)
    points = days if by_day else list_match_points(entry)
    if not points:
        return None
    return History(draw_history(points, by_day), points[: -LISTED - 1 : -1], by_day)


def list_days(entry: Entry) -> list[Point]:
    """The last of each day, and today."""
    today = localdate()
    rows = ratings.list_daily_ratings(entry.version.bot_id, entry.ladder_id)
    points = [Point(rating, Z_95 * deviation, *rest) for rating, deviation, *rest in rows]
    points = [point for point in points if point.day < today or point.version != entry.version.number]
    now = Point(entry.rating, entry.margin_95, entry.matches, today, entry.version.number)
    return [*points[::-1], now] if points else []


def list_match_points(entry: Entry) -> list[Point]:
    """As it was shown after each of its last matches."""
    version = entry.version.number
    return [
        Point(rating, Z_95 * deviation, entry.matches - back, localdate(finished), version)
        for back, (rating, deviation, finished) in enumerate(ratings.list_ratings_by_match(entry.pk))
    ][::-1]


def list_rivals(entry: Entry, form: Form) -> list[Rival]:
    """List whom the entry met most often in rated matches, at tables of all sizes."""
    return [
        Rival(other, met, score, expected_score(entry.rating - other.rating), form.last.get(other.version_id, []))
        for other, met, score in ratings.list_rivals(entry)
    ]
