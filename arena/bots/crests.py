"""Tell bots apart by crests: a number for each drawing, and the parts that an author puts together."""

from collections.abc import Collection
from dataclasses import astuple, dataclass, replace
from itertools import count
from zlib import crc32

from django.db import IntegrityError, transaction

from arena.bots.models import Bot
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import User
from engine.message import gettext_noop, message

# Tell the crests of bots apart: a number for each drawing, the next free one for a bot, and the parts to choose.

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


# Give a bot the crest that its author puts together.

CHOICES_BY_PART = {
    "division": CREST_DIVISIONS,
    "field": CREST_TINCTURES,
    "second": CREST_TINCTURES,
    "charge": CREST_CHARGES,
    "charge_tincture": CREST_TINCTURES,
}


class BadCrest(ArenaError):
    """A part of the crest doesn't exist, or could not be seen."""


def choose_crest(*, bot: Bot, owner: User, design: CrestDesign) -> None:
    """Give a bot a crest that no other bot of its game has. Raises NotYours, BadCrest or Conflict."""
    check_crest_owner(bot, owner)
    bot.crest_design = str(check_design(design))
    try:
        with transaction.atomic():
            bot.save(update_fields=["crest_design"])
    except IntegrityError:  # the constraint `one_bot_per_crest_design`
        problem = gettext_noop("Another bot for this game already has this crest. Change one part.")
        raise Conflict(message(problem)) from None


def drop_crest(*, bot: Bot, owner: User) -> None:
    """Give a bot the crest again that follows from its name. Raises NotYours."""
    check_crest_owner(bot, owner)
    bot.crest_design = ""
    bot.save(update_fields=["crest_design"])


def check_crest_owner(bot: Bot, owner: User) -> None:
    """Raise NotYours for a bot of somebody else."""
    if not bot.has_author(owner):
        raise NotYours(message(gettext_noop("%(name)s belongs to someone else."), name=bot.name))


def check_design(design: CrestDesign) -> CrestDesign:
    """Return a design of which every part is seen. Raises BadCrest."""
    for part, choices in CHOICES_BY_PART.items():
        if getattr(design, part) not in choices:
            problem = gettext_noop("Unknown value %(value)s. Choose one of the options.")
            raise BadCrest(message(problem, value=getattr(design, part)[:40]), fields=[part])
    if design.division == "plain":
        design = replace(design, second=design.field)
    elif design.second == design.field:
        problem = gettext_noop("Choose two different colours, or a plain shield.")
        raise BadCrest(message(problem), fields=["second"])
    if design.charge_tincture in (design.field, design.second):
        problem = gettext_noop("Choose a charge colour that isn't on the shield; otherwise the charge can't be seen.")
        raise BadCrest(message(problem), fields=["charge_tincture"])
    return design
