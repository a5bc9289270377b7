"""Stand-ins for seats, participants and versions of a record that isn't in the database, for the templates of a leg."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core import Json


@dataclass(frozen=True, slots=True)
class Named:
    """A bot without a page here, as templates ask for a version's bot."""

    name: str


@dataclass(frozen=True, slots=True)
class Guest:
    """A version without a page here, as templates ask for a version."""

    bot: Named
    number: str
    get_absolute_url: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A participant that isn't in the database."""

    version: Guest


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat of a record from elsewhere, as templates ask for a seat of a leg."""

    seat: int
    participant: Part


def seat_guests(record: Json) -> Sequence[Chair]:
    """Return the seats of a record, named as the record names them."""
    return [
        Chair(seat, Part(Guest(Named(str(bot.get("name", ""))[:60]), str(bot.get("version", ""))[:20])))
        for seat, bot in enumerate(record["seats"])
    ]
