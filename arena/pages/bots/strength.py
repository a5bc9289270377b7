"""Prepare a bot's strength on a ladder for its page: the history of its rating, and its most frequent opponents."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.timezone import localdate

from arena.ladders.models import Entry
from arena.ladders.queries import pair_stats
from arena.ladders.queries.ratings import list_daily_ratings, list_ratings_by_match
from arena.ladders.rating.elo import Z_SCORE_95, expected_score
from arena.pages.bots.head_to_head import Form
from arena.pages.svg.charts import draw_result_squares, draw_share_bar
from arena.pages.svg.history import draw_rating_history
from arena.pages.svg.ratings import Point

MIN_DAYS_SHOWN = 3
"""With fewer days the history is shown by match."""
MAX_POINTS_LISTED = 60


@dataclass(frozen=True, slots=True)
class History:
    """The history of a bot's rating."""

    picture: SafeString
    points: list[Point]
    """The latest points, newest first."""
    by_day: bool


@dataclass(frozen=True, slots=True)
class Rival:
    """An opponent on the ladder, and the results against it."""

    entry: Entry
    matches: int
    score: float
    """Share of the points against it, from 0 to 1."""
    expected: float
    """Expected share of the points by today's ratings."""
    last: Sequence[float] = ()
    """The last results against it, oldest first."""

    @property
    def share(self) -> SafeString:
        """Return a bar of the share of the points."""
        return draw_share_bar(self.score)

    @property
    def results(self) -> SafeString | str:
        """Return a drawing of the last results."""
        return draw_result_squares(self.last)

    @property
    def surplus(self) -> float:
        """Return the difference to the expected share in percentage points."""
        return 100 * (self.score - self.expected)


def build_rating_history(entry: Entry, unit: str) -> History | None:
    """Return the rating by day over all versions, or by match of the playing one; None if there is nothing to draw.

    `unit` is `days`, `matches`, or empty for days if there are enough of them.
    """
    days = list_daily_points(entry)
    by_day = unit == "days" or (unit != "matches" and len(days) >= MIN_DAYS_SHOWN)
    points = days if by_day else list_match_points(entry)
    if not points:
        return None
    return History(draw_rating_history(points, by_day), points[: -MAX_POINTS_LISTED - 1 : -1], by_day)


def list_daily_points(entry: Entry) -> list[Point]:
    """Return the last rating of each day, and the current one."""
    today = localdate()
    rows = list_daily_ratings(entry.version.bot_id, entry.ladder_id)
    points = [
        Point(rating, Z_SCORE_95 * deviation, matches, day, version, rank)
        for rating, deviation, matches, day, version, rank in rows
    ]
    points = [point for point in points if point.day < today or point.version != entry.version.number]
    now = Point(entry.rating, entry.margin_95, entry.matches, today, entry.version.number)
    return [*points[::-1], now] if points else []


def list_match_points(entry: Entry) -> list[Point]:
    """Return the rating as it was shown after each of the last matches."""
    version = entry.version.number
    return [
        Point(rating, Z_SCORE_95 * deviation, entry.matches - back, localdate(finished), version)
        for back, (rating, deviation, finished) in enumerate(list_ratings_by_match(entry.pk))
    ][::-1]


def list_rivals(entry: Entry, form: Form) -> list[Rival]:
    """List whom the entry met most often in rated matches, at tables of all sizes."""
    return [
        Rival(other, met, score, expected_score(entry.rating - other.rating), form.last.get(other.version_id, []))
        for other, met, score in pair_stats.list_rivals(entry)
    ]
