"""Let everybody see a bot that was for a group only."""

from django.db import transaction

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.teams import check_lead
from arena.errors import Conflict
from arena.matches.models import Participant
from engine.message import gettext_noop, message


@transaction.atomic
def publish_bot(*, bot: Bot, owner: User) -> Bot:
    """Make a bot public, as its lead; what it has played until now stays the group's. Raise NotYours or Conflict.

    There is no way back: who has seen a bot can't be made to forget it.
    """
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_lead(bot, owner)
    if bot.group_id is None:
        raise Conflict(message(gettext_noop("%(name)s is public already."), name=bot.name))
    bot.group = None
    bot.save(update_fields=["group"])
    Participant.objects.filter(version__bot=bot, match__group__isnull=False).update(is_hidden=True)
    return bot
