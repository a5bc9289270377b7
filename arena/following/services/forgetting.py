"""Take names that are to be forgotten out of what followers were told."""

from django.db import transaction
from django.db.models import Q

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.following.models import Follow, News, NewsPreference
from arena.notices.services import delete_followed_news


@transaction.atomic
def forget_author(*, user: User) -> None:
    """Delete what a user follows and how it is told, who follows the user, and the notices that have the user's name.

    Whoever followed the user would else know the pseudonym.
    """
    NewsPreference.objects.filter(user=user).delete()
    Follow.objects.filter(Q(user=user) | Q(author=user)).delete()
    _delete_notices(Q(kind=News.Kind.NEW_BOT, bot__owner=user))


@transaction.atomic
def forget_bot(*, bot: Bot) -> None:
    """Delete who follows a bot, and the notices that have its name."""
    Follow.objects.filter(bot=bot).delete()
    forget_name_of_bot(bot=bot)


def forget_name_of_bot(*, bot: Bot) -> None:
    """Delete the notices of news that have the bot's name. The news themselves name it as it is called when told."""
    _delete_notices(Q(bot=bot) | Q(other=bot))


def _delete_notices(condition: Q) -> None:
    delete_followed_news(about=list(News.objects.filter(condition).values_list("about", flat=True)))
