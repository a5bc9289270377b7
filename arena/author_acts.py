"""Retire a bot, let it play again, rename and delete it, join its team and hand it over, as its authors ask for it."""

from django.db import transaction

from arena.accounts.models import User
from arena.bot_acts.renaming import rename_bot_everywhere
from arena.bot_acts.stopping import Stopped, release_bot, stop_bot
from arena.bots.models import Bot
from arena.bots.teams import accept_invitation, check_author, check_lead, hand_over_lead
from arena.errors import Conflict
from arena.ladders.services.entering import check_ladder_limits
from arena.matches.models import Match
from arena.tournaments.services.entering import check_author_limits
from engine.message import gettext_noop, message


def retire_bot(*, bot: Bot, owner: User) -> Stopped:
    """Take a bot out of play everywhere; matches that wait are still played. Raises NotYours or Conflict."""
    check_lead(bot, owner)
    return stop_bot(bot=bot, by_staff=False)


def return_bot(*, bot: Bot, owner: User) -> tuple[int, int]:
    """Let a retired bot play again; return the number of entries on ladders and in tournaments.

    Raises NotYours or Conflict.
    """
    check_lead(bot, owner)
    return release_bot(bot=bot, by_staff=False)


def rename_own_bot(*, bot: Bot, owner: User, name: str) -> None:
    """Give a bot another name; records of earlier matches keep the old one. Raises NotYours, BadName or Conflict."""
    check_author(bot, owner)
    rename_bot_everywhere(bot=bot, name=name, in_records=False)


@transaction.atomic
def delete_bot(*, bot: Bot, owner: User) -> None:
    """Delete a bot that has played nothing but trials, with these. Raises NotYours or Conflict."""
    check_lead(bot, owner)
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_deletable(bot)
    Match.objects.of_bot(bot).delete()
    bot.delete()


def check_deletable(bot: Bot) -> None:
    """Raise Conflict for a bot whose results count for others."""
    if Match.objects.of_bot(bot).filter(trial=None).exists():
        problem = gettext_noop("%(name)s has played others, whose results stay: retire it instead.")
        raise Conflict(message(problem, name=bot.name))
    if Match.objects.of_bot(bot).filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists():
        problem = gettext_noop("%(name)s waits for its trial: delete it once that is over.")
        raise Conflict(message(problem, name=bot.name))


@transaction.atomic
def join_team(*, bot: Bot, user: User) -> Bot:
    """Accept the invitation to a bot's team, and return the bot.

    Raises Conflict or AuthorSuspended; also where the bot plays in a tournament that has enough bots of this user.
    """
    bot = accept_invitation(bot=bot, user=user)
    check_author_limits(bot)
    return bot


@transaction.atomic
def hand_over_bot(*, bot: Bot, owner: User, user: User) -> Bot:
    """Let another author lead the bot's team, and return the bot. Raises NotYours, Conflict or LadderFull."""
    bot = hand_over_lead(bot=bot, by=owner, user=user)
    check_ladder_limits(bot)
    return bot
