"""Compare times in the database with the present, though clocks of machines are set back now and then."""

from datetime import datetime, timedelta

from django.db.models import Q
from django.db.models.expressions import Combinable
from django.utils.timezone import now

MAX_CLOCK_DIFFERENCE = timedelta(minutes=1)
"""A time that lies further ahead was stored before the clock was set back."""


def is_past(field: str, age: timedelta, at: Combinable | datetime | None = None) -> Q:
    """Return the condition that the time in a field is more than `age` before the present, or before the time `at`.

    A time that lies ahead counts as long past: else what waits for it would wait for as long as a clock was set back.
    """
    present = at or now()
    return Q(**{f"{field}__lt": present - age}) | Q(**{f"{field}__gt": present + MAX_CLOCK_DIFFERENCE})
