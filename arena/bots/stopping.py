"""Mark a bot as stopped, by its owner or by staff. What lets bots play asks `check_plays`."""

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.suspension import check_not_suspended
from arena.bots.models import Bot
from arena.errors import Conflict
from engine.message import gettext_noop, message

RETIRED_REASON = message(gettext_noop("Its owner has retired the bot."))
STOPPED_BY_STAFF_REASON = message(gettext_noop("The staff of this arena has stopped the bot."))


class BotStopped(Conflict):
    """The bot was retired by its owner or stopped by staff."""


def check_plays(bot: Bot, *, reader: User | None = None) -> None:
    """Raise BotStopped for a bot that is stopped, AuthorSuspended for one whose author is suspended.

    `reader` asks for it if somebody else than the owner does.
    """
    check_not_suspended(bot.owner, reader=reader)
    if bot.is_stopped_by_staff:
        raise BotStopped(message(gettext_noop("The staff of this arena has stopped %(name)s."), name=bot.name))
    if bot.stopped_at is not None:
        problem = gettext_noop("%(name)s is retired: its owner can let it play again on the page Manage.")
        raise BotStopped(message(problem, name=bot.name))


def check_stoppable(bot: Bot, *, by_staff: bool) -> None:
    """Raise Conflict for a bot that is stopped already. Staff may stop one that its owner has retired."""
    if bot.stopped_at is not None and (bot.is_stopped_by_staff or not by_staff):
        raise Conflict(message(gettext_noop("%(name)s is stopped already."), name=bot.name))


def check_stopped(bot: Bot, *, by_staff: bool) -> None:
    """Raise Conflict for a bot that plays, and where staff stopped it and its owner asks."""
    if bot.stopped_at is None:
        raise Conflict(message(gettext_noop("%(name)s is not stopped."), name=bot.name))
    if bot.is_stopped_by_staff and not by_staff:
        problem = gettext_noop("The staff of this arena has stopped %(name)s: ask them to let it play again.")
        raise Conflict(message(problem, name=bot.name))


@transaction.atomic
def mark_stopped(*, bot: Bot, by_staff: bool) -> Bot:
    """Mark a bot as stopped, and return it as it is now. Raises Conflict as `check_stoppable`."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_stoppable(bot, by_staff=by_staff)
    bot.stopped_at, bot.is_stopped_by_staff = bot.stopped_at or now(), by_staff
    bot.save(update_fields=["stopped_at", "is_stopped_by_staff"])
    return bot


@transaction.atomic
def mark_playing(*, bot: Bot, by_staff: bool) -> Bot:
    """Let a bot play again, and return it as it is now. Raises Conflict as `check_stopped`."""
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_stopped(bot, by_staff=by_staff)
    bot.stopped_at, bot.is_stopped_by_staff = None, False
    bot.save(update_fields=["stopped_at", "is_stopped_by_staff"])
    return bot
