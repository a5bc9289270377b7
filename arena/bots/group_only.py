"""Bots for one group only: whom they may meet, and who sees their matches."""

from collections.abc import Sequence

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.errors import ArenaError, Conflict, NotYours
from arena.groups.models import Group, Membership
from engine.message import gettext_noop, message


class ForGroupOnly(ArenaError):
    """What was asked for would show a bot to people outside its group."""


def find_audience(bots: Sequence[Bot], group: int | None = None) -> int | None:
    """Return the key of the group that alone sees a match of these bots; None where it is public. Raise Conflict."""
    groups = {bot.group_id for bot in bots} | {group}
    groups.discard(None)
    if len(groups) > 1:
        raise Conflict(message(gettext_noop("Bots of different groups can't meet.")))
    return next(iter(groups), None)


def check_may_meet(bots: Sequence[Bot]) -> None:
    """Raise ForGroupOnly where a bot for a group would meet somebody's bot outside it, whose author would see it."""
    for bot in bots:
        if bot.group_id is None:
            continue
        outside = [
            other
            for other in bots
            if other.group_id != bot.group_id and not other.author_keys <= bot.author_keys and not other.owner.is_house
        ]
        if outside:
            problem = gettext_noop(
                "%(name)s is for its group only: it plays against bots of the group, its author's own and the samples."
            )
            raise ForGroupOnly(message(problem, name=bot.name))


def check_is_public(bot: Bot) -> None:
    """Raise ForGroupOnly for a bot that is for a group."""
    if bot.group_id is not None:
        problem = gettext_noop("%(name)s is for its group only: publish it first, on its page Manage.")
        raise ForGroupOnly(message(problem, name=bot.name))


def check_membership(owner: User, group: Group) -> None:
    """Raise NotYours unless a user is in a group for which a bot of theirs should be."""
    if not Membership.objects.filter(group=group, user=owner).exists():
        raise NotYours(message(gettext_noop("You are not in this group.")))
