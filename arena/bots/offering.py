"""Say who may play live games against a bot."""

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.teams import check_author
from arena.errors import ArenaError
from engine.message import gettext_noop, message


class UnknownAudience(ArenaError):
    """There is no such choice of who may play against a bot."""


def offer_bot(*, bot: Bot, owner: User, played_by: str) -> None:
    """Choose who may play live games against a bot; games that have begun go on. Raises NotYours or UnknownAudience."""
    check_author(bot, owner)
    if played_by not in Bot.PlayedBy.values:
        raise UnknownAudience(message(gettext_noop("Choose everybody, owner or nobody.")))
    bot.played_by = played_by
    bot.save(update_fields=["played_by"])
