"""The error of a game that breaks the contract."""

from engine.core import Json


class ContractError(AssertionError):
    """A game breaks the contract of `engine.core`. The message says what is wrong and what to do."""


def require(holds: bool, text: str) -> None:
    """Raise ContractError with this text unless the condition holds."""
    if not holds:
        raise ContractError(text)


def require_same(found: object, expected: object, text: str) -> None:
    """Raise ContractError with this text and both values unless they are equal."""
    if found != expected:
        raise ContractError(f"{text}\n  found:    {shorten(found)}\n  expected: {shorten(expected)}")


def shorten(value: object) -> str:
    """Return a value as Python writes it, cut to a few lines."""
    text = repr(value)
    return text if len(text) <= 600 else f"{text[:597]}…"


def describe_difference(found: Json, expected: Json) -> str:
    """Return the keys of two JSON objects that differ, with both values."""
    keys = sorted(key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key))
    return "; ".join(f"{key}: {shorten(found.get(key))} and {shorten(expected.get(key))}" for key in keys)
