"""Tell staff of new accounts and bots that somebody should look at."""

from arena.accounts.models import User
from arena.accounts.names import find_lookalikes
from arena.accounts.queries import fetch_other_usernames
from arena.bots.models import Bot
from arena.bots.queries.bots import fetch_names_of_others
from arena.notices.models import Event
from arena.notices.services import notify_staff
from engine.message import gettext_noop, message

MAX_LOOKALIKES_NAMED = 5


def report_new_account(*, user: User) -> None:
    """Tell staff of a new user who waits for approval, or whose name looks like another's or like a reserved one."""
    url = f"/admin/accounts/user/{user.pk}/change/"
    if user.awaits_approval:
        waits = message(gettext_noop("The new user %(name)s waits for approval."), name=user.username)
        notify_staff(event=Event.ACCOUNT_WAITING, text=waits, url=url, about=f"user {user.pk}")
    others = find_lookalikes(user.username, fetch_other_usernames(user))
    if others:
        template = gettext_noop("The new user %(name)s has a name that looks like another: %(others)s.")
        notify_staff(
            event=Event.NAME_CONFUSABLE,
            text=message(template, name=user.username, others=", ".join(others[:MAX_LOOKALIKES_NAMED])),
            url=url,
            about=f"user {user.pk}",
        )


def report_new_bot(*, bot: Bot) -> None:
    """Tell staff of a new bot whose name looks like that of somebody else's bot, or like one that is reserved."""
    others = find_lookalikes(bot.name, fetch_names_of_others(bot.owner))
    if others:
        template = gettext_noop("The new bot %(name)s has a name that looks like another: %(others)s.")
        notify_staff(
            event=Event.NAME_CONFUSABLE,
            text=message(template, name=bot.name, others=", ".join(others[:MAX_LOOKALIKES_NAMED])),
            url=bot.get_absolute_url(),
            about=f"bot {bot.pk}",
        )
