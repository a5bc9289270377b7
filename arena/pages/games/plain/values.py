"""The values of views, events and explanations in the words of a page."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

HIDDEN = "?"
LABELS = {
    "points": gettext_lazy("Points"),
    "score": pgettext_lazy("in a game", "Score"),
    "scores": pgettext_lazy("in a game", "Scores"),
    "round": pgettext_lazy("in a game", "Round"),
}
"""The keys that games share, in the reader's language; all others are shown as the game calls them."""


@dataclass(frozen=True, slots=True)
class Item:
    """One value: a card, a number, a word."""

    text: str
    is_back: bool = False
    """Whether it is hidden, and drawn as the back of a card."""


def write_label(key: str) -> str:
    """Return a key as a label: `last_bid` is "Last bid"."""
    if key in LABELS:
        return str(LABELS[key])
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
        return tuple(item for key, inner in value.items() for item in list_entry(key, inner))
    if isinstance(value, list) and value:
        return tuple(item for inner in value for item in list_element(inner))
    return (Item(write_value(value), value == HIDDEN),)


def list_element(value: Any) -> tuple[Item, ...]:
    """Return an element of a list as one item, or as several where something in it is hidden."""
    return list_items(value) if has_hidden(value) else (Item(write_value(value)),)


def list_entry(key: str, value: Any) -> tuple[Item, ...]:
    """Return an entry of an object as one item, or as several where something in it is hidden."""
    label = f"{write_label(key).lower()}:"
    return (Item(label), *list_items(value)) if has_hidden(value) else (Item(f"{label} {write_value(value)}"),)


def has_hidden(value: Any) -> bool:
    """Return whether a value is hidden, or anything in it."""
    if isinstance(value, dict | list):
        return any(map(has_hidden, value.values() if isinstance(value, dict) else value))
    return bool(value == HIDDEN)
