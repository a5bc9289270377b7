"""Give a bot the crest that its author puts together."""

from dataclasses import replace

from django.db import IntegrityError, transaction

from arena.accounts.models import User
from arena.bots.crests import CREST_CHARGES, CREST_DIVISIONS, CREST_TINCTURES, CrestDesign
from arena.bots.models import Bot
from arena.errors import ArenaError, Conflict, NotYours
from engine.message import gettext_noop, message

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
        problem = gettext_noop("Another bot of this game has this crest: change one part of it.")
        raise Conflict(message(problem)) from None


def drop_crest(*, bot: Bot, owner: User) -> None:
    """Give a bot the crest again that follows from its name. Raises NotYours."""
    check_crest_owner(bot, owner)
    bot.crest_design = ""
    bot.save(update_fields=["crest_design"])


def check_crest_owner(bot: Bot, owner: User) -> None:
    """Raise NotYours for a bot of somebody else."""
    if not bot.has_author(owner):
        raise NotYours(message(gettext_noop("%(name)s belongs to somebody else."), name=bot.name))


def check_design(design: CrestDesign) -> CrestDesign:
    """Return a design of which every part is seen. Raises BadCrest."""
    for part, choices in CHOICES_BY_PART.items():
        if getattr(design, part) not in choices:
            problem = gettext_noop("A crest has no part called %(value)s: choose one of those offered.")
            raise BadCrest(message(problem, value=getattr(design, part)[:40]), fields=[part])
    if design.division == "plain":
        design = replace(design, second=design.field)
    elif design.second == design.field:
        problem = gettext_noop("Choose two colours for a divided shield, or a plain one.")
        raise BadCrest(message(problem), fields=["second"])
    if design.charge_tincture in (design.field, design.second):
        problem = gettext_noop("Choose a colour for the charge that the shield doesn't have: else it can't be seen.")
        raise BadCrest(message(problem), fields=["charge_tincture"])
    return design
