"""The time zone that a user chose for deadlines, forms and mails."""

from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from arena.accounts.models import User
from arena.errors import ArenaError
from engine.message import gettext_noop, message

REGIONS = ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
"""The first parts of the names that are offered; others, such as US/Eastern, are older names of the same zones."""


@lru_cache(maxsize=1)
def list_time_zones() -> list[str]:
    """Return the names that are offered, by region; others of the IANA database may be typed."""
    return ["UTC", *sorted(name for name in available_timezones() if name.startswith(REGIONS))]


def find_time_zone(user: object) -> ZoneInfo | None:
    """Return the time zone that a user, who may be anonymous, chose; None without one, and where it is unknown here."""
    name = user.time_zone if isinstance(user, User) else ""
    try:
        return ZoneInfo(name) if name else None
    except ZoneInfoNotFoundError:  # It was chosen where the database of zones was another one.
        return None


def choose_time_zone(*, user: User, name: str) -> None:
    """Store the time zone of a user; an empty name leaves it to the browser. Raise ArenaError for an unknown one."""
    wanted = "_".join(name.split()).casefold()
    found = next((zone for zone in available_timezones() if zone.casefold() == wanted), "") if wanted else ""
    if wanted and not found:
        problem = gettext_noop("There is no time zone called %(name)s. Pick one from the list.")
        raise ArenaError(message(problem, name=name.strip()), fields=["time_zone"])
    user.time_zone = found
    user.save(update_fields=["time_zone"])
