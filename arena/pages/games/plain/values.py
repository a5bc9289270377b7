"""The values of views, events and explanations in the words of a page."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

HIDDEN = "?"


@dataclass(frozen=True, slots=True)
class Item:
    """One value: a card, a number, a word."""

    text: str
    is_back: bool = False
    """Whether it is hidden, and drawn as the back of a card."""


def write_label(key: str) -> str:
    """Return a key as a label: `last_bid` is "Last bid"."""
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]


def write_value(value: Any) -> str:
    """Return a value as text."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{write_label(key).lower()}: {write_value(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " ".join(map(write_value, value))
    return str(value)


def list_items(value: Any) -> tuple[Item, ...]:
    """Return what a value has to show: each element of a list, each entry of an object, or the value itself."""
    if isinstance(value, dict):
        return tuple(Item(f"{write_label(key).lower()}: {write_value(inner)}") for key, inner in value.items())
    if isinstance(value, list) and value:
        return tuple(Item(write_value(inner), inner == HIDDEN) for inner in value)
    return (Item(write_value(value), value == HIDDEN),)
