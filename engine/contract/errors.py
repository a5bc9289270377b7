"""The error of a game that breaks the contract."""

from collections.abc import Sequence

from engine.core import Json

MAX_SHOWN_LENGTH = 600
"""In characters."""
CONTEXT_LENGTH = 60
"""Characters of a long text that are shown before the first difference."""


class ContractError(AssertionError):
    """A game breaks the contract of `engine.core`. The message says what is wrong and what to do."""


def require(holds: bool, text: str) -> None:
    """Raise ContractError with this text unless the condition holds."""
    if not holds:
        raise ContractError(text)


def require_same(found: object, expected: object, text: str) -> None:
    """Raise ContractError with this text and both values unless they are equal."""
    if found != expected:
        one, other = write_different(found, expected)
        raise ContractError(f"{text}\n  found:    {one}\n  expected: {other}")


def write_different(found: object, expected: object) -> tuple[str, str]:
    """Return two different values as Python writes them; of long ones only what follows their common beginning."""
    is_long = max(len(repr(found)), len(repr(expected))) > MAX_SHOWN_LENGTH
    if is_long and isinstance(found, list) and isinstance(expected, list):
        start = count_common_elements(found, expected)
        if start:
            return (
                f"{start} the same, then {shorten(found[start:])}",
                f"{start} the same, then {shorten(expected[start:])}",
            )
    if is_long and isinstance(found, str) and isinstance(expected, str):
        start = max(0, count_common_elements(found, expected) - CONTEXT_LENGTH)
        return shorten(found[start:]), shorten(expected[start:])
    return shorten(found), shorten(expected)


def count_common_elements(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the length of the common beginning of two lists or strings."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (left, right) in pairs if left != right), min(len(one), len(other)))


def shorten(value: object) -> str:
    """Return a value as Python writes it, cut to a few lines."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN_LENGTH else f"{text[: MAX_SHOWN_LENGTH - 3]}…"


def describe_difference(found: Json, expected: Json) -> str:
    """Return the keys of two JSON objects that differ, with both values."""
    keys = sorted(key for key in found.keys() | expected.keys() if found.get(key) != expected.get(key))
    pairs = {key: write_different(found.get(key), expected.get(key)) for key in keys}
    return "; ".join(f"{key}: {one} and {other}" for key, (one, other) in pairs.items())
