"""Take from the arena what tells who an author was; bots and results stay, under a pseudonym."""

import secrets

from django.db import transaction

from arena.accounts.anonymising import anonymise_account
from arena.accounts.models import User
from arena.analysis.services.forgetting import forget_who_requested
from arena.audit.services import forget_name_in_audit_log
from arena.bot_acts.renaming import replace_bot_name
from arena.bots.models import Bot, Submission
from arena.bots.teams import leave_all_teams
from arena.bots.tokens import delete_tokens
from arena.following.services.forgetting import forget_author, forget_bot
from arena.groups.models import Group
from arena.groups.services.leaving import leave_all_groups
from arena.ladders.services.group_ladders import take_off_strangers_of_group
from arena.livegames.renaming import rename_person_in_live_games
from arena.notices.services import delete_notices_and_webhooks, forget_name_in_notices
from arena.tournaments.services.recording import forget_name_in_acts

BOT_PSEUDONYM_PREFIX = "bot-"


@transaction.atomic
def anonymise_user(*, user: User, rename_bots: bool = False) -> str:
    """Give a user a pseudonym, remove what only this person needs, and return the pseudonym.

    Bots that have other authors are led by who has worked on them longest. The others stay with their versions, results
    and records; with `rename_bots` they get pseudonyms, too, in the records
    as well. Raises Conflict for staff and the house.
    """
    name = user.username
    pseudonym = anonymise_account(user=user)
    rename_person_in_live_games(user=user, name=pseudonym)
    forget_who_requested(user=user)
    delete_tokens(owner=user)
    Submission.objects.filter(owner=user).delete()
    groups = list(Group.objects.filter(memberships__user=user))
    leave_all_groups(user=user)
    leave_all_teams(user=user)
    for group in groups:
        take_off_strangers_of_group(group=group)
    delete_notices_and_webhooks(user=user)
    forget_author(user=user)
    forget_name_in_audit_log(user=user, pseudonym=pseudonym)
    forget_name_in_notices(about=f"user {user.pk}", name=name, pseudonym=pseudonym)
    forget_name_in_acts(user=user, name=name, pseudonym=pseudonym)
    if rename_bots:
        for bot in Bot.objects.of(user):
            _rename(bot)
    return pseudonym


def _rename(bot: Bot) -> None:
    forget_bot(bot=bot)
    pseudonym = _find_free_bot_name()
    replace_bot_name(bot=bot, name=pseudonym, slug=pseudonym, in_records=True)


def _find_free_bot_name() -> str:
    while True:
        name = BOT_PSEUDONYM_PREFIX + secrets.token_hex(3)
        if not Bot.objects.filter(slug=name).exists():
            return name
