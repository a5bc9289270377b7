"""The explanation that a game gives of an action, as a list."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.messages import render_message
from arena.pages.games.plain.descriptions import name_seat
from arena.pages.games.plain.values import Item, list_items, write_label
from arena.pages.matches.replay import Scene
from engine.core import Json
from engine.message import Message

SEAT_KEY = "seat"
"""The key of an explanation that says whose action it is about."""


@dataclass(frozen=True, slots=True)
class Reason:
    """An explanation, for `proof.html`."""

    title: str
    entries: list[tuple[str, tuple[Item, ...]]]
    """Labels and values."""


def build_proof(scene: Scene, explanation: Json) -> Reason:
    """Return the explanation as labels and values."""
    entries = [(write_label(key), read_items(value)) for key, value in explanation.items() if key != SEAT_KEY]
    title = _("What the game says of it")
    seat = explanation.get(SEAT_KEY)
    return Reason(f"{title}: {name_seat(seat)}" if isinstance(seat, int) else title, entries)


def read_items(value: object) -> tuple[Item, ...]:
    """Return the items of a value, which may be a message."""
    if isinstance(value, dict) and value.keys() == {"template", "values"}:
        return (Item(render_message(Message.from_json(value))),)
    return list_items(value)
