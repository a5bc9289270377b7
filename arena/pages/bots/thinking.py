"""The thinking times of a version, read from the records of its last legs."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

import orjson

from arena.matches.queries.bot_matches import list_leg_records
from engine.core import Json

LEGS_READ = 4
"""Records are large, so the times of few legs are read."""
MAX_PARTICIPANTS_SCANNED = 3 * LEGS_READ
"""Some participants have no finished leg, or no record of it."""
QUANTILES = 20
"""The last of 19 cut points is the 95th percentile."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Times of all answers in a number of legs, in milliseconds."""

    legs: int
    answers: int
    median: float
    most: float
    """The 95th percentile."""
    slowest: float
    limit: int | None
    """The time limit of one answer."""
    start_limit: int | None
    """The time limit of getting ready."""


def read_thinking(participants: Sequence[int]) -> Thinking | None:
    """Return the times in the last finished legs of these participants; None where they never answered."""
    rows = list(list_leg_records(participants[:MAX_PARTICIPANTS_SCANNED], LEGS_READ))
    times, legs = [], 0
    for seat, stored, _limits in rows:
        found = list_times(read_record(stored), seat)
        legs += bool(found)
        times += found
    if not times:
        return None
    limits = rows[0][2]
    median, most = (times[0], times[0]) if len(times) == 1 else median_and_p95(times)
    return Thinking(legs, len(times), median, most, max(times), limits.get("move_ms"), limits.get("start_ms"))


def read_record(stored: bytes) -> Json:
    """Return a stored record; empty where it is damaged."""
    try:
        record: Json = orjson.loads(zlib.decompress(stored))
    except (zlib.error, orjson.JSONDecodeError):
        return {}
    return record


def list_times(record: Json, seat: int) -> list[float]:
    """Return the time of each answer of a seat in milliseconds."""
    return [one["ms"] for one in record.get("actions", []) if one["seat"] == seat and "ms" in one]


def median_and_p95(times: Sequence[float]) -> tuple[float, float]:
    """Return the median and the 95th percentile."""
    parts = quantiles(times, n=QUANTILES, method="inclusive")
    return parts[QUANTILES // 2 - 1], parts[-1]
