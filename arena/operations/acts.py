"""Acts that concern several domains: of authors on their bots and accounts, and of groups."""

import logging
from smtplib import SMTPException

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils.translation import override

from arena.bots.lifecycle import AUTHOR_GONE_REASON
from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.teams import accept_invitation, check_author, check_lead, hand_over_lead
from arena.contests.ladders.services.entering import check_ladder_limits
from arena.contests.lifecycle import take_off_strangers_of_group
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import check_author_limits
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match, Participant
from arena.operations.lifecycle import (
    Stopped,
    anonymise_user,
    release_bot,
    remove_files_everywhere,
    rename_bot_everywhere,
    stop_bot,
)
from arena.people.accounts.models import User
from arena.people.accounts.names import list_addresses
from arena.people.accounts.services import approve_account
from arena.people.groups.models import Membership
from arena.people.groups.services import list_groups_without_heir, remove_member
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from engine.message import gettext_noop, message

# Let everybody see a bot that was for a group only.


@transaction.atomic
def publish_bot(*, bot: Bot, owner: User) -> Bot:
    """Make a bot public, as its lead; what it has played until now stays the group's. Raise NotYours or Conflict.

    There is no way back: who has seen a bot can't be made to forget it.
    """
    bot = Bot.objects.select_for_update().get(pk=bot.pk)
    check_lead(bot, owner)
    if bot.group_id is None:
        raise Conflict(message(gettext_noop("%(name)s is already public."), name=bot.name))
    bot.group = None
    bot.save(update_fields=["group"])
    Participant.objects.filter(version__bot=bot, match__group__isnull=False).update(is_hidden=True)
    return bot


# Retire a bot, let it play again, rename and delete it, join its team and hand it over, as its authors ask for it.


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
        problem = gettext_noop("%(name)s has played against other bots, and those results are kept: retire it instead.")
        raise Conflict(message(problem, name=bot.name))
    if Match.objects.of_bot(bot).filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists():
        problem = gettext_noop("%(name)s is waiting for its trial: delete it afterwards.")
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


# Let people leave a group, and with them what they have there.


@transaction.atomic
def leave_group(*, member: Membership, by: User) -> None:
    """Take a person out of a group as `remove_member` does, and the person's bots off the group's ladders."""
    group = member.group
    remove_member(member=member, by=by)
    take_off_strangers_of_group(group=group)


# Delete one's own account: what tells who the person is goes, and so do the files of bots that nobody else works on.

UNFINISHED = (Tournament.State.OPEN, Tournament.State.CHECKING, Tournament.State.RUNNING, Tournament.State.PAUSED)


@transaction.atomic
def delete_own_account(*, user: User, confirmation: str, rename_bots: bool) -> None:
    """Take from the arena what tells who its user is, with the files of bots; results stay under a pseudonym.

    Bots with other authors are led by these, and keep their files; remote bots without others stop. Raise ArenaError
    unless `confirmation` is the user name, or Conflict for staff, and for who must hand something over first.
    """
    if confirmation.strip() != user.username:
        problem = gettext_noop("Type your username to delete the account.")
        raise ArenaError(message(problem), fields=["confirmation"])
    if groups := list_groups_without_heir(user):
        problem = gettext_noop(
            "You're the only organiser of groups with other members: %(groups)s. First make a member an "
            "owner or delete the group."
        )
        raise Conflict(message(problem, groups=", ".join(group.name for group in groups)))
    unfinished = Tournament.objects.filter(organiser=user, state__in=UNFINISHED)
    if titles := list(unfinished.values_list("title", flat=True)):
        problem = gettext_noop(
            "You organise tournaments that aren't finished: %(titles)s. Let them finish or cancel them."
        )
        raise Conflict(message(problem, titles=", ".join(titles)))
    anonymise_user(user=user, rename_bots=rename_bots)
    for bot in Bot.objects.of(user).filter(is_remote=True, stopped_at=None):
        stop_bot(bot=bot, by_staff=False)
    left = BotVersion.objects.filter(Q(source__isnull=False) | Q(language=REMOTE_LANGUAGE), bot__owner=user)
    remove_files_everywhere(versions=list(left.values_list("pk", flat=True)), reason=AUTHOR_GONE_REASON)


# Let a user in, and tell that person.

logger = logging.getLogger(__name__)


def admit_user(*, user: User, site: str) -> bool:
    """Approve a user who waits for it, and send a notice, and a mail to a confirmed address.

    Return whether the user waited. `site` is the address of the front page, for the mail.
    """
    if not approve_account(user=user):
        return False
    welcome = message(gettext_noop("Your account was approved. You can upload bots now."))
    notify_user(user=user, event=Event.ACCOUNT_APPROVED, text=welcome, url="/start/", about=f"user {user.pk}")
    addresses = list(list_addresses(user).filter(verified=True).values_list("email", flat=True))
    if addresses:
        _send_welcome(user, addresses, site)
    return True


def _send_welcome(user: User, addresses: list[str], site: str) -> None:
    """Send the mail in the site's language, since nobody knows the person's yet. A failure stops nothing."""
    with override(settings.LANGUAGE_CODE):
        subject = render_to_string("account/email/approved_subject.txt").strip()
        text = render_to_string("account/email/approved_message.txt", {"user": user, "site": site})
    try:
        send_mail(f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}", text, None, addresses)
    except (OSError, SMTPException):
        logger.exception("The mail to the approved user %s could not be sent", user.pk)
