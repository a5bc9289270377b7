"""Tell the crests of bots apart: a number for each drawing, the next free one for a bot, and the parts to choose."""

from collections.abc import Collection
from dataclasses import astuple, dataclass
from itertools import count
from zlib import crc32

CREST_DRAWINGS = 7 * 8
"""Patterns by colours; beyond these a crest has a border."""
CREST_DIVISIONS = (
    *("plain", "pale", "fess", "bend", "chevron", "chief", "quarters"),
    *("roundel", "cross", "saltire", "pile", "bars", "stripes", "gyronny"),
)
"""How the shield of a chosen crest is divided, by the words of heraldry."""
CREST_TINCTURES = (
    *("parchment", "gold", "orange", "crimson", "wine", "violet"),
    *("lapis", "sky", "green", "bronze", "slate", "black"),
)
CREST_CHARGES = (
    *("star", "sun", "moon", "lightning", "crown", "castle", "tower", "sword", "key", "anchor"),
    *("horse", "fish", "eye", "tree", "wheat", "waves", "heart", "spade", "club", "diamond"),
)
"""What lies on the shield. A chosen crest always has one, by which it differs from those that follow from a name."""
CrestKey = tuple[int, int]
"""The number of a drawing, and that of its border, 0 for none."""


def find_crest(slug: str, difference: int) -> CrestKey:
    """Return the crest of a bot: that of its slug, or the one so many places after it."""
    return (crc32(slug.encode()) + difference) % CREST_DRAWINGS, difference // CREST_DRAWINGS


def choose_crest_difference(slug: str, taken: Collection[CrestKey]) -> int:
    """Return the smallest difference that gives a bot with this slug a crest that isn't taken."""
    return next(difference for difference in count() if find_crest(slug, difference) not in taken)


@dataclass(frozen=True, slots=True)
class CrestDesign:
    """The parts of a crest that its author has chosen."""

    division: str
    field: str
    """The colour of the shield."""
    second: str
    """The other colour of a divided shield; that of the field where it is plain."""
    charge: str
    charge_tincture: str

    def __str__(self) -> str:
        return "/".join(astuple(self))

    @classmethod
    def read(cls, text: str) -> "CrestDesign":
        """Return the design that `str` wrote."""
        return cls(*text.split("/"))
