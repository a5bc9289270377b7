"""Give a bot another name everywhere."""

from django.db import transaction

from arena.bots.models import Bot
from arena.bots.renaming import rename_bot
from arena.bots.services import check_bot_name
from arena.errors import Conflict
from arena.following.services.forgetting import forget_name_of_bot
from arena.livegames.renaming import rename_bot_in_live_games
from arena.matches.renaming import rename_in_records
from arena.notices.services import forget_name_in_notices
from arena.tournaments.services.forecasting import rename_in_forecasts
from arena.tournaments.services.recording import rename_in_acts
from engine.message import gettext_noop, message


def check_free_name(bot: Bot, name: str) -> tuple[str, str]:
    """Return the name as it will be stored, and its slug. Raises BadName, or Conflict where another bot has it."""
    name, slug = check_bot_name(name, bot.owner)
    if bot.owner.is_house:
        problem = gettext_noop("%(name)s belongs to the arena, which would store it again.")
        raise Conflict(message(problem, name=bot.name))
    if name == bot.name:
        raise Conflict(message(gettext_noop("It is called %(name)s already."), name=name))
    if Bot.objects.filter(slug=slug).exclude(pk=bot.pk).exists():
        problem = gettext_noop("There is a bot called %(name)s already: choose another name.")
        raise Conflict(message(problem, name=name))
    return name, slug


@transaction.atomic
def rename_bot_everywhere(*, bot: Bot, name: str, in_records: bool) -> None:
    """Give a bot another name and address. Raises as `check_free_name`.

    With `in_records` the old name also goes from the records of all its matches, whose hashes leave names out.
    """
    bot = Bot.objects.select_for_update(of=("self",)).select_related("owner").get(pk=bot.pk)
    name, slug = check_free_name(bot, name)
    replace_bot_name(bot=bot, name=name, slug=slug, in_records=in_records)


def replace_bot_name(*, bot: Bot, name: str, slug: str, in_records: bool) -> None:
    """Put another name in the place of the old one, wherever it is stored."""
    old_name, old_slug = bot.name, bot.slug
    rename_bot(bot=bot, name=name, slug=slug)
    rename_bot_in_live_games(bot=bot, name=name)
    rename_in_forecasts(slug=old_slug, new_slug=slug)
    rename_in_acts(bot=bot, old_name=old_name)
    if in_records:
        rename_in_records(bot=bot, name=name)
        forget_name_of_bot(bot=bot)
        forget_name_in_notices(about=f"bot {bot.pk}", name=old_name, pseudonym=name)
