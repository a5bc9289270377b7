"""Give a bot another name in the records of its matches, whose hashes are without names."""

import zlib

import orjson
from django.db.models import Prefetch

from arena.bots.models import Bot
from arena.matches.models import Leg, LegSeat
from engine.record_hash import record_hash

LEGS_AT_A_TIME = 200


def rename_in_records(*, bot: Bot, name: str) -> int:
    """Write a bot's new name into the records of all its legs, and return how many these are."""
    seats = LegSeat.objects.filter(participant__version__bot=bot)
    legs = Leg.objects.filter(pk__in=seats.values("leg")).exclude(record=None).order_by("pk").defer("deal")
    numbers = list(legs.values_list("pk", flat=True))
    for start in range(0, len(numbers), LEGS_AT_A_TIME):
        some = legs.filter(pk__in=numbers[start : start + LEGS_AT_A_TIME])
        changed = [_rename(leg, name) for leg in some.prefetch_related(Prefetch("seats", seats, to_attr="of_bot"))]
        Leg.objects.bulk_update(changed, ["record"])
    return len(numbers)


def _rename(leg: Leg, name: str) -> Leg:
    record = leg.record_data
    for seat in getattr(leg, "of_bot"):  # noqa: B009
        record["seats"][seat.seat]["name"] = name
    assert record_hash(record) == leg.record_hash or not leg.record_hash
    leg.record = zlib.compress(orjson.dumps(record), 9)
    return leg
