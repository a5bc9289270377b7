"""Tell the crests of bots apart: a number for each drawing, and the next free one for a new bot."""

from collections.abc import Collection
from itertools import count
from zlib import crc32

CREST_DRAWINGS = 7 * 8
"""Patterns by colours; beyond these a crest has a border."""
CrestKey = tuple[int, int]
"""The number of a drawing, and that of its border, 0 for none."""


def find_crest(slug: str, difference: int) -> CrestKey:
    """Return the crest of a bot: that of its slug, or the one so many places after it."""
    return (crc32(slug.encode()) + difference) % CREST_DRAWINGS, difference // CREST_DRAWINGS


def choose_crest_difference(slug: str, taken: Collection[CrestKey]) -> int:
    """Return the smallest difference that gives a bot with this slug a crest that isn't taken."""
    return next(difference for difference in count() if find_crest(slug, difference) not in taken)
