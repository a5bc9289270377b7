"""How long a version thinks about its answers, as the records of its last legs tell."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

import orjson
from django.db.models import QuerySet

from arena.baked import baked
from arena.matches.models import LegSeat, Match
from engine.core import Json

LEGS = 4
"""Of so many legs at most the times are read."""
LOOKED_AT = 3 * LEGS
"""So many participants are looked at for them: some have no leg that is over, or no record of it. Records are large, so
no more are read than need be."""
PARTS = 20
"""The last of so many equal parts of all answers is left out: 95 of 100 are faster."""


@dataclass(frozen=True, slots=True)
class Thinking:
    """Milliseconds, of all answers in a number of legs."""

    legs: int
    answers: int
    median: float
    most: float
    """95 of 100 answers took no longer."""
    slowest: float
    limit: int | None
    """What one answer may cost."""
    start_limit: int | None
    """What getting ready may cost."""


def read_thinking(participants: Sequence[int]) -> Thinking | None:
    """In the last legs that are over of these, newest first; None where they were never asked."""
    rows = ask_records(participants[:LOOKED_AT])
    times, legs = [], 0
    for seat, stored, _limits in rows:
        found = list_times(read_record(stored), seat)
        legs += bool(found)
        times += found
    if not times:
        return None
    limits = rows[0][2]
    median, most = (times[0], times[0]) if len(times) == 1 else cut(times)
    return Thinking(legs, len(times), median, most, max(times), limits.get("move_ms"), limits.get("start_ms"))


@baked
def ask_records(participants: Sequence[int]) -> QuerySet:
    seats = LegSeat.objects.filter(participant__in=participants, leg__record__isnull=False)
    seats = seats.filter(leg__match__state=Match.State.FINISHED)
    return seats.order_by("-pk").values_list("seat", "leg__record", "leg__match__limits")[:LEGS]


def read_record(stored: bytes) -> Json:
    """Empty where a fault of the arena has left nothing of it to read."""
    try:
        return orjson.loads(zlib.decompress(stored))
    except (zlib.error, orjson.JSONDecodeError):
        return {}


def list_times(record: Json, seat: int) -> list[float]:
    """What each answer of a seat took, milliseconds; what it was not asked for is left out."""
    return [one["ms"] for one in record.get("actions", []) if one["seat"] == seat and "ms" in one]


def cut(times: Sequence[float]) -> tuple[float, float]:
    """The median, and what 95 of 100 don't exceed."""
    parts = quantiles(times, n=PARTS, method="inclusive")
    return parts[PARTS // 2 - 1], parts[-1]
