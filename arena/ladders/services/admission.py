"""Decide whether a bot may play on a ladder."""

from arena.bots.group_only import check_is_public
from arena.bots.models import Bot
from arena.errors import NotYours
from arena.ladders.models import Ladder
from arena.ladders.queries.group_ladders import list_admitted_bots
from engine.message import gettext_noop, message


def check_admitted(ladder: Ladder, bot: Bot) -> None:
    """Raise ForGroupOnly for a bot for a group on a public ladder, NotYours for one of strangers on a group's."""
    if ladder.group_id is None:
        check_is_public(bot)
    elif not list_admitted_bots(ladder).filter(pk=bot.pk).exists():
        problem = gettext_noop("%(name)s can't play there: who leads it is not in the group.")
        raise NotYours(message(problem, name=bot.name))
